package main

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/neon"
)

// The layout of halvesTile in halves_arm64.go.
const (
	halvesA, halvesB, halvesC       = 0, 8, 16
	halvesDepth, halvesStepC        = 24, 32
	halvesRowBias, halvesColumnBias = 40, 48
	halvesFlags, halvesLo           = 56, 64
)

// The bits of halvesTile.flags.
const (
	halvesAdd = iota
	halvesFinish
	halvesClamp
)

const (
	// halvesRun is the number of pairs whose products are added as f16, as in halves.go.
	halvesRun = 32
	// halvesColumns is the number of columns of a panel.
	halvesColumns = 24
)

// halves generates the micro-kernel of pairs of f16 for a number of rows, 1, 2, 4 or 8, and of
// vectors of eight columns. LD2 splits the pairs of b, and lanes of a multiply: even ones are the
// first numbers of the pairs of a, odd ones the second.
func halves(file *neon.File, rows, vectors int) {
	f := file.Func(fmt.Sprintf("func halvesNEON_%dx%d(t *byte)", rows, 8*vectors),
		fmt.Sprintf("halvesNEON_%dx%d computes a tile of pairs of f16 with %[1]d rows and %[2]d columns. t is a halvesTile. It needs FEAT_FP16.", rows, 8*vectors))
	t := f.Arg("t")
	load := func(at int) neon.Reg {
		r := f.Reg()
		f.Emit("ldr", r, neon.At(t).Plus(at))
		return r
	}
	a, b, c, stepC := load(halvesA), load(halvesB), load(halvesC), load(halvesStepC)
	depth, flags := load(halvesDepth), load(halvesFlags)
	stepB := f.Reg()
	f.Move(stepB, int64(4*(halvesColumns-8*(vectors-1))))
	f.Label("run")
	left := f.Reg()
	f.Move(left, halvesRun)
	f.Emit("cmp", depth, left)
	f.Emit("csel", left, depth, left, "lt")
	f.Emit("sub", depth, depth, left)
	sums := f.Vecs(rows * vectors)
	for _, s := range sums {
		f.SetConstant(s, 0)
	}
	step := func() {
		x := f.Group((2*rows + 7) / 8)
		switch rows {
		case 1:
			f.Emit("ldr", x[0].S(), neon.At(a).Post(4*tileRows))
		case 2:
			f.Emit("ldr", x[0].D(), neon.At(a).Post(4*tileRows))
		case 4:
			f.Emit("ldr", x[0].Q(), neon.At(a).Post(4*tileRows))
		default:
			f.Emit("ld1", x[0], x[1], neon.At(a).Post(4*tileRows))
		}
		y := make([][]neon.Vec, vectors)
		for j := range y {
			y[j] = f.Group(2)
			next := neon.At(b).Post(32)
			if j == vectors-1 {
				next = neon.At(b).PostReg(stepB)
			}
			f.Emit("ld2", y[j][0].H8(), y[j][1].H8(), next)
		}
		for number := range 2 {
			for i := range rows {
				lane := 2*i + number
				for j := range y {
					f.Emit("fmla", sums[i*vectors+j].H8(), y[j][number].H8(), x[lane/8].H8().Lane(lane%8))
				}
			}
		}
	}
	f.Emit("subs", left, left, 2)
	f.Branch("blt", "one")
	f.Label("pairs")
	step()
	step()
	f.Emit("subs", left, left, 2)
	f.Branch("bge", "pairs")
	f.Label("one")
	f.BitClear(left, 0, "add") // -2, or -1 if a step is left
	step()
	f.Label("add")
	halvesStore(f, sums, rows, vectors, c, stepC, flags)
	f.NotZero(depth, "run")
	f.BitClear(flags, halvesFinish, "done")
	halvesEpilogue(f, rows, vectors, c, stepC, flags, load)
	f.Label("done")
	f.Return()
}

// halvesStore writes the sums of a run to c as float32, and adds them to it from the second run on.
func halvesStore(f *neon.Func, sums []neon.Vec, rows, vectors int, c, stepC, flags neon.Reg) {
	eachRow := func(add bool) {
		at := f.Reg()
		f.Emit("mov", at, c)
		for i := range rows {
			for j := range vectors {
				s, low, high := sums[i*vectors+j], f.Vec(), f.Vec()
				f.Emit("fcvtl", low, s.H4())
				f.Emit("fcvtl2", high, s.H8())
				m := neon.At(at).Plus(32 * j)
				if add {
					x, y := f.Vec(), f.Vec()
					f.Emit("ldp", x.Q(), y.Q(), m)
					f.Emit("fadd", low, low, x)
					f.Emit("fadd", high, high, y)
				}
				f.Emit("stp", low.Q(), high.Q(), m)
			}
			if i < rows-1 {
				f.Emit("add", at, at, stepC)
			}
		}
	}
	f.BitClear(flags, halvesAdd, "first")
	eachRow(true)
	f.Branch("b", "stored")
	f.Label("first")
	eachRow(false)
	f.Emit("orr", flags, flags, 1<<halvesAdd)
	f.Label("stored")
}

// halvesEpilogue adds the biases to c and clamps it.
func halvesEpilogue(f *neon.Func, rows, vectors int, c, stepC, flags neon.Reg, load func(int) neon.Reg) {
	rowBias, columnBias, limits, height := load(halvesRowBias), load(halvesColumnBias), load(halvesLo), f.Reg()
	f.Move(height, int64(rows))
	lo, hi := f.Vec(), f.Vec()
	f.Emit("dup", lo, limits)
	f.Emit("lsr", limits, limits, 32)
	f.Emit("dup", hi, limits)
	f.Label("row")
	v := f.Vecs(2 * vectors)
	each := func(op string, base neon.Reg) {
		for j := 0; j < len(v); j += 2 {
			f.Emit(op, v[j].Q(), v[j+1].Q(), neon.At(base).Plus(16*j))
		}
	}
	each("ldp", c)
	f.Zero(rowBias, "columns")
	x := f.Vec()
	f.Emit("ld1r", x, neon.At(rowBias).Post(4))
	for _, s := range v {
		f.Emit("fadd", s, s, x)
	}
	f.Label("columns")
	f.Zero(columnBias, "clamp")
	for j, s := range v {
		x := f.Vec()
		f.Emit("ldr", x.Q(), neon.At(columnBias).Plus(16*j))
		f.Emit("fadd", s, s, x)
	}
	f.Label("clamp")
	f.BitClear(flags, halvesClamp, "write")
	for _, s := range v {
		f.Emit("fmaxnm", s, s, lo) // lo if s is NaN
		f.Emit("fminnm", s, s, hi)
	}
	f.Label("write")
	each("stp", c)
	f.Emit("add", c, c, stepC)
	f.Emit("subs", height, height, 1)
	f.Branch("bne", "row")
}
