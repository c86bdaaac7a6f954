// Command gen generates the functions of package lines that copy lines of the input.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	generate("copyLines", 1)
	generate("copyEvens", 2)
	steps()
	interleave("interleaveAVX2", "*float32", 4)
	interleave("interleaveBytesAVX2", "*uint8", 1)
	Generate()
}

// The layout of lineCall in lines_amd64.go.
const (
	fieldDst, fieldSrc                              = 0, 8
	fieldChannels, fieldDstChannel, fieldSrcChannel = 16, 24, 32
	fieldLines, fieldDstLine, fieldSrcLine          = 40, 48, 56
	fieldLeft, fieldCount, fieldRight               = 64, 72, 80
	lanes                                           = 8
)

// steps generates the function that copies every step-th element for any step.
func steps() {
	const unroll = 4
	TEXT("copySteps", NOSPLIT, "func(to, from *float32, n, step int)")
	Pragma("noescape")
	Doc("copySteps sets to[i] to from[i*step] for i below n, which is at least 1.")
	to := Load(Param("to"), GP64())
	from := Load(Param("from"), GP64())
	n := Load(Param("n"), GP64())
	step := Load(Param("step"), GP64())
	SHLQ(Imm(2), step)
	three := GP64()
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, three)
	SUBQ(Imm(unroll), n)
	JL(LabelRef("rest"))
	Label("loop")
	for i, at := range []Mem{{Base: from}, {Base: from, Index: step, Scale: 1}, {Base: from, Index: step, Scale: 2}, {Base: from, Index: three, Scale: 1}} {
		x := GP32()
		MOVL(at, x)
		MOVL(x, Mem{Base: to, Disp: 4 * i})
	}
	ADDQ(Imm(4*unroll), to)
	LEAQ(Mem{Base: from, Index: step, Scale: 4}, from)
	SUBQ(Imm(unroll), n)
	JGE(LabelRef("loop"))
	Label("rest")
	ADDQ(Imm(unroll), n)
	JE(LabelRef("done"))
	Label("one")
	x := GP32()
	MOVL(Mem{Base: from}, x)
	MOVL(x, Mem{Base: to})
	ADDQ(Imm(4), to)
	ADDQ(step, from)
	DECQ(n)
	JNE(LabelRef("one"))
	Label("done")
	RET()
}

// generate generates a function that copies every step-th element of lines, for step 1 or 2.
func generate(name string, step int) {
	TEXT(name, NOSPLIT, "func(l *byte)")
	Pragma("noescape")
	Doc(map[int]string{
		1: name + " copies lines and writes the zeros on both sides of each. l is a lineCall.",
		2: name + " is copyLines for every second element of the source.",
	}[step])
	l := Load(Param("l"), GP64())
	field := func(at int) Mem { return Mem{Base: l, Disp: at} }
	load := func(at int) Register {
		r := GP64()
		MOVQ(field(at), r)
		return r
	}
	zero := GP64()
	XORQ(zero, zero)
	dstChannel, srcChannel := load(fieldDst), load(fieldSrc)
	channels, count := load(fieldChannels), load(fieldCount)

	Label("channel")
	dst, src, lines := GP64(), GP64(), GP64()
	MOVQ(dstChannel, dst)
	MOVQ(srcChannel, src)
	MOVQ(field(fieldLines), lines)

	Label("line")
	to, from, n := GP64(), GP64(), GP64()
	MOVQ(dst, to)
	MOVQ(src, from)
	zeros := func(label string, field Mem) {
		MOVQ(field, n)
		TESTQ(n, n)
		JE(LabelRef(label + "Done"))
		Label(label)
		MOVL(zero.As32(), Mem{Base: to})
		ADDQ(Imm(4), to)
		DECQ(n)
		JNE(LabelRef(label))
		Label(label + "Done")
	}
	zeros("left", field(fieldLeft))
	MOVQ(count, n)
	SUBQ(Imm(lanes), n)
	JL(LabelRef("short"))
	Label("vector")
	vector(to, from, step)
	ADDQ(Imm(4*lanes), to)
	ADDQ(Imm(uint64(4*lanes*step)), from)
	SUBQ(Imm(lanes), n)
	JGE(LabelRef("vector"))
	ADDQ(Imm(lanes), n)
	JE(LabelRef("copied"))
	// The last vector overlaps the one before it.
	SUBQ(Imm(lanes), n)
	LEAQ(Mem{Base: to, Index: n, Scale: 4}, to)
	LEAQ(Mem{Base: from, Index: n, Scale: uint8(4 * step)}, from)
	vector(to, from, step)
	ADDQ(Imm(4*lanes), to)
	JMP(LabelRef("copied"))
	Label("short")
	ADDQ(Imm(lanes), n)
	JE(LabelRef("copied"))
	Label("single")
	x := GP32()
	MOVL(Mem{Base: from}, x)
	MOVL(x, Mem{Base: to})
	ADDQ(Imm(4), to)
	ADDQ(Imm(uint64(4*step)), from)
	DECQ(n)
	JNE(LabelRef("single"))
	Label("copied")
	zeros("right", field(fieldRight))
	ADDQ(field(fieldDstLine), dst)
	ADDQ(field(fieldSrcLine), src)
	DECQ(lines)
	JNE(LabelRef("line"))

	ADDQ(field(fieldDstChannel), dstChannel)
	ADDQ(field(fieldSrcChannel), srcChannel)
	DECQ(channels)
	JNE(LabelRef("channel"))
	VZEROUPPER()
	RET()
}

