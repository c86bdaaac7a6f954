// Command floats generates the NEON assembly of package depthwise.
package main

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/neon"
)

// rows is the number of rows of a tile. directRows in direct_arm64.go is the same.
const rows = 4

func main() {
	neon.Main(func(file *neon.File) {
		for _, kernel := range []int{3, 5} {
			for _, stride := range []int{1, 2} {
				(&direct{file: file, kernel: kernel, stride: stride}).generate()
			}
		}
		taps(file)
		evens(file)
	})
}

// The layout of planeCall, rowGroup and planeStrip in direct_arm64.go.
const (
	callOut, callIn, callWeights, callBias           = 0, 8, 16, 24
	callPlanes, callOutPlane, callInPlane            = 32, 40, 48
	callWeightsStep, callBiasStep                    = 56, 64
	callGroups, callGroupCount                       = 72, 80
	callStrips, callStripCount                       = 88, 96
	callInStep, callOutStep                          = 104, 112
	callClamp, callLo, callHi                        = 120, 128, 132
	rowsIn, rowsOut, rowsValid, rowsStored, rowsSize = 0, 8, 16, 24, 32
	stripIn, stripOut, stripKind                     = 0, 8, 16
	stripOffsets, stripIndex, stripSize              = 24, 24 + 80, 24 + 80 + 160
)

// direct generates a function that convolves planes tile by tile. A tile has several rows, and two
// vectors of columns or one. Rows of the input that are padding are skipped. At the sides, vectors
// are loaded from inside of a row and moved to their place, with zeros for what is outside.
type direct struct {
	file           *neon.File
	kernel, stride int

	f               *neon.Func
	call            neon.Reg
	group, strip    neon.Reg
	inStep, outStep neon.Reg
	weights         []neon.Vec
	bias, lo, hi    neon.Vec
}

// load loads a field of 64 bits.
func (d *direct) load(base neon.Reg, at int) neon.Reg {
	r := d.f.Reg()
	d.f.Emit("ldr", r, neon.At(base).Plus(at))
	return r
}

// forward adds a field to another one of the call.
func (d *direct) forward(to, step int) {
	at, by := d.load(d.call, to), d.load(d.call, step)
	d.f.Emit("add", at, at, by)
	d.f.Emit("str", at, neon.At(d.call).Plus(to))
}

func (d *direct) generate() {
	name := fmt.Sprintf("plane%ds%dNEON", d.kernel, d.stride)
	d.f = d.file.Func("func "+name+"(call *byte)",
		fmt.Sprintf("%s convolves planes with a filter of %d by %[2]d and stride %d. call is a planeCall, which it changes.", name, d.kernel, d.stride))
	f := d.f
	d.call = f.Arg("call")
	d.inStep, d.outStep = d.load(d.call, callInStep), d.load(d.call, callOutStep)
	d.lo, d.hi = f.Vec(), f.Vec()
	limits := f.Reg()
	f.Emit("add", limits, d.call, callLo)
	f.Emit("ld1r", d.lo, neon.At(limits).Post(4))
	f.Emit("ld1r", d.hi, neon.At(limits))

	f.Label("plane")
	taps := d.kernel * d.kernel
	from := d.load(d.call, callWeights)
	d.weights = f.Vecs((taps + 3) / 4)
	for i, w := range d.weights {
		if 4*i+4 <= taps {
			f.Emit("ldr", w.Q(), neon.At(from).Plus(16*i))
		} else { // one is left
			f.Emit("ldr", w.S(), neon.At(from).Plus(16*i))
		}
	}
	d.bias = f.Vec()
	f.Emit("ld1r", d.bias, neon.At(d.load(d.call, callBias)))
	d.group = d.load(d.call, callGroups)
	groups := d.load(d.call, callGroupCount)
	f.Label("group")
	d.strip = d.load(d.call, callStrips)
	strips := d.load(d.call, callStripCount)
	f.Label("strip")
	kind := d.load(d.strip, stripKind)
	f.BitSet(kind, 1, "narrow")
	f.BitSet(kind, 0, "wideShifted")
	d.tile("wide", 2, false)
	f.Branch("b", "next")
	f.Label("wideShifted")
	d.tile("wideShifted", 2, true)
	f.Branch("b", "next")
	f.Label("narrow")
	f.BitSet(kind, 0, "narrowShifted")
	d.tile("narrow", 1, false)
	f.Branch("b", "next")
	f.Label("narrowShifted")
	d.tile("narrowShifted", 1, true)
	f.Label("next")
	f.Emit("add", d.strip, d.strip, stripSize)
	f.Emit("subs", strips, strips, 1)
	f.Branch("bne", "strip")
	f.Emit("add", d.group, d.group, rowsSize)
	f.Emit("subs", groups, groups, 1)
	f.Branch("bne", "group")
	planes := d.load(d.call, callPlanes)
	f.Emit("sub", planes, planes, 1)
	f.Zero(planes, "done") // the pointers stay inside of the slices
	f.Emit("str", planes, neon.At(d.call).Plus(callPlanes))
	d.forward(callIn, callInPlane)
	d.forward(callOut, callOutPlane)
	d.forward(callWeights, callWeightsStep)
	d.forward(callBias, callBiasStep)
	f.Branch("b", "plane")
	f.Label("done")
	f.Return()
}

