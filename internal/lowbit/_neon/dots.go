package main

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/neon"
)

// The layout of spanJob in kernel_asm.go.
const (
	spanCodes, spanX, spanFactors, spanOut = 0, 8, 16, 24
	spanScales, spanZeros                  = 32, 40
	spanGroups, spanSpans                  = 48, 56
	spanStepX                              = 64
	spanStepScales, spanStepZeros          = 72, 80
	spanHalves                             = 88
)

// spans generates the function that multiplies rows of rounded x by columns of a block: 16 of them,
// or eight if there are several rows. SDOT multiplies signed bytes, so 128 is taken from codes of 8
// bits and from their zero points.
func spans(file *neon.File, k kind, rows int) {
	vectors := 4
	if rows > 1 {
		vectors = 2
	}
	name := fmt.Sprintf("spansNEON%v_%d", k, rows)
	f := file.Func("func "+name+"(p *byte)", fmt.Sprintf("%s adds the products of %d rows to out, for %d columns of a block. "+
		"p is a spanJob. It needs FEAT_DotProd.", name, rows, 4*vectors))
	job := f.Arg("p")
	codes, scales, zeros := field(f, job, spanCodes), field(f, job, spanScales), field(f, job, spanZeros)
	groups, halves := field(f, job, spanGroups), field(f, job, spanHalves)
	stepX, stepScales, stepZeros := field(f, job, spanStepX), field(f, job, spanStepScales), field(f, job, spanStepZeros)
	// lines returns the addresses of the rows of x, or of their factors.
	lines := func(at int) []neon.Reg {
		list := []neon.Reg{field(f, job, at)}
		for i := range rows - 1 {
			next := f.Reg()
			f.Emit("add", next, list[i], stepX)
			list = append(list, next)
		}
		return list
	}
	x, xFactors := lines(spanX), lines(spanFactors)
	var bits neon.Vec // 15 in each byte, or 128
	if k == nibbles {
		bits = f.Constant(0x0f0f0f0f)
	} else {
		bits = f.Constant(0x80808080)
	}
	sums, exact := make([][]neon.Vec, rows), make([][]neon.Vec, rows)
	out := field(f, job, spanOut)
	for row := range rows {
		sums[row], exact[row] = f.Vecs(vectors), f.Vecs(vectors)
		for i, s := range sums[row] {
			f.Emit("ldr", s.Q(), neon.At(out).Plus(4*columns*row+16*i))
		}
	}
	zero, scale := f.Vecs(vectors), f.Vecs(vectors)
	f.Label("group")
	factors(f, zeros, stepZeros, halves, halfZeros, zero)
	factors(f, scales, stepScales, halves, halfScales, scale)
	if k == bytes {
		offset := f.Constant(0x43000000) // 128
		for _, v := range zero {
			f.Emit("fsub", v, v, offset)
		}
	}
	count := field(f, job, spanSpans)
	f.Label("span")
	for row := range rows {
		for _, v := range exact[row] {
			f.SetConstant(v, 0)
		}
	}
	var line []neon.Vec // 16 elements of each row of x
	// dots adds the products of a quad of these by the codes of two vectors of columns.
	dots := func(v []neon.Vec, first, quad int) {
		for row := range rows {
			for i, c := range v {
				f.Emit("sdot", exact[row][first+i], c.B16(), line[row].Lane(quad))
			}
		}
	}
	for octet := range 4 {
		if octet%2 == 0 {
			line = f.Vecs(rows)
			for row, v := range line {
				f.Emit("ldr", v.Q(), neon.At(x[row]).Post(16))
			}
		}
		for i := 0; i < vectors; i += 2 {
			low, high := f.Vecs(2), f.Vecs(2)
			if k == bytes {
				at := neon.At(codes).Plus(8*columns*octet + 16*i)
				f.Emit("ldp", low[0].Q(), low[1].Q(), at)
				f.Emit("ldp", high[0].Q(), high[1].Q(), at.Plus(4*columns))
				for _, v := range []neon.Vec{low[0], low[1], high[0], high[1]} {
					f.Emit("eor", v.B16(), v.B16(), bits.B16())
				}
			} else {
				f.Emit("ldp", low[0].Q(), low[1].Q(), neon.At(codes).Plus(octetBytes*octet+16*i))
				for n, v := range low {
					f.Emit("ushr", high[n].B16(), v.B16(), 4)
				}
				for _, v := range low {
					f.Emit("and", v.B16(), v.B16(), bits.B16())
				}
			}
			dots(low, i, octet%2*2)
			dots(high, i, octet%2*2+1)
		}
	}
	if k == bytes {
		f.Emit("add", codes, codes, 4*8*columns)
	} else {
		f.Emit("add", codes, codes, 4*octetBytes)
	}
	for row := range rows {
		factor := f.Vec() // the scale and the sum of the span of x
		f.Emit("ldr", factor.D(), neon.At(xFactors[row]).Post(8))
		each := func(use func(i int, v neon.Vec)) {
			for i, v := range exact[row] {
				use(i, v)
			}
		}
		each(func(_ int, v neon.Vec) { f.Emit("scvtf", v, v) })
		each(func(i int, v neon.Vec) { f.Emit("fmls", v, zero[i], factor.Lane(1)) }) // exact too
		each(func(_ int, v neon.Vec) { f.Emit("fmul", v, v, factor.Lane(0)) })
		each(func(i int, v neon.Vec) { f.Emit("fmla", sums[row][i], v, scale[i]) })
	}
	f.Emit("subs", count, count, 1)
	f.Branch("bne", "span")
	f.Emit("subs", groups, groups, 1)
	f.Branch("bne", "group")
	for row := range rows {
		for i, s := range sums[row] {
			f.Emit("str", s.Q(), neon.At(out).Plus(4*columns*row+16*i))
		}
	}
	f.Return()
}

