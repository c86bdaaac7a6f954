// Command gen writes the assembly of package random.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// ways is the number of vectors of groups that are computed together.
const ways = 2

func main() {
	ConstraintExpr("amd64,!noasm")
	generate("fillGroups2", "AVX2", vectors{lanes: 4})
	generate("fillGroups512", "AVX512F", vectors{lanes: 8, wide: true})
	Generate()
}

// vectors are the vectors of an instruction set. A lane of 64 bits has a group.
type vectors struct {
	lanes int
	wide  bool // AVX-512
}

func (s vectors) register() VecVirtual {
	if s.wide {
		return ZMM()
	}
	return YMM()
}

func generate(name, needs string, s vectors) {
	// The groups of a vector, so that the even lanes and the odd ones each have groups that follow
	// each other.
	order := GLOBL(name+"_order", RODATA|NOPTR)
	for i := range s.lanes {
		DATA(8*i, U64(i/2+i%2*s.lanes/2))
	}
	TEXT(name, NOSPLIT, "func(words *uint32, groups int, n, counter uint64, keys *[20]uint64)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s sets words to groups from n on. groups must be a positive multiple of %d. keys has the two", name, ways*s.lanes),
		fmt.Sprintf("halves of the key of each round, in its lower halves. It needs %s.", needs),
	)
	words, groups, keys := Load(Param("words"), GP64()), Load(Param("groups"), GP64()), Load(Param("keys"), GP64())
	next, step, counter := s.register(), s.register(), s.register()
	multiplierN, multiplierCounter := s.register(), s.register()
	r := GP64()
	for _, c := range []struct {
		value uint64
		v     VecVirtual
	}{{uint64(s.lanes), step}, {0xd2511f53, multiplierN}, {0xcd9e8d57, multiplierCounter}} {
		MOVQ(U64(c.value), r)
		VMOVQ(r, c.v.AsX())
		VPBROADCASTQ(c.v.AsX(), c.v)
	}
	VPBROADCASTQ(NewParamAddr("n", 16), next)
	VPADDQ(order, next, next)
	VPBROADCASTQ(NewParamAddr("counter", 24), counter)
	Label("loop")
	// The upper half of a lane is ignored: what it holds never reaches the lower half.
	var x [ways][4]VecVirtual
	for w := range x {
		for i := range x[w] {
			x[w][i] = s.register()
		}
		s.move(next, x[w][0])
		VPSRLQ(Imm(32), next, x[w][1])
		s.move(counter, x[w][2])
		VPSRLQ(Imm(32), counter, x[w][3])
		VPADDQ(step, next, next)
	}
	for round := range 10 {
		low, high := s.register(), s.register()
		VPBROADCASTQ(Mem{Base: keys, Disp: 16 * round}, low)
		VPBROADCASTQ(Mem{Base: keys, Disp: 16*round + 8}, high)
		for w := range x {
			a, b, c, d := x[w][0], x[w][1], x[w][2], x[w][3]
			VPMULUDQ(multiplierN, a, a)
			VPMULUDQ(multiplierCounter, c, c)
			s.xorHigh(c, low, b)
			s.xorHigh(a, high, d)
			x[w] = [4]VecVirtual{b, c, d, a}
		}
	}
	for w := range x {
		first, second := s.pair(x[w][0], x[w][1]), s.pair(x[w][2], x[w][3])
		v := s.register()
		for half := range 2 {
			if half == 0 {
				VPUNPCKLQDQ(second, first, v)
			} else {
				VPUNPCKHQDQ(second, first, v)
			}
			VMOVUPS(v, Mem{Base: words, Disp: 16*s.lanes*w + 8*s.lanes*half})
		}
	}
	ADDQ(U32(16*s.lanes*ways), words)
	SUBQ(U32(s.lanes*ways), groups)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func (s vectors) move(from, to VecVirtual) {
	if s.wide {
		VMOVDQA64(from, to)
	} else {
		VMOVDQA(from, to)
	}
}

// xorHigh sets z to the exclusive or of z, key and the upper half of x.
func (s vectors) xorHigh(x, key, z VecVirtual) {
	high := s.register()
	VPSRLQ(Imm(32), x, high)
	if s.wide {
		VPTERNLOGQ(Imm(0x96), high, key, z)
		return
	}
	VPXOR(key, z, z)
	VPXOR(high, z, z)
}

// pair returns the lower halves of the lanes of low and high, side by side.
func (s vectors) pair(low, high VecVirtual) VecVirtual {
	z := s.register()
	VPSLLQ(Imm(32), high, z)
	if s.wide {
		mask, lanes := GP32(), K()
		MOVL(U32(0x5555), mask)
		KMOVW(mask, lanes)
		VMOVDQA32(low, lanes, z)
	} else {
		VPBLENDD(Imm(0x55), low, z, z)
	}
	return z
}
