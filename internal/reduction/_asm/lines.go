package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// lines writes the functions that make one number of each line.
func lines(set *isa, f *function) {
	name := f.name + "Lines" + set.name
	TEXT(name, NOSPLIT, "func(out, in *float32, n, lines, step int) (nan int)")
	Pragma("noescape")
	docs := []string{
		name + " sets, for o below lines, of which there is one,", "",
		"\tout[o] = " + f.name + " over i < n of " + f.formula + ", x = in[o*step + i]", "",
		"n is not 0.",
	}
	if f.nan {
		docs = append(docs, "nan is 0 if no element is NaN; else the results are any.")
	}
	Doc(docs...)
	in, out := Load(Param("in"), GP64()), Load(Param("out"), GP64())
	n, count, step := Load(Param("n"), GP64()), Load(Param("lines"), GP64()), Load(Param("step"), GP64())
	SHLQ(Imm(2), step)
	start := set.vector()
	VMOVUPS(constant(math.Float32bits(float32(f.start))), start)
	var nan *seen
	if f.nan {
		nan = set.newSeen()
	}
	term := func(m mask, x Register, i int) VecVirtual {
		v := set.vector()
		set.load(m, Mem{Base: x, Disp: 4 * i * set.lanes}, v)
		if nan != nil {
			nan.look(v)
		}
		if f.term != nil {
			f.term(set, v)
		}
		return v
	}
	part := set.mask()
	rest := GP64()
	MOVQ(n, rest)
	ANDQ(U32(set.lanes-1), rest)
	set.first(part, rest)
	Label("line")
	x, left := GP64(), GP64()
	MOVQ(in, x)
	MOVQ(n, left)
	acc := make([]VecVirtual, many)
	for i := range acc {
		acc[i] = set.vector()
		VMOVAPS(start, acc[i])
	}
	for _, loop := range []struct {
		label   string
		vectors int
	}{{"many", many}, {"one", 1}} {
		Label(loop.label)
		CMPQ(left, U32(loop.vectors*set.lanes))
		JL(LabelRef("after_" + loop.label))
		for i := range loop.vectors {
			f.join(set, term(mask{}, x, i), acc[i])
		}
		ADDQ(U32(4*loop.vectors*set.lanes), x)
		SUBQ(U32(loop.vectors*set.lanes), left)
		JMP(LabelRef(loop.label))
		Label("after_" + loop.label)
	}
	TESTQ(left, left)
	JZ(LabelRef("fold"))
	v := term(part, x, 0)
	// The lanes without elements have zeros.
	if f.start != 0 {
		if set.wide() {
			VBLENDMPS(v, start, part.r, v)
		} else {
			VBLENDVPS(part.r, v, start, v)
		}
	}
	f.join(set, v, acc[1])
	Label("fold")
	f.join(set, acc[1], acc[0])
	f.join(set, acc[3], acc[2])
	f.join(set, acc[2], acc[0])
	fold(set, f, acc[0])
	VMOVSS(acc[0].AsX(), Mem{Base: out})
	ADDQ(step, in)
	ADDQ(Imm(4), out)
	DECQ(count)
	JNZ(LabelRef("line"))
	if f.nan {
		Store(nan.bits(), ReturnIndex(0))
	} else {
		zero := GP64()
		XORQ(zero, zero)
		Store(zero, ReturnIndex(0))
	}
	VZEROUPPER()
	RET()
}

// fold joins the lanes of v into the lowest.
func fold(set *isa, f *function, v VecVirtual) {
	low, high := v.AsY(), YMM()
	if set.wide() {
		VEXTRACTF64X4(Imm(1), v, high)
		f.join(avx2, high, low)
	}
	VEXTRACTF128(Imm(1), low, high.AsX())
	f.join(avx2, high, low)
	for _, order := range []uint64{0x4e, 0xb1} {
		VPERMILPS(Imm(order), low, high)
		f.join(avx2, high, low)
	}
}
