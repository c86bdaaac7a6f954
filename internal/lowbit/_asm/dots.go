package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The layout of spanJob in kernel_asm.go.
const (
	spanCodes, spanX, spanFactors, spanOut = 0, 8, 16, 24
	spanScales, spanZeros                  = 32, 40
	spanGroups, spanSpans                  = 48, 56
	spanStepX                              = 64
	spanStepScales, spanStepZeros          = 72, 80
	spanHalves                             = 88
)

// spans generates the functions that multiply rows of rounded x by columns of a block.
func spans() {
	for _, name := range []string{"Nibbles", "Bytes"} {
		for _, rows := range []int{1, 2, 4, 6} {
			(&spanKernel{bytes: name == "Bytes", rows: rows, lanes: 16, vectors: 2}).generate(fmt.Sprintf("spans%s_%d", name, rows))
		}
		for _, rows := range []int{1, 2, 4} {
			k := &spanKernel{bytes: name == "Bytes", rows: rows, lanes: 8, vectors: 2}
			if rows == 4 {
				k.vectors = 1
			}
			k.generate(fmt.Sprintf("spansAVXVNNI%s_%d", name, rows))
		}
	}
	roundGroups(true)
	roundGroups(false)
}

// spanKernel generates a function for codes of 4 or 8 bits, by AVX-512 VNNI or AVX-VNNI.
type spanKernel struct {
	bytes   bool
	rows    int
	lanes   int // of a vector of columns
	vectors int

	job, codes, x GPVirtual
	steps         []GPVirtual // from row 0 of x to each row
	mask          VecVirtual
}

// at returns a place in a row of x or of its factors.
func (k *spanKernel) at(base GPVirtual, row, offset int) Mem {
	m := Mem{Base: base, Disp: offset}
	if row > 0 {
		m.Index, m.Scale = k.steps[0], uint8(row)
		if row == 3 || row == 5 {
			m.Index, m.Scale = k.steps[row/2], 1
		}
	}
	return m
}

func (k *spanKernel) generate(name string) {
	TEXT(name, NOSPLIT, "func(p *byte)")
	Pragma("noescape")
	needs := "AVX512F and AVX512VNNI"
	if k.lanes == 8 {
		needs = "FMA, F16C and AVX_VNNI"
	}
	Doc(fmt.Sprintf("%s adds the products of %d rows to out, for %d columns of a block. p is a spanJob. It needs %s.", name, k.rows, k.lanes*k.vectors, needs))
	k.job = Load(Param("p"), GP64()).(GPVirtual)
	k.codes, k.x = field(k.job, spanCodes), field(k.job, spanX)
	factors, scales, zeros := field(k.job, spanFactors), field(k.job, spanScales), field(k.job, spanZeros)
	if k.rows > 1 {
		k.steps = append(k.steps, field(k.job, spanStepX))
		if k.rows > 3 {
			three := GP64()
			LEAQ(Mem{Base: k.steps[0], Index: k.steps[0], Scale: 2}, three)
			k.steps = append(k.steps, three)
		}
		if k.rows > 5 {
			five := GP64()
			LEAQ(Mem{Base: k.steps[0], Index: k.steps[0], Scale: 4}, five)
			k.steps = append(k.steps, five)
		}
	}
	if !k.bytes {
		k.mask = k.vector()
		low := GP32()
		MOVL(U32(0x0f0f0f0f), low)
		if k.lanes == 16 {
			VPBROADCASTD(low, k.mask)
		} else {
			VMOVD(low, k.mask.AsX())
			VPBROADCASTD(k.mask.AsX(), k.mask)
		}
	}
	var sums, exact [][]VecVirtual
	for range k.rows {
		sums, exact = append(sums, k.ofColumns()), append(exact, k.ofColumns())
	}
	out := field(k.job, spanOut)
	for row, list := range sums {
		for i, v := range list {
			VMOVUPS(Mem{Base: out, Disp: 4 * (columns*row + k.lanes*i)}, v)
		}
	}
	scale, zero := k.ofColumns(), k.ofColumns()
	Label("group")
	k.load("zeros", zeros, halfZeros, zero)
	k.load("scales", scales, halfScales, scale)
	ADDQ(Mem{Base: k.job, Disp: spanStepZeros}, zeros)
	ADDQ(Mem{Base: k.job, Disp: spanStepScales}, scales)
	count := field(k.job, spanSpans)
	Label("span")
	for _, list := range exact {
		for _, v := range list {
			if k.lanes == 16 {
				VPXORD(v, v, v)
			} else {
				VPXOR(v, v, v)
			}
		}
	}
	for octet := range 4 {
		k.octet(octet, exact)
	}
	ADDQ(Imm(32), k.x)
	if k.bytes {
		ADDQ(U32(4*8*columns), k.codes)
	} else {
		ADDQ(U32(4*4*columns), k.codes)
	}
	for row, list := range exact {
		for i, v := range list {
			VCVTDQ2PS(v, v)
			if k.lanes == 16 {
				VFNMADD231PS_BCST(k.at(factors, row, 4), zero[i], v) // exact too
				VMULPS_BCST(k.at(factors, row, 0), v, v)
			} else {
				factor := YMM()
				VBROADCASTSS(k.at(factors, row, 4), factor)
				VFNMADD231PS(factor, zero[i], v)
				VBROADCASTSS(k.at(factors, row, 0), factor)
				VMULPS(factor, v, v)
			}
			VFMADD231PS(scale[i], v, sums[row][i])
		}
	}
	ADDQ(Imm(8), factors)
	DECQ(count)
	JNE(LabelRef("span"))
	DECQ(Mem{Base: k.job, Disp: spanGroups})
	JNE(LabelRef("group"))
	out = field(k.job, spanOut)
	for row, list := range sums {
		for i, v := range list {
			VMOVUPS(v, Mem{Base: out, Disp: 4 * (columns*row + k.lanes*i)})
		}
	}
	VZEROUPPER()
	RET()
}

