// Command gen generates the assembly of package pointwise.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	masks := GLOBL("masks", RODATA|NOPTR)
	for i := range 2 * lanes {
		set := uint32(0)
		if i < lanes {
			set--
		}
		DATA(4*i, U32(set))
	}
	order := GLOBL("order", RODATA|NOPTR)
	for i, dword := range []uint32{0, 4, 1, 5, 2, 6, 3, 7} {
		DATA(4*i, U32(dword))
	}
	for count := 1; count <= 4; count++ {
		(&rows{count: count, masks: masks, order: order}).generate()
	}
	toFloats()
	Generate()
}

// The layout of call in rows_amd64.go.
const (
	callOut, callIn, callFilters, callBias, callSum = 0, 8, 16, 24, 32
	callInStep, callOutStep, callFilterStep         = 40, 48, 56
	callDepth, callTiles, callRest                  = 64, 72, 80
	callLo, callHi, callClamp, callBytes            = 88, 92, 96, 100
	callScale                                       = 104
)

const (
	lanes   = 8 // of a vector
	vectors = 3 // of a tile
)

// rows generates a function that computes columns of count output channels, a tile at a time.
type rows struct {
	count int
	masks Mem // lanes elements of all ones, then as many zeros
	order Mem // the dwords of bytes that were packed in halves of vectors

	call, in, out, sum, filters Register
	inStep, outStep, filterStep Register
}

// field returns a field of the call.
func (r *rows) field(at int) Mem { return Mem{Base: r.call, Disp: at} }

func (r *rows) generate() {
	name := fmt.Sprintf("rows%dAVX2", r.count)
	TEXT(name, NOSPLIT, "func(call *byte)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s computes columns of %d output channels. call is a call. It needs AVX2 and FMA.", name, r.count))
	r.call = Load(Param("call"), GP64())
	for _, f := range []struct {
		to *Register
		at int
	}{
		{&r.in, callIn}, {&r.out, callOut}, {&r.sum, callSum}, {&r.filters, callFilters},
		{&r.inStep, callInStep}, {&r.outStep, callOutStep}, {&r.filterStep, callFilterStep},
	} {
		*f.to = GP64()
		MOVQ(r.field(f.at), *f.to)
	}
	CMPQ(r.field(callTiles), Imm(0))
	JE(LabelRef("rest"))
	Label("tile")
	r.tile("tile", vectors, nil)
	DECQ(r.field(callTiles))
	JNE(LabelRef("tile"))
	Label("rest")
	columns := GP64()
	MOVQ(r.field(callRest), columns)
	TESTQ(columns, columns)
	JE(LabelRef("done"))
	Label("vector")
	// The mask of n columns starts lanes-n elements before the zeros.
	table, skipped := GP64(), GP64()
	LEAQ(r.masks, table)
	MOVQ(U32(lanes), skipped)
	SUBQ(columns, skipped)
	JLE(LabelRef("whole"))
	LEAQ(Mem{Base: table, Index: skipped, Scale: 4}, table)
	Label("whole")
	mask := YMM()
	VMOVUPS(Mem{Base: table}, mask)
	r.tile("vector", 1, mask)
	SUBQ(Imm(lanes), columns)
	JG(LabelRef("vector"))
	Label("done")
	VZEROUPPER()
	RET()
}

// rowsOf returns the addresses of the rows of a tile that starts at base. They are step apart.
func (r *rows) rowsOf(base, step Register) []Mem {
	addresses := []Mem{{Base: base}, {Base: base, Index: step, Scale: 1}, {Base: base, Index: step, Scale: 2}}
	if r.count > 3 {
		thrice := GP64()
		LEAQ(Mem{Base: step, Index: step, Scale: 2}, thrice)
		addresses = append(addresses, Mem{Base: base, Index: thrice, Scale: 1})
	}
	return addresses[:r.count]
}

