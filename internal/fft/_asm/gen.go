// Command gen writes the assembly of package fft.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	newConstants()
	for _, w := range []width{{16, "AVX512", "AVX512"}, {8, "AVX2", "FMA"}} {
		for radix := 2; radix <= 5; radix++ {
			w.stage(radix)
		}
		w.split()
		w.join()
	}
	Generate()
}

// width is the number of float32 of a vector. needs is the cpu.Feature for it.
type width struct {
	lanes         int
	suffix, needs string
}

func (w width) bytes() int { return 4 * w.lanes }

// vector returns a new vector register.
func (w width) vector() VecVirtual {
	if w.lanes == 16 {
		return ZMM()
	}
	return YMM()
}

// pointer loads a parameter.
func pointer(name string) GPVirtual { return Load(Param(name), GP64()).(GPVirtual) }

// scaled loads a number of elements, as bytes.
func scaled(name string) GPVirtual {
	r := pointer(name)
	SHLQ(Imm(2), r)
	return r
}

// times returns k times the register x.
func times(x Register, k int) GPVirtual {
	r := GP64()
	IMUL3Q(Imm(uint64(k)), x, r)
	return r
}
