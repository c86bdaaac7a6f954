// Command gen writes the assembly of package half.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is the number of elements of a vector. It is the same as in slices_amd64.go.
const lanes = 8

func main() {
	ConstraintExpr("amd64,!noasm")
	convert("widenF16", "func(dst *float32, src *uint16, n int)", 4, 2)
	convert("narrowF16", "func(dst *uint16, src *float32, n int)", 2, 4)
	widenBF16()
	narrowBF16()
	Generate()
}

// widenBF16 generates the conversion of bf16 to float32: a shift of the bits.
func widenBF16() {
	TEXT("widenBF16", NOSPLIT, "func(dst *float32, src *uint16, n int)")
	Pragma("noescape")
	Doc("widenBF16 sets dst[i] to the bf16 src[i] for each i < n. n must be a positive multiple of 8.")
	dst, src, n := operands(4, 2)
	v := YMM()
	aligned("loop")
	VPMOVZXWD(src, v)
	VPSLLD(Imm(16), v, v)
	VMOVDQU(v, dst)
	next(n)
	VZEROUPPER()
	RET()
}

// narrowBF16 generates the conversion of float32 to bf16, as in BFloat16Of.
func narrowBF16() {
	TEXT("narrowBF16", NOSPLIT, "func(dst *uint16, src *float32, n int)")
	Pragma("noescape")
	Doc("narrowBF16 sets dst[i] to the bf16 nearest to src[i] for each i < n. n must be a positive", "multiple of 8.")
	dst, src, n := operands(2, 4)
	one, half, quiet := YMM(), YMM(), YMM()
	VPCMPEQD(one, one, one)
	VPSRLD(Imm(17), one, half) // 0x7fff
	VPSRLD(Imm(31), one, one)
	VPSLLD(Imm(6), one, quiet) // 0x40
	// narrow returns the results for a vector, each in the lower half of a lane.
	narrow := func(src Mem) reg.VecVirtual {
		v, high, rounded := YMM(), YMM(), YMM()
		VMOVDQU(src, v)
		VPSRLD(Imm(16), v, high)
		VPAND(one, high, rounded)
		VPADDD(v, rounded, rounded)
		VPADDD(half, rounded, rounded)
		VPSRLD(Imm(16), rounded, rounded)
		VCMPPS(Imm(3), v, v, v) // NaN
		VPOR(quiet, high, high)
		VPBLENDVB(v, high, rounded, rounded)
		return rounded
	}
	Comment("An odd vector, and then two at a time.")
	TESTQ(U32(lanes), n)
	JZ(LabelRef("even"))
	first := narrow(src)
	VPACKUSDW(first, first, first)
	VPERMQ(Imm(0x08), first, first)
	VMOVDQU(first.AsX(), dst)
	ADDQ(Imm(lanes), n)
	JZ(LabelRef("end"))
	Label("even")
	aligned("loop")
	low, high := narrow(src), narrow(src.Offset(4*lanes))
	VPACKUSDW(high, low, low)
	VPERMQ(Imm(0xd8), low, low)
	VMOVDQU(low, dst)
	ADDQ(Imm(2*lanes), n)
	JNE(LabelRef("loop"))
	Label("end")
	VZEROUPPER()
	RET()
}

// convert generates a conversion between f16 and float32. to and from are the bytes of an
// element of dst and src.
func convert(name, signature string, to, from int) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	result := "the f16 src[i]"
	if to < from {
		result = "the f16 nearest to src[i]"
	}
	Doc(name+" sets dst[i] to "+result+" for each i < n. n must be a positive", "multiple of 8.")
	dst, src, n := operands(to, from)
	aligned("loop")
	v := YMM()
	if to > from {
		VCVTPH2PS(src, v)
		VMOVUPS(v, dst)
	} else {
		VMOVUPS(src, v)
		VCVTPS2PH(Imm(0), v, dst) // to nearest, ties to even
	}
	next(n)
	VZEROUPPER()
	RET()
}

// operands returns the places in memory of the next elements of dst and src, which have to and from
// bytes, and the register that both places depend on. It counts up to 0, so that a loop has one
// addition.
func operands(to, from int) (dst, src Mem, n reg.Register) {
	n = Load(Param("n"), GP64())
	place := func(name string, size int) Mem {
		end := Load(Param(name), GP64())
		LEAQ(Mem{Base: end, Index: n, Scale: uint8(size)}, end)
		return Mem{Base: end, Index: n, Scale: uint8(size)}
	}
	dst, src = place("dst", to), place("src", from)
	NEGQ(n)
	return dst, src, n
}

// next ends the body of a loop over n.
func next(n reg.Register) {
	ADDQ(Imm(lanes), n)
	JNE(LabelRef("loop"))
}

// aligned is Label for the start of a loop, at a cache line. Elsewhere, its speed would depend on
// the code before it, by up to a third.
func aligned(label string) {
	Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []Op{Imm(64)}})
	Label(label)
}
