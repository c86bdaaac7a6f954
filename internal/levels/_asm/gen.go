// Command gen writes the assembly of package levels.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const many = 4 // vectors in an iteration of the main loop

func main() {
	ConstraintExpr("amd64,!noasm")
	codes512()
	values512()
	codes2()
	values2()
	rows2()
	Generate()
}

// codes512 generates Codes.
func codes512() {
	TEXT("codes512", NOSPLIT, "func(out *uint8, x *float32, n int, scale, shift, most float32)")
	Pragma("noescape")
	Doc("codes512 computes out[i] = code(x[i], scale, shift, most) for n elements. It needs AVX512F.")
	out, x, n := Load(Param("out"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	scale, shift, most, zero := ZMM(), ZMM(), ZMM(), ZMM()
	for i, v := range []VecVirtual{scale, shift, most} {
		VBROADCASTSS(NewParamAddr([]string{"scale", "shift", "most"}[i], 24+4*i), v)
	}
	VPXORD(zero, zero, zero)
	code := func(v VecVirtual) VecVirtual {
		VMULPS(scale, v, v)
		VADDPS(shift, v, v)
		VMAXPS(zero, v, v) // 0 if v is NaN
		VMINPS(most, v, v)
		VCVTPS2DQ(v, v) // halves to even
		return v
	}
	walk(out, x, n, 1, 4, func(out, x Mem, part ...Op) {
		v := ZMM()
		if len(part) > 0 {
			VMOVUPS_Z(x, part[0], v)
			VPMOVDB(code(v), part[0], out)
			return
		}
		VMOVUPS(x, v)
		VPMOVDB(code(v), out)
	})
}

// values512 generates Values.
func values512() {
	TEXT("values512", NOSPLIT, "func(out *float32, x *uint8, n int, low, step float32)")
	Pragma("noescape")
	Doc("values512 computes out[i] = low + x[i]*step for n elements. It needs AVX512F.")
	out, x, n := Load(Param("out"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	low, step := ZMM(), ZMM()
	VBROADCASTSS(NewParamAddr("low", 24), low)
	VBROADCASTSS(NewParamAddr("step", 28), step)
	walk(out, x, n, 4, 1, func(out, x Mem, part ...Op) {
		v := ZMM()
		if len(part) > 0 {
			VPMOVZXBD_Z(x, part[0], v)
		} else {
			VPMOVZXBD(x, v)
		}
		VCVTDQ2PS(v, v)
		VMULPS(step, v, v)
		VADDPS(low, v, v)
		VMOVUPS(append(append([]Op{v}, part...), out)...)
	})
}

// codes2 generates codes512 for AVX2.
func codes2() {
	TEXT("codes2", NOSPLIT, "func(out *uint8, x *float32, n int, scale, shift, most float32)")
	Pragma("noescape")
	Doc("codes2 computes out[i] = code(x[i], scale, shift, most) for n elements, a multiple of 16. It needs AVX2.")
	out, x, n := Load(Param("out"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	scale, shift, most, zero := YMM(), YMM(), YMM(), YMM()
	for i, v := range []VecVirtual{scale, shift, most} {
		VBROADCASTSS(NewParamAddr([]string{"scale", "shift", "most"}[i], 24+4*i), v)
	}
	VXORPS(zero, zero, zero)
	Label("sixteen")
	var codes [2]VecVirtual
	for i := range codes {
		v := YMM()
		VMULPS(Mem{Base: x, Disp: 32 * i}, scale, v)
		VADDPS(shift, v, v)
		VMAXPS(zero, v, v) // 0 if v is NaN
		VMINPS(most, v, v)
		VCVTPS2DQ(v, v) // halves to even
		codes[i] = v
	}
	// Packing works on halves of the vectors: VPUNPCKLDQ puts them in order.
	VPACKSSDW(codes[1], codes[0], codes[0])
	VPACKUSWB(codes[0], codes[0], codes[0])
	high := XMM()
	VEXTRACTI128(Imm(1), codes[0], high)
	VPUNPCKLDQ(high, codes[0].AsX(), high)
	VMOVDQU(high, Mem{Base: out})
	ADDQ(Imm(64), x)
	ADDQ(Imm(16), out)
	SUBQ(Imm(16), n)
	JG(LabelRef("sixteen"))
	VZEROUPPER()
	RET()
}

// values2 generates values512 for AVX2.
func values2() {
	TEXT("values2", NOSPLIT, "func(out *float32, x *uint8, n int, low, step float32)")
	Pragma("noescape")
	Doc("values2 computes out[i] = low + x[i]*step for n elements, a multiple of 8. It needs AVX2.")
	out, x, n := Load(Param("out"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	low, step := YMM(), YMM()
	VBROADCASTSS(NewParamAddr("low", 24), low)
	VBROADCASTSS(NewParamAddr("step", 28), step)
	Label("eight")
	v := YMM()
	VPMOVZXBD(Mem{Base: x}, v)
	VCVTDQ2PS(v, v)
	VMULPS(step, v, v)
	VADDPS(low, v, v)
	VMOVUPS(v, Mem{Base: out})
	ADDQ(Imm(8), x)
	ADDQ(Imm(32), out)
	SUBQ(Imm(8), n)
	JG(LabelRef("eight"))
	VZEROUPPER()
	RET()
}

// rows2 generates DecodeRows for AVX2.
func rows2() {
	TEXT("rows2", NOSPLIT, "func(dst *float32, src *byte, n, rows int)")
	Pragma("noescape")
	Doc("rows2 computes DecodeRows for rows of n numbers, a multiple of 8. Neither n nor rows is 0. It needs AVX2.")
	dst, src, n, rows := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64()), Load(Param("rows"), GP64())
	low, step, left := YMM(), YMM(), GP64()
	eight := func(i int) {
		v := YMM()
		VPMOVZXBD(Mem{Base: src, Disp: 8 * i}, v)
		VCVTDQ2PS(v, v)
		VMULPS(step, v, v)
		VADDPS(low, v, v)
		VMOVUPS(v, Mem{Base: dst, Disp: 32 * i})
	}
	Label("row")
	VBROADCASTSS(Mem{Base: src, Index: n, Scale: 1}, low)
	VBROADCASTSS(Mem{Base: src, Index: n, Scale: 1, Disp: 4}, step)
	MOVQ(n, left)
	for _, count := range []int{4, 1} {
		label := fmt.Sprintf("vectors%d", count)
		Label(label)
		CMPQ(left, Imm(uint64(8*count)))
		JL(LabelRef("after_" + label))
		for i := range count {
			eight(i)
		}
		ADDQ(Imm(uint64(8*count)), src)
		ADDQ(U32(32*count), dst)
		SUBQ(Imm(uint64(8*count)), left)
		JMP(LabelRef(label))
		Label("after_" + label)
	}
	ADDQ(Imm(8), src) // low and step
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// walk generates the loop over n elements, 16 at a time. Elements of out and x have the given sizes. do computes 16 elements, or
// those of the mask part.
func walk(out, x, n Register, outSize, xSize int, do func(out, x Mem, part ...Op)) {
	const lanes = 16
	for _, count := range []int{many, 1} {
		label := fmt.Sprintf("vectors%d", count)
		Label(label)
		CMPQ(n, U32(count*lanes))
		JL(LabelRef("after_" + label))
		for i := range count {
			do(Mem{Base: out, Disp: lanes * outSize * i}, Mem{Base: x, Disp: lanes * xSize * i})
		}
		ADDQ(U32(xSize*lanes*count), x)
		ADDQ(U32(outSize*lanes*count), out)
		SUBQ(U32(count*lanes), n)
		JMP(LabelRef(label))
		Label("after_" + label)
	}
	TESTQ(n, n)
	JZ(LabelRef("done"))
	bits, part := GP32(), K()
	MOVL(U32(1<<32-1), bits)
	BZHIL(n.(GPVirtual).As32(), bits, bits)
	KMOVW(bits, part)
	do(Mem{Base: out}, Mem{Base: x}, part)
	Label("done")
	VZEROUPPER()
	RET()
}
