// Package vectors has what generators of assembly for AVX2 and for AVX-512 share.
package vectors

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Set is the vectors of an instruction set.
type Set struct {
	Lanes int
	Wide  bool // AVX-512
	// Numbers has the numbers of the lanes, up to 7.
	Numbers Mem
}

// Sets declares the numbers of the lanes, and returns the vectors of AVX2 and those of AVX-512.
func Sets() [2]Set {
	numbers := GLOBL("lanes", RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, U32(i))
	}
	return [2]Set{{Lanes: 8, Numbers: numbers}, {Lanes: 16, Wide: true, Numbers: numbers}}
}

// Register returns a new vector.
func (s Set) Register() VecVirtual {
	if s.Wide {
		return ZMM()
	}
	return YMM()
}

// Name returns the name of a function and what it needs.
func (s Set) Name(of string) (name, needs string) {
	if s.Wide {
		return of + "512", "AVX512F and BMI2"
	}
	return of + "2", "AVX2"
}

// First returns a mask of the first count lanes.
func (s Set) First(count Register) Register {
	if s.Wide {
		bits, part := GP32(), K()
		MOVL(U32(1<<32-1), bits)
		BZHIL(count.(GPVirtual).As32(), bits, bits)
		KMOVW(bits, part)
		return part
	}
	lane, part := YMM(), YMM()
	VMOVD(count.(GPVirtual).As32(), part.AsX())
	VPBROADCASTD(part.AsX(), part)
	VMOVDQU(s.Numbers, lane)
	VPCMPGTD(lane, part, part)
	return part
}

// Word returns a register with a word.
func Word(word uint32) Register {
	r := GP32()
	MOVL(U32(word), r)
	return r
}

// Broadcast returns a vector of the word in r.
func (s Set) Broadcast(r Register) VecVirtual {
	v := s.Register()
	VMOVD(r, v.AsX())
	VPBROADCASTD(v.AsX(), v)
	return v
}
