package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// taps generates a function that adds weighted runs of one array.
type taps struct {
	name   string
	lanes  int
	vector func() VecVirtual
}

func (t *taps) generate() {
	TEXT("taps"+t.name, NOSPLIT, "func(out, in *float32, offsets *int, weights *float32, taps, n int, bias float32, clamp bool, lo, hi float32)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("taps%s computes, for i < n,", t.name),
		"",
		"\tout[i] = bias + sum over t < taps of weights[t]*in[offsets[t] + i]",
		"",
		"and, if clamp is true, sets it to min(max(out[i], lo), hi). n is a multiple of 32.",
	)
	out := Load(Param("out"), GP64())
	in := Load(Param("in"), GP64())
	offsets := Load(Param("offsets"), GP64())
	weights := Load(Param("weights"), GP64())
	count := Load(Param("taps"), GP64())
	n := Load(Param("n"), GP64())
	bias, lo, hi := t.broadcast("bias"), t.broadcast("lo"), t.broadcast("hi")
	clamp := Load(Param("clamp"), GP8())
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
		TESTB(clamp, clamp)
		JE(LabelRef(label + "_store"))
		for j := range sums {
			VMAXPS(lo, sums[j], sums[j])
			VMINPS(hi, sums[j], sums[j])
		}
		Label(label + "_store")
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

// broadcast returns a vector whose lanes all have the value of the parameter.
func (t *taps) broadcast(parameter string) VecVirtual {
	address, err := Param(parameter).Resolve()
	if err != nil {
		panic(err)
	}
	v := t.vector()
	VBROADCASTSS(address.Addr, v)
	return v
}

// evens generates a function that copies every second element.
func evens() {
	TEXT("evensAVX2", NOSPLIT, "func(out, in *float32, n int)")
	Pragma("noescape")
	Doc("evensAVX2 sets out[i] to in[2*i] for i < n. n is a multiple of 8. It also reads in[2*n-1].")
	out, in, n := Load(Param("out"), GP64()), Load(Param("in"), GP64()), Load(Param("n"), GP64())
	Label("loop")
	CMPQ(n, Imm(8))
	JL(LabelRef("end"))
	a := YMM()
	VMOVUPS(Mem{Base: in}, a)
	VSHUFPS(Imm(0x88), Mem{Base: in, Disp: 32}, a, a)
	VPERMPD(Imm(0xd8), a, a)
	VMOVUPS(a, Mem{Base: out})
	ADDQ(Imm(64), in)
	ADDQ(Imm(32), out)
	SUBQ(Imm(8), n)
	JMP(LabelRef("loop"))
	Label("end")
	VZEROUPPER()
	RET()
}
