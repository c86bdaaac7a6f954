// Command gen writes the assembly of package extremum.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/vinoir/vinoir/ops/internal/extremum/_asm/vectors"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, s := range vectors.Sets() {
		generateRows("greatestOf", s, 0xff800000, VMAXPS)
		generateRows("leastOf", s, 0x7f800000, VMINPS)
	}
	Generate()
}

// equal is the predicate of VCMPPS that is false for NaN.
const equal = 0

// generateRows generates the search for the best element of each row: first its value, then its
// position.
func generateRows(name string, s vectors.Set, worst uint32, choose func(...Op)) {
	best := "greatest"
	if name == "leastOf" {
		best = "least"
	}
	name, needs := s.Name(name)
	TEXT(name, NOSPLIT, "func(positions *uint32, data *float32, length, rows int)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s sets positions[i] to the position of the first element of row i of data that is the %s. It is", name, best),
		fmt.Sprintf("0 if all are NaN. length, of a row, and rows must be positive. It needs %s.", needs),
	)
	positions, data := Load(Param("positions"), GP64()), Load(Param("data"), GP64())
	length, rows := Load(Param("length"), GP64()), Load(Param("rows"), GP64())
	least := s.Broadcast(vectors.Word(worst))
	rest, bytes := GP64(), GP64()
	MOVQ(length, rest)
	ANDQ(I32(s.Lanes-1), rest)
	part := s.First(rest)
	SUBQ(rest, length)
	SHLQ(Imm(2), length) // of the whole vectors, in bytes
	tail := func() VecVirtual {
		v := s.Register()
		if s.Wide {
			VMOVAPS(least, v)
			VMOVUPS(Mem{Base: data, Index: length, Scale: 1}, part, v)
		} else {
			VMASKMOVPS(Mem{Base: data, Index: length, Scale: 1}, part, v)
			VBLENDVPS(part, v, least, v)
		}
		return v
	}
	Label("row")
	const many = 4
	var found [many]VecVirtual
	for i := range found {
		found[i] = s.Register()
		VMOVAPS(least, found[i])
	}
	XORQ(bytes, bytes)
	ahead := GP64()
	for _, count := range []int{many, 1} {
		label := fmt.Sprintf("values%d", count)
		Label(label)
		LEAQ(Mem{Base: bytes, Disp: 4 * s.Lanes * count}, ahead)
		CMPQ(ahead, length)
		JG(LabelRef("after_" + label))
		for i := range count {
			v := s.Register()
			VMOVUPS(Mem{Base: data, Index: bytes, Scale: 1, Disp: 4 * s.Lanes * i}, v)
			choose(found[i], v, found[i]) // found[i] if v is NaN
		}
		MOVQ(ahead, bytes)
		JMP(LabelRef(label))
		Label("after_" + label)
	}
	TESTQ(rest, rest)
	JZ(LabelRef("reduce"))
	choose(found[1], tail(), found[1])
	Label("reduce")
	choose(found[0], found[1], found[0])
	choose(found[2], found[3], found[2])
	choose(found[0], found[2], found[0])
	all := found[0]
	other := s.Register()
	if s.Wide {
		VSHUFF32X4(Imm(0x4e), all, all, other)
		choose(all, other, all)
		VSHUFF32X4(Imm(0xb1), all, all, other)
	} else {
		VPERM2F128(Imm(0x01), all, all, other)
	}
	choose(all, other, all)
	VSHUFPS(Imm(0x4e), all, all, other)
	choose(all, other, all)
	VSHUFPS(Imm(0xb1), all, all, other)
	choose(all, other, all)

	mask, at := GP32(), GP32()
	XORQ(bytes, bytes)
	matches := func(v Op) {
		if s.Wide {
			k := K()
			VCMPPS(Imm(equal), v, all, k)
			KMOVW(k, mask)
			return
		}
		m := YMM()
		VCMPPS(Imm(equal), v, all, m)
		VMOVMSKPS(m, mask)
	}
	Label("search")
	CMPQ(bytes, length)
	JGE(LabelRef("search_rest"))
	matches(Mem{Base: data, Index: bytes, Scale: 1})
	TESTL(mask, mask)
	JNZ(LabelRef("found"))
	ADDQ(U32(4*s.Lanes), bytes)
	JMP(LabelRef("search"))
	Label("search_rest")
	XORL(at, at)
	TESTQ(rest, rest)
	JZ(LabelRef("next"))
	matches(tail())
	// What follows the row is no match.
	within := GP32()
	if s.Wide {
		KMOVW(part, within)
	} else {
		VMOVMSKPS(part, within)
	}
	ANDL(within, mask)
	JZ(LabelRef("next"))
	Label("found")
	BSFL(mask, at)
	SHRQ(Imm(2), bytes)
	ADDL(bytes.(GPVirtual).As32(), at)
	Label("next")
	MOVL(at, Mem{Base: positions})
	ADDQ(Imm(4), positions)
	ADDQ(length, data)
	LEAQ(Mem{Base: data, Index: rest, Scale: 4}, data)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}
