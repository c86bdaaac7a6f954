package main

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/neon"
)

// The layout of quadsTile in quads_arm64.go.
const (
	quadsA, quadsB, quadsC, quadsStepC            = 0, 8, 16, 24
	quadsOut, quadsStepOut                        = 32, 40
	quadsDepth, quadsStart, quadsScale, quadsBias = 48, 56, 64, 72
	quadsFlags, quadsLo, quadsLimits, quadsTiles  = 80, 88, 96, 104
)

// The bits of quadsTile.flags.
const (
	quadsAdd = iota
	quadsLast
	quadsClamp
	quadsBytes
)

// quadsPointers are the addresses of what a tile reads and writes for its rows. After a tile, they
// are those of the next one.
type quadsPointers struct {
	c, stepC, out, stepOut, start, scale, bias neon.Reg
}

// quads generates the micro-kernel of quads for a number of rows, 1, 2, 4 or 8, and of vectors of
// four columns. That for all rows of a panel goes on with the next panels.
func quads(file *neon.File, rows, vectors int) {
	name := fmt.Sprintf("quadsNEON_%dx%d", rows, 4*vectors)
	what := "a tile"
	if rows == tileRows {
		what = "tiles"
	}
	f := file.Func("func "+name+"(t *byte)",
		fmt.Sprintf("%s computes %s of quads with %d rows and %d columns. t is a quadsTile. It needs FEAT_DotProd.", name, what, rows, 4*vectors))
	t := f.Arg("t")
	load := func(at int) neon.Reg {
		r := f.Reg()
		f.Emit("ldr", r, neon.At(t).Plus(at))
		return r
	}
	a, flags := load(quadsA), load(quadsFlags)
	to := quadsPointers{
		load(quadsC), load(quadsStepC), load(quadsOut), load(quadsStepOut), load(quadsStart), load(quadsScale), load(quadsBias),
	}
	stepA, stepB := f.Reg(), f.Reg()
	f.Move(stepA, 4*tileRows)
	f.Move(stepB, 4*tileColumns)
	tiles := load(quadsTiles)
	f.Label("tile")
	b, depth := load(quadsB), load(quadsDepth)
	sums := f.Vecs(rows * vectors)
	quadsStartSums(f, sums, rows, vectors, flags, &to)
	step := func() {
		y, x := f.Group(vectors), f.Group((rows+3)/4)
		f.Emit("ld1", neon.Operands(y, neon.At(b).PostReg(stepB))...)
		switch rows {
		case 1:
			f.Emit("ldr", x[0].S(), neon.At(a).Post(4*tileRows))
		case 2:
			f.Emit("ldr", x[0].D(), neon.At(a).Post(4*tileRows))
		default:
			f.Emit("ld1", neon.Operands(x, neon.At(a).PostReg(stepA))...)
		}
		for i := range rows {
			for j, v := range y {
				f.Emit("sdot", sums[i*vectors+j], v.B16(), x[i/4].Lane(i%4))
			}
		}
	}
	f.Emit("subs", depth, depth, unroll)
	f.Branch("blt", "rest")
	f.Label("loop")
	for range unroll {
		step()
	}
	f.Emit("subs", depth, depth, unroll)
	f.Branch("bge", "loop")
	f.Label("rest")
	f.Emit("adds", depth, depth, unroll)
	f.Branch("beq", "done")
	f.Label("one")
	step()
	f.Emit("subs", depth, depth, 1)
	f.Branch("bne", "one")
	f.Label("done")
	quadsFinish(f, sums, rows, vectors, flags, &to, load)
	f.Label("next")
	if rows == tileRows {
		f.Emit("subs", tiles, tiles, 1)
		f.Branch("bne", "tile")
	}
	f.Return()
}

// quadsStartSums sets the sums to what c holds, to the start of each row, or to zeros.
func quadsStartSums(f *neon.Func, sums []neon.Vec, rows, vectors int, flags neon.Reg, to *quadsPointers) {
	f.BitClear(flags, quadsAdd, "first")
	at := f.Reg()
	f.Emit("mov", at, to.c)
	eachVectors(f, sums, rows, vectors, at, to.stepC, "ld")
	f.Branch("b", "started")
	f.Label("first")
	f.Zero(to.start, "zero")
	for i := range rows {
		row := sums[i*vectors:][:vectors]
		f.Emit("ld1r", row[0], neon.At(to.start).Post(4))
		for _, s := range row[1:] {
			f.Emit("mov", s, row[0])
		}
	}
	f.Branch("b", "started")
	f.Label("zero")
	for _, s := range sums {
		f.SetConstant(s, 0)
	}
	f.Label("started")
}

