package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// columns generates the micro-kernels for few columns, in which a vector is a column of the tile
// instead of a part of a row.
func columns(s *isa) {
	for n := 1; n <= s.fewColumns; n++ {
		(&columnKernel{isa: s, columns: n}).generate()
	}
}

// columnsName returns the name of a micro-kernel.
func columnsName(s *isa, columns int) string { return fmt.Sprintf("columns%s_%d", s.name, columns) }

// columnKernel generates a micro-kernel for all rows and few columns. Each element of the tile has
// several sums, which take the products in turn.
type columnKernel struct {
	*isa
	argument
	columns int
	sums    [][]VecVirtual // sets of sums; a set has one for each column
	// AVX2: the lanes that are rows of a panel; K1 has those of the tile with AVX-512
	mask   VecVirtual
	flip   VecVirtual // of quads
	buffer Mem        // memory for one vector of each column
}

func (k *columnKernel) generate() {
	name := columnsName(k.isa, k.columns)
	TEXT(name, NOSPLIT, "func(t *byte)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s computes up to %d rows of a tile with %d columns. t is a tile.", name, k.rows, k.columns))
	k.t = Load(Param("t"), GP64())
	k.buffer = AllocLocal(k.columns * k.lanes() * 4)
	sets := 1
	for k.columns*sets < chains && sets < unroll {
		sets *= 2
	}
	for range sets {
		set := make([]VecVirtual, k.columns)
		for i := range set {
			set[i] = vector(k.lanes())
			zero(k.isa, set[i])
		}
		k.sums = append(k.sums, set)
	}
	k.setMask()
	k.loop()
	for sets := len(k.sums); sets > 1; sets /= 2 {
		for i := range sets / 2 {
			for j, sum := range k.sums[i] {
				k.add(k.sums[i+sets/2][j], sum)
			}
		}
	}
	k.epilogue()
}

// lanes returns the number of lanes of a vector.
func (k *columnKernel) lanes() int { return k.isa.columns / 2 }

// setMask sets a mask of the lanes that are rows. Without it, the last load would read beyond the
// end of the panel.
func (k *columnKernel) setMask() {
	if k.masks {
		bits := GP32()
		MOVL(k.field(fieldRows), ECX)
		MOVL(U32(1), bits)
		SHLL(CL, bits)
		DECL(bits)
		KMOVW(bits, K1)
		return
	}
	data := GLOBL(fmt.Sprintf("rowLanes%d", k.columns), RODATA|NOPTR)
	for i := range k.lanes() {
		lane := U32(0)
		if i < k.rows {
			lane = 0xffffffff
		}
		DATA(4*i, lane)
	}
	k.mask = vector(k.lanes())
	VMOVUPS(data, k.mask)
}

// loop adds up the products.
func (k *columnKernel) loop() {
	a, b, depth := k.load(fieldA), k.load(fieldB), k.load(fieldDepth)
	stepA, stepB := k.rows*4, k.isa.columns*4
	if k.quads {
		k.flip = vector(k.lanes())
		VPBROADCASTD(k.field(fieldFlip), k.flip)
	}
	step := func(p int) {
		x := vector(k.lanes())
		from := Mem{Base: a, Disp: p * stepA}
		if k.masks {
			VMOVUPS_Z(from, K1, x)
		} else {
			VMASKMOVPS(from, k.mask, x)
		}
		for j, sum := range k.sums[p%len(k.sums)] {
			from := Mem{Base: b, Disp: p*stepB + 4*j}
			y := vector(k.lanes())
			switch {
			case k.quads:
				VPXORD_BCST(from, k.flip, y)
				VPDPBUSD(x, y, sum)
			case k.pairs:
				VBROADCASTSS(from, y)
				VPDPWSSD(x, y, sum) // VDPBF16PS: see encode
			case k.masks:
				VFMADD231PS_BCST(from, x, sum)
			default:
				VBROADCASTSS(from, y)
				VFMADD231PS(y, x, sum)
			}
		}
	}
	CMPQ(depth, Imm(unroll))
	JL(LabelRef("rest"))
	Label("loop")
	prefetchA(a, stepA, unroll)
	for p := range unroll {
		step(p)
	}
	ADDQ(U32(uint32(unroll*stepA)), a)
	ADDQ(U32(uint32(unroll*stepB)), b)
	SUBQ(Imm(unroll), depth)
	CMPQ(depth, Imm(unroll))
	JGE(LabelRef("loop"))
	Label("rest")
	TESTQ(depth, depth)
	JE(LabelRef("done"))
	Label("one")
	step(0)
	ADDQ(U32(uint32(stepA)), a)
	ADDQ(U32(uint32(stepB)), b)
	DECQ(depth)
	JNE(LabelRef("one"))
	Label("done")
}

