// Command gen writes the assembly of package scatterelements.
package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// lanes is the number of indices that are located at once, and the least number of columns. It
// equals locateLanes in kernel_amd64.go.
const lanes = 8

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, size := range []int{4, 8} {
		locate(size)
	}
	for _, e := range []extreme{
		{"higher32", "float32", 4, VMAXSS, VMOVSS, VCMPPS, VORPS, VMOVMSKPS},
		{"lower32", "float32", 4, VMINSS, VMOVSS, VCMPPS, VORPS, VMOVMSKPS},
		{"higher64", "float64", 8, VMAXSD, VMOVSD, VCMPPD, VORPD, VMOVMSKPD},
		{"lower64", "float64", 8, VMINSD, VMOVSD, VCMPPD, VORPD, VMOVMSKPD},
	} {
		e.generate()
	}
	Generate()
}

// extreme generates the function of a maximum or minimum of floats of size bytes.
type extreme struct {
	name, element string
	size          int
	pick, move    func(...Op)
	compare       func(...Op)
	or            func(...Op)
	signs         func(Op, Op)
}

// generate writes the function.
func (e *extreme) generate() {
	TEXT(e.name, NOSPLIT, fmt.Sprintf("func(out *%s, at *uint32, updates *%s, n int) bool", e.element, e.element))
	Pragma("noescape")
	Doc(
		e.name+" replaces out[at[i]] by updates[i] if that is "+strings.TrimRight(e.name, "3264")+", for all i < n in",
		"order. A NaN in out stays. n must be a positive multiple of 8. If an update is NaN, it",
		"returns false and does nothing.",
	)
	updates := Load(Param("updates"), GP64())
	n := Load(Param("n"), GP64())
	nan := YMM()
	VXORPS(nan, nan, nan)
	read, left := GP64(), GP64()
	MOVQ(updates, read)
	MOVQ(n, left)
	Label("check")
	for v := 0; v < lanes*e.size/32; v++ {
		y := YMM()
		VMOVUPS(Mem{Base: read, Disp: 32 * v}, y)
		e.compare(Imm(3), y, y, y) // unordered with itself, so NaN
		e.or(y, nan, nan)
	}
	ADDQ(U32(lanes*e.size), read)
	SUBQ(U32(lanes), left)
	JNE(LabelRef("check"))
	mask := GP32()
	e.signs(nan, mask)
	VZEROUPPER()
	TESTL(mask, mask)
	JNE(LabelRef("refuse"))

	out := Load(Param("out"), GP64())
	at := Load(Param("at"), GP64())
	Label("loop")
	for i := range lanes {
		p, x := GP64(), XMM()
		MOVL(Mem{Base: at, Disp: 4 * i}, p.As32())
		element := Mem{Base: out, Index: p, Scale: uint8(e.size)}
		e.move(Mem{Base: updates, Disp: e.size * i}, x)
		e.pick(element, x, x)
		e.move(x, element)
	}
	ADDQ(U32(4*lanes), at)
	ADDQ(U32(lanes*e.size), updates)
	SUBQ(U32(lanes), n)
	JNE(LabelRef("loop"))
	result(1)
	Label("refuse")
	result(0)
}

// result returns v.
func result(v uint8) {
	ok := GP8()
	MOVB(U8(v), ok)
	Store(ok, ReturnIndex(0))
	RET()
}

