package main

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/neon"
)

// The layout of bytesTile in bytes_arm64.go.
const (
	bytesA, bytesB, bytesC, bytesStepA, bytesStepC = 0, 8, 16, 24, 32
	bytesDepth, bytesSums, bytesScale, bytesOffset = 40, 48, 56, 64
)

// bytesVectors is the number of vectors of four columns of a panel.
const bytesVectors = 8

// bytesRows generates the product of a number of rows of u8 by a panel of i8. SDOT multiplies
// signed bytes, so the rows are taken less 128, and the sums start with 128 times the sum of each
// column.
func bytesRows(file *neon.File, rows int) {
	name := fmt.Sprintf("bytesNEON_%d", rows)
	f := file.Func("func "+name+"(t *byte)",
		fmt.Sprintf("%s multiplies %d rows of bytes by a panel of 32 columns. t is a bytesTile. It needs FEAT_DotProd.", name, rows))
	t := f.Arg("t")
	load := func(at int) neon.Reg {
		r := f.Reg()
		f.Emit("ldr", r, neon.At(t).Plus(at))
		return r
	}
	lines, stepA := []neon.Reg{load(bytesA)}, load(bytesStepA)
	for i := range rows - 1 {
		next := f.Reg()
		f.Emit("add", next, lines[i], stepA)
		lines = append(lines, next)
	}
	b, depth := load(bytesB), load(bytesDepth)
	sums := make([][]neon.Vec, rows)
	for i := range sums {
		sums[i] = f.Vecs(bytesVectors)
		from := load(bytesSums)
		for j := 0; j < bytesVectors; j += 2 {
			f.Emit("ldp", sums[i][j].Q(), sums[i][j+1].Q(), neon.At(from).Post(32))
		}
	}
	sign := f.Vec()
	f.SetConstant(sign, 0x80)
	for _, shift := range []int{8, 16} {
		f.Emit("sli", sign, sign, shift)
	}
	quad := func(x []neon.Vec, lane int) {
		for half := range 2 {
			y := f.Group(4)
			f.Emit("ld1", y[0].B16(), y[1].B16(), y[2].B16(), y[3].B16(), neon.At(b).Post(64))
			for i := range rows {
				for j := range y {
					f.Emit("sdot", sums[i][4*half+j], y[j].B16(), x[i].Lane(lane))
				}
			}
		}
	}
	f.Emit("subs", depth, depth, 16)
	f.Branch("blt", "rest")
	f.Label("loop")
	x := f.Vecs(rows)
	for i, l := range lines {
		f.Emit("ldr", x[i].Q(), neon.At(l).Post(16))
		f.Emit("eor", x[i].B16(), x[i].B16(), sign.B16())
	}
	for lane := range 4 {
		quad(x, lane)
	}
	f.Emit("subs", depth, depth, 16)
	f.Branch("bge", "loop")
	f.Label("rest")
	f.Emit("adds", depth, depth, 16)
	f.Branch("beq", "done")
	f.Label("one")
	x = f.Vecs(rows)
	for i, l := range lines {
		f.Emit("ldr", x[i].S(), neon.At(l).Post(4))
		f.Emit("eor", x[i].B16(), x[i].B16(), sign.B16())
	}
	quad(x, 0)
	f.Emit("subs", depth, depth, 4)
	f.Branch("bne", "one")
	f.Label("done")
	c, stepC := load(bytesC), load(bytesStepC)
	for i := range sums {
		scale, offset, at := load(bytesScale), load(bytesOffset), f.Reg()
		f.Emit("mov", at, c)
		for _, s := range sums[i] {
			w, v := f.Vec(), f.Vec()
			f.Emit("ldr", w.Q(), neon.At(scale).Post(16))
			f.Emit("ldr", v.Q(), neon.At(offset).Post(16))
			f.Emit("scvtf", s, s)
			f.Emit("fmla", v, s, w)
			f.Emit("str", v.Q(), neon.At(at).Post(16))
		}
		if i < rows-1 {
			f.Emit("add", c, c, stepC)
		}
	}
	f.Return()
}