// vector returns a register.
func (k *spanKernel) vector() VecVirtual { return vectorOf(k.lanes == 16) }

// vectorOf returns a register of 16 lanes or of eight.
func vectorOf(wide bool) VecVirtual {
	if wide {
		return ZMM()
	}
	return YMM()
}

// ofColumns returns a register for each vector of columns.
func (k *spanKernel) ofColumns() []VecVirtual {
	var list []VecVirtual
	for range k.vectors {
		list = append(list, k.vector())
	}
	return list
}

// octet adds the products of eight rows of b.
func (k *spanKernel) octet(octet int, exact [][]VecVirtual) {
	if k.lanes == 8 {
		k.octetAVXVNNI(octet, exact)
		return
	}
	// A broadcast is for both vectors of columns: the processor loads no more than one in a cycle.
	for quad := range 2 {
		codes := []VecVirtual{ZMM(), ZMM()}
		for i, v := range codes {
			if k.bytes {
				at := 8*columns*octet + 4*columns*quad + 64*i
				VMOVDQU32(Mem{Base: k.codes, Disp: at}, v)
				PREFETCHT0(Mem{Base: k.codes, Disp: at + ahead})
				continue
			}
			at := 4*columns*octet + 64*i
			if quad == 0 {
				VPANDD(Mem{Base: k.codes, Disp: at}, k.mask, v)
				PREFETCHT0(Mem{Base: k.codes, Disp: at + ahead})
			} else {
				VPSRLD(Imm(4), Mem{Base: k.codes, Disp: at}, v)
				VPANDD(k.mask, v, v)
			}
		}
		for row := range k.rows {
			x := ZMM()
			VPBROADCASTD(k.at(k.x, row, 8*octet+4*quad), x)
			for i, v := range codes {
				VPDPBUSD(x, v, exact[row][i]) // the codes are unsigned, x is signed
			}
		}
	}
}

