package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// constants are vectors of AVX2 with one number each, in memory because there are
// more of them than registers.
var constants struct {
	base    Mem
	offsets map[uint32]int
}

// constant returns the vector of the given bits.
func constant(bits uint32) Mem {
	const lanes = 8
	if constants.offsets == nil {
		constants.base = GLOBL("constants", RODATA|NOPTR)
		constants.offsets = make(map[uint32]int)
	}
	offset, ok := constants.offsets[bits]
	if !ok {
		offset = len(constants.offsets) * 4 * lanes
		constants.offsets[bits] = offset
		for i := range lanes {
			DATA(offset+4*i, U32(bits))
		}
	}
	return constants.base.Offset(offset)
}
