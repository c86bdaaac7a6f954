package main

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/neon"
)

// input generates a function that transforms the input of four neighbouring tiles, for one channel
// after another.
//
// First it transforms the columns, in vectors of neighbouring input elements, and stores the
// results in temporary rows. Then it loads the elements of these rows by their position in a tile,
// so that a lane is a tile, and transforms the rows.
type input struct {
	file *neon.File
	tile int // outputs of a tile along an axis
	// the vectors of a row are loaded where the row has elements, and shifted to their place
	shifted bool

	f *neon.Func
	// The constants of inputTile: a, b, a², b², and a²+b², a²b².
	points, sums neon.Vec
}

// The layout of inputCall in winograd_arm64.go.
const (
	inRows, inSteps, inOffsets, inIndex = 0, 48, 96, 136
	inCount, inV, inStepC, inStepE      = 216, 224, 232, 240
	inTemporary, inConstants            = 248, 256
)

func (t *input) generate() {
	name := fmt.Sprintf("input%dNEON", t.tile)
	if t.shifted {
		name += "Shifted"
	}
	doc := "The vectors of a row follow each other."
	if t.shifted {
		doc = "Elements of a row are moved to their place by the indices of the call."
	}
	t.f = t.file.Func("func "+name+"(call *byte)",
		fmt.Sprintf("%s transforms the input of four tiles of %d by %[2]d outputs. call is a inputCall. %s", name, t.tile, doc))
	f, n, vectors := t.f, t.tile+2, t.tile+1
	call := f.Arg("call")
	load := func(at int) neon.Reg {
		r := f.Reg()
		f.Emit("ldr", r, neon.At(call).Plus(at))
		return r
	}
	var rows, steps []neon.Reg
	for i := range n {
		rows = append(rows, load(inRows+8*i))
		steps = append(steps, load(inSteps+8*i))
	}
	var offsets []neon.Reg
	var index []neon.Vec
	if t.shifted {
		for j := range vectors {
			offsets = append(offsets, load(inOffsets+8*j))
			index = append(index, f.Vec())
			f.Emit("ldr", index[j].Q(), neon.At(call).Plus(inIndex+16*j))
		}
	}
	count, v, stepC, stepE, temporary := load(inCount), load(inV), load(inStepC), load(inStepE), load(inTemporary)
	if t.tile == 4 {
		constants := load(inConstants)
		t.points, t.sums = f.Vec(), f.Vec()
		f.Emit("ldr", t.points.Q(), neon.At(constants))
		f.Emit("ldr", t.sums.D(), neon.At(constants).Plus(16))
	}
	line := 16 * vectors

	f.Label("channel")
	for j := range vectors {
		d := f.Vecs(n)
		for i := range d {
			if !t.shifted {
				f.Emit("ldr", d[i].Q(), neon.At(rows[i]).Plus(16*j))
				continue
			}
			f.Emit("ldr", d[i].Q(), neon.At(rows[i]).Index(offsets[j], 0))
			f.Emit("tbl", d[i].B16(), d[i].B16(), index[j].B16())
		}
		for i, x := range t.transform(d) {
			f.Emit("str", x.Q(), neon.At(temporary).Plus(i*line+16*j))
		}
	}
	at, to := f.Reg(), f.Reg()
	f.Emit("mov", at, temporary)
	f.Emit("mov", to, v)
	for i := range n {
		var d []neon.Vec
		next := f.Reg()
		if t.tile == 4 {
			first, second := f.Group(4), f.Group(4)
			f.Emit("add", next, at, 16)
			f.Emit("ld4", first[0], first[1], first[2], first[3], neon.At(at))
			f.Emit("ld4", second[0], second[1], second[2], second[3], neon.At(next))
			d = append(first, second[:2]...)
		} else {
			first, second := f.Group(2), f.Group(2)
			f.Emit("add", next, at, 8)
			f.Emit("ld2", first[0], first[1], neon.At(at))
			f.Emit("ld2", second[0], second[1], neon.At(next))
			d = append(first, second...)
		}
		if i < n-1 {
			f.Emit("add", at, at, line)
		}
		for _, x := range t.transform(d) {
			f.Emit("st1", x, neon.At(to).PostReg(stepE))
		}
	}
	for i := range n {
		f.Emit("add", rows[i], rows[i], steps[i])
	}
	f.Emit("add", v, v, stepC)
	f.Emit("subs", count, count, 1)
	f.Branch("bne", "channel")
	f.Return()
}

// transform returns the results of inputTile, and may change d.
func (t *input) transform(d []neon.Vec) []neon.Vec {
	f := t.f
	if t.tile == 2 {
		z := f.Vecs(4)
		f.Emit("fsub", z[0], d[2], d[0])
		f.Emit("fadd", z[1], d[1], d[2])
		f.Emit("fsub", z[2], d[2], d[1])
		f.Emit("fsub", z[3], d[3], d[1])
		return z
	}
	a, b, aa, bb := t.points.Lane(0), t.points.Lane(1), t.points.Lane(2), t.points.Lane(3)
	sum, product := t.sums.Lane(0), t.sums.Lane(1)
	z := make([]neon.Vec, 6)
	z[0] = f.Vec()
	f.Emit("mov", z[0], d[4])
	f.Emit("fmls", z[0], d[2], sum)
	f.Emit("fmla", z[0], d[0], product)
	z[5] = d[5]
	f.Emit("fmls", z[5], d[3], sum)
	f.Emit("fmla", z[5], d[1], product)
	pair := func(even, odd neon.Vec, square, point neon.Vec) (plus, minus neon.Vec) {
		f.Emit("fmls", even, d[2], square)
		f.Emit("fmls", odd, d[1], square)
		plus = f.Vec()
		f.Emit("mov", plus, even)
		f.Emit("fmla", plus, odd, point)
		f.Emit("fmls", even, odd, point)
		return plus, even
	}
	even, odd := f.Vec(), f.Vec()
	f.Emit("mov", even, d[4])
	f.Emit("mov", odd, d[3])
	z[1], z[2] = pair(even, odd, bb, a)
	z[3], z[4] = pair(d[4], d[3], aa, b)
	return z
}
