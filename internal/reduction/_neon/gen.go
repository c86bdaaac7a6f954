// Command _neon generates the NEON assembly of package reduction.
package main

import (
	"github.com/vinoir/vinoir/internal/neon"
)

// function is a reduction: what an element contributes, and how contributions are combined.
type function struct {
	name    string
	term    string // an instruction of an element, or ""
	squares bool
	combine string
	across  string // the reduction of the lanes of a vector; "" adds pairs
}

var functions = []function{
	{name: "sum", combine: "fadd"},
	{name: "max", combine: "fmax", across: "fmaxv"},
	{name: "min", combine: "fmin", across: "fminv"},
	{name: "product", combine: "fmul"},
	{name: "sumAbs", term: "fabs", combine: "fadd"},
	{name: "sumSquares", squares: true, combine: "fadd"},
}

func main() {
	neon.Main(func(file *neon.File) {
		for i := range functions {
			f := &functions[i]
			f.rows(file, 1)
			if f.name != "product" {
				f.segments(file)
			}
		}
		functions[0].rows(file, 2)
		functions[1].rows(file, 2)
		weightedSum(file)
		lineMaxima(file)
	})
}

// operands returns registers and an address as the operands of an instruction.
func operands(list []neon.Vec, m neon.Mem) []any {
	all := make([]any, 0, len(list)+1)
	for _, v := range list {
		all = append(all, v)
	}
	return append(all, m)
}

// add combines the elements x with acc.
func (r *function) add(f *neon.Func, acc, x []neon.Vec) {
	for i, v := range x {
		switch {
		case r.squares:
			f.Emit("fmla", acc[i], v, v)
			continue
		case r.term != "":
			f.Emit(r.term, v, v)
		}
		f.Emit(r.combine, acc[i], acc[i], v)
	}
}

// first sets acc to the contributions of the elements x.
func (r *function) first(f *neon.Func, acc []neon.Vec) {
	for _, v := range acc {
		switch {
		case r.squares:
			f.Emit("fmul", v, v, v)
		case r.term != "":
			f.Emit(r.term, v, v)
		}
	}
}

// rows generates the reduction of rows to one row. With stride 2, it takes every second element.
func (r *function) rows(file *neon.File, stride int) {
	name := r.name + "RowNEON"
	if stride == 2 {
		name = r.name + "RowStride2NEON"
	}
	f := file.Func("func "+name+"(out, in, scale *float32, n, count, step int)",
		name+" reduces count rows of in, which are step elements apart, to n elements of out, and multiplies these by those of",
		"scale if it is not nil. n and count are at least 1.")
	out, in, scale, n, count, step := f.Arg("out"), f.Arg("in"), f.Arg("scale"), f.Arg("n"), f.Arg("count"), f.Arg("step")
	f.Emit("lsl", step, step, 2)
	// group reduces vectors of columns. at is the number of elements of a single lane, or 0 for
	// whole vectors.
	group := func(name string, vectors int, single bool) {
		load := func(x []neon.Vec, at neon.Reg) {
			switch {
			case single:
				f.Emit("ldr", x[0].S(), neon.At(at))
				f.Emit("add", at, at, step)
			case stride == 1:
				f.Emit("ld1", operands(x, neon.At(at).PostReg(step))...)
			default:
				f.Emit("ld2", x[0], x[1], neon.At(at).PostReg(step))
			}
		}
		loads := vectors
		if stride == 2 && !single {
			loads = 2 // evens and odds of one vector
		}
		at, left := f.Reg(), f.Reg()
		f.Emit("mov", at, in)
		f.Emit("mov", left, count)
		acc := f.Group(loads)
		load(acc, at)
		r.first(f, acc[:vectors])
		f.Emit("subs", left, left, 1)
		f.Branch("beq", name+"Scale")
		f.Label(name)
		x := f.Group(loads)
		load(x, at)
		r.add(f, acc[:vectors], x[:vectors])
		f.Emit("subs", left, left, 1)
		f.Branch("bne", name)
		f.Label(name + "Scale")
		f.Zero(scale, name+"Store")
		for _, v := range acc[:vectors] {
			s := f.Vec()
			if single {
				f.Emit("ldr", s.S(), neon.At(scale).Post(4))
			} else {
				f.Emit("ldr", s.Q(), neon.At(scale).Post(16))
			}
			f.Emit("fmul", v, v, s)
		}
		f.Label(name + "Store")
		bytes := 16 * vectors
		if single {
			bytes = 4
			f.Emit("str", acc[0].S(), neon.At(out).Post(4))
		} else {
			f.Emit("st1", operands(acc[:vectors], neon.At(out).Post(bytes))...)
		}
		f.Emit("add", in, in, bytes*stride)
	}
	if stride == 1 {
		f.Emit("subs", n, n, 16)
		f.Branch("blt", "few")
		f.Label("sixteen")
		group("sixteenRows", 4, false)
		f.Emit("subs", n, n, 16)
		f.Branch("bge", "sixteen")
		f.Label("few")
		f.Emit("add", n, n, 16)
	}
	least := 4
	if stride == 2 {
		least = 5 // the last vector would read an element too much
	}
	f.Emit("subs", n, n, least)
	f.Branch("blt", "rest")
	f.Label("four")
	group("fourRows", 1, false)
	f.Emit("subs", n, n, 4)
	f.Branch("bge", "four")
	f.Label("rest")
	f.Emit("adds", n, n, least)
	f.Branch("beq", "done")
	f.Label("one")
	group("oneRows", 1, true)
	f.Emit("subs", n, n, 1)
	f.Branch("bne", "one")
	f.Label("done")
	f.Return()
}

