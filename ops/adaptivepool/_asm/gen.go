// Command gen writes the assembly of package adaptivepool.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is the number of columns of a vector.
const lanes = 8

func main() {
	ConstraintExpr("amd64,!noasm")
	TEXT("columnMaxima", NOSPLIT, "func(keys *int64, in *float32, columns, rows, pitch int, place int32) (nan int)")
	Pragma("noescape")
	Doc(
		"columnMaxima sets the keys of columns, as maxColumns.set does. Rows are pitch elements after each other, and place is",
		"math.MaxInt32 minus the place of the first element. It returns 0 unless an element is NaN. columns must be at least 8,",
		"and rows at least 1. It needs AVX2.",
	)
	ascending := GLOBL("ascending", RODATA|NOPTR)
	for i := range lanes {
		DATA(4*i, U32(i))
	}
	keys, in := Load(Param("keys"), GP64()), Load(Param("in"), GP64())
	columns, rows, pitch := Load(Param("columns"), GP64()), Load(Param("rows"), GP64()), Load(Param("pitch"), GP64())
	start, step, width, nan := YMM(), YMM(), YMM(), YMM()
	VMOVD(Load(Param("place"), GP32()), start.AsX())
	VPBROADCASTD(start.AsX(), start)
	VPSUBD(ascending.Offset(0), start, start)
	VMOVD(pitch.(reg.GPVirtual).As32(), step.AsX())
	VPBROADCASTD(step.AsX(), step)
	VPCMPEQD(width, width, width)
	VPSRLD(Imm(31), width, width)
	VPSLLD(Imm(3), width, width) // lanes
	VXORPS(nan, nan, nan)
	SHLQ(Imm(2), pitch)
	zero := YMM()
	VXORPS(zero, zero, zero)

	Label("vector")
	best, bestPlace, at := YMM(), YMM(), YMM()
	v, greater := YMM(), YMM()
	x, left := GP64(), GP64()
	MOVQ(in, x)
	MOVQ(rows, left)
	VMOVUPS(Mem{Base: x}, best)
	VMOVDQA(start, bestPlace)
	VMOVDQA(start, at)
	const unordered, above = 3, 0x1e
	VCMPPS(Imm(unordered), best, best, greater)
	VORPS(greater, nan, nan)
	Label("row")
	DECQ(left)
	JZ(LabelRef("rows"))
	ADDQ(pitch, x)
	VPSUBD(step, at, at)
	VMOVUPS(Mem{Base: x}, v)
	VCMPPS(Imm(above), best, v, greater)
	VBLENDVPS(greater, v, best, best)
	VBLENDVPS(greater, at, bestPlace, bestPlace)
	VCMPPS(Imm(unordered), v, v, greater)
	VORPS(greater, nan, nan)
	JMP(LabelRef("row"))
	Label("rows")
	Comment("The bits of the numbers in their order, and the keys.")
	VADDPS(zero, best, best)
	VPSRAD(Imm(31), best, v)
	VPSRLD(Imm(1), v, v)
	VPXOR(v, best, best)
	low, high := YMM(), YMM()
	VPUNPCKLDQ(best, bestPlace, low)
	VPUNPCKHDQ(best, bestPlace, high)
	VPERM2I128(Imm(0x20), high, low, v)
	VMOVDQU(v, Mem{Base: keys})
	VPERM2I128(Imm(0x31), high, low, v)
	VMOVDQU(v, Mem{Base: keys, Disp: 32})
	ADDQ(Imm(8*lanes), keys)
	ADDQ(Imm(4*lanes), in)
	VPSUBD(width, start, start)
	SUBQ(Imm(lanes), columns)
	JZ(LabelRef("end"))
	CMPQ(columns, Imm(lanes))
	JGE(LabelRef("vector"))
	Comment("The last vector overlaps the one before.")
	back, more := GP64(), YMM()
	MOVQ(U32(lanes), back)
	SUBQ(columns, back)
	VMOVD(back.As32(), more.AsX())
	VPBROADCASTD(more.AsX(), more)
	VPADDD(more, start, start)
	SHLQ(Imm(2), back)
	SUBQ(back, in)
	SHLQ(Imm(1), back)
	SUBQ(back, keys)
	MOVQ(U32(lanes), columns)
	JMP(LabelRef("vector"))
	Label("end")
	mask := GP32()
	VMOVMSKPS(nan, mask)
	VZEROUPPER()
	Store(mask.As64(), ReturnIndex(0))
	RET()
	Generate()
}