// vector copies the next lanes elements.
func vector(to, from Register, step int) {
	a := YMM()
	VMOVUPS(Mem{Base: from}, a)
	if step == 2 {
		// b starts one element early, so that nothing is read behind the last element: a holds
		// elements 0 to 7, b holds elements 7 to 14.
		b := YMM()
		VMOVUPS(Mem{Base: from, Disp: 28}, b)
		VSHUFPS(Imm(0xd8), b, a, a)
		VPERMPD(Imm(0xd8), a, a)
	}
	VMOVUPS(a, Mem{Base: to})
}

// interleave generates the function that interleaves the elements of two rows, which have the given
// number of bytes.
func interleave(name, pointer string, size int) {
	const vector = 32 // bytes
	lanes, unpackLow, unpackHigh := vector/size, VUNPCKLPS, VUNPCKHPS
	if size == 1 {
		unpackLow, unpackHigh = VPUNPCKLBW, VPUNPCKHBW
	}
	TEXT(name, NOSPLIT, "func(to, a, b "+pointer+", n int)")
	Pragma("noescape")
	Doc(fmt.Sprint(name, " sets to[2*i] to a[i] and to[2*i+1] to b[i] for i below n, which is at least ", lanes, "."))
	to := Load(Param("to"), GP64())
	a := Load(Param("a"), GP64())
	b := Load(Param("b"), GP64())
	n := Load(Param("n"), GP64())
	pair := func() {
		x, y, low, high := YMM(), YMM(), YMM(), YMM()
		VMOVUPS(Mem{Base: a}, x)
		VMOVUPS(Mem{Base: b}, y)
		unpackLow(y, x, low)
		unpackHigh(y, x, high)
		VPERM2F128(Imm(0x20), high, low, x)
		VPERM2F128(Imm(0x31), high, low, y)
		VMOVUPS(x, Mem{Base: to})
		VMOVUPS(y, Mem{Base: to, Disp: vector})
	}
	SUBQ(Imm(uint64(lanes)), n)
	Label("vector")
	pair()
	ADDQ(Imm(vector), a)
	ADDQ(Imm(vector), b)
	ADDQ(Imm(2*vector), to)
	SUBQ(Imm(uint64(lanes)), n)
	JGE(LabelRef("vector"))
	ADDQ(Imm(uint64(lanes)), n)
	JE(LabelRef("done"))
	// The last vector overlaps the one before it.
	SUBQ(Imm(uint64(lanes)), n)
	LEAQ(Mem{Base: a, Index: n, Scale: uint8(size)}, a)
	LEAQ(Mem{Base: b, Index: n, Scale: uint8(size)}, b)
	LEAQ(Mem{Base: to, Index: n, Scale: uint8(2 * size)}, to)
	pair()
	Label("done")
	VZEROUPPER()
	RET()
}
