// Command gen writes the assembly of package levels.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const many = 4 // vectors in an iteration of the main loop

func main() {
	ConstraintExpr("amd64,!noasm")
	codes512()
	values512()
	codes2()
	values2()
	rows2()
	sums512()
	sums2()
	sumCodes512()
	sumCodes2()
	Generate()
}

// codes512 generates Codes.
func codes512() {
	TEXT("codes512", NOSPLIT, "func(out *uint8, x *float32, n int, scale, shift, most float32)")
	Pragma("noescape")
	Doc("codes512 computes out[i] = code(x[i], scale, shift, most) for n elements. It needs AVX512F.")
	out, x, n := Load(Param("out"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	scale, shift, most, zero := ZMM(), ZMM(), ZMM(), ZMM()
	for i, v := range []VecVirtual{scale, shift, most} {
		VBROADCASTSS(NewParamAddr([]string{"scale", "shift", "most"}[i], 24+4*i), v)
	}
	VPXORD(zero, zero, zero)
	code := func(v VecVirtual) VecVirtual {
		VMULPS(scale, v, v)
		VADDPS(shift, v, v)
		VMAXPS(zero, v, v) // 0 if v is NaN
		VMINPS(most, v, v)
		VCVTPS2DQ(v, v) // halves to even
		return v
	}
	walk(stream{out, 1}, []stream{{x, 4}}, n, func(out Mem, x []Mem, part ...Op) {
		v := ZMM()
		if len(part) > 0 {
			VMOVUPS_Z(x[0], part[0], v)
			VPMOVDB(code(v), part[0], out)
			return
		}
		VMOVUPS(x[0], v)
		VPMOVDB(code(v), out)
	})
}

// values512 generates Values.
func values512() {
	TEXT("values512", NOSPLIT, "func(out *float32, x *uint8, n int, low, step float32)")
	Pragma("noescape")
	Doc("values512 computes out[i] = low + x[i]*step for n elements. It needs AVX512F.")
	out, x, n := Load(Param("out"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	low, step := ZMM(), ZMM()
	VBROADCASTSS(NewParamAddr("low", 24), low)
	VBROADCASTSS(NewParamAddr("step", 28), step)
	walk(stream{out, 4}, []stream{{x, 1}}, n, func(out Mem, x []Mem, part ...Op) {
		v := levels512(x[0], part)
		VCVTDQ2PS(v, v)
		VMULPS(step, v, v)
		VADDPS(low, v, v)
		VMOVUPS(append(append([]Op{v}, part...), out)...)
	})
}

// sum is a Sum in registers.
type sum struct{ a, b, shift, lo, hi VecVirtual }

// loadSum loads the Sum to which the parameter of points.
func loadSum(vector func() VecVirtual) *sum {
	of, s := Load(Param("of"), GP64()), &sum{}
	for i, v := range []*VecVirtual{&s.a, &s.b, &s.shift, &s.lo, &s.hi} {
		*v = vector()
		VBROADCASTSS(Mem{Base: of, Disp: 4 * i}, *v)
	}
	return s
}

// sums replaces the levels x, of vectors of 32 bits, by the sums of x and y.
func (s *sum) sums(x, y VecVirtual) {
	VCVTDQ2PS(x, x)
	VCVTDQ2PS(y, y)
	VMULPS(s.a, x, x)
	VMULPS(s.b, y, y)
	VADDPS(s.shift, x, x)
	VADDPS(y, x, x)
}

// codes replaces the levels x, of vectors of 32 bits, by those of the sums of x and y.
func (s *sum) codes(x, y VecVirtual) {
	s.sums(x, y)
	VMAXPS(s.lo, x, x) // lo if x is NaN
	VMINPS(s.hi, x, x)
	VCVTPS2DQ(x, x) // halves to even
}

// sums512 generates Sums.
func sums512() {
	TEXT("sums512", NOSPLIT, "func(out *float32, a, b *uint8, n int, of *float32)")
	Pragma("noescape")
	Doc("sums512 computes Sums for n elements. of is a Sum. It needs AVX512F.")
	out, a, b, n := Load(Param("out"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("n"), GP64())
	s := loadSum(ZMM)
	walk(stream{out, 4}, []stream{{a, 1}, {b, 1}}, n, func(out Mem, in []Mem, part ...Op) {
		x, y := levels512(in[0], part), levels512(in[1], part)
		s.sums(x, y)
		VMOVUPS(append(append([]Op{x}, part...), out)...)
	})
}

// sums2 generates sums512 for AVX2.
func sums2() {
	TEXT("sums2", NOSPLIT, "func(out *float32, a, b *uint8, n int, of *float32)")
	Pragma("noescape")
	Doc("sums2 computes Sums for n elements, a multiple of 8. of is a Sum. It needs AVX2.")
	out, a, b, n := Load(Param("out"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("n"), GP64())
	s := loadSum(YMM)
	Label("eight")
	x, y := YMM(), YMM()
	VPMOVZXBD(Mem{Base: a}, x)
	VPMOVZXBD(Mem{Base: b}, y)
	s.sums(x, y)
	VMOVUPS(x, Mem{Base: out})
	ADDQ(Imm(32), out)
	ADDQ(Imm(8), a)
	ADDQ(Imm(8), b)
	SUBQ(Imm(8), n)
	JG(LabelRef("eight"))
	VZEROUPPER()
	RET()
}

// sumCodes512 generates SumCodes.
func sumCodes512() {
	TEXT("sumCodes512", NOSPLIT, "func(out, a, b *uint8, n int, of *float32)")
	Pragma("noescape")
	Doc("sumCodes512 computes SumCodes for n elements. of is a Sum. It needs AVX512F.")
	out, a, b, n := Load(Param("out"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("n"), GP64())
	s := loadSum(ZMM)
	walk(stream{out, 1}, []stream{{a, 1}, {b, 1}}, n, func(out Mem, in []Mem, part ...Op) {
		x, y := levels512(in[0], part), levels512(in[1], part)
		s.codes(x, y)
		VPMOVDB(append(append([]Op{x}, part...), out)...)
	})
}

// levels512 returns 16 levels, or those of the mask part, in 32 bits.
func levels512(x Mem, part []Op) VecVirtual {
	v := ZMM()
	if len(part) > 0 {
		VPMOVZXBD_Z(x, part[0], v)
	} else {
		VPMOVZXBD(x, v)
	}
	return v
}

// sumCodes2 generates sumCodes512 for AVX2.
func sumCodes2() {
	TEXT("sumCodes2", NOSPLIT, "func(out, a, b *uint8, n int, of *float32)")
	Pragma("noescape")
	Doc("sumCodes2 computes SumCodes for n elements, a multiple of 16. of is a Sum. It needs AVX2.")
	out, a, b, n := Load(Param("out"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("n"), GP64())
	s := loadSum(YMM)
	Label("sixteen")
	var codes [2]VecVirtual
	for i := range codes {
		x, y := YMM(), YMM()
		VPMOVZXBD(Mem{Base: a, Disp: 8 * i}, x)
		VPMOVZXBD(Mem{Base: b, Disp: 8 * i}, y)
		s.codes(x, y)
		codes[i] = x
	}
	packBytes(codes, out)
	for _, at := range []Register{out, a, b} {
		ADDQ(Imm(16), at)
	}
	SUBQ(Imm(16), n)
	JG(LabelRef("sixteen"))
	VZEROUPPER()
	RET()
}

// packBytes writes 16 levels, of two vectors of eight.
func packBytes(codes [2]VecVirtual, out Register) {
	// Packing works on halves of the vectors: VPUNPCKLDQ puts them in order.
	VPACKSSDW(codes[1], codes[0], codes[0])
	VPACKUSWB(codes[0], codes[0], codes[0])
	high := XMM()
	VEXTRACTI128(Imm(1), codes[0], high)
	VPUNPCKLDQ(high, codes[0].AsX(), high)
	VMOVDQU(high, Mem{Base: out})
}

// codes2 generates codes512 for AVX2.
func codes2() {
	TEXT("codes2", NOSPLIT, "func(out *uint8, x *float32, n int, scale, shift, most float32)")
	Pragma("noescape")
	Doc("codes2 computes out[i] = code(x[i], scale, shift, most) for n elements, a multiple of 16. It needs AVX2.")
	out, x, n := Load(Param("out"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	scale, shift, most, zero := YMM(), YMM(), YMM(), YMM()
	for i, v := range []VecVirtual{scale, shift, most} {
		VBROADCASTSS(NewParamAddr([]string{"scale", "shift", "most"}[i], 24+4*i), v)
	}
	VXORPS(zero, zero, zero)
	Label("sixteen")
	var codes [2]VecVirtual
	for i := range codes {
		v := YMM()
		VMULPS(Mem{Base: x, Disp: 32 * i}, scale, v)
		VADDPS(shift, v, v)
		VMAXPS(zero, v, v) // 0 if v is NaN
		VMINPS(most, v, v)
		VCVTPS2DQ(v, v) // halves to even
		codes[i] = v
	}
	packBytes(codes, out)
	ADDQ(Imm(64), x)
	ADDQ(Imm(16), out)
	SUBQ(Imm(16), n)
	JG(LabelRef("sixteen"))
	VZEROUPPER()
	RET()
}

// values2 generates values512 for AVX2.
func values2() {
	TEXT("values2", NOSPLIT, "func(out *float32, x *uint8, n int, low, step float32)")
	Pragma("noescape")
	Doc("values2 computes out[i] = low + x[i]*step for n elements, a multiple of 8. It needs AVX2.")
	out, x, n := Load(Param("out"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	low, step := YMM(), YMM()
	VBROADCASTSS(NewParamAddr("low", 24), low)
	VBROADCASTSS(NewParamAddr("step", 28), step)
	Label("eight")
	v := YMM()
	VPMOVZXBD(Mem{Base: x}, v)
	VCVTDQ2PS(v, v)
	VMULPS(step, v, v)
	VADDPS(low, v, v)
	VMOVUPS(v, Mem{Base: out})
	ADDQ(Imm(8), x)
	ADDQ(Imm(32), out)
	SUBQ(Imm(8), n)
	JG(LabelRef("eight"))
	VZEROUPPER()
	RET()
}

// rows2 generates DecodeRows for AVX2.
func rows2() {
	TEXT("rows2", NOSPLIT, "func(dst *float32, src *byte, n, rows int)")
	Pragma("noescape")
	Doc("rows2 computes DecodeRows for rows of n numbers, a multiple of 8. Neither n nor rows is 0. It needs AVX2.")
	dst, src, n, rows := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64()), Load(Param("rows"), GP64())
	low, step, left := YMM(), YMM(), GP64()
	eight := func(i int) {
		v := YMM()
		VPMOVZXBD(Mem{Base: src, Disp: 8 * i}, v)
		VCVTDQ2PS(v, v)
		VMULPS(step, v, v)
		VADDPS(low, v, v)
		VMOVUPS(v, Mem{Base: dst, Disp: 32 * i})
	}
	Label("row")
	VBROADCASTSS(Mem{Base: src, Index: n, Scale: 1}, low)
	VBROADCASTSS(Mem{Base: src, Index: n, Scale: 1, Disp: 4}, step)
	MOVQ(n, left)
	for _, count := range []int{4, 1} {
		label := fmt.Sprintf("vectors%d", count)
		Label(label)
		CMPQ(left, Imm(uint64(8*count)))
		JL(LabelRef("after_" + label))
		for i := range count {
			eight(i)
		}
		ADDQ(Imm(uint64(8*count)), src)
		ADDQ(U32(32*count), dst)
		SUBQ(Imm(uint64(8*count)), left)
		JMP(LabelRef(label))
		Label("after_" + label)
	}
	ADDQ(Imm(8), src) // low and step
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// stream is a row of elements of a size in bytes.
type stream struct {
	at   Register
	size int
}

// walk generates the loop over n elements, 16 at a time. do computes 16 elements of out from those
// of in, or those of the mask part.
func walk(out stream, in []stream, n Register, do func(out Mem, in []Mem, part ...Op)) {
	const lanes = 16
	at := func(i int) (Mem, []Mem) {
		var from []Mem
		for _, s := range in {
			from = append(from, Mem{Base: s.at, Disp: lanes * s.size * i})
		}
		return Mem{Base: out.at, Disp: lanes * out.size * i}, from
	}
	for _, count := range []int{many, 1} {
		label := fmt.Sprintf("vectors%d", count)
		Label(label)
		CMPQ(n, U32(count*lanes))
		JL(LabelRef("after_" + label))
		for i := range count {
			to, from := at(i)
			do(to, from)
		}
		for _, s := range append(in, out) {
			ADDQ(U32(s.size*lanes*count), s.at)
		}
		SUBQ(U32(count*lanes), n)
		JMP(LabelRef(label))
		Label("after_" + label)
	}
	TESTQ(n, n)
	JZ(LabelRef("done"))
	bits, part := GP32(), K()
	MOVL(U32(1<<32-1), bits)
	BZHIL(n.(GPVirtual).As32(), bits, bits)
	KMOVW(bits, part)
	to, from := at(0)
	do(to, from, part)
	Label("done")
	VZEROUPPER()
	RET()
}