// segments generates the reduction of contiguous elements to one.
func (r *function) segments(file *neon.File) {
	name := r.name + "SegmentsNEON"
	f := file.Func("func "+name+"(out, in *float32, n, segments, step int)",
		name+" reduces each of segments runs of n elements of in, which are step elements apart, to an element of out. n and segments",
		"are at least 1.")
	out, in, n, segments, step := f.Arg("out"), f.Arg("in"), f.Arg("n"), f.Arg("segments"), f.Arg("step")
	f.Emit("lsl", step, step, 2)
	f.Label("segment")
	at, left := f.Reg(), f.Reg()
	f.Emit("mov", at, in)
	f.Emit("mov", left, n)
	acc := f.Vecs(4)
	for _, v := range acc {
		if r.across != "" {
			f.Emit("ld1r", v, neon.At(in))
		} else {
			f.SetConstant(v, 0)
		}
	}
	f.Emit("subs", left, left, 16)
	f.Branch("blt", "few")
	f.Label("sixteen")
	x := f.Group(4)
	f.Emit("ld1", operands(x, neon.At(at).Post(64))...)
	r.add(f, acc, x)
	f.Emit("subs", left, left, 16)
	f.Branch("bge", "sixteen")
	f.Label("few")
	f.Emit("adds", left, left, 16-4)
	f.Branch("blt", "rest")
	f.Label("four")
	v := f.Vec()
	f.Emit("ldr", v.Q(), neon.At(at).Post(16))
	r.add(f, acc, []neon.Vec{v})
	f.Emit("subs", left, left, 4)
	f.Branch("bge", "four")
	f.Label("rest")
	f.Emit("adds", left, left, 4)
	f.Branch("beq", "done")
	f.Label("one")
	w := f.Vec()
	if r.across != "" {
		f.Emit("ld1r", w, neon.At(at).Post(4))
	} else {
		f.Emit("ldr", w.S(), neon.At(at).Post(4)) // the other lanes are 0
	}
	r.add(f, acc, []neon.Vec{w})
	f.Emit("subs", left, left, 1)
	f.Branch("bne", "one")
	f.Label("done")
	f.Emit(r.combine, acc[0], acc[0], acc[1])
	f.Emit(r.combine, acc[2], acc[2], acc[3])
	f.Emit(r.combine, acc[0], acc[0], acc[2])
	if r.across != "" {
		f.Emit(r.across, acc[0].S(), acc[0])
	} else {
		f.Emit("faddp", acc[0], acc[0], acc[0])
		f.Emit("faddp", acc[0], acc[0], acc[0])
	}
	f.Emit("str", acc[0].S(), neon.At(out).Post(4))
	f.Emit("add", in, in, step)
	f.Emit("subs", segments, segments, 1)
	f.Branch("bne", "segment")
	f.Return()
}

// weightedSum generates the sum of rows times numbers.
func weightedSum(file *neon.File) {
	f := file.Func("func weightedSumNEON(out, in *float32, offsets *int, weights *float32, rows, n int)",
		"weightedSumNEON sets out[i] to the sum of weights[r]*in[offsets[r] + i] over r < rows, for i < n. Both are at least 1.")
	out, in, offsets, weights, rows, n := f.Arg("out"), f.Arg("in"), f.Arg("offsets"), f.Arg("weights"), f.Arg("rows"), f.Arg("n")
	group := func(name string, vectors int, single bool) {
		sums := f.Group(vectors)
		for _, s := range sums {
			f.SetConstant(s, 0)
		}
		offset, weight, left := f.Reg(), f.Reg(), f.Reg()
		f.Emit("mov", offset, offsets)
		f.Emit("mov", weight, weights)
		f.Emit("mov", left, rows)
		f.Label(name)
		at, w, x := f.Reg(), f.Vec(), f.Group(vectors)
		f.Emit("ldr", at, neon.At(offset).Post(8))
		f.Emit("ld1r", w, neon.At(weight).Post(4))
		f.Emit("lsl", at, at, 2)
		f.Emit("add", at, at, in)
		if single {
			f.Emit("ldr", x[0].S(), neon.At(at))
		} else {
			f.Emit("ld1", operands(x, neon.At(at))...)
		}
		for i, s := range sums {
			f.Emit("fmla", s, x[i], w)
		}
		f.Emit("subs", left, left, 1)
		f.Branch("bne", name)
		bytes := 16 * vectors
		if single {
			bytes = 4
			f.Emit("str", sums[0].S(), neon.At(out).Post(4))
		} else {
			f.Emit("st1", operands(sums, neon.At(out).Post(bytes))...)
		}
		f.Emit("add", in, in, bytes)
	}
	f.Emit("subs", n, n, 16)
	f.Branch("blt", "few")
	f.Label("sixteen")
	group("sixteenRows", 4, false)
	f.Emit("subs", n, n, 16)
	f.Branch("bge", "sixteen")
	f.Label("few")
	f.Emit("adds", n, n, 16-4)
	f.Branch("blt", "rest")
	f.Label("four")
	group("fourRows", 1, false)
	f.Emit("subs", n, n, 4)
	f.Branch("bge", "four")
	f.Label("rest")
	f.Emit("adds", n, n, 4)
	f.Branch("beq", "done")
	f.Label("one")
	group("oneRow", 1, true)
	f.Emit("subs", n, n, 1)
	f.Branch("bne", "one")
	f.Label("done")
	f.Return()
}
