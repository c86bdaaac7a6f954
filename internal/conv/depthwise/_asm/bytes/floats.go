package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// toFloats generates the function that converts bytes to float32.
func toFloats() {
	TEXT("bytesFloatsAVX2", NOSPLIT, "func(to *float32, from *uint8, n int, zero uint32)")
	Pragma("noescape")
	Doc("bytesFloatsAVX2 sets to[i] to from[i] - zero for i below n, a multiple of 8.")
	to, from, n := Load(Param("to"), GP64()), Load(Param("from"), GP64()), Load(Param("n"), GP64())
	zero := YMM()
	VBROADCASTSS(NewParamAddr("zero", 24), zero)
	Label("eight")
	v := YMM()
	VPMOVZXBD(Mem{Base: from}, v)
	VPSUBD(zero, v, v)
	VCVTDQ2PS(v, v)
	VMOVUPS(v, Mem{Base: to})
	ADDQ(Imm(8), from)
	ADDQ(Imm(32), to)
	SUBQ(Imm(8), n)
	JG(LabelRef("eight"))
	VZEROUPPER()
	RET()
}

// finish generates a function that scales planes of sums. With two vectors at a time, the results
// are bytes.
func finish(name string, vectors int) {
	size, type_ := 4, "float32" // of a result
	if vectors > 1 {
		size, type_ = 1, "uint8"
	}
	at := vectors * 8 // elements at a time
	TEXT(name, NOSPLIT, fmt.Sprintf("func(to *%s, from *float32, planes, n int, scale, bias *float32, lo, hi float32)", type_))
	Pragma("noescape")
	doc := []string{fmt.Sprintf("%s sets the n elements of plane p, %d or more, to from[i]*scale[p] + bias[p], at least lo and at most hi.", name, at)}
	if vectors > 1 {
		doc = append(doc, "The results are rounded, halves to even. lo and hi are 0 to 255.")
	}
	Doc(doc...)
	to, from, planes := Load(Param("to"), GP64()), Load(Param("from"), GP64()), Load(Param("planes"), GP64())
	scale, bias := Load(Param("scale"), GP64()), Load(Param("bias"), GP64())
	lo, hi := YMM(), YMM()
	VBROADCASTSS(NewParamAddr("lo", 48), lo)
	VBROADCASTSS(NewParamAddr("hi", 52), hi)
	Label("plane")
	s, b, left := YMM(), YMM(), GP64()
	VBROADCASTSS(Mem{Base: scale}, s)
	VBROADCASTSS(Mem{Base: bias}, b)
	Load(Param("n"), left)
	Label("vectors")
	of := make([]VecVirtual, vectors)
	for i := range of {
		of[i] = YMM()
		VMULPS(Mem{Base: from, Disp: 32 * i}, s, of[i])
		VADDPS(b, of[i], of[i])
		VMAXPS(lo, of[i], of[i]) // lo if it is NaN
		VMINPS(hi, of[i], of[i])
	}
	if vectors == 1 {
		VMOVUPS(of[0], Mem{Base: to})
	} else { // packing works on halves of the vectors: VPUNPCKLDQ puts them in order
		VCVTPS2DQ(of[0], of[0])
		VCVTPS2DQ(of[1], of[1])
		VPACKSSDW(of[1], of[0], of[0])
		VPACKUSWB(of[0], of[0], of[0])
		high := XMM()
		VEXTRACTI128(Imm(1), of[0], high)
		VPUNPCKLDQ(high, of[0].AsX(), high)
		VMOVDQU(high, Mem{Base: to})
	}
	SUBQ(Imm(uint64(at)), left)
	JZ(LabelRef("next"))
	ADDQ(Imm(uint64(at*4)), from)
	ADDQ(Imm(uint64(at*size)), to)
	CMPQ(left, Imm(uint64(at)))
	JGE(LabelRef("vectors"))
	// The last elements are computed with some of those before.
	back := GP64()
	MOVQ(left, back)
	SUBQ(Imm(uint64(at)), back)
	LEAQ(Mem{Base: from, Index: back, Scale: 4}, from)
	LEAQ(Mem{Base: to, Index: back, Scale: uint8(size)}, to)
	MOVQ(U32(uint32(at)), left)
	JMP(LabelRef("vectors"))
	Label("next")
	ADDQ(Imm(uint64(at*4)), from)
	ADDQ(Imm(uint64(at*size)), to)
	ADDQ(Imm(4), scale)
	ADDQ(Imm(4), bias)
	DECQ(planes)
	JNE(LabelRef("plane"))
	VZEROUPPER()
	RET()
}
