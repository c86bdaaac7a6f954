package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// addRows generates the function that adds count rows of b to c, each multiplied by its element of a.
// The same instructions compute every element, so the result does not depend on where a caller
// divides the row.
func addRows(count int) {
	const lanes, unroll = 8, 4
	name := fmt.Sprintf("addRows%d", count)
	TEXT(name, NOSPLIT, "func(c, a, b *float32, stride, n int)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s adds, for j below n and p below %d,", name, count),
		"",
		"\tc[j] += a[p]*b[p*stride + j]",
	)
	c := Load(Param("c"), GP64())
	a := Load(Param("a"), GP64())
	b := Load(Param("b"), GP64())
	stride := Load(Param("stride"), GP64())
	n := Load(Param("n"), GP64())
	SHLQ(Imm(2), stride)
	rows := []Register{b}
	factors := []VecVirtual{YMM()}
	VBROADCASTSS(Mem{Base: a}, factors[0])
	for p := 1; p < count; p++ {
		row, factor := GP64(), YMM()
		MOVQ(rows[p-1], row)
		ADDQ(stride, row)
		VBROADCASTSS(Mem{Base: a, Disp: 4 * p}, factor)
		rows, factors = append(rows, row), append(factors, factor)
	}
	for _, loop := range []struct {
		label string
		count int
	}{{"many", unroll * lanes}, {"vector", lanes}, {"single", 1}} {
		Label(loop.label)
		CMPQ(n, U32(loop.count))
		JL(LabelRef("after_" + loop.label))
		for j := 0; j < loop.count; j += lanes {
			sum := YMM()
			at := func(base Register) Mem { return Mem{Base: base, Disp: 4 * j} }
			if loop.count == 1 {
				VMOVSS(at(c), sum.AsX())
			} else {
				VMOVUPS(at(c), sum)
			}
			for p := range count {
				if loop.count == 1 {
					VFMADD231SS(at(rows[p]), factors[p].AsX(), sum.AsX())
				} else {
					VFMADD231PS(at(rows[p]), factors[p], sum)
				}
			}
			if loop.count == 1 {
				VMOVSS(sum.AsX(), at(c))
			} else {
				VMOVUPS(sum, at(c))
			}
		}
		for _, p := range append([]Register{c}, rows...) {
			ADDQ(U32(4*loop.count), p)
		}
		SUBQ(U32(loop.count), n)
		JMP(LabelRef(loop.label))
		Label("after_" + loop.label)
	}
	VZEROUPPER()
	RET()
}

// dot generates the function that computes the dot product of two rows.
func dot() {
	const lanes, sums = 8, 4
	TEXT("dotAVX2", NOSPLIT, "func(a, b *float32, n int) float32")
	Pragma("noescape")
	Doc("dotAVX2 returns the sum over p below n of a[p]*b[p].")
	a := Load(Param("a"), GP64())
	b := Load(Param("b"), GP64())
	n := Load(Param("n"), GP64())
	var sum [sums]VecVirtual
	for i := range sum {
		sum[i] = YMM()
		VXORPS(sum[i], sum[i], sum[i])
	}
	for _, loop := range []struct {
		label string
		count int
	}{{"many", sums * lanes}, {"vector", lanes}} {
		Label(loop.label)
		CMPQ(n, U32(loop.count))
		JL(LabelRef("after_" + loop.label))
		for p := 0; p < loop.count; p += lanes {
			x := YMM()
			VMOVUPS(Mem{Base: a, Disp: 4 * p}, x)
			VFMADD231PS(Mem{Base: b, Disp: 4 * p}, x, sum[p/lanes])
		}
		ADDQ(U32(4*loop.count), a)
		ADDQ(U32(4*loop.count), b)
		SUBQ(U32(loop.count), n)
		JMP(LabelRef(loop.label))
		Label("after_" + loop.label)
	}
	VADDPS(sum[1], sum[0], sum[0])
	VADDPS(sum[3], sum[2], sum[2])
	VADDPS(sum[2], sum[0], sum[0])
	total, x := XMM(), XMM()
	VEXTRACTF128(Imm(1), sum[0], x)
	VADDPS(x, sum[0].AsX(), total)
	VHADDPS(total, total, total)
	VHADDPS(total, total, total)
	Label("single")
	TESTQ(n, n)
	JE(LabelRef("done"))
	VMOVSS(Mem{Base: a}, x)
	VFMADD231SS(Mem{Base: b}, x, total)
	ADDQ(Imm(4), a)
	ADDQ(Imm(4), b)
	DECQ(n)
	JMP(LabelRef("single"))
	Label("done")
	Store(total, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