// octetAVXVNNI is octet by AVX-VNNI, whose instruction broadcasts no operand.
func (k *spanKernel) octetAVXVNNI(octet int, exact [][]VecVirtual) {
	for i := range k.vectors {
		first, second := YMM(), YMM()
		from := []int{4*columns*octet + 32*i}
		if k.bytes {
			from = []int{8*columns*octet + 32*i, 8*columns*octet + 32*i + 4*columns}
		}
		VMOVDQU(Mem{Base: k.codes, Disp: from[0]}, first)
		if k.bytes {
			VMOVDQU(Mem{Base: k.codes, Disp: from[1]}, second)
		} else {
			VPSRLD(Imm(4), first, second)
			VPAND(k.mask, first, first)
			VPAND(k.mask, second, second)
		}
		if i == 0 { // a call has up to 64 bytes of each
			for _, at := range from {
				PREFETCHT0(Mem{Base: k.codes, Disp: at + ahead})
			}
		}
		for row := range k.rows {
			for n, codes := range []VecVirtual{first, second} {
				x := YMM()
				VPBROADCASTD(k.at(k.x, row, 8*octet+4*n), x)
				VPDPBUSD(x, codes, exact[row][i]) // with VEX: see internal/vex
			}
		}
	}
}

// load loads the factors of the vectors of columns, from f16 if the bit of spanJob.halves is set.
func (k *spanKernel) load(name string, from GPVirtual, bit uint64, to []VecVirtual) {
	TESTQ(U32(uint32(bit)), Mem{Base: k.job, Disp: spanHalves})
	JNZ(LabelRef(name + "_half"))
	for i, v := range to {
		VMOVUPS(Mem{Base: from, Disp: 4 * k.lanes * i}, v)
	}
	JMP(LabelRef(name + "_loaded"))
	Label(name + "_half")
	for i, v := range to {
		VCVTPH2PS(Mem{Base: from, Disp: 2 * k.lanes * i}, v)
	}
	Label(name + "_loaded")
}

// roundGroups generates the function that rounds groups of x.
func roundGroups(wide bool) {
	name, needs := "roundGroupsAVX2", "AVX2"
	if wide {
		name, needs = "roundGroupsAVX512", "AVX512F"
	}
	TEXT(name, NOSPLIT, "func(codes *byte, factors, x *float32, groups, spans int, order *byte)")
	Pragma("noescape")
	Doc(
		name+" rounds groups of spans of x. most being the largest magnitude of a group, it sets codes to x*(127/most), rounded and in an order",
		"of each 16, and factors to most/127 and the sum of the codes of each span. It needs "+needs+".",
	)
	codes, factors, x, groups := Load(Param("codes"), GP64()), Load(Param("factors"), GP64()), Load(Param("x"), GP64()), Load(Param("groups"), GP64())
	order := XMM()
	VMOVDQU(Mem{Base: Load(Param("order"), GP64())}, order)
	constant := func(bits uint32) VecVirtual {
		r, v := GP32(), XMM()
		MOVL(U32(bits), r)
		VMOVD(r, v)
		VPBROADCASTD(v, v)
		return v
	}
	largest, infinity, finite, nan := constant(0x42fe0000), constant(0x7f800000), constant(0x7f7fffff), constant(0x7fc00000)
	magnitude := vectorOf(wide)
	VPBROADCASTD(constant(0x7fffffff), magnitude)

	Label("group")
	count := Load(Param("spans"), GP64())
	most := mostOf(x, count, magnitude, wide)
	lanes, scale, inverse := reduced(most, func(a, b VecVirtual) { VPMAXUD(a, b, b) }), XMM(), XMM()
	VDIVPS(largest, lanes, scale)
	VDIVPS(lanes, largest, inverse)
	// All elements are next to 0: both are 0.
	special := XMM()
	VCMPPS(Imm(0), infinity, inverse, special)
	VANDNPS(scale, special, scale)
	VANDNPS(inverse, special, inverse)
	// There is an infinity or NaN: the scale is NaN.
	VCMPPS(Imm(0x16), finite, scale, special)
	VBLENDVPS(special, nan, scale, scale)
	VANDNPS(inverse, special, inverse)
	factor := vectorOf(wide)
	VBROADCASTSS(inverse, factor)

	Load(Param("spans"), count)
	Label("span")
	sum := YMM()
	round := spanOfAVX2
	if wide {
		round = spanOf
	}
	round(codes, x, factor, order, sum)
	total := reduced(sum, func(a, b VecVirtual) { VPADDD(a, b, b) })
	VCVTDQ2PS(total, total)
	VMOVSS(scale, Mem{Base: factors})
	VMOVSS(total, Mem{Base: factors, Disp: 4})
	ADDQ(Imm(128), x)
	ADDQ(Imm(32), codes)
	ADDQ(Imm(8), factors)
	DECQ(count)
	JNE(LabelRef("span"))
	DECQ(groups)
	JNE(LabelRef("group"))
	VZEROUPPER()
	RET()
}

