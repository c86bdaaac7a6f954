package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// pair loads offsets u and u+1 of the block.
func (k *kernel) pair(u int) (a, b GPVirtual) {
	a, b = GP64(), GP64()
	if k.indexSize == 4 {
		MOVQ(Mem{Base: k.from, Disp: 4 * u}, b)
		MOVL(b.As32(), a.As32())
		SHRQ(Imm(32), b)
	} else {
		MOVQ(Mem{Base: k.from, Disp: 8 * u}, a)
		MOVQ(Mem{Base: k.from, Disp: 8*u + 8}, b)
	}
	return a, b
}

// element returns the address in data of element u of the block.
func (k *kernel) element(u int, offset Register) Mem {
	m := Mem{Base: k.data, Index: offset, Scale: uint8(k.size)}
	if k.across {
		m.Disp = u * k.size
	}
	return m
}

// move gathers the block. Each store writes 16 bytes.
func (k *kernel) move() {
	per := 16 / k.size
	for u := 0; u < block; u += per {
		x := XMM()
		var upper VecVirtual
		for e := 0; e < per; e += 2 {
			a, b := k.pair(u + e)
			first, second := k.element(u+e, a), k.element(u+e+1, b)
			switch k.size {
			case 1:
				k.start(e, x, first, MOVBLZX, VPINSRB)
				VPINSRB(Imm(uint64(e+1)), second, x, x)
			case 2:
				k.start(e, x, first, MOVWLZX, VPINSRW)
				VPINSRW(Imm(uint64(e+1)), second, x, x)
			case 4:
				half := x
				if e > 0 {
					half = XMM()
					upper = half
				}
				VMOVD(first, half)
				VPINSRD(Imm(1), second, half, half)
			case 8:
				VMOVQ(first, x)
				VMOVHPD(second, x, x)
			}
		}
		if upper != nil {
			VPUNPCKLQDQ(upper, x, x)
		}
		VMOVDQU(x, Mem{Base: k.out, Disp: k.size * u})
	}
}

// start loads element e of a vector. The first one clears the others.
func (k *kernel) start(e int, x VecVirtual, from Mem, load func(from, to Op), insert func(at, from, x, to Op)) {
	if e > 0 {
		insert(Imm(uint64(e)), from, x, x)
		return
	}
	r := GP32()
	load(from, r)
	VMOVD(r, x)
}
