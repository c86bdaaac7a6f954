// Command bytes generates the NEON assembly of package depthwise for bytes.
package main

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/neon"
)

// rows is the number of rows of a tile. bytesRows in bytes_arm64.go is the same.
const rows = 4

// The layout of bytesCall and bytesStrip in bytes_arm64.go.
const (
	callIn, callOut, callFilter, callStrips            = 0, 8, 16, 24
	callStripCount, callPitch, callStepOut, callRows   = 32, 40, 48, 56
	callScale, callBias, callLo, callHi, callLimits    = 64, 68, 72, 76, 80
	callFlags                                          = 88
	stripIn, stripOut, stripLastBytes, stripLastFloats = 0, 8, 16, 24
	stripKind, stripBytes, stripFloats, stripSize      = 32, 40, 56, 72
)

// The bits of bytesCall.flags and of bytesStrip.kind.
const (
	flagBytes = iota
	flagClamp

	kindNarrow = 0 // two vectors of four outputs, not four
	kindThree  = 1 // the third vector is whole
)

func main() {
	neon.Main(func(file *neon.File) {
		for stride := 1; stride <= 2; stride++ {
			// Byte 4*o + e is element e of the window of output o.
			var index [4]uint32
			for o := range index {
				for e := range 4 {
					index[o] |= uint32(o*stride+e) << (8 * e)
				}
			}
			file.Data(indexName(stride), index[:]...)
		}
		for _, kernel := range []int{3, 5} {
			for stride := 1; stride <= 2; stride++ {
				(&plane{kernel: kernel, stride: stride}).generate(file)
			}
		}
		flipRows(file)
		bytesFloats(file)
		finishBytes(file)
		finishFloats(file)
	})
}

func indexName(stride int) string { return fmt.Sprintf("windows%d", stride) }

// plane generates a function that convolves a plane that has all around it that its windows read. A
// tile has several rows, and four or two vectors of four columns. A row of a window is one quad or
// two; TBL brings the quads of four outputs together, and SDOT multiplies them by one of the
// filter, for each row of the tile that has it.
type plane struct {
	kernel, stride int

	f      *neon.Func
	call   neon.Reg
	filter []neon.Vec
	// of quad 0 and quad 1: the places of vector 0 and of those that follow in a table
	index   [2][]neon.Vec
	strip   neon.Reg
	flags   neon.Reg
	stepOut neon.Reg
}

// load loads a field of 64 bits.
func (p *plane) load(base neon.Reg, at int) neon.Reg {
	r := p.f.Reg()
	p.f.Emit("ldr", r, neon.At(base).Plus(at))
	return r
}

// quads returns the number of quads of a row of a window.
func (p *plane) quads() int { return (p.kernel + 3) / 4 }

func (p *plane) generate(file *neon.File) {
	name := fmt.Sprintf("dots%ds%dNEON", p.kernel, p.stride)
	p.f = file.Func("func "+name+"(c *byte)",
		fmt.Sprintf("%s convolves a plane of bytes with a filter of %d by %[2]d and stride %d. c is a bytesCall, which it changes.", name, p.kernel, p.stride),
		"It needs FEAT_DotProd.")
	f := p.f
	p.call = f.Arg("c")
	filter := p.load(p.call, callFilter)
	p.filter = f.Vecs((p.kernel*p.quads() + 4) / 4)
	for i, v := range p.filter {
		f.Emit("ldr", v.Q(), neon.At(filter).Plus(16*i))
	}
	p.places()
	p.flags, p.stepOut = p.load(p.call, callFlags), p.load(p.call, callStepOut)
	f.Label("group")
	p.strip = p.load(p.call, callStrips)
	strips := p.load(p.call, callStripCount)
	f.Label("strip")
	kind := p.load(p.strip, stripKind)
	f.BitSet(kind, kindNarrow, "narrow")
	p.tile("wide", 4)
	f.Label("narrow")
	p.tile("narrow", 2)
	f.Label("next")
	f.Emit("add", p.strip, p.strip, stripSize)
	f.Emit("subs", strips, strips, 1)
	f.Branch("bne", "strip")
	left := p.load(p.call, callRows)
	f.Emit("subs", left, left, rows)
	f.Branch("ble", "done")
	f.Emit("str", left, neon.At(p.call).Plus(callRows))
	in, out, pitch, step := p.load(p.call, callIn), p.load(p.call, callOut), p.load(p.call, callPitch), f.Reg()
	for range rows * p.stride {
		f.Emit("add", in, in, pitch)
	}
	f.Emit("lsl", step, p.stepOut, 2)
	f.Emit("add", out, out, step)
	f.Emit("str", in, neon.At(p.call).Plus(callIn))
	f.Emit("str", out, neon.At(p.call).Plus(callOut))
	f.Branch("b", "group")
	f.Label("done")
	f.Return()
}

