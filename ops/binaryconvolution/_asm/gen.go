// Command gen writes the assembly of package binaryconvolution.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// filters is the number of filters of a group. It must equal groupFilters in kernel.go.
const filters = 4

func main() {
	ConstraintExpr("amd64,!noasm")
	counts := GLOBL("nibbleCounts", RODATA|NOPTR)
	for i := range 4 {
		DATA(8*i, U64([]uint64{0x0302020102010100, 0x0403030203020201}[i%2]))
	}
	generate("countDifferences2", "AVX2", 4, narrow(counts))
	generate("countDifferences512", "AVX512F and AVX512VPOPCNTDQ", 8, wide)
	generatePack("packColumns2", "AVX2", 4)
	generatePack("packColumns512", "AVX512F and AVX512VL", 8)
	Generate()
}

// adder returns a function that adds to sum the number of bits of mask at which patch and the word
// at filter differ.
type adder func() func(patch, mask, sum VecVirtual, filter Mem)

func wide() func(patch, mask, sum VecVirtual, filter Mem) {
	return func(patch, mask, sum VecVirtual, filter Mem) {
		v := ZMM()
		VMOVDQA64(patch, v)
		VPTERNLOGQ_BCST(Imm(0x48), filter, mask, v) // (v ^ filter) & mask
		VPOPCNTQ(v, v)
		VPADDQ(v, sum, sum)
	}
}

func narrow(nibbleCounts Mem) adder {
	return func() func(patch, mask, sum VecVirtual, filter Mem) {
		counts, lower, zero, r := YMM(), YMM(), YMM(), GP64()
		VMOVDQU(nibbleCounts, counts)
		MOVQ(U64(0x0f0f0f0f0f0f0f0f), r)
		VMOVQ(r, lower.AsX())
		VPBROADCASTQ(lower.AsX(), lower)
		VPXOR(zero, zero, zero)
		return func(patch, mask, sum VecVirtual, filter Mem) {
			v, high := YMM(), YMM()
			VPBROADCASTQ(filter, v)
			VPXOR(patch, v, v)
			VPAND(mask, v, v)
			VPSRLQ(Imm(4), v, high)
			VPAND(lower, v, v)
			VPAND(lower, high, high)
			VPSHUFB(v, counts, v)
			VPSHUFB(high, counts, high)
			VPADDB(high, v, v)
			VPSADBW(zero, v, v)
			VPADDQ(v, sum, sum)
		}
	}
}

func generate(name, needs string, lanes int, adder adder) {
	TEXT(name, NOSPLIT, "func(sums *int64, patch, mask, filters *uint64, taps, columns int)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s sets sums[f*columns+x] to the number of bits at which windows and filters differ:", name),
		"the sum over t of the bits of (patch[t*columns+x] ^ filters[t*4+f]) & mask[t*columns+x]. taps must be positive,",
		fmt.Sprintf("columns a positive multiple of %d. It needs %s.", lanes, needs),
	)
	sums, patch, mask := Load(Param("sums"), GP64()), Load(Param("patch"), GP64()), Load(Param("mask"), GP64())
	group, taps, stride := Load(Param("filters"), GP64()), Load(Param("taps"), GP64()), Load(Param("columns"), GP64())
	add := adder()
	left := GP64()
	MOVQ(stride, left)
	SHLQ(Imm(3), stride) // in bytes
	register := registers(lanes)
	var sum [filters]VecVirtual
	for f := range sum {
		sum[f] = register()
	}
	Label("columns")
	for _, s := range sum {
		clear(lanes, s)
	}
	p, m, f, t := GP64(), GP64(), GP64(), GP64()
	MOVQ(patch, p)
	MOVQ(mask, m)
	MOVQ(group, f)
	MOVQ(taps, t)
	Label("taps")
	words, valid := register(), register()
	VMOVUPS(Mem{Base: p}, words)
	VMOVUPS(Mem{Base: m}, valid)
	for i, s := range sum {
		add(words, valid, s, Mem{Base: f, Disp: 8 * i})
	}
	ADDQ(stride, p)
	ADDQ(stride, m)
	ADDQ(U32(8*filters), f)
	DECQ(t)
	JNE(LabelRef("taps"))
	to := GP64()
	MOVQ(sums, to)
	for _, s := range sum {
		VMOVUPS(s, Mem{Base: to})
		ADDQ(stride, to)
	}
	for _, pointer := range []Register{sums, patch, mask} {
		ADDQ(U32(8*lanes), pointer)
	}
	SUBQ(U32(lanes), left)
	JNE(LabelRef("columns"))
	VZEROUPPER()
	RET()
}

// registers returns what allocates a register of so many words.
func registers(lanes int) func() VecVirtual {
	return func() VecVirtual {
		if lanes == 8 {
			return ZMM()
		}
		return YMM()
	}
}

func clear(lanes int, v VecVirtual) {
	if lanes == 8 {
		VPXORQ(v, v, v)
	} else {
		VPXOR(v, v, v)
	}
}

// greater is the predicate of VCMPPS that is false for NaN.
const greater = 30

func generatePack(name, needs string, lanes int) {
	TEXT(name, NOSPLIT, "func(words *uint64, data *float32, stride, channels, columns int)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s sets bit c of words[x] to whether data[c*stride+x] is positive, for up to 64 channels. channels", name),
		fmt.Sprintf("must be positive, columns a positive multiple of %d. It needs %s.", lanes, needs),
	)
	words, data, stride := Load(Param("words"), GP64()), Load(Param("data"), GP64()), Load(Param("stride"), GP64())
	channels, left := Load(Param("channels"), GP64()), Load(Param("columns"), GP64())
	SHLQ(Imm(2), stride)
	zero, first := YMM(), registers(lanes)()
	VPXOR(zero, zero, zero)
	r := GP64()
	MOVQ(U64(1), r)
	VMOVQ(r, first.AsX())
	VPBROADCASTQ(first.AsX(), first)
	Label("columns")
	bit, sum := registers(lanes)(), registers(lanes)()
	VMOVUPS(first, bit)
	clear(lanes, sum)
	p, c := GP64(), GP64()
	MOVQ(data, p)
	MOVQ(channels, c)
	Label("channels")
	if lanes == 8 {
		v, positive := YMM(), K()
		VMOVUPS(Mem{Base: p}, v)
		VCMPPS(Imm(greater), zero, v, positive)
		VPORQ(bit, sum, positive, sum)
	} else {
		v, bits := XMM(), YMM()
		VMOVUPS(Mem{Base: p}, v)
		VCMPPS(Imm(greater), zero.AsX(), v, v)
		VPMOVSXDQ(v, bits)
		VPAND(bit, bits, bits)
		VPOR(bits, sum, sum)
	}
	VPADDQ(bit, bit, bit)
	ADDQ(stride, p)
	DECQ(c)
	JNE(LabelRef("channels"))
	VMOVUPS(sum, Mem{Base: words})
	ADDQ(U32(8*lanes), words)
	ADDQ(U32(4*lanes), data)
	SUBQ(U32(lanes), left)
	JNE(LabelRef("columns"))
	VZEROUPPER()
	RET()
}
