package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// pairOrder returns the order in which words i and 16+i of a vector that VCVTNE2PS2BF16 writes
// become a pair.
func pairOrder() VecVirtual {
	if pairOrderData == nil {
		m := GLOBL("pairOrder", RODATA|NOPTR)
		for i := range 32 {
			DATA(2*i, U16(i/2+i%2*16))
		}
		pairOrderData = &m
	}
	order := ZMM()
	VMOVDQU32(*pairOrderData, order)
	return order
}

var pairOrderData *Mem

// pairRows generates the packing of two rows of float32.
func pairRows() {
	TEXT("pairRows", NOSPLIT, "func(dst, first, second *float32, n int)")
	Pragma("noescape")
	Doc("pairRows sets dst[i] to the pair of bf16 nearest to first[i] and second[i] for each i < n, which is positive.",
		"If second is nil, its elements are 0. It needs AVX512F, AVX512BW and AVX512_BF16.")
	dst, first, second, n := Load(Param("dst"), GP64()), Load(Param("first"), GP64()), Load(Param("second"), GP64()), Load(Param("n"), GP64())
	index := pairOrder()
	convert := func(lo, hi VecVirtual) VecVirtual {
		both := ZMM()
		VPXORD(both, both, both) // avo takes it for an operand
		VPDPWSSDS(lo, hi, both)
		VPERMW(both, index, both)
		return both
	}
	Label("loop")
	CMPQ(n, Imm(16))
	JL(LabelRef("rest"))
	lo, hi := ZMM(), ZMM()
	VMOVUPS(Mem{Base: first}, lo)
	VPXORD(hi, hi, hi)
	TESTQ(second, second)
	JE(LabelRef("alone"))
	VMOVUPS(Mem{Base: second}, hi)
	ADDQ(Imm(64), second)
	Label("alone")
	VMOVDQU32(convert(lo, hi), Mem{Base: dst})
	ADDQ(Imm(64), first)
	ADDQ(Imm(64), dst)
	SUBQ(Imm(16), n)
	JMP(LabelRef("loop"))

	Label("rest")
	TESTQ(n, n)
	JE(LabelRef("done"))
	bits := GP32()
	MOVL(U32(0xffff), bits)
	BZHIL(n.(GPVirtual).As32(), bits, bits)
	KMOVW(bits, K1)
	lo, hi = ZMM(), ZMM()
	VMOVUPS_Z(Mem{Base: first}, K1, lo)
	VPXORD(hi, hi, hi)
	TESTQ(second, second)
	JE(LabelRef("lone"))
	VMOVUPS_Z(Mem{Base: second}, K1, hi)
	Label("lone")
	VMOVDQU32(convert(lo, hi), K1, Mem{Base: dst})
	Label("done")
	VZEROUPPER()
	RET()
}

// columnMasks sets the masks of the first and of the second vector of a row to the parameter
// columns, which is 1 to 32.
func columnMasks() [2]Register {
	columns, bits := Load(Param("columns"), GP64()).(GPVirtual), GP32()
	MOVL(U32(math.MaxUint32), bits)
	BZHIL(columns.As32(), bits, bits)
	KMOVW(bits, K1)
	SHRL(Imm(16), bits)
	KMOVW(bits, K2)
	return [2]Register{K1, K2}
}