// eachVectors loads ("ld") or stores ("st") the vectors of each row at an address, which is then
// that of the row behind them.
func eachVectors(f *neon.Func, v []neon.Vec, rows, vectors int, at, step neon.Reg, op string) {
	for i := range rows {
		row, j := v[i*vectors:][:vectors], 0
		for ; j+2 <= vectors; j += 2 {
			f.Emit(op+"p", row[j].Q(), row[j+1].Q(), neon.At(at).Plus(16*j))
		}
		if j < vectors {
			f.Emit(op+"r", row[j].Q(), neon.At(at).Plus(16*j))
		}
		f.Emit("add", at, at, step)
	}
}

// quadsFinish writes the sums of a block, or the results of the last block.
func quadsFinish(f *neon.Func, sums []neon.Vec, rows, vectors int, flags neon.Reg, to *quadsPointers, load func(int) neon.Reg) {
	f.BitClear(flags, quadsLast, "write")
	for first := 0; first < rows; first += 4 {
		x := f.Vec()
		switch rows - first {
		case 1:
			f.Emit("ldr", x.S(), neon.At(to.scale).Post(4))
		case 2:
			f.Emit("ldr", x.D(), neon.At(to.scale).Post(8))
		default:
			f.Emit("ldr", x.Q(), neon.At(to.scale).Post(16))
		}
		for i := first; i < min(first+4, rows); i++ {
			for _, s := range sums[i*vectors:][:vectors] {
				f.Emit("scvtf", s, s)
				f.Emit("fmul", s, s, x.Lane(i%4))
			}
		}
	}
	f.Zero(to.bias, "biased")
	for i := range rows {
		x := f.Vec()
		f.Emit("ld1r", x, neon.At(to.bias).Post(4))
		for _, s := range sums[i*vectors:][:vectors] {
			f.Emit("fadd", s, s, x)
		}
	}
	f.Label("biased")
	f.BitSet(flags, quadsBytes, "bytes")
	f.BitClear(flags, quadsClamp, "write")
	limits := load(quadsLo)
	lo, hi := f.Vec(), f.Vec()
	f.Emit("dup", lo, limits)
	f.Emit("lsr", limits, limits, 32)
	f.Emit("dup", hi, limits)
	for _, s := range sums {
		f.Emit("fmaxnm", s, s, lo) // lo if s is NaN
		f.Emit("fminnm", s, s, hi)
	}
	f.Label("write")
	eachVectors(f, sums, rows, vectors, to.c, to.stepC, "st")
	f.Branch("b", "next")

	// Rounding and narrowing saturate, so that numbers beyond 0 to 255 need no clamp. NaN
	// becomes 0.
	f.Label("bytes")
	for i := range rows {
		row := sums[i*vectors:][:vectors]
		for _, s := range row {
			f.Emit("fcvtns", s, s)
		}
		f.Emit("sqxtn", row[0].H4(), row[0])
		if vectors > 1 {
			f.Emit("sqxtn2", row[0].H8(), row[1])
		}
		if vectors > 2 {
			f.Emit("sqxtn", row[2].H4(), row[2])
		}
		f.Emit("sqxtun", row[0].B8(), row[0].H8())
		if vectors > 2 {
			f.Emit("sqxtun2", row[0].B16(), row[2].H8())
		}
	}
	f.BitClear(flags, quadsClamp, "writeBytes")
	limits = load(quadsLimits)
	f.Emit("dup", lo.B16(), limits)
	f.Emit("lsr", limits, limits, 8)
	f.Emit("dup", hi.B16(), limits)
	for i := range rows {
		s := sums[i*vectors].B16()
		f.Emit("umax", s, s, lo.B16())
		f.Emit("umin", s, s, hi.B16())
	}
	f.Label("writeBytes")
	last := f.Reg()
	f.Emit("add", last, to.out, 8)
	for i := range rows {
		s := sums[i*vectors]
		if vectors == 1 {
			f.Emit("st1", s.Lane(0), neon.At(to.out).PostReg(to.stepOut))
			continue
		}
		f.Emit("st1", s.D2().Lane(0), neon.At(to.out).PostReg(to.stepOut))
		if vectors == 3 {
			f.Emit("st1", s.Lane(2), neon.At(last).PostReg(to.stepOut))
		}
	}
	if rows < tileRows {
		return
	}
	// The sums of the blocks before, if there are any, are of the next rows too.
	f.BitClear(flags, quadsAdd, "next")
	for range rows {
		f.Emit("add", to.c, to.c, to.stepC)
	}
}
