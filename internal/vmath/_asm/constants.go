package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// table is a data section of constants that do not fit into registers. It is written after
// all code, because DATA appends to the section that was begun last.
type table struct {
	name    string
	copies  int // how often each constant is repeated
	bytes   int // bytes of a constant
	all     []uint64
	offsets map[uint64]int
}

var (
	// vectors8 holds vectors of 8 lanes with the same constant in each lane.
	vectors8 = &table{name: "vectors8", copies: 8, bytes: 4}
	// longs holds constants of 64 bits.
	longs = &table{name: "longs", copies: 1, bytes: 8}
	// masks holds 8 words of ones, then 8 zeros. Eight words of it, from a suitable start,
	// select the first lanes of a vector of AVX2.
	masks = &table{name: "masks", copies: 8, bytes: 4}
)

// at returns the address of a constant, and adds the constant if it is new.
func (t *table) at(bits uint64) Mem {
	offset, ok := t.offsets[bits]
	if !ok {
		if t.offsets == nil {
			t.offsets = make(map[uint64]int)
		}
		offset = len(t.all) * t.copies * t.bytes
		t.offsets[bits], t.all = offset, append(t.all, bits)
	}
	return NewDataAddr(NewStaticSymbol(t.name), offset)
}

// write writes the section.
func (t *table) write() {
	GLOBL(t.name, RODATA|NOPTR)
	offset := 0
	for _, bits := range t.all {
		for range t.copies {
			if t.bytes == 4 {
				DATA(offset, U32(bits))
			} else {
				DATA(offset, U64(bits))
			}
			offset += t.bytes
		}
	}
}
