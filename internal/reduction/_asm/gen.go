// Command gen writes the assembly of package reduction.
package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, set := range []*isa{avx2, avx512} {
		for i := range functions {
			rows(set, &functions[i], false)
			lines(set, &functions[i])
		}
		for i := range functions {
			if functions[i].pairs {
				rows(set, &functions[i], true)
			}
		}
		normalize(set)
		blend(set)
		columns(set)
	}
	Generate()
}

// function joins elements. term is what is joined of an element, nil for the
// element itself; it may overwrite it.
type function struct {
	name, formula string
	term          func(set *isa, v Register)
	join          func(set *isa, v Op, acc Register)
	// start is what joins with nothing else: for lanes without elements.
	start float64
	nan   bool // the instructions lose NaN: it is looked for
	pairs bool
}

var functions = []function{
	{name: "sum", formula: "x", join: add, pairs: true},
	{name: "max", formula: "x", join: func(_ *isa, v Op, acc Register) { VMAXPS(v, acc, acc) }, start: math.Inf(-1), nan: true, pairs: true},
	{name: "min", formula: "x", join: func(_ *isa, v Op, acc Register) { VMINPS(v, acc, acc) }, start: math.Inf(1), nan: true},
	{name: "product", formula: "x", join: func(_ *isa, v Op, acc Register) { VMULPS(v, acc, acc) }, start: 1},
	{name: "magnitudes", formula: "|x|", term: func(set *isa, v Register) { set.and(constant(1<<31-1), v) }, join: add},
	{name: "squares", formula: "x*x", term: func(_ *isa, v Register) { VMULPS(v, v, v) }, join: add},
}

func add(_ *isa, v Op, acc Register) { VADDPS(v, acc, acc) }

// constants are vectors of 16 equal numbers, which serve 8 as well.
var constants = map[uint32]Mem{}

func constant(bits uint32) Mem {
	m, ok := constants[bits]
	if !ok {
		m = table("number", func(int) uint32 { return bits }, 16)
		constants[bits] = m
	}
	return m
}

var tables int

// table returns a table of n words.
func table(name string, word func(i int) uint32, n int) Mem {
	tables++
	m := GLOBL(name+string(rune('A'+tables-1)), RODATA|NOPTR)
	for i := range n {
		DATA(4*i, U32(word(i)))
	}
	return m
}
