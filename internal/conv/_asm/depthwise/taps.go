package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// taps is a function that adds weighted pieces of one array.
type taps struct {
	name   string
	lanes  int
	vector func() VecVirtual
}

func (t *taps) generate() {
	TEXT("taps"+t.name, NOSPLIT, "func(out, in *float32, offsets *int, weights *float32, taps, n int, bias float32)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("taps%s computes, for i < n, a multiple of 32,", t.name),
		"",
		"\tout[i] = bias + sum over t < taps of weights[t]*in[offsets[t] + i]",
	)
	out := Load(Param("out"), GP64())
	in := Load(Param("in"), GP64())
	offsets := Load(Param("offsets"), GP64())
	weights := Load(Param("weights"), GP64())
	count := Load(Param("taps"), GP64())
	n := Load(Param("n"), GP64())
	address, err := Param("bias").Resolve()
	if err != nil {
		panic(err)
	}
	bias := t.vector()
	VBROADCASTSS(address.Addr, bias)
	for _, width := range []int{128, 64, 32} {
		if width/t.lanes > 8 {
			continue
		}
		label := fmt.Sprintf("w%d", width)
		Label(label)
		CMPQ(n, U32(width))
		JL(LabelRef(label + "_end"))
		sums := make([]VecVirtual, width/t.lanes)
		for i := range sums {
			sums[i] = t.vector()
			VMOVAPS(bias, sums[i])
		}
		i, at, w := GP64(), GP64(), t.vector()
		XORQ(i, i)
		Label(label + "_tap")
		MOVQ(Mem{Base: offsets, Index: i, Scale: 8}, at)
		VBROADCASTSS(Mem{Base: weights, Index: i, Scale: 4}, w)
		for j := range sums {
			VFMADD231PS(Mem{Base: in, Index: at, Scale: 4, Disp: 4 * j * t.lanes}, w, sums[j])
		}
		INCQ(i)
		CMPQ(i, count)
		JL(LabelRef(label + "_tap"))
		for j := range sums {
			VMOVUPS(sums[j], Mem{Base: out, Disp: 4 * j * t.lanes})
		}
		ADDQ(U32(4*width), in)
		ADDQ(U32(4*width), out)
		SUBQ(U32(width), n)
		JMP(LabelRef(label))
		Label(label + "_end")
	}
	VZEROUPPER()
	RET()
}
