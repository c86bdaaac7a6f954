package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// weights generates a function that transforms the filters of a vector of output channels, for one
// input channel after another.
func weights(v vectors, tile int) {
	n := tile + 2
	name := fmt.Sprintf("weights%d%s", tile, v.name)
	TEXT(name, NOSPLIT, "func(u *float32, step int, w *float32, count, next int, matrix *float32)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s transforms the filters of count input channels for %d output channels:", name, v.lanes),
		"",
		fmt.Sprintf("\tu[(i*%d+j)*step + o] = sum over k, l of matrix[i*3+k]*matrix[j*3+l]*w[(3*k+l)*%d + o]", n, v.lanes),
		"",
		fmt.Sprintf("After each input channel, u advances by next elements and w by %d.", 9*v.lanes),
	)
	u := Load(Param("u"), GP64())
	step := Load(Param("step"), GP64())
	w := Load(Param("w"), GP64())
	count := Load(Param("count"), GP64())
	next := Load(Param("next"), GP64())
	g := Load(Param("matrix"), GP64())
	SHLQ(Imm(2), step)
	SHLQ(Imm(2), next)
	Label("channel")
	to := GP64()
	MOVQ(u, to)
	for i := range n {
		var row [3]Register
		for l := range row {
			row[l] = v.point(n, i, g, func(k int) Op { return Mem{Base: w, Disp: (3*k + l) * v.bytes()} })
		}
		for j := range n {
			VMOVUPS(v.point(n, j, g, func(l int) Op { return row[l] }), Mem{Base: to})
			if i < n-1 || j < n-1 {
				ADDQ(step, to)
			}
		}
	}
	ADDQ(next, u)
	ADDQ(U32(9*v.bytes()), w)
	DECQ(count)
	JNE(LabelRef("channel"))
	VZEROUPPER()
	RET()
}

// point returns the product of row i of G and three vectors. G is at g. Its rows for the points 0
// and infinity have only one element that is not 0.
func (v vectors) point(n, i int, g Register, x func(k int) Op) Register {
	r, factor := v.new(), v.new()
	at := func(k int) Mem { return Mem{Base: g, Disp: 4 * (3*i + k)} }
	switch i {
	case 0:
		VBROADCASTSS(at(0), r)
		VMULPS(x(0), r, r)
	case n - 1:
		VMOVUPS(x(2), r)
	default:
		VBROADCASTSS(at(0), r)
		VMULPS(x(0), r, r)
		for k := 1; k < 3; k++ {
			VBROADCASTSS(at(k), factor)
			VFMADD231PS(x(k), factor, r)
		}
	}
	return r
}
