package main

import (
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// weightedSum generates the function that adds up weighted rows.
func weightedSum(set *isa) {
	name := "weightedSum" + set.name
	TEXT(name, NOSPLIT, "func(out, in *float32, offsets *int, weights *float32, taps, n int)")
	Pragma("noescape")
	Doc(
		name+" sets, for each i < n,", "",
		"\tout[i] = sum over k < taps of weights[k]*in[offsets[k] + i]", "",
		"taps must be positive.",
	)
	in, out := Load(Param("in"), GP64()), Load(Param("out"), GP64())
	offsets, weights := Load(Param("offsets"), GP64()), Load(Param("weights"), GP64())
	taps, left := Load(Param("taps"), GP64()), Load(Param("n"), GP64())
	k, row := GP64(), GP64()
	// sum generates the loop over the taps for a number of vectors.
	sum := func(label string, vectors int, m mask) {
		acc := make([]VecVirtual, vectors)
		for i := range acc {
			acc[i] = set.vector()
		}
		step := func(first bool) {
			w := set.vector()
			MOVQ(Mem{Base: offsets, Index: k, Scale: 8}, row)
			VBROADCASTSS(Mem{Base: weights, Index: k, Scale: 4}, w)
			LEAQ(Mem{Base: in, Index: row, Scale: 4}, row)
			for i := range acc {
				from := Mem{Base: row, Disp: 4 * i * set.lanes}
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
	}{{"many", unroll}, {"one", 1}} {
		count := loop.vectors * set.lanes
		Label(loop.label)
		CMPQ(left, U32(count))
		JL(LabelRef("after_" + loop.label))
		sum(loop.label, loop.vectors, mask{})
		ADDQ(U32(4*count), in)
		ADDQ(U32(4*count), out)
		SUBQ(U32(count), left)
		JMP(LabelRef(loop.label))
		Label("after_" + loop.label)
	}
	TESTQ(left, left)
	JZ(LabelRef("done"))
	part := set.mask()
	set.firstLanes(part, left)
	sum("rest", 1, part)
	Label("done")
	VZEROUPPER()
	RET()
}

// resample generates the function that computes a block of columns of a Resampler. It
// loads two vectors of each row, and a permutation selects the elements of a tap.
func resample(set *isa) {
	name := "resample" + set.name
	TEXT(name, NOSPLIT, "func(out, in *float32, index *int32, weights *float32, taps, rows, valid, width, inPitch, outPitch int)")
	Pragma("noescape")
	Doc(
		name+" sets, for each r < rows and i < width,", "",
		"\tout[r*outPitch + i] = sum over k < taps of weights[k*lanes + i]*in[r*inPitch + index[k*lanes + i]]", "",
		"where lanes is "+strconv.Itoa(set.lanes)+". Elements whose weight is 0 are ignored, even if they are NaN. If",
		"weights is nil, out is set to the elements of the first tap. The function reads valid",
		"elements of each input row. Indices must be below valid, valid at most 2*lanes, width",
		"at most lanes, and rows and taps positive.",
	)
	in, out := Load(Param("in"), GP64()), Load(Param("out"), GP64())
	index, weights := Load(Param("index"), GP64()), Load(Param("weights"), GP64())
	taps, rows := Load(Param("taps"), GP64()), Load(Param("rows"), GP64())
	valid, width := Load(Param("valid"), GP64()), Load(Param("width"), GP64())
	inPitch, outPitch := Load(Param("inPitch"), GP64()), Load(Param("outPitch"), GP64())
	SHLQ(Imm(2), inPitch)
	SHLQ(Imm(2), outPitch)
	low, high, part := set.mask(), set.mask(), set.mask()
	set.firstLanes(part, width)
	first, lanes, zero := GP64(), GP64(), GP64()
	MOVQ(U32(set.lanes), lanes)
	XORQ(zero, zero)
	MOVQ(valid, first)
	CMPQ(first, lanes)
	CMOVQGT(lanes, first)
	set.firstLanes(low, first)
	SUBQ(lanes, valid)
	CMOVQLT(zero, valid)
	set.firstLanes(high, valid)
	a, b, acc, zeros := set.vector(), set.vector(), set.vector(), set.vector()
	set.clear(zeros)
	at, left := GP64(), GP64()

	// pick returns the elements of the tap at offset at.
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
		VPSLLD(Imm(28), i, i) // moves bit 3, which selects the second vector, to the sign
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
		nonzero := K()
		VPTESTMD(w, w, nonzero)
		VFMADD231PS(v, w, nonzero, acc)
	} else {
		nonzero := YMM()
		VCMPPS(Imm(4), zeros, w, nonzero) // not equal
		VANDPS(nonzero, v, v)
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
