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
			segments(set, &functions[i])
		}
		for i := range functions {
			if functions[i].stride2 {
				rows(set, &functions[i], true)
			}
		}
		normalize(set, true)
		normalize(set, false)
		weightedSum(set)
		resample(set)
	}
	byteMaxima()
	floatMaxima()
	lineMaxima()
	Generate()
}

// function is a reduction function.
type function struct {
	name string
	// operator and formula describe the function in the doc comments of the stubs.
	operator, formula string
	// term replaces the elements in v with their terms. It is nil if the terms are the
	// elements themselves.
	term func(set *isa, v Register)
	// combine sets acc to the reduction of acc and v.
	combine func(set *isa, v Op, acc Register)
	// identity is the identity element of combine. It fills lanes without elements.
	identity float64
	// nan specifies that combine can lose NaN, so that elements must be checked for it.
	nan bool
	// stride2 specifies that there is a function for every second element of the rows.
	stride2 bool
}

var functions = []function{
	{name: "sum", operator: "sum", formula: "x", combine: add, stride2: true},
	{name: "max", operator: "max", formula: "x", combine: func(_ *isa, v Op, acc Register) { VMAXPS(v, acc, acc) }, identity: math.Inf(-1), nan: true, stride2: true},
	{name: "min", operator: "min", formula: "x", combine: func(_ *isa, v Op, acc Register) { VMINPS(v, acc, acc) }, identity: math.Inf(1), nan: true},
	{name: "product", operator: "product", formula: "x", combine: func(_ *isa, v Op, acc Register) { VMULPS(v, acc, acc) }, identity: 1},
	{name: "sumAbs", operator: "sum", formula: "|x|", term: func(set *isa, v Register) { set.and(constant(1<<31-1), v) }, combine: add},
	{name: "sumSquares", operator: "sum", formula: "x*x", term: func(_ *isa, v Register) { VMULPS(v, v, v) }, combine: add},
}

func add(_ *isa, v Op, acc Register) { VADDPS(v, acc, acc) }

// constants holds the tables made by constant, by their bits.
var constants = map[uint32]Mem{}

// constant returns a table of 16 words with the given bits. Vectors of 8 lanes use its
// first half.
func constant(bits uint32) Mem {
	m, ok := constants[bits]
	if !ok {
		m = table("number", func(int) uint32 { return bits }, 16)
		constants[bits] = m
	}
	return m
}

// tables is the number of tables made so far. It makes their names unique.
var tables int

// table returns a new read-only table of n words.
func table(name string, word func(i int) uint32, n int) Mem {
	tables++
	m := GLOBL(name+string(rune('A'+tables-1)), RODATA|NOPTR)
	for i := range n {
		DATA(4*i, U32(word(i)))
	}
	return m
}
