// Command gen writes the assembly of package topk.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Predicates of VCMPPS that are false for NaN.
const less, greater = 17, 30

func main() {
	ConstraintExpr("amd64,!noasm")
	lanes := GLOBL("lanes", RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, U32(i))
	}
	for _, s := range []vectors{{lanes: 8, ways: 4, numbers: lanes}, {lanes: 16, ways: 8, wide: true, numbers: lanes}} {
		generate("greatest", "above", s, greater, VMAXPS)
		generate("least", "below", s, less, VMINPS)
	}
	Generate()
}

// vectors are the vectors of an instruction set.
type vectors struct {
	lanes int
	ways  int  // the number of vectors that go down the rows together
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

// columns are what a function has of a group of columns: pointers to the first of them.
type columns struct{ values, positions, data Register }

func generate(name, better string, s vectors, predicate uint64, choose func(...Op)) {
	needs := "AVX2"
	name += "2"
	if s.wide {
		needs = "AVX512F and BMI2"
		name = name[:len(name)-1] + "512"
	}
	TEXT(name, NOSPLIT, "func(values *float32, positions *uint32, data *float32, stride, first, rows, columns int)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s goes through rows of data that are stride elements apart. An element that is %s", name, better),
		"values[i] replaces it, and the number of its row, counted from first, replaces positions[i]. NaN",
		fmt.Sprintf("is never %s. rows must be positive. It needs %s.", better, needs),
	)
	c := columns{Load(Param("values"), GP64()), Load(Param("positions"), GP64()), Load(Param("data"), GP64())}
	stride, rows, n := Load(Param("stride"), GP64()), Load(Param("rows"), GP64()), Load(Param("columns"), GP64())
	SHLQ(Imm(2), stride)
	one := s.register()
	VPBROADCASTD(s.numbers.Offset(4), one)
	down := func(label string, count int, part Register) {
		number := s.register()
		VPBROADCASTD(NewParamAddr("first", 32), number)
		best, at := make([]VecVirtual, count), make([]VecVirtual, count)
		for i := range count {
			best[i], at[i] = s.register(), s.register()
			s.load(s.at(c.values, i), best[i], part)
			s.load(s.at(c.positions, i), at[i], part)
		}
		p, left := GP64(), GP64()
		MOVQ(c.data, p)
		MOVQ(rows, left)
		Label(label)
		for i := range count {
			v := s.register()
			s.load(s.at(p, i), v, part)
			if s.wide {
				k := K()
				VCMPPS(Imm(predicate), best[i], v, k)
				choose(best[i], v, best[i]) // best[i] if one is NaN
				VMOVDQA32(number, k, at[i])
			} else {
				mask := YMM()
				VCMPPS(Imm(predicate), best[i], v, mask)
				choose(best[i], v, best[i])
				VPBLENDVB(mask, number, at[i], at[i])
			}
		}
		VPADDD(one, number, number)
		ADDQ(stride, p)
		DECQ(left)
		JNZ(LabelRef(label))
		for i := range count {
			s.store(best[i], s.at(c.values, i), part)
			s.store(at[i], s.at(c.positions, i), part)
		}
	}
	for _, count := range []int{s.ways, 1} {
		label := fmt.Sprintf("vectors%d", count)
		Label(label)
		CMPQ(n, U32(count*s.lanes))
		JL(LabelRef("after_" + label))
		down(label+"_row", count, nil)
		for _, p := range []Register{c.values, c.positions, c.data} {
			ADDQ(U32(4*count*s.lanes), p)
		}
		SUBQ(U32(count*s.lanes), n)
		JMP(LabelRef(label))
		Label("after_" + label)
	}
	TESTQ(n, n)
	JZ(LabelRef("done"))
	down("rest_row", 1, s.first(n))
	Label("done")
	VZEROUPPER()
	RET()
}

// at returns vector i behind p.
func (s vectors) at(p Register, i int) Mem { return Mem{Base: p, Disp: 4 * s.lanes * i} }

// load loads a vector, only the lanes of part if it is not nil.
func (s vectors) load(from Mem, v VecVirtual, part Register) {
	switch {
	case part == nil:
		VMOVUPS(from, v)
	case s.wide:
		VMOVUPS_Z(from, part, v)
	default:
		VMASKMOVPS(from, part, v)
	}
}

// store is the reverse of load.
func (s vectors) store(v VecVirtual, to Mem, part Register) {
	switch {
	case part == nil:
		VMOVUPS(v, to)
	case s.wide:
		VMOVUPS(v, part, to)
	default:
		VMASKMOVPS(v, part, to)
	}
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