// locate generates the function for indices of size bytes.
func locate(size int) {
	TEXT(fmt.Sprintf("locate%d", 8*size), NOSPLIT, fmt.Sprintf(
		"func(at, offsets *uint32, indices *int%d, rows, columns, pitch, length, wrap int, scale, base uint32, ahead int, updates *byte, updatesPitch, updatesSize int) bool", 8*size))
	Pragma("noescape")
	Doc(
		fmt.Sprintf("locate%d computes positions. For each row r and column c it sets", 8*size),
		"",
		"\tat[r*columns + c] = base + offsets[r*columns + c] + v*scale",
		"",
		"where v is indices[r*pitch + c], plus wrap if that is negative. It returns whether",
		"every v is in [0,length-1]. columns must be at least 8, and length from 1 to 2^31-1.",
		"",
		"It prefetches the indices that are ahead bytes after these, and the rows of updates,",
		"whose elements have updatesSize bytes and whose rows are updatesPitch bytes apart.",
	)
	at := Load(Param("at"), GP64())
	offsets := Load(Param("offsets"), GP64())
	indices := Load(Param("indices"), GP64())
	rows := Load(Param("rows"), GP64())
	columns := Load(Param("columns"), GP64())
	gap := Load(Param("pitch"), GP64()) // from the end of a row of indices to the next one
	SUBQ(columns, gap)
	ahead := Load(Param("ahead"), GP64())
	updatesRow := Load(Param("updates"), GP64())
	updatesStep := Load(Param("updatesSize"), GP64())
	SHLQ(Imm(3), updatesStep) // the size of a block of 8 columns
	length := Load(Param("length"), GP64())
	DECQ(length)
	limit := spread(length, size)
	wrap := spread(Load(Param("wrap"), GP64()), size)
	scale := spread(Load(Param("scale"), GP32()).(GPVirtual).As64(), 4)
	base := spread(Load(Param("base"), GP32()).(GPVirtual).As64(), 4)
	highest, zero := YMM(), YMM()
	VPXOR(highest, highest, highest)
	VPXOR(zero, zero, zero)

	Label("row")
	n := GP64()
	MOVQ(columns, n)
	updates := GP64()
	MOVQ(updatesRow, updates)
	Label("block")
	PREFETCHT0(Mem{Base: indices, Index: ahead, Scale: 1})
	PREFETCHT0(Mem{Base: updates})
	ADDQ(updatesStep, updates)
	v := resolve(indices, 0, size, wrap, zero, highest)
	if size == 8 {
		Comment("The lower halves of both vectors, in order.")
		VSHUFPS(Imm(0x88), resolve(indices, 32, size, wrap, zero, highest), v, v)
		VPERMQ(Imm(0xd8), v, v)
	}
	VPMULLD(scale, v, v)
	VPADDD(Mem{Base: offsets}, v, v)
	VPADDD(base, v, v)
	VMOVDQU(v, Mem{Base: at})
	ADDQ(U32(lanes*size), indices)
	ADDQ(U32(lanes*4), offsets)
	ADDQ(U32(lanes*4), at)
	SUBQ(U32(lanes), n)
	CMPQ(n, U32(lanes))
	JGE(LabelRef("block"))

	Comment("The last block of a row overlaps the block before it.")
	TESTQ(n, n)
	JE(LabelRef("end"))
	SUBQ(U32(lanes), n)
	LEAQ(Mem{Base: indices, Index: n, Scale: uint8(size)}, indices)
	LEAQ(Mem{Base: offsets, Index: n, Scale: 4}, offsets)
	LEAQ(Mem{Base: at, Index: n, Scale: 4}, at)
	MOVQ(U32(lanes), n)
	JMP(LabelRef("block"))

	Label("end")
	LEAQ(Mem{Base: indices, Index: gap, Scale: uint8(size)}, indices)
	pitch := Load(Param("updatesPitch"), GP64())
	ADDQ(pitch, updatesRow)
	DECQ(rows)
	JNE(LabelRef("row"))

	Comment("No 32-bit word may be greater than that of the limit, as an unsigned number. The upper",
		"words of 64-bit indices must be 0.")
	VPMINUD(limit, highest, limit)
	VPCMPEQD(limit, highest, highest)
	mask, ok := GP32(), GP8()
	VPMOVMSKB(highest, mask)
	CMPL(mask, I32(-1))
	SETEQ(ok)
	VZEROUPPER()
	Store(ok, ReturnIndex(0))
	RET()
}

// spread broadcasts r to every element of a vector. Elements have size bytes.
func spread(r Register, size int) VecVirtual {
	x, y := XMM(), YMM()
	VMOVQ(r, x)
	if size == 4 {
		VPBROADCASTD(x, y)
	} else {
		VPBROADCASTQ(x, y)
	}
	return y
}

// resolve loads a vector of indices and adds wrap to the negative ones. highest accumulates the
// maxima of their 32-bit words.
func resolve(indices Register, disp, size int, wrap, zero, highest VecVirtual) VecVirtual {
	v, add := YMM(), YMM()
	VMOVDQU(Mem{Base: indices, Disp: disp}, v)
	if size == 4 {
		VPSRAD(Imm(31), v, add)
		VPAND(wrap, add, add)
		VPADDD(add, v, v)
	} else {
		VPCMPGTQ(v, zero, add)
		VPAND(wrap, add, add)
		VPADDQ(add, v, v)
	}
	VPMAXUD(v, highest, highest)
	return v
}