// pairPanel generates the packing of many rows of float32 for a panel.
func pairPanel() {
	TEXT("pairPanel", NOSPLIT, "func(dst, src *float32, stride, pairs, columns int)")
	Pragma("noescape")
	Doc("pairPanel sets row p of a panel of 32 columns, for each p < pairs, to the pairs of bf16 nearest to rows 2*p and 2*p+1 of src, which are stride",
		"elements apart and have 1 to 32 columns. The other columns become 0. It needs AVX512F, AVX512BW, BMI2 and AVX512_BF16.")
	dst, first, stride, pairs := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("stride"), GP64()), Load(Param("pairs"), GP64())
	index, masks := pairOrder(), columnMasks()
	SHLQ(Imm(2), stride)
	second := GP64()
	LEAQ(Mem{Base: first, Index: stride, Scale: 1}, second)
	SHLQ(Imm(1), stride)
	Label("loop")
	for i, mask := range masks {
		lo, hi := ZMM(), ZMM()
		VMOVUPS_Z(Mem{Base: first, Disp: 64 * i}, mask, lo)
		VMOVUPS_Z(Mem{Base: second, Disp: 64 * i}, mask, hi)
		VPDPWSSDS(lo, hi, lo) // VCVTNE2PS2BF16: see encode
		VPERMW(lo, index, lo)
		VMOVDQU32(lo, Mem{Base: dst, Disp: 64 * i})
	}
	ADDQ(stride, first)
	ADDQ(stride, second)
	ADDQ(U32(128), dst)
	DECQ(pairs)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// roundWords generates the rounding of a row of float32 to bf16.
func roundWords() {
	TEXT("roundWords", NOSPLIT, "func(dst *uint16, src *float32, n int)")
	Pragma("noescape")
	Doc("roundWords sets dst[i] to the bf16 nearest to src[i] for each i < n. It needs AVX512F, AVX512BW, BMI2 and AVX512_BF16.")
	dst, src, n := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64()).(GPVirtual)
	lo, hi := ZMM(), ZMM()
	Label("loop")
	CMPQ(n, Imm(32))
	JL(LabelRef("rest"))
	VMOVUPS(Mem{Base: src}, lo)
	VMOVUPS(Mem{Base: src, Disp: 64}, hi)
	VPDPWSSDS(lo, hi, lo) // VCVTNE2PS2BF16: see encode
	VMOVDQU32(lo, Mem{Base: dst})
	ADDQ(Imm(128), src)
	ADDQ(Imm(64), dst)
	SUBQ(Imm(32), n)
	JMP(LabelRef("loop"))
	Label("rest")
	TESTQ(n, n)
	JE(LabelRef("done"))
	bits := GP32()
	MOVL(U32(math.MaxUint32), bits)
	BZHIL(n.As32(), bits, bits)
	KMOVD(bits, K1)
	KSHIFTRD(Imm(16), K1, K2)
	VMOVUPS_Z(Mem{Base: src}, K1, lo)
	VMOVUPS_Z(Mem{Base: src, Disp: 64}, K2, hi)
	VPDPWSSDS(lo, hi, lo)
	VMOVDQU16(lo, K1, Mem{Base: dst})
	Label("done")
	VZEROUPPER()
	RET()
}

// pairHalves generates the packing of two rows of float32 as f16.
func pairHalves() {
	TEXT("pairHalves", NOSPLIT, "func(dst, first, second *float32, n int)")
	Pragma("noescape")
	Doc("pairHalves sets dst[i] to the pair of f16 nearest to first[i] and second[i] for each i < n, a positive multiple of 8.",
		"If second is nil, its elements are 0. It needs AVX and F16C.")
	dst, first, second, n := Load(Param("dst"), GP64()), Load(Param("first"), GP64()), Load(Param("second"), GP64()), Load(Param("n"), GP64())
	lo, hi, pairs := YMM(), YMM(), XMM()
	VXORPS(hi, hi, hi)
	Label("loop")
	VMOVUPS(Mem{Base: first}, lo)
	VCVTPS2PH(Imm(0), lo, lo.AsX()) // to the nearest, halves to even
	TESTQ(second, second)
	JE(LabelRef("alone"))
	VMOVUPS(Mem{Base: second}, hi)
	VCVTPS2PH(Imm(0), hi, hi.AsX())
	ADDQ(Imm(32), second)
	Label("alone")
	VPUNPCKLWD(hi.AsX(), lo.AsX(), pairs)
	VMOVDQU(pairs, Mem{Base: dst})
	VPUNPCKHWD(hi.AsX(), lo.AsX(), pairs)
	VMOVDQU(pairs, Mem{Base: dst, Disp: 16})
	ADDQ(Imm(32), first)
	ADDQ(Imm(32), dst)
	SUBQ(Imm(8), n)
	JG(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
