// Command gen writes the assembly of package topk.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/vinoir/vinoir/ops/internal/extremum/_asm/vectors"
)

// Predicates of VCMPPS that are false for NaN.
const less, greater = 17, 30

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, of := range vectors.Sets() {
		s := set{of}
		generate("greatest", "above", s, greater, VMAXPS)
		generate("least", "below", s, less, VMINPS)
		generateKeys(s)
		generateInsert(s)
	}
	Generate()
}

// set is the vectors of an instruction set.
type set struct{ vectors.Set }

// ways is the number of vectors that go down the rows together.
func (s set) ways() int { return s.Lanes / 2 }

// columns are what a function has of a group of columns: pointers to the first of them.
type columns struct{ values, positions, data Register }

func generate(name, better string, s set, predicate uint64, choose func(...Op)) {
	name, needs := s.Name(name)
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
	one := s.Register()
	VPBROADCASTD(s.Numbers.Offset(4), one)
	down := func(label string, count int, part Register) {
		number := s.Register()
		VPBROADCASTD(NewParamAddr("first", 32), number)
		best, at := make([]VecVirtual, count), make([]VecVirtual, count)
		for i := range count {
			best[i], at[i] = s.Register(), s.Register()
			s.load(s.at(c.values, i), best[i], part)
			s.load(s.at(c.positions, i), at[i], part)
		}
		p, left := GP64(), GP64()
		MOVQ(c.data, p)
		MOVQ(rows, left)
		Label(label)
		for i := range count {
			v := s.Register()
			s.load(s.at(p, i), v, part)
			if s.Wide {
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
	for _, count := range []int{s.ways(), 1} {
		label := fmt.Sprintf("vectors%d", count)
		Label(label)
		CMPQ(n, U32(count*s.Lanes))
		JL(LabelRef("after_" + label))
		down(label+"_row", count, nil)
		for _, p := range []Register{c.values, c.positions, c.data} {
			ADDQ(U32(4*count*s.Lanes), p)
		}
		SUBQ(U32(count*s.Lanes), n)
		JMP(LabelRef(label))
		Label("after_" + label)
	}
	TESTQ(n, n)
	JZ(LabelRef("done"))
	down("rest_row", 1, s.First(n))
	Label("done")
	VZEROUPPER()
	RET()
}

// at returns vector i behind p.
func (s set) at(p Register, i int) Mem { return Mem{Base: p, Disp: 4 * s.Lanes * i} }

// load loads a vector, only the lanes of part if it is not nil.
func (s set) load(from Mem, v VecVirtual, part Register) {
	switch {
	case part == nil:
		VMOVUPS(from, v)
	case s.Wide:
		VMOVUPS_Z(from, part, v)
	default:
		VMASKMOVPS(from, part, v)
	}
}

// store is the reverse of load.
func (s set) store(v VecVirtual, to Mem, part Register) {
	switch {
	case part == nil:
		VMOVUPS(v, to)
	case s.Wide:
		VMOVUPS(v, part, to)
	default:
		VMASKMOVPS(v, part, to)
	}
}

// bitwise generates the instruction of AVX-512 or that of AVX2.
func (s set) bitwise(wide func(...Op), narrow func(x, y, z Op), x, y, z Op) {
	if s.Wide {
		wide(x, y, z)
	} else {
		narrow(x, y, z)
	}
}

// unordered is the predicate of VCMPPS that is true for NaN.
const unordered = 3

func generateKeys(s set) {
	name, needs := s.Name("floatKeys")
	TEXT(name, NOSPLIT, "func(keys *uint32, x *float32, n int, flip uint32)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s sets keys[i] to ranking.key(x[i]) for n elements. It needs %s.", name, needs))
	keys, x, n := Load(Param("keys"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	flip, zero, bits := s.Broadcast(Load(Param("flip"), GP32())), s.Broadcast(vectors.Word(0)), s.Broadcast(vectors.Word(1<<31-1))
	convert := func(part Register) {
		v, negative := s.Register(), s.Register()
		s.load(Mem{Base: x}, v, part)
		VADDPS(zero, v, v) // -0 becomes 0
		VPSRAD(Imm(31), v, negative)
		s.bitwise(VPANDD, VPAND, bits, negative, negative)
		s.bitwise(VPXORD, VPXOR, flip, negative, negative)
		s.bitwise(VPXORD, VPXOR, v, negative, negative)
		if s.Wide {
			nan := K()
			VCMPPS(Imm(unordered), v, v, nan)
			VPTERNLOGD(Imm(0xff), v, v, nan, negative)
		} else {
			VCMPPS(Imm(unordered), v, v, v)
			VPOR(v, negative, negative)
		}
		s.store(negative, Mem{Base: keys}, part)
	}
	Label("vectors")
	CMPQ(n, U32(s.Lanes))
	JL(LabelRef("rest"))
	convert(nil)
	ADDQ(U32(4*s.Lanes), x)
	ADDQ(U32(4*s.Lanes), keys)
	SUBQ(U32(s.Lanes), n)
	JMP(LabelRef("vectors"))
	Label("rest")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	convert(s.First(n))
	Label("done")
	VZEROUPPER()
	RET()
}

func generateInsert(s set) {
	name, needs := s.Name("insertRows")
	TEXT(name, NOSPLIT, "func(keys, positions, rows *uint32, first, n, k, columns int)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s inserts each element of n rows of keys into the k sorted keys of its column, and the number", name),
		"of its row, counted from first, into the k positions. The last of them drop out. Equal keys keep their order.",
		"All rows have the given number of columns, which is a positive multiple of 16, as n and k are positive.",
		fmt.Sprintf("It needs %s.", needs),
	)
	keys, positions, rows := Load(Param("keys"), GP64()), Load(Param("positions"), GP64()), Load(Param("rows"), GP64())
	n, k, stride := Load(Param("n"), GP64()), Load(Param("k"), GP64()), Load(Param("columns"), GP64())
	one := s.Register()
	VPBROADCASTD(s.Numbers.Offset(4), one)
	left, last := GP64(), GP64()
	MOVQ(stride, left)
	SHLQ(Imm(2), stride)
	LEAQ(Mem{Base: k, Disp: -1}, last)
	IMULQ(stride, last)
	Label("columns")
	number := s.Register()
	VPBROADCASTD(NewParamAddr("first", 24), number)
	row, rowsLeft := GP64(), GP64()
	MOVQ(rows, row)
	MOVQ(n, rowsLeft)
	Label("rows")
	key := s.Register()
	VMOVUPS(Mem{Base: row}, key)
	if s.Wide {
		better := K()
		VPCMPUD(Imm(1), Mem{Base: keys, Index: last, Scale: 1}, key, better)
		KORTESTW(better, better)
		JZ(LabelRef("next"))
	} else {
		worse, lanes := YMM(), GP32()
		VPMAXUD(Mem{Base: keys, Index: last, Scale: 1}, key, worse)
		VPCMPEQD(key, worse, worse)
		VMOVMSKPS(worse, lanes)
		CMPL(lanes, U32(1<<8-1))
		JE(LabelRef("next"))
	}
	carried, carriedAt, at, to, slots := s.Register(), s.Register(), GP64(), GP64(), GP64()
	VMOVUPS(key, carried)
	VMOVUPS(number, carriedAt)
	MOVQ(keys, at)
	MOVQ(positions, to)
	MOVQ(k, slots)
	Label("slots")
	// From the first slot with a greater key on, what a slot holds is carried to the next.
	held, heldAt, v := s.Register(), s.Register(), s.Register()
	VMOVUPS(Mem{Base: at}, held)
	VMOVUPS(Mem{Base: to}, heldAt)
	if s.Wide {
		moves := K()
		VPCMPUD(Imm(1), held, key, moves)
		VPBLENDMD(carriedAt, heldAt, moves, v)
		VMOVDQA32(heldAt, moves, carriedAt)
	} else {
		stays := YMM()
		VPMAXUD(held, key, stays)
		VPCMPEQD(key, stays, stays)
		VPBLENDVB(stays, heldAt, carriedAt, v)
		VPBLENDVB(stays, carriedAt, heldAt, carriedAt)
	}
	VMOVUPS(v, Mem{Base: to})
	VPMINUD(held, carried, v)
	VPMAXUD(held, carried, carried)
	VMOVUPS(v, Mem{Base: at})
	ADDQ(stride, at)
	ADDQ(stride, to)
	DECQ(slots)
	JNZ(LabelRef("slots"))
	Label("next")
	VPADDD(one, number, number)
	ADDQ(stride, row)
	DECQ(rowsLeft)
	JNZ(LabelRef("rows"))
	for _, p := range []Register{keys, positions, rows} {
		ADDQ(U32(4*s.Lanes), p)
	}
	SUBQ(U32(s.Lanes), left)
	JNZ(LabelRef("columns"))
	VZEROUPPER()
	RET()
}
