// Command gen writes the assembly of package convert.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is the number of elements that are converted at once. It must equal lanes in
// kernel_amd64.go.
const lanes = 8

func main() {
	ConstraintExpr("amd64,!noasm")
	loop("rowF32ToI32", "func(dst *int32, src *float32, n int)", 4, 4, func(dst, src Mem) {
		v := YMM()
		VCVTTPS2DQ(src, v) // values out of range become the lowest i32
		VMOVDQU(v, dst)
	})
	loop("rowI32ToF32", "func(dst *float32, src *int32, n int)", 4, 4, func(dst, src Mem) {
		v := YMM()
		VCVTDQ2PS(src, v)
		VMOVUPS(v, dst)
	})
	for _, from := range []struct {
		name, parameters string
		extend           func(...Op)
	}{
		{"rowU8ToF32", "func(dst *float32, src *uint8, n int)", VPMOVZXBD},
		{"rowI8ToF32", "func(dst *float32, src *int8, n int)", VPMOVSXBD},
	} {
		loop(from.name, from.parameters, 4, 1, func(dst, src Mem) {
			v := YMM()
			from.extend(src, v)
			VCVTDQ2PS(v, v)
			VMOVUPS(v, dst)
		})
	}
	var one reg.VecVirtual
	loopWith("rowBooleanToF32", "func(dst *float32, src *uint8, n int)", 4, 1, func() {
		one = YMM()
		VPCMPEQD(one, one, one)
		VPSRLD(Imm(31), one, one)
	}, func(dst, src Mem) {
		v := YMM()
		VPMOVZXBD(src, v)
		VPMINUD(one, v, v) // every byte but 0 is true
		VCVTDQ2PS(v, v)
		VMOVUPS(v, dst)
	})
	var mask reg.VecVirtual
	loopWith("rowF32ToU8", "func(dst *uint8, src *float32, n int)", 1, 4, func() {
		mask = YMM()
		VPCMPEQD(mask, mask, mask)
		VPSRLD(Imm(24), mask, mask)
	}, func(dst, src Mem) {
		v, high := YMM(), XMM()
		VCVTTPS2DQ(src, v)
		VPAND(mask, v, v)
		VEXTRACTI128(Imm(1), v, high)
		VPACKUSDW(high, v.AsX(), high)
		VPACKUSWB(high, high, high)
		VMOVQ(high, dst)
	})
	long()
	Generate()
}

// long generates the conversions from and to 64 bits.
func long() {
	loop("rowI64ToI32", "func(dst *int32, src *int64, n int)", 4, 8, func(dst, src Mem) {
		low, high := YMM(), YMM()
		VMOVUPS(src, low)
		VMOVUPS(src.Offset(32), high)
		VSHUFPS(Imm(0x88), high, low, low) // the low words, in the order 0 1 4 5 2 3 6 7
		VPERMPD(Imm(0xd8), low, low)
		VMOVUPS(low, dst)
	})
	for _, from := range []struct {
		name, parameters string
		extend           func(...Op)
	}{
		{"rowI32ToI64", "func(dst *int64, src *int32, n int)", VPMOVSXDQ},
		{"rowU32ToI64", "func(dst *int64, src *uint32, n int)", VPMOVZXDQ},
	} {
		loop(from.name, from.parameters, 8, 4, func(dst, src Mem) {
			low, high := YMM(), YMM()
			from.extend(src, low)
			from.extend(src.Offset(16), high)
			VMOVDQU(low, dst)
			VMOVDQU(high, dst.Offset(32))
		})
	}
	loop("rowI64ToF32AVX512", "func(dst *float32, src *int64, n int)", 4, 8, func(dst, src Mem) {
		v := YMM()
		VCVTQQ2PS(src, v)
		VMOVUPS(v, dst)
	})
	loop("rowF32ToI64AVX512", "func(dst *int64, src *float32, n int)", 8, 4, func(dst, src Mem) {
		v := ZMM()
		VCVTTPS2QQ(src, v) // values out of range become the lowest i64
		VMOVDQU64(v, dst)
	})
}

func loop(name, signature string, to, from int, body func(dst, src Mem)) {
	loopWith(name, signature, to, from, func() {}, body)
}

// loopWith generates a conversion from elements of `from` bytes to elements of `to` bytes. before
// sets up registers ahead of the loop; body converts lanes elements.
func loopWith(name, signature string, to, from int, before func(), body func(dst, src Mem)) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + " converts n elements: dst[i] = src[i]. n must be a positive multiple of 8.")
	dst, src, n := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64())
	before()
	aligned("loop")
	body(Mem{Base: dst}, Mem{Base: src})
	ADDQ(U32(lanes*to), dst)
	ADDQ(U32(lanes*from), src)
	SUBQ(U32(lanes), n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// aligned is Label for the start of a loop, at a cache line. Elsewhere, its speed would depend on
// the code before it, by up to a third.
func aligned(label string) {
	Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []Op{Imm(64)}})
	Label(label)
}
