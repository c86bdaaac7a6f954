// Command gen writes the assembly of package randomuniform.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	generate("scaleUnits2", "AVX2", 8, YMM)
	generate("scaleUnits512", "AVX512F", 16, ZMM)
	Generate()
}

// ways is the number of vectors that are converted together.
const ways = 2

func generate(name, needs string, lanes int, register func() VecVirtual) {
	TEXT(name, NOSPLIT, "func(out *float32, x *uint32, n int, width, lo float32)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s sets out[i] to u*width + lo for n elements, where u is the number from 0 to 1 that the lower", name),
		fmt.Sprintf("23 bits of x[i] give. n must be a positive multiple of %d. It needs %s.", ways*lanes, needs),
	)
	out, x, n := Load(Param("out"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	width, lo, mantissa, one := register(), register(), register(), register()
	VBROADCASTSS(NewParamAddr("width", 24), width)
	VBROADCASTSS(NewParamAddr("lo", 28), lo)
	r := GP32()
	MOVL(U32(1<<23-1), r)
	VMOVD(r, mantissa.AsX())
	VPBROADCASTD(mantissa.AsX(), mantissa)
	MOVL(U32(127<<23), r)
	VMOVD(r, one.AsX())
	VPBROADCASTD(one.AsX(), one)
	Label("loop")
	for i := range ways {
		v := register()
		if lanes == 16 {
			VPANDD(Mem{Base: x, Disp: 4 * lanes * i}, mantissa, v)
			VPORD(one, v, v)
		} else {
			VPAND(Mem{Base: x, Disp: 4 * lanes * i}, mantissa, v)
			VPOR(one, v, v)
		}
		VSUBPS(one, v, v)
		VMULPS(width, v, v)
		VADDPS(lo, v, v)
		VMOVUPS(v, Mem{Base: out, Disp: 4 * lanes * i})
	}
	ADDQ(U32(4*ways*lanes), out)
	ADDQ(U32(4*ways*lanes), x)
	SUBQ(U32(ways*lanes), n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