// roundSpans generates the function that rounds spans of x.
func roundSpans(file *neon.File) {
	f := file.Func("func roundSpans(codes *byte, factors *float32, x *float32, spans int, scale float32, inverse float32, order *byte)",
		"roundSpans sets codes to x*inverse, rounded and in an order of each 16, and factors to scale and the sum of the codes of each span.")
	codes, factors, x, n := f.Arg("codes"), f.Arg("factors"), f.Arg("x"), f.Arg("spans")
	order, scale, inverse := f.Vec(), f.ArgVec("scale"), f.ArgVec("inverse")
	f.Emit("ldr", order.Q(), neon.At(f.Arg("order")))
	f.Label("span")
	var v []neon.Vec
	for range 4 {
		pair := f.Vecs(2)
		f.Emit("ldp", pair[0].Q(), pair[1].Q(), neon.At(x).Post(32))
		v = append(v, pair...)
	}
	for _, r := range v {
		f.Emit("fmul", r, r, inverse)
	}
	for _, r := range v {
		f.Emit("fcvtns", r, r) // halves to even
	}
	var halves []neon.Vec
	for i := 0; i < len(v); i += 2 {
		h := f.Vec()
		f.Emit("uzp1", h.H8(), v[i].H8(), v[i+1].H8())
		halves = append(halves, h)
	}
	sum, pairs := f.Vec(), f.Vecs(2)
	for i := range pairs { // at most 127 each: sums of four fit 16 bits
		f.Emit("add", pairs[i].H8(), halves[2*i].H8(), halves[2*i+1].H8())
	}
	f.Emit("add", sum.H8(), pairs[0].H8(), pairs[1].H8())
	f.Emit("saddlv", sum.S(), sum.H8())
	f.Emit("scvtf", sum, sum)
	rounded := f.Vecs(2)
	for i, r := range rounded {
		f.Emit("uzp1", r.B16(), halves[2*i].B16(), halves[2*i+1].B16())
		f.Emit("tbl", r.B16(), r.B16(), order.B16())
	}
	f.Emit("stp", rounded[0].Q(), rounded[1].Q(), neon.At(codes).Post(32))
	f.Emit("stp", scale.S(), sum.S(), neon.At(factors).Post(8))
	f.Emit("subs", n, n, 1)
	f.Branch("bne", "span")
	f.Return()
}
