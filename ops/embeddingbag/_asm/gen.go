// Command gen writes the assembly of package embeddingbag.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	numbers := GLOBL("numbers", RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, U32(i))
	}
	generate("sumBags2", "AVX2 and FMA", vectors{lanes: 8, numbers: numbers})
	generate("sumBags512", "AVX512F and BMI2", vectors{lanes: 16, wide: true})
	Generate()
}

// many is the number of vectors of columns that are summed together.
const many = 4

// vectors are the vectors of an instruction set.
type vectors struct {
	lanes   int
	wide    bool // AVX-512
	numbers Mem  // of the lanes
}

func (s vectors) register() VecVirtual {
	if s.wide {
		return ZMM()
	}
	return YMM()
}

func generate(name, needs string, s vectors) {
	TEXT(name, NOSPLIT, "func(out, table, weights *float32, indices, starts *int64, row, bags int)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s sets each row of out to the sum of the rows of table that the indices from starts[b] to", name),
		"starts[b+1]-1 name. Each is multiplied by its weight, unless weights is nil. row is the number of elements",
		fmt.Sprintf("of a row. bags must be positive. It needs %s.", needs),
	)
	out, table, weights := Load(Param("out"), GP64()), Load(Param("table"), GP64()), Load(Param("weights"), GP64())
	indices, starts := Load(Param("indices"), GP64()), Load(Param("starts"), GP64())
	row, bags := Load(Param("row"), GP64()), Load(Param("bags"), GP64())
	SHLQ(Imm(2), row)
	first, end, left := GP64(), GP64(), GP64()
	sum := func(label string, count int, part Register) {
		sums := make([]VecVirtual, count)
		for i := range sums {
			sums[i] = s.register()
			if s.wide {
				VPXORQ(sums[i], sums[i], sums[i])
			} else {
				VPXOR(sums[i], sums[i], sums[i])
			}
		}
		i, from := GP64(), GP64()
		loop := func(suffix string, weighted bool) {
			MOVQ(first, i)
			Label(label + suffix)
			CMPQ(i, end)
			JGE(LabelRef(label + "_sum"))
			MOVQ(Mem{Base: indices, Index: i, Scale: 8}, from)
			IMULQ(row, from)
			ADDQ(table, from)
			weight := s.register()
			if weighted {
				VBROADCASTSS(Mem{Base: weights, Index: i, Scale: 4}, weight)
			}
			for j, z := range sums {
				var x Op = Mem{Base: from, Disp: 4 * s.lanes * j}
				if part != nil {
					v := s.register()
					s.loadPart(x, part, v)
					x = v
				}
				if weighted {
					VFMADD231PS(x, weight, z)
				} else {
					VADDPS(x, z, z)
				}
			}
			INCQ(i)
			JMP(LabelRef(label + suffix))
		}
		TESTQ(weights, weights)
		JNZ(LabelRef(label + "_has_weights"))
		loop("_row", false)
		Label(label + "_has_weights")
		loop("_weighted", true)
		Label(label + "_sum")
		for j, z := range sums {
			to := Mem{Base: out, Disp: 4 * s.lanes * j}
			switch {
			case part == nil:
				VMOVUPS(z, to)
			case s.wide:
				VMOVUPS(z, part, to)
			default:
				VMASKMOVPS(z, part, to)
			}
		}
	}
	Label("bag")
	MOVQ(Mem{Base: starts}, first)
	MOVQ(Mem{Base: starts, Disp: 8}, end)
	MOVQ(row, left)
	for _, count := range []int{many, 1} {
		label := fmt.Sprintf("vectors%d", count)
		bytes := U32(4 * s.lanes * count)
		Label(label)
		CMPQ(left, bytes)
		JL(LabelRef("after_" + label))
		sum(label, count, nil)
		ADDQ(bytes, out)
		ADDQ(bytes, table)
		SUBQ(bytes, left)
		JMP(LabelRef(label))
		Label("after_" + label)
	}
	TESTQ(left, left)
	JZ(LabelRef("next"))
	sum("rest", 1, s.first(left))
	ADDQ(left, out)
	ADDQ(left, table)
	Label("next")
	SUBQ(row, table)
	ADDQ(Imm(8), starts)
	DECQ(bags)
	JNZ(LabelRef("bag"))
	VZEROUPPER()
	RET()
}

func (s vectors) loadPart(from Op, part Register, v VecVirtual) {
	if s.wide {
		VMOVUPS_Z(from, part, v)
	} else {
		VMASKMOVPS(from, part, v)
	}
}

// first returns a mask of the lanes that the first bytes of a vector are.
func (s vectors) first(bytes Register) Register {
	count := GP32()
	MOVL(bytes.(GPVirtual).As32(), count)
	SHRL(Imm(2), count)
	if s.wide {
		bits, part := GP32(), K()
		MOVL(U32(1<<32-1), bits)
		BZHIL(count, bits, bits)
		KMOVW(bits, part)
		return part
	}
	lane, part := YMM(), YMM()
	VMOVD(count, part.AsX())
	VPBROADCASTD(part.AsX(), part)
	VMOVDQU(s.numbers, lane)
	VPCMPGTD(lane, part, part)
	return part
}
