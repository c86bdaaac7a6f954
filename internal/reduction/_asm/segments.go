package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// segments generates the function that reduces each segment to one element.
func segments(set *isa, f *function) {
	name := f.name + "Segments" + set.name
	TEXT(name, NOSPLIT, "func(out, in *float32, n, segments, step int) (nan int)")
	Pragma("noescape")
	docs := []string{
		name + " sets, for each o < segments,", "",
		"\tout[o] = " + f.operator + " over i < n of " + f.formula + ", x = in[o*step + i]", "",
		"n and segments must be positive.",
	}
	docs = append(docs, nanDoc(f)...)
	Doc(docs...)
	in, out := Load(Param("in"), GP64()), Load(Param("out"), GP64())
	n, count, step := Load(Param("n"), GP64()), Load(Param("segments"), GP64()), Load(Param("step"), GP64())
	SHLQ(Imm(2), step)
	identity := set.vector()
	VMOVUPS(constant(math.Float32bits(float32(f.identity))), identity)
	var nan *nanCheck
	if f.nan {
		nan = set.newNaNCheck()
	}
	term := func(m mask, x Register, i int) VecVirtual {
		v := set.vector()
		set.load(m, Mem{Base: x, Disp: 4 * i * set.lanes}, v)
		if nan != nil {
			nan.add(v, v)
		}
		if f.term != nil {
			f.term(set, v)
		}
		return v
	}
	part := set.mask()
	rest := GP64()
	MOVQ(n, rest)
	ANDQ(U32(set.lanes-1), rest)
	set.firstLanes(part, rest)
	Label("segment")
	x, left := GP64(), GP64()
	MOVQ(in, x)
	MOVQ(n, left)
	acc := make([]VecVirtual, unroll)
	for i := range acc {
		acc[i] = set.vector()
		VMOVAPS(identity, acc[i])
	}
	for _, loop := range []struct {
		label   string
		vectors int
	}{{"many", unroll}, {"one", 1}} {
		Label(loop.label)
		CMPQ(left, U32(loop.vectors*set.lanes))
		JL(LabelRef("after_" + loop.label))
		for i := range loop.vectors {
			f.combine(set, term(mask{}, x, i), acc[i])
		}
		ADDQ(U32(4*loop.vectors*set.lanes), x)
		SUBQ(U32(loop.vectors*set.lanes), left)
		JMP(LabelRef(loop.label))
		Label("after_" + loop.label)
	}
	TESTQ(left, left)
	JZ(LabelRef("reduce"))
	v := term(part, x, 0)
	// The lanes without elements are 0.
	if f.identity != 0 {
		if set.wide() {
			VBLENDMPS(v, identity, part.r, v)
		} else {
			VBLENDVPS(part.r, v, identity, v)
		}
	}
	f.combine(set, v, acc[1])
	Label("reduce")
	f.combine(set, acc[1], acc[0])
	f.combine(set, acc[3], acc[2])
	f.combine(set, acc[2], acc[0])
	reduceLanes(set, f, acc[0])
	VMOVSS(acc[0].AsX(), Mem{Base: out})
	ADDQ(step, in)
	ADDQ(Imm(4), out)
	DECQ(count)
	JNZ(LabelRef("segment"))
	if f.nan {
		Store(nan.bits(), ReturnIndex(0))
	} else {
		zero := GP64()
		XORQ(zero, zero)
		Store(zero, ReturnIndex(0))
	}
	VZEROUPPER()
	RET()
}

// nanDoc describes the result nan of the functions for f.
func nanDoc(f *function) []string {
	if f.nan {
		return []string{"nan is 0 if no element is NaN. Otherwise out is unspecified."}
	}
	return []string{"nan is always 0."}
}

// reduceLanes reduces the lanes of v to the lowest lane.
func reduceLanes(set *isa, f *function, v VecVirtual) {
	low, high := v.AsY(), YMM()
	if set.wide() {
		VEXTRACTF64X4(Imm(1), v, high)
		f.combine(avx2, high, low)
	}
	VEXTRACTF128(Imm(1), low, high.AsX())
	f.combine(avx2, high, low)
	for _, order := range []uint64{0x4e, 0xb1} {
		VPERMILPS(Imm(order), low, high)
		f.combine(avx2, high, low)
	}
}