// mostOf returns the largest magnitudes of count spans in each of eight lanes.
func mostOf(x, count Register, magnitude VecVirtual, wide bool) VecVirtual {
	lists := []VecVirtual{vectorOf(wide), vectorOf(wide)}
	for _, v := range lists {
		VPXOR(v.AsY(), v.AsY(), v.AsY()) // which clears a ZMM too
	}
	at := GP64()
	MOVQ(x, at)
	Label("most")
	for i := range int(128 / magnitude.Size()) {
		v, list := vectorOf(wide), lists[i%2]
		if wide {
			VPANDD(Mem{Base: at, Disp: 64 * i}, magnitude, v)
		} else {
			VPAND(Mem{Base: at, Disp: 32 * i}, magnitude, v)
		}
		VPMAXUD(v, list, list)
	}
	ADDQ(Imm(128), at)
	DECQ(count)
	JNE(LabelRef("most"))
	VPMAXUD(lists[1], lists[0], lists[0])
	if !wide {
		return lists[0]
	}
	most := YMM()
	VEXTRACTI64X4(Imm(1), lists[0], most)
	VPMAXUD(lists[0].AsY(), most, most)
	return most
}

// reduced returns a vector of which each lane is all eight lanes of v, combined.
func reduced(v VecVirtual, combine func(a, b VecVirtual)) VecVirtual {
	quarter, other := XMM(), XMM()
	VEXTRACTI128(Imm(1), v, quarter)
	combine(v.AsX().(VecVirtual), quarter)
	VPSHUFD(Imm(0x4e), quarter, other)
	combine(other, quarter)
	VPSHUFD(Imm(0xb1), quarter, other)
	combine(other, quarter)
	return quarter
}

// spanOf rounds a span, and sets sum to sums of codes.
func spanOf(codes, x Register, factor, order, sum VecVirtual) {
	var rounded [2]VecVirtual
	for i := range rounded {
		v, bytes := ZMM(), XMM()
		VMULPS(Mem{Base: x, Disp: 64 * i}, factor, v)
		VCVTPS2DQ(v, v) // halves to even
		VPMOVDB(v, bytes)
		VPSHUFB(order, bytes, bytes)
		VMOVDQU(bytes, Mem{Base: codes, Disp: 16 * i})
		rounded[i] = v
	}
	VPADDD(rounded[0], rounded[1], rounded[1])
	VEXTRACTI64X4(Imm(1), rounded[1], sum)
	VPADDD(rounded[1].AsY(), sum, sum)
}

// spanOfAVX2 is spanOf by AVX2.
func spanOfAVX2(codes, x Register, factor, order, sum VecVirtual) {
	VPXOR(sum, sum, sum)
	for i := range 2 {
		v := []VecVirtual{YMM(), YMM()}
		for j, v := range v {
			VMULPS(Mem{Base: x, Disp: 64*i + 32*j}, factor, v)
			VCVTPS2DQ(v, v) // halves to even
			VPADDD(v, sum, sum)
		}
		VPACKSSDW(v[1], v[0], v[0])
		VPERMQ(Imm(0xd8), v[0], v[0]) // packing works on halves of the vectors
		bytes := XMM()
		VEXTRACTI128(Imm(1), v[0], bytes)
		VPACKSSWB(bytes, v[0].AsX(), bytes)
		VPSHUFB(order, bytes, bytes)
		VMOVDQU(bytes, Mem{Base: codes, Disp: 16 * i})
	}
}