// tile computes a tile of a number of vectors and moves the pointers to the next one. Lanes that
// mask, if not nil, does not have are neither read nor written.
func (r *rows) tile(label string, width int, mask VecVirtual) {
	sums := make([][]VecVirtual, r.count)
	for i := range sums {
		for range width {
			s := YMM()
			VXORPS(s, s, s)
			sums[i] = append(sums[i], s)
		}
	}
	load := func(m Mem, v VecVirtual) {
		if mask != nil {
			VMASKMOVPS(m, mask, v)
			return
		}
		VMOVUPS(m, v)
	}
	in, filters, depth := GP64(), GP64(), GP64()
	MOVQ(r.in, in)
	MOVQ(r.filters, filters)
	MOVQ(r.field(callDepth), depth)
	factors := r.rowsOf(filters, r.filterStep)
	Label(label + "_channel")
	x := make([]VecVirtual, width)
	for i := range x {
		x[i] = YMM()
		load(Mem{Base: in, Disp: 4 * lanes * i}, x[i])
	}
	for i, factor := range factors {
		f := YMM()
		VBROADCASTSS(factor, f)
		for j := range x {
			VFMADD231PS(f, x[j], sums[i][j])
		}
	}
	ADDQ(r.inStep, in)
	ADDQ(Imm(4), filters)
	DECQ(depth)
	JNE(LabelRef(label + "_channel"))
	r.finish(label, sums, load)
	outs := r.rowsOf(r.out, r.outStep)
	CMPL(r.field(callBytes), Imm(0))
	JNE(LabelRef(label + "_bytes"))
	for i := range sums {
		for j, s := range sums[i] {
			to := outs[i]
			to.Disp = 4 * lanes * j
			if mask != nil {
				VMASKMOVPS(s, mask, to)
				continue
			}
			VMOVUPS(s, to)
		}
	}
	ADDQ(U32(4*lanes*width), r.out)
	JMP(LabelRef(label + "_stored"))
	Label(label + "_bytes")
	order := YMM()
	VMOVDQU(r.order, order)
	for i := range sums {
		r.storeBytes(sums[i], order, outs[i])
	}
	ADDQ(U32(lanes*width), r.out)
	Label(label + "_stored")
	for _, p := range []Register{r.in, r.sum} {
		ADDQ(U32(4*lanes*width), p)
	}
}

// storeBytes rounds a row of a tile, halves to even, and writes it as bytes.
func (r *rows) storeBytes(sums []VecVirtual, order VecVirtual, to Mem) {
	for _, s := range sums {
		VCVTPS2DQ(s, s)
	}
	first, last := sums[0], sums[len(sums)-1]
	VPACKSSDW(last, last, last)
	if len(sums) > 1 {
		VPACKSSDW(sums[1], first, first)
	}
	VPACKUSWB(last, first, first)
	VPERMD(first, order, first)
	if len(sums) == 1 {
		VMOVQ(first.AsX(), to)
		return
	}
	VMOVDQU(first.AsX(), to)
	VEXTRACTI128(Imm(1), first, first.AsX())
	to.Disp += 16
	VMOVQ(first.AsX(), to)
}

// toFloats generates the function that converts bytes to float32.
func toFloats() {
	TEXT("toFloatsAVX2", NOSPLIT, "func(to *float32, from *uint8, n int)")
	Pragma("noescape")
	Doc("toFloatsAVX2 sets to[i] to from[i] for i below n, a multiple of 8.")
	to, from, n := Load(Param("to"), GP64()), Load(Param("from"), GP64()), Load(Param("n"), GP64())
	Label("eight")
	v := YMM()
	VPMOVZXBD(Mem{Base: from}, v)
	VCVTDQ2PS(v, v)
	VMOVUPS(v, Mem{Base: to})
	ADDQ(Imm(lanes), from)
	ADDQ(Imm(4*lanes), to)
	SUBQ(Imm(lanes), n)
	JG(LabelRef("eight"))
	VZEROUPPER()
	RET()
}

// finish scales, adds the bias and the elements of call.sum, and clamps.
func (r *rows) finish(label string, sums [][]VecVirtual, load func(m Mem, v VecVirtual)) {
	scale := GP64()
	MOVQ(r.field(callScale), scale)
	TESTQ(scale, scale)
	JE(LabelRef(label + "_scaled"))
	for i := range sums {
		f := YMM()
		VBROADCASTSS(Mem{Base: scale, Disp: 4 * i}, f)
		for _, s := range sums[i] {
			VMULPS(f, s, s)
		}
	}
	Label(label + "_scaled")
	bias := GP64()
	MOVQ(r.field(callBias), bias)
	for i := range sums {
		b := YMM()
		VBROADCASTSS(Mem{Base: bias, Disp: 4 * i}, b)
		for _, s := range sums[i] {
			VADDPS(b, s, s)
		}
	}
	CMPQ(r.field(callSum), Imm(0))
	JE(LabelRef(label + "_summed"))
	for i, m := range r.rowsOf(r.sum, r.outStep) {
		for j, s := range sums[i] {
			m.Disp = 4 * lanes * j
			x := YMM()
			load(m, x)
			VADDPS(x, s, s)
		}
	}
	Label(label + "_summed")
	CMPL(r.field(callClamp), Imm(0))
	JE(LabelRef(label + "_clamped"))
	limit := YMM()
	VBROADCASTSS(r.field(callLo), limit)
	for i := range sums {
		for _, s := range sums[i] {
			VMAXPS(limit, s, s)
		}
	}
	VBROADCASTSS(r.field(callHi), limit)
	for i := range sums {
		for _, s := range sums[i] {
			VMINPS(limit, s, s)
		}
	}
	Label(label + "_clamped")
}