// tile generates the code of a tile with a number of vectors in a row.
func (d *direct) tile(name string, vectors int, shifted bool) {
	f := d.f
	in, out := d.load(d.call, callIn), d.load(d.call, callOut)
	for _, part := range []neon.Reg{d.load(d.group, rowsIn), d.load(d.strip, stripIn)} {
		f.Emit("add", in, in, part)
	}
	for _, part := range []neon.Reg{d.load(d.group, rowsOut), d.load(d.strip, stripOut)} {
		f.Emit("add", out, out, part)
	}
	valid, stored := d.load(d.group, rowsValid), d.load(d.group, rowsStored)
	row := d.rowLoader(vectors, shifted)
	var sums [rows][]neon.Vec
	for r := range sums {
		sums[r] = f.Vecs(vectors)
		for _, s := range sums[r] {
			f.Emit("mov", s, d.bias)
		}
	}
	for i := range (rows-1)*d.stride + d.kernel {
		skip := fmt.Sprintf("%s%d", name, i)
		f.BitClear(valid, i, skip)
		row(in, func(k int, x []neon.Vec) {
			for r := range sums {
				ky := i - r*d.stride
				if ky < 0 || ky >= d.kernel {
					continue
				}
				t := ky*d.kernel + k
				for j, s := range sums[r] {
					f.Emit("fmla", s, x[j], d.weights[t/4].Lane(t%4))
				}
			}
		})
		f.Label(skip)
		f.Emit("add", in, in, d.inStep)
	}
	clamp := d.load(d.call, callClamp)
	f.Zero(clamp, name+"Write")
	for _, list := range sums {
		for _, s := range list {
			f.Emit("fmaxnm", s, s, d.lo) // lo if s is NaN
			f.Emit("fminnm", s, s, d.hi)
		}
	}
	f.Label(name + "Write")
	for r, list := range sums {
		if r > 0 {
			f.BitClear(stored, r, "next")
			f.Emit("add", out, out, d.outStep)
		}
		if vectors == 2 {
			f.Emit("stp", list[0].Q(), list[1].Q(), neon.At(out))
		} else {
			f.Emit("str", list[0].Q(), neon.At(out))
		}
	}
}

// rowLoader prepares for loading rows of the input. The result calls use with the vectors of each
// column of the filter.
func (d *direct) rowLoader(vectors int, shifted bool) func(in neon.Reg, use func(k int, x []neon.Vec)) {
	f := d.f
	// Without a stride, a column of the filter has vectors of its own. With stride 2, every column
	// splits the same vectors.
	loads := d.kernel * vectors
	if d.stride == 2 {
		loads = 2*vectors + 1
	}
	var offsets []neon.Reg
	var index []neon.Vec
	if shifted {
		for j := range loads {
			offsets = append(offsets, d.load(d.strip, stripOffsets+8*j))
			index = append(index, f.Vec())
			f.Emit("ldr", index[j].Q(), neon.At(d.strip).Plus(stripIndex+16*j))
		}
	}
	get := func(in neon.Reg, j int) neon.Vec {
		x := f.Vec()
		f.Emit("ldr", x.Q(), neon.At(in).Index(offsets[j], 0))
		f.Emit("tbl", x.B16(), x.B16(), index[j].B16())
		return x
	}
	switch {
	case d.stride == 1 && !shifted:
		return func(in neon.Reg, use func(int, []neon.Vec)) {
			for k := range d.kernel {
				x := f.Vecs(vectors)
				for j := range x {
					f.Emit("ldr", x[j].Q(), neon.At(in).Plus(4*k+16*j))
				}
				use(k, x)
			}
		}
	case d.stride == 1:
		return func(in neon.Reg, use func(int, []neon.Vec)) {
			for k := range d.kernel {
				x := make([]neon.Vec, vectors)
				for j := range x {
					x[j] = get(in, k*vectors+j)
				}
				use(k, x)
			}
		}
	case !shifted:
		return func(in neon.Reg, use func(int, []neon.Vec)) {
			for k := 0; k < d.kernel; k += 2 {
				even, odd, at := make([]neon.Vec, vectors), make([]neon.Vec, vectors), f.Reg()
				f.Emit("add", at, in, 4*k)
				for j := range vectors {
					pair := f.Group(2)
					f.Emit("ld2", pair[0], pair[1], neon.At(at).Post(32))
					even[j], odd[j] = pair[0], pair[1]
				}
				use(k, even)
				if k+1 < d.kernel {
					use(k+1, odd)
				}
			}
		}
	}
	return func(in neon.Reg, use func(int, []neon.Vec)) {
		x := make([]neon.Vec, loads)
		for j := range x {
			x[j] = get(in, j)
		}
		even, odd := f.Vecs(vectors+1), f.Vecs(vectors+1)
		for j := range even {
			second := x[min(2*j+1, loads-1)]
			f.Emit("uzp1", even[j], x[2*j], second)
			f.Emit("uzp2", odd[j], x[2*j], second)
		}
		for k := range d.kernel {
			from := [][]neon.Vec{even, odd}[k%2]
			moved := from[:vectors]
			if k >= 2 {
				moved = f.Vecs(vectors)
				for j := range moved {
					f.Emit("ext", moved[j].B16(), from[j].B16(), from[j+1].B16(), 4*(k/2))
				}
			}
			use(k, moved)
		}
	}
}

