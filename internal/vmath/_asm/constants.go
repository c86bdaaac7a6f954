package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// table is a section of constants, in memory because there are more of them than
// registers. It is written at the end: DATA goes to the section that was begun last.
type table struct {
	name string
	// copies of each constant follow one another, bytes each.
	copies, bytes int
	all           []uint64
	offsets       map[uint64]int
}

var (
	// vectors8 are vectors of AVX2 with one number each.
	vectors8 = &table{name: "vectors8", copies: 8, bytes: 4}
	longs    = &table{name: "longs", copies: 1, bytes: 8}
	// masks are the words that AVX2 takes for the lanes of a part: 8 that are set,
	// and 8 that are not.
	masks = &table{name: "masks", copies: 8, bytes: 4}
)

// at returns where a constant is.
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
