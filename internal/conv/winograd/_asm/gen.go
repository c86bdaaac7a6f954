// Command gen generates the assembly of package winograd.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, m := range []int{2, 4} {
		for _, v := range []vectors{{"AVX512", 16, true}, {"AVX512Narrow", 8, true}, {"AVX2", 8, false}} {
			(&input{vectors: v, tile: m}).generate()
		}
		for _, v := range []vectors{{"AVX512", 16, true}, {"AVX2", 8, false}} {
			(&output{vectors: v, tile: m}).generate()
			weights(v, m)
		}
	}
	for tiles := 1; tiles <= 14; tiles++ {
		product(vectors{"AVX512", 16, true}, 2, tiles)
		product(vectors{"AVX512Narrow", 16, true}, 1, tiles)
	}
	for tiles := 1; tiles <= 6; tiles++ {
		product(vectors{"AVX2", 8, false}, 2, tiles)
	}
	Generate()
}

// vectors specifies the registers that a function uses.
type vectors struct {
	name  string
	lanes int
	evex  bool // AVX-512, which has masks and 32 registers
}

// new allocates a vector.
func (v vectors) new() Register {
	if v.lanes == 16 {
		return ZMM()
	}
	return YMM()
}

// bytes returns the size of a vector.
func (v vectors) bytes() int { return 4 * v.lanes }

// broadcast loads n constants at p, each into all lanes of a vector.
func (v vectors) broadcast(p Register, n int) []Register {
	list := make([]Register, n)
	for i := range list {
		list[i] = v.new()
		VBROADCASTSS(Mem{Base: p, Disp: 4 * i}, list[i])
	}
	return list
}

// product generates a function that multiplies a number of tiles by a panel of output channels.
// width is the number of vectors of the panel.
func product(v vectors, width, tiles int) {
	name := fmt.Sprintf("product%sx%d", v.name, tiles)
	TEXT(name, NOSPLIT, "func(depth int, v *float32, step int, u, m, next *float32)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s multiplies tiles by a panel of %d output channels. For t < %d and o < %d,", name, width*v.lanes, tiles, width*v.lanes),
		"",
		fmt.Sprintf("\tm[t*%d + o] = sum over c < depth of v[c*step + t]*u[c*%d + o]", width*v.lanes, width*v.lanes),
		"",
		"It prefetches half as many elements of next as it reads of u.",
	)
	depth := Load(Param("depth"), GP64())
	in := Load(Param("v"), GP64())
	step := Load(Param("step"), GP64())
	u := Load(Param("u"), GP64())
	m := Load(Param("m"), GP64())
	next := Load(Param("next"), GP64())
	SHLQ(Imm(2), step)
	sums := make([][]Register, tiles)
	for t := range sums {
		for range width {
			s := v.new()
			if v.evex {
				VPXORD(s, s, s)
			} else {
				VXORPS(s, s, s)
			}
			sums[t] = append(sums[t], s)
		}
	}
	one := func() {
		panel := make([]Register, width)
		for i := range panel {
			panel[i] = v.new()
			VMOVUPS(Mem{Base: u, Disp: i * v.bytes()}, panel[i])
		}
		x := v.new()
		for t := range tiles {
			if width == 1 {
				VFMADD231PS_BCST(Mem{Base: in, Disp: 4 * t}, panel[0], sums[t][0])
				continue
			}
			VBROADCASTSS(Mem{Base: in, Disp: 4 * t}, x)
			for i, s := range sums[t] {
				VFMADD231PS(panel[i], x, s)
			}
		}
		ADDQ(Imm(uint64(width*v.bytes())), u)
		ADDQ(step, in)
	}
	CMPQ(depth, Imm(2))
	JL(LabelRef("rest"))
	Label("loop")
	// This panel is prefetched, and half of the next: the other half is for the next piece of the
	// tiles.
	const ahead = 2048
	for i := range 2 * width * v.bytes() / 64 {
		PREFETCHT0(Mem{Base: u, Disp: ahead + 64*i})
	}
	one()
	for i := range width * v.bytes() / 64 {
		PREFETCHT1(Mem{Base: next, Disp: 64 * i})
	}
	ADDQ(Imm(uint64(width*v.bytes())), next)
	one()
	SUBQ(Imm(2), depth)
	CMPQ(depth, Imm(2))
	JGE(LabelRef("loop"))
	Label("rest")
	TESTQ(depth, depth)
	JE(LabelRef("store"))
	one()
	Label("store")
	for t := range sums {
		for i, s := range sums[t] {
			VMOVUPS(s, Mem{Base: m, Disp: (t*width + i) * v.bytes()})
		}
	}
	VZEROUPPER()
	RET()
}