// epilogue adds c and the biases, clamps, and writes the columns.
func (k *columnKernel) epilogue() {
	sums := k.sums[0]
	c, ldc, flags := k.load(fieldC), k.load(fieldLDC), k.load(fieldFlags)
	y := vector(k.lanes())

	TESTQ(U32(flagAdd), flags)
	JE(LabelRef("sums"))
	k.eachElement("add", c, ldc, func(element, c Mem, x GPVirtual) {
		MOVL(c, x.As32())
		MOVL(x.As32(), element)
	})
	for j, sum := range sums {
		k.add(k.element(j), sum)
	}

	Label("sums")
	if k.quads {
		scale := k.load(fieldRowScale)
		TESTQ(scale, scale)
		JE(LabelRef("write"))
		VMOVUPS_Z(Mem{Base: scale}, K1, y)
		for _, sum := range sums {
			VCVTDQ2PS(sum, sum)
			VMULPS(y, sum, sum)
		}
	}
	bias := k.load(fieldRowBias)
	TESTQ(bias, bias)
	JE(LabelRef("column"))
	if k.masks {
		VMOVUPS_Z(Mem{Base: bias}, K1, y)
	} else {
		k.eachRow("rowBias", func(i GPVirtual) {
			x := GP32()
			MOVL(Mem{Base: bias, Index: i, Scale: 4}, x)
			MOVL(x, k.buffer.Idx(i, 4))
		})
		VMOVUPS(k.buffer, y)
	}
	for _, sum := range sums {
		VADDPS(y, sum, sum)
	}

	Label("column")
	bias = k.load(fieldColumnBias)
	TESTQ(bias, bias)
	JE(LabelRef("clamp"))
	for j, sum := range sums {
		VBROADCASTSS(Mem{Base: bias, Disp: 4 * j}, y)
		VADDPS(y, sum, sum)
	}

	Label("clamp")
	TESTQ(U32(flagClamp), flags)
	if k.levels() {
		JE(LabelRef("levels"))
	} else {
		JE(LabelRef("write"))
	}
	hi := vector(k.lanes())
	VBROADCASTSS(k.field(fieldLo), y)
	VBROADCASTSS(k.field(fieldHi), hi)
	for _, sum := range sums {
		VMAXPS(y, sum, sum) // lo if sum is NaN
		VMINPS(hi, sum, sum)
	}
	if k.levels() {
		k.setLevels(sums, flags)
	}
	if k.quads {
		k.writeBytes(sums)
	}

	Label("write")
	for j, sum := range sums {
		VMOVUPS(sum, k.element(j))
	}
	k.eachElement("row", c, ldc, func(element, c Mem, x GPVirtual) {
		MOVL(element, x.As32())
		MOVL(x.As32(), c)
	})
	VZEROUPPER()
	RET()
}

// setLevels replaces the results by their levels, if the tile asks for that.
func (k *columnKernel) setLevels(sums []VecVirtual, flags Register) {
	Label("levels")
	scale, shift := k.load(fieldLevelScale), k.load(fieldLevelShift)
	TESTQ(scale, scale)
	JE(LabelRef("bytes"))
	hswish(sums, flags)
	x, y, zero, most := ZMM(), ZMM(), ZMM(), ZMM()
	VPXORD(zero, zero, zero)
	slope := k.load(fieldLevelSlope)
	TESTQ(slope, slope)
	JE(LabelRef("sloped"))
	VMOVUPS_Z(Mem{Base: slope}, K1, x)
	for _, sum := range sums {
		multiplyNegative(sum, x, zero)
	}
	Label("sloped")
	VMOVUPS_Z(Mem{Base: scale}, K1, x)
	VMOVUPS_Z(Mem{Base: shift}, K1, y)
	VBROADCASTSS(k.field(fieldLevelMax), most)
	for _, sum := range sums {
		VMULPS(x, sum, sum)
		VADDPS(y, sum, sum)
		VMAXPS(zero, sum, sum) // 0 if sum is NaN
		VMINPS(most, sum, sum)
	}
	Label("bytes")
}

// element returns the buffer for column j.
func (k *columnKernel) element(j int) Mem { return k.buffer.Offset(4 * k.lanes() * j) }

// eachRow generates a loop over the rows.
func (k *columnKernel) eachRow(label string, f func(i GPVirtual)) {
	i, rows := GP64(), k.load(fieldRows)
	XORQ(i, i)
	Label(label)
	f(i)
	INCQ(i)
	CMPQ(i, rows)
	JLT(LabelRef(label))
}

// eachElement generates a loop over the rows that calls f for all columns of c, with their elements
// in the buffer and a free register.
func (k *columnKernel) eachElement(label string, c, ldc Register, f func(element, c Mem, x GPVirtual)) {
	row, x := GP64(), GP64()
	MOVQ(c, row)
	k.eachRow(label, func(i GPVirtual) {
		for j := range k.columns {
			f(k.element(j).Idx(i, 4), Mem{Base: row, Disp: 4 * j}, x)
		}
		ADDQ(ldc, row)
	})
}

// writeBytes rounds the results and writes them as bytes, if the tile asks for that, and ends the
// micro-kernel. A lane of the first column takes the bytes of all columns.
func (k *columnKernel) writeBytes(sums []VecVirtual) {
	row, step := k.load(fieldBytes), k.load(fieldStepBytes)
	TESTQ(row, row)
	JE(LabelRef("write"))
	for j, sum := range sums {
		VCVTPS2DQ(sum, sum)
		if j > 0 {
			VPSLLD(Imm(uint64(8*j)), sum, sum)
			VPORD(sum, sums[0], sums[0])
		}
	}
	VMOVUPS(sums[0], k.buffer)
	k.eachRow("line", func(i GPVirtual) {
		x, at := GP32(), 0
		MOVL(k.buffer.Idx(i, 4), x)
		if k.columns == 4 {
			MOVL(x, Mem{Base: row})
			at = 4
		}
		if k.columns-at >= 2 {
			MOVW(x.As16(), Mem{Base: row})
			at += 2
			if at < k.columns {
				SHRL(Imm(16), x)
			}
		}
		if at < k.columns {
			MOVB(x.As8(), Mem{Base: row, Disp: at})
		}
		ADDQ(step, row)
	})
	VZEROUPPER()
	RET()
}
