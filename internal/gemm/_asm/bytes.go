package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The layout of bytesTile in bytes_amd64.go.
const (
	bytesA, bytesB, bytesC           = 0, 8, 16
	bytesScale, bytesOffset          = 24, 32
	bytesStepA, bytesStepC           = 40, 48
	bytesTiles, bytesQuads, bytesEnd = 56, 64, 72
)

// bytesKernel generates a function that multiplies rows of u8 by a panel of i8 with vectors of 16
// or 8 columns, each four elements of the depth at a time. It has AVX-512 VNNI, or AVX-VNNI and no
// masks: all columns are written.
type bytesKernel struct {
	rows, lanes int
	sums        []VecVirtual // in row-major order
}

// bytesPanel is the number of columns of a panel.
const bytesPanel = 32

// bytesProducts generates a function for each number of rows. Eleven rows are computed as 8 and 8
// or as 12 with one of the rows before.
func bytesProducts() {
	for _, rows := range []int{1, 2, 4, 8, 12} {
		(&bytesKernel{rows: rows, lanes: 16}).generate("bytesVNNI")
	}
	for _, rows := range []int{1, 2, 3} {
		(&bytesKernel{rows: rows, lanes: 8}).generate("bytesAVXVNNI")
	}
}

func (k *bytesKernel) generate(name string) {
	name = fmt.Sprintf("%s_%d", name, k.rows)
	TEXT(name, NOSPLIT, "func(t *byte)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s computes tiles with %d rows. t is a bytesTile.", name, k.rows))
	t := Load(Param("t"), GP64())
	load := func(at int) GPVirtual {
		r := GP64()
		MOVQ(Mem{Base: t, Disp: at}, r)
		return r
	}
	masks := k.lanes == 16
	if masks {
		columns := load(bytesEnd)
		KMOVW(columns.As32(), K1)
		SHRQ(Imm(16), columns)
		KMOVW(columns.As32(), K2)
	}
	a, c, stepA, tiles := load(bytesA), load(bytesC), load(bytesStepA), load(bytesTiles)
	scale, offset := load(bytesScale), load(bytesOffset)
	b, quads := GP64(), GP64()
	var bases []GPVirtual // of rows 0, 3, 6 and so on of a
	for range (k.rows + 2) / 3 {
		bases = append(bases, GP64())
	}
	vectors, size := bytesPanel/k.lanes, 4*k.lanes
	for range vectors * k.rows {
		k.sums = append(k.sums, vector(k.lanes))
	}
	Label("tile")
	MOVQ(a, bases[0])
	for i := 1; i < len(bases); i++ {
		LEAQ(Mem{Base: bases[i-1], Index: stepA, Scale: 2}, bases[i])
		ADDQ(stepA, bases[i])
	}
	MOVQ(Mem{Base: t, Disp: bytesB}, b)
	MOVQ(Mem{Base: t, Disp: bytesQuads}, quads)
	for _, sum := range k.sums {
		if masks {
			VPXORD(sum, sum, sum)
		} else {
			VPXOR(sum, sum, sum)
		}
	}
	Label("quad")
	broadcast := func(i int) VecVirtual {
		m := Mem{Base: bases[i/3]}
		if i%3 > 0 {
			m.Index, m.Scale = stepA, uint8(i%3)
		}
		x := vector(k.lanes)
		VPBROADCASTD(m, x)
		return x
	}
	if masks {
		weights := []VecVirtual{ZMM(), ZMM()}
		for j, w := range weights {
			VMOVDQU32(Mem{Base: b, Disp: size * j}, w)
			PREFETCHT0(Mem{Base: b, Disp: 4096 + size*j})
		}
		for i := range k.rows {
			x := broadcast(i)
			for j, w := range weights {
				VPDPBUSD(w, x, k.sums[vectors*i+j])
			}
		}
	} else { // 16 registers: there are fewer rows than vectors of columns
		var rows []VecVirtual
		for i := range k.rows {
			rows = append(rows, broadcast(i))
		}
		for j := range vectors {
			w := YMM()
			VMOVDQU(Mem{Base: b, Disp: size * j}, w)
			if at := size * j; at%64 == 0 {
				PREFETCHT0(Mem{Base: b, Disp: 4096 + at})
			}
			for i, x := range rows {
				VPDPBUSD(w, x, k.sums[vectors*i+j]) // with VEX: see internal/vex
			}
		}
	}
	for _, base := range bases {
		ADDQ(Imm(4), base)
	}
	ADDQ(Imm(4*bytesPanel), b)
	DECQ(quads)
	JNE(LabelRef("quad"))
	for j := range vectors {
		s, o := vector(k.lanes), vector(k.lanes)
		VMOVUPS(Mem{Base: scale, Disp: size * j}, s)
		VMOVUPS(Mem{Base: offset, Disp: size * j}, o)
		for i := range k.rows {
			sum := k.sums[vectors*i+j]
			VCVTDQ2PS(sum, sum)
			VFMADD213PS(o, s, sum)
		}
	}
	stepC := load(bytesStepC)
	for i := range k.rows {
		if masks {
			VMOVUPS(k.sums[2*i], K1, Mem{Base: c})
			VMOVUPS(k.sums[2*i+1], K2, Mem{Base: c, Disp: 64})
		} else {
			for j, sum := range k.sums[vectors*i:][:vectors] {
				VMOVUPS(sum, Mem{Base: c, Disp: size * j})
			}
		}
		ADDQ(stepC, c)
		ADDQ(stepA, a)
	}
	DECQ(tiles)
	JNE(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

// vector returns a register with the given number of lanes, 16 or 8.
func vector(lanes int) VecVirtual {
	if lanes == 16 {
		return ZMM()
	}
	return YMM()
}