// taps generates the function that multiplies contiguous runs of the input by the elements of a
// filter.
func taps(file *neon.File) {
	f := file.Func("func tapsNEON(out, in *float32, offsets *int, weights *float32, taps, n int, bias float32, clamp bool, lo, hi float32)",
		"tapsNEON sets out[i] to bias plus the sum of weights[t]*in[offsets[t] + i] over t < taps, for i < n, a positive multiple of 32,",
		"and clamps it to lo and hi if clamp is set.")
	out, in, offsets, weights, taps, n := f.Arg("out"), f.Arg("in"), f.Arg("offsets"), f.Arg("weights"), f.Arg("taps"), f.Arg("n")
	bias, clamp, lo, hi := f.ArgVec("bias"), f.Arg("clamp"), f.ArgVec("lo"), f.ArgVec("hi")
	f.Label("block")
	sums := append(f.Group(4), f.Group(4)...)
	for _, s := range sums {
		f.Emit("mov", s, bias)
	}
	offset, weight, left := f.Reg(), f.Reg(), f.Reg()
	f.Emit("mov", offset, offsets)
	f.Emit("mov", weight, weights)
	f.Emit("mov", left, taps)
	f.Label("tap")
	at, w := f.Reg(), f.Vec()
	f.Emit("ldr", at, neon.At(offset).Post(8))
	f.Emit("ld1r", w, neon.At(weight).Post(4))
	f.Emit("lsl", at, at, 2)
	f.Emit("add", at, at, in)
	for half := range 2 {
		x := f.Group(4)
		f.Emit("ld1", x[0], x[1], x[2], x[3], neon.At(at).Post(64))
		for i := range x {
			f.Emit("fmla", sums[4*half+i], x[i], w)
		}
	}
	f.Emit("subs", left, left, 1)
	f.Branch("bne", "tap")
	f.Zero(clamp, "write")
	for _, s := range sums {
		f.Emit("fmaxnm", s, s, lo) // lo if s is NaN
		f.Emit("fminnm", s, s, hi)
	}
	f.Label("write")
	for half := range 2 {
		s := sums[4*half:]
		f.Emit("st1", s[0], s[1], s[2], s[3], neon.At(out).Post(64))
	}
	f.Emit("add", in, in, 4*32)
	f.Emit("subs", n, n, 32)
	f.Branch("bne", "block")
	f.Return()
}

// evens generates the function that takes every second element.
func evens(file *neon.File) {
	f := file.Func("func evensNEON(out, in *float32, n int)", "evensNEON sets out[i] to in[2*i] for i < n, a positive multiple of 4.")
	out, in, n := f.Arg("out"), f.Arg("in"), f.Arg("n")
	f.Label("loop")
	pair := f.Group(2)
	f.Emit("ld2", pair[0], pair[1], neon.At(in).Post(32))
	f.Emit("str", pair[0].Q(), neon.At(out).Post(16))
	f.Emit("subs", n, n, 4)
	f.Branch("bne", "loop")
	f.Return()
}
