package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// blend writes the functions that add up weighted rows.
func blend(set *isa) {
	name := "blendRows" + set.name
	TEXT(name, NOSPLIT, "func(out, in *float32, places *int, weights *float32, taps, n int)")
	Pragma("noescape")
	Doc(
		name+" sets, for i below n,", "",
		"\tout[i] = sum over k < taps of weights[k]*in[places[k] + i]", "",
		"taps is not 0.",
	)
	in, out := Load(Param("in"), GP64()), Load(Param("out"), GP64())
	places, weights := Load(Param("places"), GP64()), Load(Param("weights"), GP64())
	taps, left := Load(Param("taps"), GP64()), Load(Param("n"), GP64())
	k, place := GP64(), GP64()
	join := func(label string, vectors int, m mask) {
		acc := make([]VecVirtual, vectors)
		for i := range acc {
			acc[i] = set.vector()
		}
		step := func(first bool) {
			w := set.vector()
			MOVQ(Mem{Base: places, Index: k, Scale: 8}, place)
			VBROADCASTSS(Mem{Base: weights, Index: k, Scale: 4}, w)
			LEAQ(Mem{Base: in, Index: place, Scale: 4}, place)
			for i := range acc {
				from := Mem{Base: place, Disp: 4 * i * set.lanes}
				switch {
				case m.r != nil:
					v := set.vector()
					set.load(m, from, v)
					if first {
						VMULPS(v, w, acc[i])
					} else {
						VFMADD231PS(v, w, acc[i])
					}
				case first:
					VMULPS(from, w, acc[i])
				default:
					VFMADD231PS(from, w, acc[i])
				}
			}
		}
		XORQ(k, k)
		step(true)
		Label(label + "_tap")
		INCQ(k)
		CMPQ(k, taps)
		JGE(LabelRef(label + "_store"))
		step(false)
		JMP(LabelRef(label + "_tap"))
		Label(label + "_store")
		for i := range acc {
			set.store(m, acc[i], Mem{Base: out, Disp: 4 * i * set.lanes})
		}
	}
	for _, loop := range []struct {
		label   string
		vectors int
	}{{"many", many}, {"one", 1}} {
		count := loop.vectors * set.lanes
		Label(loop.label)
		CMPQ(left, U32(count))
		JL(LabelRef("after_" + loop.label))
		join(loop.label, loop.vectors, mask{})
		ADDQ(U32(4*count), in)
		ADDQ(U32(4*count), out)
		SUBQ(U32(count), left)
		JMP(LabelRef(loop.label))
		Label("after_" + loop.label)
	}
	TESTQ(left, left)
	JZ(LabelRef("done"))
	part := set.mask()
	set.first(part, left)
	join("rest", 1, part)
	Label("done")
	VZEROUPPER()
	RET()
}

// columns writes the functions that add up weighted elements of rows.
func columns(set *isa) {
	name := "columns" + set.name
	TEXT(name, NOSPLIT, "func(out, in *float32, index *int32, weights *float32, taps, rows, valid, width, inPitch, outPitch int)")
	Pragma("noescape")
	Doc(
		name+" sets, for r below rows, of which there is one, and i below width, at most a vector,", "",
		"\tout[r*outPitch + i] = sum over k < taps of weights[k*lanes + i]*in[r*inPitch + index[k*lanes + i]]", "",
		"where indices are below valid, which is at most two vectors, and elements of no weight",
		"count for nothing; without weights, the element of the first tap.",
	)
	in, out := Load(Param("in"), GP64()), Load(Param("out"), GP64())
	index, weights := Load(Param("index"), GP64()), Load(Param("weights"), GP64())
	taps, rows := Load(Param("taps"), GP64()), Load(Param("rows"), GP64())
	valid, width := Load(Param("valid"), GP64()), Load(Param("width"), GP64())
	inPitch, outPitch := Load(Param("inPitch"), GP64()), Load(Param("outPitch"), GP64())
	SHLQ(Imm(2), inPitch)
	SHLQ(Imm(2), outPitch)
	low, high, part := set.mask(), set.mask(), set.mask()
	set.first(part, width)
	first, lanes, zero := GP64(), GP64(), GP64()
	MOVQ(U32(set.lanes), lanes)
	XORQ(zero, zero)
	MOVQ(valid, first)
	CMPQ(first, lanes)
	CMOVQGT(lanes, first)
	set.first(low, first)
	SUBQ(lanes, valid)
	CMOVQLT(zero, valid)
	set.first(high, valid)
	a, b, acc, none := set.vector(), set.vector(), set.vector(), set.vector()
	set.clear(none)
	at, left := GP64(), GP64()

	// pick sets v to the elements of a tap.
	pick := func() VecVirtual {
		v := set.vector()
		if set.wide() {
			VMOVDQU32(Mem{Base: index, Index: at, Scale: 1}, v)
			VPERMI2PS(b, a, v)
			return v
		}
		i, second := YMM(), YMM()
		VMOVDQU(Mem{Base: index, Index: at, Scale: 1}, i)
		VPERMPS(a, i, v)
		VPERMPS(b, i, second)
		VPSLLD(Imm(28), i, i) // to the sign
		VBLENDVPS(i, second, v, v)
		return v
	}
	Label("row")
	set.load(low, Mem{Base: in}, a)
	set.load(high, Mem{Base: in, Disp: 4 * set.lanes}, b)
	XORQ(at, at)
	TESTQ(weights, weights)
	JNZ(LabelRef("weighted"))
	VMOVAPS(pick(), acc)
	JMP(LabelRef("store"))
	Label("weighted")
	set.clear(acc)
	MOVQ(taps, left)
	Label("tap")
	v, w := pick(), set.vector()
	VMOVUPS(Mem{Base: weights, Index: at, Scale: 1}, w)
	if set.wide() {
		some := K()
		VPTESTMD(w, w, some)
		VFMADD231PS(v, w, some, acc)
	} else {
		some := YMM()
		VCMPPS(Imm(4), none, w, some) // not equal
		VANDPS(some, v, v)
		VFMADD231PS(v, w, acc)
	}
	ADDQ(U32(4*set.lanes), at)
	DECQ(left)
	JNZ(LabelRef("tap"))
	Label("store")
	set.store(part, acc, Mem{Base: out})
	ADDQ(inPitch, in)
	ADDQ(outPitch, out)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}
