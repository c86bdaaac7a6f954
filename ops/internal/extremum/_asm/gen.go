// Command gen writes the assembly of package extremum.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	lanes := GLOBL("lanes", RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, U32(i))
	}
	for _, s := range []vectors{{lanes: 8, numbers: lanes}, {lanes: 16, wide: true, numbers: lanes}} {
		generateRows("greatestOf", s, 0xff800000, VMAXPS)
		generateRows("leastOf", s, 0x7f800000, VMINPS)
	}
	Generate()
}

// vectors are the vectors of an instruction set.
type vectors struct {
	lanes int
	wide  bool // AVX-512
	// numbers has the numbers of the lanes, up to 7.
	numbers Mem
}

func (s vectors) register() VecVirtual {
	if s.wide {
		return ZMM()
	}
	return YMM()
}

// name returns the name of a function and what it needs.
func (s vectors) name(of string) (name, needs string) {
	if s.wide {
		return of + "512", "AVX512F and BMI2"
	}
	return of + "2", "AVX2"
}

// equal is the predicate of VCMPPS that is false for NaN.
const equal = 0

// generateRows generates the search for the best element of each row: first its value, then its
// position.
func generateRows(name string, s vectors, worst uint32, choose func(...Op)) {
	best := "greatest"
	if name == "leastOf" {
		best = "least"
	}
	name, needs := s.name(name)
	TEXT(name, NOSPLIT, "func(positions *uint32, data *float32, length, rows int)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s sets positions[i] to the position of the first element of row i of data that is the %s. It is", name, best),
		fmt.Sprintf("0 if all are NaN. length, of a row, and rows must be positive. It needs %s.", needs),
	)
	positions, data := Load(Param("positions"), GP64()), Load(Param("data"), GP64())
	length, rows := Load(Param("length"), GP64()), Load(Param("rows"), GP64())
	least := s.broadcast(constant(worst))
	rest, bytes := GP64(), GP64()
	MOVQ(length, rest)
	ANDQ(I32(s.lanes-1), rest)
	part := s.first(rest)
	SUBQ(rest, length)
	SHLQ(Imm(2), length) // of the whole vectors, in bytes
	tail := func() VecVirtual {
		v := s.register()
		if s.wide {
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
		found[i] = s.register()
		VMOVAPS(least, found[i])
	}
	XORQ(bytes, bytes)
	ahead := GP64()
	for _, count := range []int{many, 1} {
		label := fmt.Sprintf("values%d", count)
		Label(label)
		LEAQ(Mem{Base: bytes, Disp: 4 * s.lanes * count}, ahead)
		CMPQ(ahead, length)
		JG(LabelRef("after_" + label))
		for i := range count {
			v := s.register()
			VMOVUPS(Mem{Base: data, Index: bytes, Scale: 1, Disp: 4 * s.lanes * i}, v)
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
	other := s.register()
	if s.wide {
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
		if s.wide {
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
	ADDQ(U32(4*s.lanes), bytes)
	JMP(LabelRef("search"))
	Label("search_rest")
	XORL(at, at)
	TESTQ(rest, rest)
	JZ(LabelRef("next"))
	matches(tail())
	// What follows the row is no match.
	within := GP32()
	if s.wide {
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

// first returns a mask of the first count lanes.
func (s vectors) first(count Register) Register {
	if s.wide {
		bits, part := GP32(), K()
		MOVL(U32(1<<32-1), bits)
		BZHIL(count.(GPVirtual).As32(), bits, bits)
		KMOVW(bits, part)
		return part
	}
	lane, part := YMM(), YMM()
	VMOVD(count.(GPVirtual).As32(), part.AsX())
	VPBROADCASTD(part.AsX(), part)
	VMOVDQU(s.numbers, lane)
	VPCMPGTD(lane, part, part)
	return part
}

// constant returns a register with a word.
func constant(word uint32) Register {
	r := GP32()
	MOVL(U32(word), r)
	return r
}

// broadcast returns a vector of the word in r.
func (s vectors) broadcast(r Register) VecVirtual {
	v := s.register()
	VMOVD(r, v.AsX())
	VPBROADCASTD(v.AsX(), v)
	return v
}