// places loads the places of quads in a table of bytes. Vectors of four outputs are 4*stride bytes
// apart, so that 16 bytes have 4/stride of them.
func (p *plane) places() {
	f := p.f
	first := f.Vec()
	f.Emit("ldr", first.Q(), neon.At(f.Address(indexName(p.stride))))
	four := f.Vec()
	f.SetConstant(four, 0x04)
	for _, shift := range []int{8, 16} {
		f.Emit("sli", four, four, shift)
	}
	for q := range p.quads() {
		if q == 1 && p.stride == 1 {
			break // the quads of the next vector
		}
		p.index[q] = []neon.Vec{first}
		if q == 1 {
			next := f.Vec()
			f.Emit("add", next.B16(), first.B16(), four.B16())
			p.index[q][0] = next
		}
		for v := 1; v < 4/p.stride; v++ {
			next := f.Vec()
			f.Emit("add", next.B16(), p.index[q][v-1].B16(), four.B16())
			for range p.stride - 1 {
				f.Emit("add", next.B16(), next.B16(), four.B16())
			}
			p.index[q] = append(p.index[q], next)
		}
	}
}

// tile generates the code of a tile with a number of vectors in a row. It ends with a branch to the
// next strip.
func (p *plane) tile(name string, vectors int) {
	f := p.f
	in := p.load(p.call, callIn)
	f.Emit("add", in, in, p.load(p.strip, stripIn))
	pitch := p.load(p.call, callPitch)
	start := p.kernel * p.quads()
	var sums [rows][]neon.Vec
	for r := range sums {
		sums[r] = f.Group(vectors)
		for _, s := range sums[r] {
			f.Emit("dup", s, p.filter[start/4].Lane(start%4))
		}
	}
	per := 4 / p.stride // vectors whose quads start in 16 bytes
	count := vectors    // of quads
	if p.kernel > 4 && p.stride == 1 {
		count++
	}
	last := 4*p.stride*(count-1) + 3*p.stride + 3 // the last byte that is read
	if p.kernel > 4 && p.stride > 1 {
		last += 4
	}
	for i := range (rows-1)*p.stride + p.kernel {
		x := f.Group(last/16 + 1)
		f.Emit(fmt.Sprint("ld1"), operands(x, neon.At(in).PostReg(pitch))...)
		// quads gets quad q of the windows of the outputs of vector v.
		quads := func(v, q int) neon.Vec {
			t := f.Vec()
			first, end := v/per, (4*p.stride*(v%per)+3*p.stride+3+4*q)/16
			table := []any{t.B16()}
			for j := first; j <= min(first+end, len(x)-1); j++ {
				table = append(table, x[j].B16())
			}
			f.Emit("tbl", append(table, p.index[q][v%per].B16())...)
			return t
		}
		// add adds the products of the quads of vector v by quad q of the filter.
		add := func(t neon.Vec, v, q int) {
			for r := range sums {
				if ky := i - r*p.stride; ky >= 0 && ky < p.kernel {
					at := ky*p.quads() + q
					f.Emit("sdot", sums[r][v], t.B16(), p.filter[at/4].Lane(at%4))
				}
			}
		}
		for v := range count {
			t := quads(v, 0)
			if v < vectors {
				add(t, v, 0)
			}
			if p.kernel > 4 && p.stride == 1 && v > 0 {
				add(t, v-1, 1)
			}
			if p.kernel > 4 && p.stride > 1 {
				add(quads(v, 1), v, 1)
			}
		}
	}
	p.finish(name, sums[:])
}

