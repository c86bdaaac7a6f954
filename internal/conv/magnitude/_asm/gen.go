// Command gen generates the functions of package magnitude that find and compare magnitudes.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// rows is the number of channels that are read before the result is written.
const rows = 8

func main() {
	ConstraintExpr("amd64,!noasm")
	// Eight lanes from element 8-k on are the mask of k elements.
	masks := GLOBL("magnitudeMasks", RODATA|NOPTR)
	for i := range 16 {
		v := uint32(0)
		if i < 8 {
			v = 1<<32 - 1
		}
		DATA(4*i, U32(v))
	}
	generate("AVX2", 8, masks)
	generate("AVX512", 16, masks)
	extremes()
	Generate()
}

// extremes generates the function that finds the smallest and the largest magnitude.
func extremes() {
	TEXT("extremesAVX2", NOSPLIT, "func(least, most *[8]uint32, list *uint32, n int)")
	Pragma("noescape")
	Doc(
		"extremesAVX2 sets each element of least to the smallest, and of most to the largest, of every eighth",
		"element of list. n is the number of elements, a multiple of 16 that is not 0.",
	)
	least := Load(Param("least"), GP64())
	most := Load(Param("most"), GP64())
	list := Load(Param("list"), GP64())
	n := Load(Param("n"), GP64())
	var low, high [2]Register
	for i := range low {
		low[i], high[i] = YMM(), YMM()
		VPCMPEQD(low[i], low[i], low[i])
		VPXOR(high[i], high[i], high[i])
	}
	Label("loop")
	for i := range low {
		x := YMM()
		VMOVDQU(Mem{Base: list, Disp: 32 * i}, x)
		VPMINUD(x, low[i], low[i])
		VPMAXUD(x, high[i], high[i])
	}
	ADDQ(Imm(64), list)
	SUBQ(Imm(16), n)
	JNE(LabelRef("loop"))
	VPMINUD(low[1], low[0], low[0])
	VPMAXUD(high[1], high[0], high[0])
	VMOVDQU(low[0], Mem{Base: least})
	VMOVDQU(high[0], Mem{Base: most})
	VZEROUPPER()
	RET()
}

// generate generates the function that finds the magnitudes.
func generate(isa string, lanes int, masks Mem) {
	wide := lanes == 16
	vector := func() Register {
		if wide {
			return ZMM()
		}
		return YMM()
	}
	name := "magnitudes" + isa
	TEXT(name, NOSPLIT, "func(to *uint32, from *float32, n, channels, step int)")
	Pragma("noescape")
	doc := []string{
		name + " sets to[i] to the largest of to[i] and the bits of the absolute values of",
		"from[c*step + i], for i below n and c below channels. n and channels are at least 1.",
	}
	if !wide {
		doc = append(doc, "It also reads and writes, but does not change, to[n] to the next multiple of eight.")
	}
	Doc(doc...)
	to := Load(Param("to"), GP64())
	from := Load(Param("from"), GP64())
	n := Load(Param("n"), GP64())
	count := Load(Param("channels"), GP64())
	step := Load(Param("step"), GP64())
	SHLQ(Imm(2), step)
	three, five, seven := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, three)
	LEAQ(Mem{Base: step, Index: step, Scale: 4}, five)
	LEAQ(Mem{Base: three, Index: step, Scale: 4}, seven)
	sign := vector() // every bit but the sign
	// The mask of the last vector, which has 1 to lanes elements.
	last, mask, part := GP64(), YMM(), K()
	LEAQ(Mem{Base: n, Disp: -1}, last)
	ANDQ(Imm(uint64(lanes-1)), last)
	if wide {
		VPTERNLOGD(Imm(0xff), sign, sign, sign)
		VPSRLD(Imm(1), sign, sign)
		bits := GP64()
		MOVQ(U32(2), bits)
		SHLXQ(last, bits, bits)
		DECQ(bits)
		KMOVW(bits.As32(), part)
	} else {
		VPCMPEQD(sign, sign, sign)
		VPSRLD(Imm(1), sign, sign)
		at := GP64()
		NEGQ(last)
		LEAQ(masks, at)
		VMOVDQU(Mem{Base: at, Index: last, Scale: 4, Disp: 28}, mask)
	}

	// pass reads a number of channels.
	pass := func(name string, rows int) {
		src, dst, left := GP64(), GP64(), GP64()
		MOVQ(from, src)
		MOVQ(to, dst)
		MOVQ(n, left)
		places := []Mem{
			{Base: src}, {Base: src, Index: step, Scale: 1}, {Base: src, Index: step, Scale: 2}, {Base: src, Index: three, Scale: 1},
			{Base: src, Index: step, Scale: 4}, {Base: src, Index: five, Scale: 1}, {Base: src, Index: three, Scale: 2}, {Base: src, Index: seven, Scale: 1},
		}[:rows]
		combine := func(most Register, load func(m Mem, r Register)) {
			other := vector() // halves the chain of maxima
			for i, m := range places {
				x := vector()
				load(m, x)
				switch {
				case i == 1:
					move(wide, x, other)
				case i%2 == 0:
					VPMAXUD(x, most, most)
				default:
					VPMAXUD(x, other, other)
				}
			}
			if rows > 1 {
				VPMAXUD(other, most, most)
			}
		}
		SUBQ(Imm(uint64(lanes)), left)
		JLE(LabelRef(name + "Last"))
		Label(name)
		most := vector()
		if wide {
			VMOVDQU32(Mem{Base: dst}, most)
		} else {
			VMOVDQU(Mem{Base: dst}, most)
		}
		combine(most, func(m Mem, r Register) {
			if wide {
				VPANDD(m, sign, r)
			} else {
				VPAND(m, sign, r)
			}
		})
		if wide {
			VMOVDQU32(most, Mem{Base: dst})
		} else {
			VMOVDQU(most, Mem{Base: dst})
		}
		ADDQ(Imm(uint64(4*lanes)), src)
		ADDQ(Imm(uint64(4*lanes)), dst)
		SUBQ(Imm(uint64(lanes)), left)
		JG(LabelRef(name))
		Label(name + "Last")
		most = vector()
		if wide {
			VMOVDQU32_Z(Mem{Base: dst}, part, most)
			combine(most, func(m Mem, r Register) { VPANDD_Z(m, sign, part, r) })
			VMOVDQU32(most, part, Mem{Base: dst})
			return
		}
		VMOVDQU(Mem{Base: dst}, most)
		combine(most, func(m Mem, r Register) {
			VPMASKMOVD(m, mask, r)
			VPAND(sign, r, r)
		})
		VMOVDQU(most, Mem{Base: dst})
	}
	SUBQ(Imm(rows), count)
	JL(LabelRef("rest"))
	Label("several")
	pass("loop", rows)
	LEAQ(Mem{Base: from, Index: step, Scale: 8}, from)
	SUBQ(Imm(rows), count)
	JGE(LabelRef("several"))
	Label("rest")
	ADDQ(Imm(rows), count)
	JE(LabelRef("done"))
	Label("single")
	pass("one", 1)
	ADDQ(step, from)
	DECQ(count)
	JNE(LabelRef("single"))
	Label("done")
	VZEROUPPER()
	RET()
}

// move copies a vector.
func move(wide bool, from, to Register) {
	if wide {
		VMOVDQA64(from, to)
	} else {
		VMOVDQA(from, to)
	}
}
