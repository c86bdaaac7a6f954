package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// addRows generates the function that adds count rows of b to c, each multiplied by its element of
// a. The same instructions compute every element, so the result does not depend on where a caller
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

// addNarrow512 generates a function for few columns, whose sums stay in registers for all rows. It
// has the results of addRows.
func addNarrow512() {
	const lanes = 16
	TEXT("addNarrowAVX512", NOSPLIT, "func(c, a, b *float32, stride, n, rows int)")
	Pragma("noescape")
	Doc(
		"addNarrowAVX512 adds, for j below n and p below rows, which are at least 1,",
		"",
		"\tc[j] += a[p]*b[p*stride + j]",
	)
	c, a, b := Load(Param("c"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	stride, n, rows := Load(Param("stride"), GP64()), Load(Param("n"), GP64()), Load(Param("rows"), GP64())
	SHLQ(Imm(2), stride)
	for _, vectors := range []int{8, 4, 1} {
		name := fmt.Sprintf("columns%d", vectors)
		Label(name)
		mask := K()
		if vectors > 1 {
			CMPQ(n, U32(vectors*lanes))
			JL(LabelRef("after_" + name))
		} else {
			TESTQ(n, n)
			JLE(LabelRef("after_" + name))
			bits := GP32()
			MOVL(U32(1<<lanes-1), bits)
			BZHIL(n.(GP).As32(), bits, bits) // all bits if n is 16 or more
			KMOVW(bits, mask)
		}
		x, y, left := GP64(), GP64(), GP64()
		MOVQ(a, x)
		MOVQ(b, y)
		MOVQ(rows, left)
		var sums []VecVirtual
		for i := range vectors {
			v := ZMM()
			if vectors > 1 {
				VMOVUPS(Mem{Base: c, Disp: 4 * lanes * i}, v)
			} else {
				VMOVUPS_Z(Mem{Base: c}, mask, v)
			}
			sums = append(sums, v)
		}
		Label("rows" + name)
		factor := ZMM()
		VBROADCASTSS(Mem{Base: x}, factor)
		for i, v := range sums {
			if vectors > 1 {
				VFMADD231PS(Mem{Base: y, Disp: 4 * lanes * i}, factor, v)
			} else {
				VFMADD231PS(Mem{Base: y}, factor, mask, v)
			}
		}
		ADDQ(Imm(4), x)
		ADDQ(stride, y)
		DECQ(left)
		JNE(LabelRef("rows" + name))
		for i, v := range sums {
			if vectors > 1 {
				VMOVUPS(v, Mem{Base: c, Disp: 4 * lanes * i})
			} else {
				VMOVUPS(v, mask, Mem{Base: c})
			}
		}
		ADDQ(U32(4*vectors*lanes), c)
		ADDQ(U32(4*vectors*lanes), b)
		SUBQ(U32(vectors*lanes), n)
		JMP(LabelRef(name))
		Label("after_" + name)
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

// dots512 generates the function that computes the dot products of a with many rows, four at a
// time. The same instructions in the same order compute each, so the result does not depend on
// where a caller divides the rows.
func dots512() {
	const lanes, sums, many = 16, 2, 4
	TEXT("dotsAVX512", NOSPLIT, "func(c, a, b *float32, stride, n, rows int)")
	Pragma("noescape")
	Doc("dotsAVX512 sets c[j], for j below rows, to the sum over p below n of a[p]*b[j*stride + p].")
	c, a, b := Load(Param("c"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	stride, n, rows := Load(Param("stride"), GP64()), Load(Param("n"), GP64()), Load(Param("rows"), GP64())
	SHLQ(Imm(2), stride)
	stride3 := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	bits, rest := GP32(), K()
	r := GP64()
	MOVQ(n, r)
	ANDQ(Imm(lanes-1), r)
	MOVL(U32(1<<32-1), bits)
	BZHIL(r.As32(), bits, bits)
	KMOVW(bits, rest)
	for _, count := range []int{many, 1} {
		label := func(name string) string { return fmt.Sprintf("%s%d", name, count) }
		Label(label("rows"))
		CMPQ(rows, Imm(uint64(count)))
		JL(LabelRef(label("after")))
		var sum [many][sums]VecVirtual
		for j := range count {
			for i := range sums {
				sum[j][i] = ZMM()
				VPXORQ(sum[j][i], sum[j][i], sum[j][i])
			}
		}
		x, y, left := GP64(), GP64(), GP64()
		MOVQ(a, x)
		MOVQ(b, y)
		MOVQ(n, left)
		at := func(j, i int) Mem {
			m := Mem{Base: y, Disp: 4 * lanes * i}
			switch j {
			case 1, 2:
				m.Index, m.Scale = stride, uint8(j)
			case 3:
				m.Index, m.Scale = stride3, 1
			}
			return m
		}
		for _, vectors := range []int{sums, 1} {
			loop := label(fmt.Sprintf("vectors%d_", vectors))
			Label(loop)
			CMPQ(left, U32(vectors*lanes))
			JL(LabelRef("after_" + loop))
			for i := range vectors {
				v := ZMM()
				VMOVUPS(Mem{Base: x, Disp: 4 * lanes * i}, v)
				for j := range count {
					VFMADD231PS(at(j, i), v, sum[j][i])
				}
			}
			ADDQ(U32(4*vectors*lanes), x)
			ADDQ(U32(4*vectors*lanes), y)
			SUBQ(U32(vectors*lanes), left)
			JMP(LabelRef(loop))
			Label("after_" + loop)
		}
		TESTQ(left, left)
		JZ(LabelRef(label("sum")))
		v, w := ZMM(), ZMM()
		VMOVUPS_Z(Mem{Base: x}, rest, v)
		for j := range count {
			VMOVUPS_Z(at(j, 0), rest, w)
			VFMADD231PS(w, v, sum[j][1])
		}
		Label(label("sum"))
		var half [many]VecVirtual
		for j := range count {
			VADDPS(sum[j][1], sum[j][0], sum[j][0])
			half[j] = YMM()
			VEXTRACTF64X4(Imm(1), sum[j][0], half[j])
			VADDPS(half[j], sum[j][0].AsY(), half[j])
		}
		high := XMM()
		if count == many {
			VHADDPS(half[1], half[0], half[0])
			VHADDPS(half[3], half[2], half[2])
			VHADDPS(half[2], half[0], half[0])
			VEXTRACTF128(Imm(1), half[0], high)
			VADDPS(high, half[0].AsX(), high)
			VMOVUPS(high, Mem{Base: c})
		} else {
			VHADDPS(half[0], half[0], half[0])
			VHADDPS(half[0], half[0], half[0])
			VEXTRACTF128(Imm(1), half[0], high)
			VADDPS(high, half[0].AsX(), high)
			VMOVSS(high, Mem{Base: c})
		}
		ADDQ(Imm(uint64(4*count)), c)
		for range count {
			ADDQ(stride, b)
		}
		SUBQ(Imm(uint64(count)), rows)
		JMP(LabelRef(label("rows")))
		Label(label("after"))
	}
	VZEROUPPER()
	RET()
}
