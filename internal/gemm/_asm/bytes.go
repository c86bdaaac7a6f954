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

// bytesKernel generates a function that multiplies rows of u8 by a panel of i8 with two vectors of columns, each four
// elements of the depth at a time. It has AVX-512 VNNI.
type bytesKernel struct {
	rows int
	sums []VecVirtual // in row-major order
}

// bytesProducts generates a function for each number of rows. Eleven rows are computed as 8 and 8 or as 12 with one of the
// rows before.
func bytesProducts() {
	for _, rows := range []int{1, 2, 4, 8, 12} {
		(&bytesKernel{rows: rows}).generate()
	}
}

func (k *bytesKernel) generate() {
	TEXT(fmt.Sprintf("bytesVNNI_%d", k.rows), NOSPLIT, "func(t *byte)")
	Pragma("noescape")
	Doc(fmt.Sprintf("bytesVNNI_%d computes tiles with %d rows. t is a bytesTile.", k.rows, k.rows))
	t := Load(Param("t"), GP64())
	load := func(at int) GPVirtual {
		r := GP64()
		MOVQ(Mem{Base: t, Disp: at}, r)
		return r
	}
	columns := load(bytesEnd)
	KMOVW(columns.As32(), K1)
	SHRQ(Imm(16), columns)
	KMOVW(columns.As32(), K2)
	a, c, stepA, tiles := load(bytesA), load(bytesC), load(bytesStepA), load(bytesTiles)
	scale, offset := load(bytesScale), load(bytesOffset)
	b, quads := GP64(), GP64()
	var bases []GPVirtual // of rows 0, 3, 6 and so on of a
	for range (k.rows + 2) / 3 {
		bases = append(bases, GP64())
	}
	for range 2 * k.rows {
		k.sums = append(k.sums, ZMM())
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
		VPXORD(sum, sum, sum)
	}
	Label("quad")
	weights := []VecVirtual{ZMM(), ZMM()}
	for j, w := range weights {
		VMOVDQU32(Mem{Base: b, Disp: 64 * j}, w)
		PREFETCHT0(Mem{Base: b, Disp: 4096 + 64*j})
	}
	for i := range k.rows {
		m := Mem{Base: bases[i/3]}
		if i%3 > 0 {
			m.Index, m.Scale = stepA, uint8(i%3)
		}
		x := ZMM()
		VPBROADCASTD(m, x)
		for j, w := range weights {
			VPDPBUSD(w, x, k.sums[2*i+j])
		}
	}
	for _, base := range bases {
		ADDQ(Imm(4), base)
	}
	ADDQ(Imm(128), b)
	DECQ(quads)
	JNE(LabelRef("quad"))
	for j := range 2 {
		s, o := ZMM(), ZMM()
		VMOVUPS(Mem{Base: scale, Disp: 64 * j}, s)
		VMOVUPS(Mem{Base: offset, Disp: 64 * j}, o)
		for i := range k.rows {
			sum := k.sums[2*i+j]
			VCVTDQ2PS(sum, sum)
			VFMADD213PS(o, s, sum)
		}
	}
	stepC := load(bytesStepC)
	for i := range k.rows {
		VMOVUPS(k.sums[2*i], K1, Mem{Base: c})
		VMOVUPS(k.sums[2*i+1], K2, Mem{Base: c, Disp: 64})
		ADDQ(stepC, c)
		ADDQ(stepA, a)
	}
	DECQ(tiles)
	JNE(LabelRef("tile"))
	VZEROUPPER()
	RET()
}