// finish scales the sums of a tile and writes them.
func (p *plane) finish(name string, sums [][]neon.Vec) {
	f := p.f
	scale, bias, at := f.Vec(), f.Vec(), f.Reg()
	f.Emit("add", at, p.call, callScale)
	f.Emit("ld1r", scale, neon.At(at).Post(4))
	f.Emit("ld1r", bias, neon.At(at))
	left, last, out := p.load(p.call, callRows), f.Reg(), p.load(p.call, callOut)
	first := p.load(p.strip, stripOut)
	for _, row := range sums {
		for _, s := range row {
			f.Emit("scvtf", s, s)
			f.Emit("fmul", s, s, scale)
			f.Emit("fadd", s, s, bias)
		}
	}
	f.BitSet(p.flags, flagBytes, name+"Bytes")
	lo, hi := f.Vec(), f.Vec()
	f.Emit("add", at, p.call, callLo)
	f.Emit("ld1r", lo, neon.At(at).Post(4))
	f.Emit("ld1r", hi, neon.At(at))
	for _, row := range sums {
		for _, s := range row {
			f.Emit("fmaxnm", s, s, lo) // lo if s is NaN
			f.Emit("fminnm", s, s, hi)
		}
	}
	index := f.Vec()
	f.Emit("ldr", index.Q(), neon.At(p.strip).Plus(stripFloats))
	kind, end := p.load(p.strip, stripKind), f.Reg()
	f.Emit("lsl", first, first, 2)
	f.Emit("ldr", last, neon.At(p.strip).Plus(stripLastFloats))
	f.Emit("lsl", end, last, 2)
	f.Emit("add", out, out, first)
	f.Emit("add", end, end, out)
	for r, row := range sums {
		// The last vector ends with the last column.
		tail := f.Vec()
		table := []any{tail.B16()}
		for _, s := range row {
			table = append(table, s.B16())
		}
		f.Emit("tbl", append(table, index.B16())...)
		if len(row) == 2 {
			f.Emit("str", row[0].Q(), neon.At(out))
		} else {
			f.Emit("stp", row[0].Q(), row[1].Q(), neon.At(out))
			skip := fmt.Sprintf("%sThree%d", name, r)
			f.BitClear(kind, kindThree, skip)
			f.Emit("str", row[2].Q(), neon.At(out).Plus(32))
			f.Label(skip)
		}
		f.Emit("str", tail.Q(), neon.At(end))
		f.Emit("subs", left, left, 1)
		f.Branch("beq", "next")
		f.Emit("add", out, out, p.stepOut)
		f.Emit("add", end, end, p.stepOut)
	}
	f.Branch("b", "next")

	// Rounding and narrowing saturate, so that numbers beyond 0 to 255 need no clamp. NaN
	// becomes 0.
	f.Label(name + "Bytes")
	for _, row := range sums {
		for _, s := range row {
			f.Emit("fcvtns", s, s)
		}
		for v := 0; v < len(row); v += 2 {
			f.Emit("sqxtn", row[v].H4(), row[v])
			f.Emit("sqxtn2", row[v].H8(), row[v+1])
		}
		f.Emit("sqxtun", row[0].B8(), row[0].H8())
		if len(row) == 4 {
			f.Emit("sqxtun2", row[0].B16(), row[2].H8())
		}
	}
	f.BitClear(p.flags, flagClamp, name+"Write")
	limits := p.load(p.call, callLimits)
	f.Emit("dup", lo.B16(), limits)
	f.Emit("lsr", limits, limits, 8)
	f.Emit("dup", hi.B16(), limits)
	for _, row := range sums {
		f.Emit("umax", row[0].B16(), row[0].B16(), lo.B16())
		f.Emit("umin", row[0].B16(), row[0].B16(), hi.B16())
	}
	f.Label(name + "Write")
	f.Emit("ldr", index.Q(), neon.At(p.strip).Plus(stripBytes))
	f.Emit("ldr", last, neon.At(p.strip).Plus(stripLastBytes))
	f.Emit("add", out, out, first)
	f.Emit("add", end, out, last)
	for _, row := range sums {
		tail := f.Vec()
		f.Emit("tbl", tail.B16(), row[0].B16(), index.B16())
		for _, part := range []struct {
			v  neon.Vec
			to neon.Reg
		}{{row[0], out}, {tail, end}} {
			lane := part.v.Lane(0)
			if len(row) == 4 {
				lane = part.v.D2().Lane(0)
			}
			f.Emit("st1", lane, neon.At(part.to).PostReg(p.stepOut))
		}
		f.Emit("subs", left, left, 1)
		f.Branch("beq", "next")
	}
	f.Branch("b", "next")
}

