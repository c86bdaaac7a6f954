package main

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/neon"
)

// dots generates the products of a row and of several columns whose elements follow each other.
func dots(file *neon.File, columns int) {
	name := fmt.Sprintf("dots%dNEON", columns)
	f := file.Func("func "+name+"(c, a, b *float32, stride, n int)",
		fmt.Sprintf("%s sets c[j] to the sum of a[p]*b[j*stride + p] over p < n, for j < %d. n is at least 1.", name, columns))
	c, a, b, stride, n := f.Arg("c"), f.Arg("a"), f.Arg("b"), f.Arg("stride"), f.Arg("n")
	f.Emit("lsl", stride, stride, 2)
	lines := []neon.Reg{b}
	for i := range columns - 1 {
		next := f.Reg()
		f.Emit("add", next, lines[i], stride)
		lines = append(lines, next)
	}
	// for any number of columns, so that the result for a column does not depend on the others
	const sets = 2
	sums := make([][]neon.Vec, columns)
	for j := range sums {
		sums[j] = f.Vecs(sets)
		for _, s := range sums[j] {
			f.SetConstant(s, 0)
		}
	}
	f.Emit("subs", n, n, 8)
	f.Branch("blt", "rest")
	f.Label("loop")
	x := f.Vecs(2)
	f.Emit("ldp", x[0].Q(), x[1].Q(), neon.At(a).Post(32))
	for j, l := range lines {
		y := f.Vecs(2)
		f.Emit("ldp", y[0].Q(), y[1].Q(), neon.At(l).Post(32))
		f.Emit("fmla", sums[j][0], x[0], y[0])
		f.Emit("fmla", sums[j][1], x[1], y[1])
	}
	f.Emit("subs", n, n, 8)
	f.Branch("bge", "loop")
	f.Label("rest")
	f.Emit("adds", n, n, 8)
	f.Branch("beq", "add")
	f.Label("one")
	v := f.Vec()
	f.Emit("ldr", v.S(), neon.At(a).Post(4)) // the other lanes are 0
	for j, l := range lines {
		y := f.Vec()
		f.Emit("ldr", y.S(), neon.At(l).Post(4))
		f.Emit("fmla", sums[j][0], v, y)
	}
	f.Emit("subs", n, n, 1)
	f.Branch("bne", "one")
	f.Label("add")
	for _, s := range sums {
		for k := 1; k < sets; k++ {
			f.Emit("fadd", s[0], s[0], s[k])
		}
		f.Emit("faddp", s[0], s[0], s[0])
		f.Emit("faddp", s[0], s[0], s[0])
		f.Emit("str", s[0].S(), neon.At(c).Post(4))
	}
	f.Return()
}

// addRows generates the sum of rows times numbers.
func addRows(file *neon.File, rows int) {
	name := fmt.Sprintf("addRows%dNEON", rows)
	f := file.Func("func "+name+"(out, a, b *float32, stride, n int)",
		fmt.Sprintf("%s adds a[p]*b[p*stride + j] to out[j], for p < %d and j < n.", name, rows))
	out, a, b, stride, n := f.Arg("out"), f.Arg("a"), f.Arg("b"), f.Arg("stride"), f.Arg("n")
	f.Emit("lsl", stride, stride, 2)
	lines := []neon.Reg{b}
	for i := range rows - 1 {
		next := f.Reg()
		f.Emit("add", next, lines[i], stride)
		lines = append(lines, next)
	}
	x := f.Vec()
	if rows == 4 {
		f.Emit("ldr", x.Q(), neon.At(a))
	} else {
		f.Emit("ldr", x.S(), neon.At(a))
	}
	group := func(vectors int) {
		sum := f.Group(vectors)
		f.Emit("ld1", neon.Operands(sum, neon.At(out))...)
		for p, l := range lines {
			y := f.Group(vectors)
			f.Emit("ld1", neon.Operands(y, neon.At(l).Post(16*vectors))...)
			for k := range vectors {
				f.Emit("fmla", sum[k], y[k], x.Lane(p))
			}
		}
		f.Emit("st1", neon.Operands(sum, neon.At(out).Post(16*vectors))...)
	}
	f.Emit("subs", n, n, 16)
	f.Branch("blt", "few")
	f.Label("sixteen")
	group(4)
	f.Emit("subs", n, n, 16)
	f.Branch("bge", "sixteen")
	f.Label("few")
	f.Emit("adds", n, n, 16-4)
	f.Branch("blt", "rest")
	f.Label("four")
	group(1)
	f.Emit("subs", n, n, 4)
	f.Branch("bge", "four")
	f.Label("rest")
	f.Emit("adds", n, n, 4)
	f.Branch("beq", "done")
	f.Label("one")
	sum := f.Vec()
	f.Emit("ldr", sum.S(), neon.At(out))
	for p, l := range lines {
		y := f.Vec()
		f.Emit("ldr", y.S(), neon.At(l).Post(4))
		f.Emit("fmla", sum.S2(), y.S2(), x.Lane(p))
	}
	f.Emit("str", sum.S(), neon.At(out).Post(4))
	f.Emit("subs", n, n, 1)
	f.Branch("bne", "one")
	f.Label("done")
	f.Return()
}
