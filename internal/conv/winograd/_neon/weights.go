package main

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/neon"
)

// weights generates a function that transforms the filters of four output channels, which are the
// lanes.
func weights(file *neon.File, tile int) {
	n := tile + 2
	name := fmt.Sprintf("weights%dNEON", tile)
	f := file.Func("func "+name+"(u *float32, step int, from *float32, count int, rows *float32)",
		fmt.Sprintf("%s transforms the filters of count input channels and four output channels to %d elements, step apart in u.", name, n*n),
		fmt.Sprintf("Filters are rows of %d lanes in from, input channels rows of as many in u. rows is weightMatrix.", panelLanes))
	u, step, from, count, rows := f.Arg("u"), f.Arg("step"), f.Arg("from"), f.Arg("count"), f.Arg("rows")
	f.Emit("lsl", step, step, 2)
	matrix := f.Vecs((3*n + 3) / 4)
	for i, m := range matrix {
		f.Emit("ldr", m.Q(), neon.At(rows).Plus(16*i))
	}
	at := func(i int) neon.Vec { return matrix[i/4].Lane(i % 4) }
	// combine returns the product of row i of the matrix with three vectors.
	combine := func(i int, x ...neon.Vec) neon.Vec {
		z := f.Vec()
		f.Emit("fmul", z, x[0], at(3*i))
		f.Emit("fmla", z, x[1], at(3*i+1))
		f.Emit("fmla", z, x[2], at(3*i+2))
		return z
	}
	f.Label("channel")
	w := f.Vecs(9)
	for k := range w {
		f.Emit("ldr", w[k].Q(), neon.At(from).Plus(4*panelLanes*k))
	}
	f.Emit("add", from, from, 9*4*panelLanes)
	to := f.Reg()
	f.Emit("mov", to, u)
	for i := range n {
		var r [3]neon.Vec
		for j := range r {
			r[j] = combine(i, w[j], w[3+j], w[6+j])
		}
		for j := range n {
			f.Emit("st1", combine(j, r[:]...), neon.At(to).PostReg(step))
		}
	}
	f.Emit("add", u, u, 4*panelLanes)
	f.Emit("subs", count, count, 1)
	f.Branch("bne", "channel")
	f.Return()
}