// operands returns registers and an address as the operands of an instruction.
func operands(list []neon.Vec, m neon.Mem) []any {
	all := make([]any, 0, len(list)+1)
	for _, v := range list {
		all = append(all, v.B16())
	}
	return append(all, m)
}

// flipRows generates the copy of the rows of a plane to memory with room around it.
func flipRows(file *neon.File) {
	f := file.Func("func flipRowsNEON(dst, src *uint8, rows, width, pitch int)",
		"flipRowsNEON sets dst[r*pitch + i] to src[r*width + i] less 128 for r < rows and i < width, which is at least 4.")
	dst, src, rows, width, pitch := f.Arg("dst"), f.Arg("src"), f.Arg("rows"), f.Arg("width"), f.Arg("pitch")
	sign := f.Vec()
	f.SetConstant(sign, 0x80)
	for _, shift := range []int{8, 16} {
		f.Emit("sli", sign, sign, shift)
	}
	// The last bytes of a row, which overlap those before them, are this far from its start.
	last := f.Reg()
	part := func(name string, bytes int, as func(neon.Vec) neon.Vec) {
		end := f.Reg()
		f.Emit("sub", last, width, bytes)
		f.Label(name)
		v, w := f.Vec(), f.Vec()
		f.Emit("add", end, src, last)
		f.Emit("ldr", as(v), neon.At(src))
		f.Emit("ldr", as(w), neon.At(end))
		f.Emit("add", end, dst, last)
		f.Emit("eor", v.B16(), v.B16(), sign.B16())
		f.Emit("eor", w.B16(), w.B16(), sign.B16())
		f.Emit("str", as(v), neon.At(dst))
		f.Emit("str", as(w), neon.At(end))
		f.Emit("add", src, src, width)
		f.Emit("add", dst, dst, pitch)
		f.Emit("subs", rows, rows, 1)
		f.Branch("bne", name)
		f.Return()
	}
	f.Emit("cmp", width, 16)
	f.Branch("bge", "long")
	f.Emit("cmp", width, 8)
	f.Branch("bge", "eights")
	part("four", 4, neon.Vec.S)
	f.Label("eights")
	part("eight", 8, neon.Vec.D)
	f.Label("long")
	from, to, left := f.Reg(), f.Reg(), f.Reg()
	f.Emit("sub", last, width, 16)
	f.Label("row")
	v := f.Vec()
	f.Emit("mov", from, src)
	f.Emit("mov", to, dst)
	f.Emit("sub", left, width, 16)
	f.Label("sixteen")
	f.Emit("ldr", v.Q(), neon.At(from).Post(16))
	f.Emit("eor", v.B16(), v.B16(), sign.B16())
	f.Emit("str", v.Q(), neon.At(to).Post(16))
	f.Emit("subs", left, left, 16)
	f.Branch("bgt", "sixteen")
	f.Emit("add", from, src, last)
	f.Emit("add", to, dst, last)
	f.Emit("ldr", v.Q(), neon.At(from))
	f.Emit("eor", v.B16(), v.B16(), sign.B16())
	f.Emit("str", v.Q(), neon.At(to))
	f.Emit("add", src, src, width)
	f.Emit("add", dst, dst, pitch)
	f.Emit("subs", rows, rows, 1)
	f.Branch("bne", "row")
	f.Return()
}

