// Command gen writes the assembly of package half.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// lanes is the number of elements that are converted at once: as in
// slices_amd64.go.
const lanes = 8

func main() {
	ConstraintExpr("amd64,!noasm")
	convert("widenF16", "func(dst *float32, src *uint16, n int)", 4, 2)
	convert("narrowF16", "func(dst *uint16, src *float32, n int)", 2, 4)
	Generate()
}

// convert generates the function from elements of from bytes to elements of to.
func convert(name, signature string, to, from int) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + " sets dst[i] to src[i] for i below n, a multiple of 8 and not 0.")
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	n := Load(Param("n"), GP64())
	Label("loop")
	v := YMM()
	if to > from {
		VCVTPH2PS(Mem{Base: src}, v)
		VMOVUPS(v, Mem{Base: dst})
	} else {
		VMOVUPS(Mem{Base: src}, v)
		VCVTPS2PH(Imm(0), v, Mem{Base: dst}) // to the nearest, ties to even
	}
	ADDQ(U32(lanes*to), dst)
	ADDQ(U32(lanes*from), src)
	SUBQ(U32(lanes), n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
