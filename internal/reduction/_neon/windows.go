package main

import "github.com/vinoir/vinoir/internal/neon"

// The layout of maximaLines in bytemaxima_lines.go.
const (
	linesOut, linesIn, linesPitch            = 0, 8, 16
	linesRows, linesTaps, linesDilation      = 24, 32, 40
	linesVectors, linesStride, bytesOfVector = 48, 56, 16
)

// lineMaxima generates the maxima of windows of bytes for a row of outputs.
func lineMaxima(file *neon.File) {
	f := file.Func("func lineMaximaNEON(c *byte)",
		"lineMaximaNEON sets each output of a row to the maximum of its window. c is a maximaLines.")
	c := f.Arg("c")
	load := func(at int) neon.Reg {
		r := f.Reg()
		f.Emit("ldr", r, neon.At(c).Plus(at))
		return r
	}
	out, in, pitch, rows, taps := load(linesOut), load(linesIn), load(linesPitch), load(linesRows), load(linesTaps)
	dilation, vectors, stride := load(linesDilation), load(linesVectors), load(linesStride)
	// vector generates the loop for 32 outputs at a time. get loads the elements of a tap.
	vector := func(name string, step int, get func(at neon.Reg) []neon.Vec) {
		row, left, most := f.Reg(), f.Reg(), f.Vecs(2)
		f.Label(name)
		for _, m := range most {
			f.SetConstant(m, 0)
		}
		f.Emit("mov", row, in)
		f.Emit("mov", left, rows)
		f.Label(name + "Row")
		at, tap := f.Reg(), f.Reg()
		f.Emit("mov", at, row)
		f.Emit("mov", tap, taps)
		f.Label(name + "Tap")
		for i, x := range get(at) {
			f.Emit("umax", most[i].B16(), most[i].B16(), x.B16())
		}
		f.Emit("add", at, at, dilation)
		f.Emit("subs", tap, tap, 1)
		f.Branch("bne", name+"Tap")
		f.Emit("add", row, row, pitch)
		f.Emit("subs", left, left, 1)
		f.Branch("bne", name+"Row")
		f.Emit("stp", most[0].Q(), most[1].Q(), neon.At(out).Post(2*bytesOfVector))
		f.Emit("add", in, in, step)
		f.Emit("subs", vectors, vectors, 1)
		f.Branch("bne", name)
		f.Return()
	}
	f.Emit("cmp", stride, 1)
	f.Branch("bne", "second")
	vector("first", 2*bytesOfVector, func(at neon.Reg) []neon.Vec {
		x := f.Vecs(2)
		f.Emit("ldp", x[0].Q(), x[1].Q(), neon.At(at))
		return x
	})
	vector("second", 4*bytesOfVector, func(at neon.Reg) []neon.Vec {
		next := f.Reg()
		f.Emit("add", next, at, 2*bytesOfVector)
		x, y := f.Group(2), f.Group(2)
		f.Emit("ld2", x[0].B16(), x[1].B16(), neon.At(at))
		f.Emit("ld2", y[0].B16(), y[1].B16(), neon.At(next))
		return []neon.Vec{x[0], y[0]}
	})
}