// bytesFloats generates the conversion of bytes less a zero point.
func bytesFloats(file *neon.File) {
	f := file.Func("func bytesFloatsNEON(out *float32, x *uint8, n int, zero uint32)",
		"bytesFloatsNEON sets out[i] to x[i] - zero for n elements, a positive multiple of 16.")
	out, x, n, zero := f.Arg("out"), f.Arg("x"), f.Arg("n"), f.ArgVec("zero")
	f.Emit("ucvtf", zero, zero)
	f.Label("loop")
	b, h, v := f.Vec(), f.Vecs(2), f.Group(4)
	f.Emit("ldr", b.Q(), neon.At(x).Post(16))
	f.Emit("ushll", h[0].H8(), b.B8(), 0)
	f.Emit("ushll2", h[1].H8(), b.B16(), 0)
	for i := range 2 {
		f.Emit("ushll", v[2*i], h[i].H4(), 0)
		f.Emit("ushll2", v[2*i+1], h[i].H8(), 0)
	}
	for _, y := range v {
		f.Emit("ucvtf", y, y)
		f.Emit("fsub", y, y, zero)
	}
	f.Emit("st1", v[0], v[1], v[2], v[3], neon.At(out).Post(64))
	f.Emit("subs", n, n, 16)
	f.Branch("bne", "loop")
	f.Return()
}

// finishBytes generates the results of sums in float32, as bytes.
func finishBytes(file *neon.File) {
	f := file.Func("func finishBytesNEON(out *uint8, sums *float32, n int, scale, bias, lo, hi float32)",
		"finishBytesNEON sets out[i] to sums[i]*scale + bias, clamped and rounded, for n elements, a positive multiple of 16.")
	out, sums, n := f.Arg("out"), f.Arg("sums"), f.Arg("n")
	scale, bias, lo, hi := f.ArgVec("scale"), f.ArgVec("bias"), f.ArgVec("lo"), f.ArgVec("hi")
	f.Label("loop")
	v := f.Group(4)
	f.Emit("ld1", v[0], v[1], v[2], v[3], neon.At(sums).Post(64))
	for _, y := range v {
		finish(f, y, scale, bias, lo, hi)
		f.Emit("fcvtns", y, y)
	}
	f.Emit("uzp1", v[0].H8(), v[0].H8(), v[1].H8())
	f.Emit("uzp1", v[2].H8(), v[2].H8(), v[3].H8())
	f.Emit("uzp1", v[0].B16(), v[0].B16(), v[2].B16())
	f.Emit("str", v[0].Q(), neon.At(out).Post(16))
	f.Emit("subs", n, n, 16)
	f.Branch("bne", "loop")
	f.Return()
}

// finishFloats generates the results of sums in float32.
func finishFloats(file *neon.File) {
	f := file.Func("func finishFloatsNEON(out, sums *float32, n int, scale, bias, lo, hi float32)",
		"finishFloatsNEON sets out[i] to sums[i]*scale + bias, clamped, for n elements, a positive multiple of 4.")
	out, sums, n := f.Arg("out"), f.Arg("sums"), f.Arg("n")
	scale, bias, lo, hi := f.ArgVec("scale"), f.ArgVec("bias"), f.ArgVec("lo"), f.ArgVec("hi")
	f.Label("loop")
	v := f.Vec()
	f.Emit("ldr", v.Q(), neon.At(sums).Post(16))
	finish(f, v, scale, bias, lo, hi)
	f.Emit("str", v.Q(), neon.At(out).Post(16))
	f.Emit("subs", n, n, 4)
	f.Branch("bne", "loop")
	f.Return()
}

func finish(f *neon.Func, v, scale, bias, lo, hi neon.Vec) {
	f.Emit("fmul", v, v, scale)
	f.Emit("fadd", v, v, bias)
	f.Emit("fmaxnm", v, v, lo) // lo if v is NaN
	f.Emit("fmin", v, v, hi)
}
