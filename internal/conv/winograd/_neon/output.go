package main

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/neon"
)

// output generates a function that transforms tiles of products to outputs, for four channels,
// which are the lanes.
type output struct {
	file *neon.File
	tile int // outputs of a tile along an axis

	f            *neon.Func
	points, more neon.Vec // the constants of outputTile: a, b, a², b², and a³, b³
}

// The layout of outputCall in winograd_arm64.go.
const (
	outM, outStepE, outTo, outStepO, outStepRow   = 0, 8, 16, 24, 32
	outCount, outConstants, outBias, outLo, outHi = 40, 48, 56, 64, 68
)

func (t *output) generate() {
	name := fmt.Sprintf("output%dNEON", t.tile)
	t.f = t.file.Func("func "+name+"(call *byte)",
		fmt.Sprintf("%s computes tiles of %d by %[2]d outputs of four channels. call is a outputCall.", name, t.tile))
	f, n := t.f, t.tile+2
	call := f.Arg("call")
	load := func(at int) neon.Reg {
		r := f.Reg()
		f.Emit("ldr", r, neon.At(call).Plus(at))
		return r
	}
	m, stepE, stepRow, count := load(outM), load(outStepE), load(outStepRow), load(outCount)
	to := []neon.Reg{load(outTo)}
	stepO := load(outStepO)
	for i := range 3 {
		next := f.Reg()
		f.Emit("add", next, to[i], stepO)
		to = append(to, next)
	}
	bias, biasAt := f.Vec(), load(outBias)
	f.Emit("ldr", bias.Q(), neon.At(biasAt))
	lo, hi := f.Vec(), f.Vec()
	if t.tile == 4 {
		constants := load(outConstants)
		t.points, t.more = f.Vec(), f.Vec()
		f.Emit("ldr", t.points.Q(), neon.At(constants))
		f.Emit("ldr", t.more.D(), neon.At(constants).Plus(16))
	}
	// from one row of transform elements to the next, and from the last row to the next tile
	down, back := f.Reg(), f.Reg()
	f.Move(down, int64(n))
	f.Emit("mul", down, down, stepE)
	f.Emit("lsl", back, stepRow, map[int]int{2: 1, 4: 2}[t.tile])
	f.Emit("sub", back, back, 4*t.tile)
	limits := f.Reg()
	f.Emit("add", limits, call, outLo)
	panel := f.Reg()
	f.Move(panel, 4*panelLanes)

	f.Label("tile")
	column := f.Reg()
	f.Emit("mov", column, m)
	f.Emit("add", m, m, panel)
	rows := make([][]neon.Vec, t.tile)
	for j := range n {
		x, at := f.Vecs(n), f.Reg()
		f.Emit("mov", at, column)
		for i := range x {
			f.Emit("ld1", x[i], neon.At(at).PostReg(down))
		}
		if j < n-1 {
			f.Emit("add", column, column, stepE)
		}
		z := f.Vecs(t.tile)
		t.transform(z, x)
		for i := range z {
			rows[i] = append(rows[i], z[i])
		}
	}
	f.Emit("ld1r", lo, neon.At(limits).Post(4))
	f.Emit("ld1r", hi, neon.At(limits))
	f.Emit("sub", limits, limits, 4)
	for i := range rows {
		z := f.Group(t.tile)
		t.transform(z, rows[i])
		for _, x := range z {
			f.Emit("fadd", x, x, bias)
			f.Emit("fmaxnm", x, x, lo) // lo if x is NaN; limits that are NaN do nothing
			f.Emit("fminnm", x, x, hi)
		}
		for c, p := range to {
			operands := make([]any, 0, 5)
			for _, x := range z {
				operands = append(operands, x.Lane(c))
			}
			f.Emit(fmt.Sprintf("st%d", t.tile), append(operands, neon.At(p).PostReg(stepRow))...)
		}
	}
	for _, p := range to {
		f.Emit("sub", p, p, back)
	}
	f.Emit("subs", count, count, 1)
	f.Branch("bne", "tile")
	f.Return()
}

// transform sets z to the results of outputTile, and changes x.
func (t *output) transform(z, x []neon.Vec) {
	f := t.f
	if t.tile == 2 {
		f.Emit("fadd", z[0], x[0], x[1])
		f.Emit("fadd", z[0], z[0], x[2])
		f.Emit("fsub", z[1], x[1], x[2])
		f.Emit("fadd", z[1], z[1], x[3])
		return
	}
	a, b, aa, bb := t.points.Lane(0), t.points.Lane(1), t.points.Lane(2), t.points.Lane(3)
	aaa, bbb := t.more.Lane(0), t.more.Lane(1)
	s, d, u, v := f.Vec(), x[1], f.Vec(), x[3]
	f.Emit("fadd", s, x[1], x[2])
	f.Emit("fsub", d, x[1], x[2])
	f.Emit("fadd", u, x[3], x[4])
	f.Emit("fsub", v, x[3], x[4])
	f.Emit("fadd", z[0], x[0], s)
	f.Emit("fadd", z[0], z[0], u)
	f.Emit("fmul", z[1], d, a)
	f.Emit("fmla", z[1], v, b)
	f.Emit("fmul", z[2], s, aa)
	f.Emit("fmla", z[2], u, bb)
	f.Emit("fmul", z[3], d, aaa)
	f.Emit("fmla", z[3], v, bbb)
	f.Emit("fadd", z[3], z[3], x[5])
}
