// Command gen writes the assembly of package convert.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is the number of elements that are converted at once: as in
// kernel_amd64.go.
const lanes = 8

func main() {
	ConstraintExpr("amd64,!noasm")
	loop("rowF32ToI32", "func(dst *int32, src *float32, n int)", 4, 4, func(dst, src Mem) {
		v := YMM()
		VCVTTPS2DQ(src, v) // the least number for what an i32 cannot hold
		VMOVDQU(v, dst)
	})
	loop("rowI32ToF32", "func(dst *float32, src *int32, n int)", 4, 4, func(dst, src Mem) {
		v := YMM()
		VCVTDQ2PS(src, v)
		VMOVUPS(v, dst)
	})
	loop("rowU8ToF32", "func(dst *float32, src *uint8, n int)", 4, 1, func(dst, src Mem) {
		v := YMM()
		VPMOVZXBD(src, v)
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
	Generate()
}

func loop(name, signature string, to, from int, body func(dst, src Mem)) {
	loopWith(name, signature, to, from, func() {}, body)
}

// loopWith generates the function from elements of from bytes to elements of to.
func loopWith(name, signature string, to, from int, before func(), body func(dst, src Mem)) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + " sets dst[i] to src[i] for i below n, a multiple of 8 and not 0.")
	dst, src, n := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64())
	before()
	Label("loop")
	body(Mem{Base: dst}, Mem{Base: src})
	ADDQ(U32(lanes*to), dst)
	ADDQ(U32(lanes*from), src)
	SUBQ(U32(lanes), n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
