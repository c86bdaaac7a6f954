// Command gen writes the assembly of package gatherelements.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// block is the number of indices that are checked, and of elements that are moved, at once. It
// equals blockColumns in kernel_amd64.go.
const block = 32

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, across := range []bool{false, true} {
		for _, indexSize := range []int{4, 8} {
			for _, size := range []int{1, 2, 4, 8} {
				(&kernel{across: across, indexSize: indexSize, size: size}).generate()
			}
		}
	}
	Generate()
}

// kernel generates one function, for elements of size bytes and indices of indexSize bytes.
type kernel struct {
	across          bool
	indexSize, size int

	out, data, indices Register // at the block
	// along: the next row of data; across: the distance to a later row of indices
	ahead       Register
	from        Register // address of the block's indices or offsets
	limit, wrap VecVirtual
	stride      VecVirtual
	buffer      Mem
}

// generate writes the function.
func (k *kernel) generate() {
	name, formula := "along", "data[r*advance + i]"
	if k.across {
		name, formula = "across", "data[r*advance + i*stride + j]"
	}
	TEXT(fmt.Sprintf("%s%dx%d", name, 8*k.size, 8*k.indexSize), NOSPLIT, fmt.Sprintf(
		"func(out, data *uint%d, indices *int%d, rows, width, pitch, advance, length, wrap, stride int) bool",
		8*k.size, 8*k.indexSize))
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s%dx%d gathers rows of at least %d elements. For each row r and column j:", name, 8*k.size, 8*k.indexSize, block),
		"",
		fmt.Sprintf("\tout[r*pitch + j] = %s", formula),
		"",
		"where i is indices[r*pitch + j], plus wrap if that is negative. It stops and returns",
		"false if i is not in [0,length-1]. rows and length must be at least 1, and length and",
		"every offset into data at most 2^31-1. The indices must not change during the call,",
		"because they are read again after they have been checked.",
	)
	k.prologue()

	Label("row")
	outRow, dataRow, indicesRow := k.out, k.data, k.indices
	k.out, k.data, k.indices = GP64(), GP64(), GP64()
	MOVQ(outRow, k.out)
	MOVQ(dataRow, k.data)
	MOVQ(indicesRow, k.indices)
	k.ahead = GP64()
	if k.across {
		Load(Param("pitch"), k.ahead)
		SHLQ(U8(2), k.ahead)
	} else {
		Load(Param("advance"), k.ahead)
		LEAQ(Mem{Base: dataRow, Index: k.ahead, Scale: uint8(k.size)}, k.ahead)
	}
	n := Load(Param("width"), GP64())

	aligned("block")
	k.check()
	k.move()
	k.advance(nil)
	SUBQ(U32(block), n)
	CMPQ(n, U32(block))
	JGE(LabelRef("block"))

	Comment("The last block of a row overlaps the block before it.")
	TESTQ(n, n)
	JE(LabelRef("end"))
	SUBQ(U32(block), n)
	k.advance(n)
	MOVQ(U32(block), n)
	JMP(LabelRef("block"))

	Label("end")
	pitch := Load(Param("pitch"), GP64())
	LEAQ(Mem{Base: outRow, Index: pitch, Scale: uint8(k.size)}, outRow)
	LEAQ(Mem{Base: indicesRow, Index: pitch, Scale: uint8(k.indexSize)}, indicesRow)
	advance := Load(Param("advance"), GP64())
	LEAQ(Mem{Base: dataRow, Index: advance, Scale: uint8(k.size)}, dataRow)
	rows, err := Param("rows").Resolve()
	if err != nil {
		panic(err)
	}
	DECQ(rows.Addr)
	JNE(LabelRef("row"))
	k.result(1)

	if !k.across {
		Label("negative")
		highest := YMM()
		k.resolve(highest)
		k.refuse(highest, "refuse")
		LEAQ(k.buffer, k.from)
		JMP(LabelRef("move"))
	}
	Label("refuse")
	k.result(0)
}

// prologue loads the pointers, and broadcasts the limits to vectors.
func (k *kernel) prologue() {
	k.out = Load(Param("out"), GP64())
	k.data = Load(Param("data"), GP64())
	k.indices = Load(Param("indices"), GP64())
	k.buffer = AllocLocal(block * k.indexSize)
	length := Load(Param("length"), GP64())
	DECQ(length)
	k.limit = k.spread(length)
	k.wrap = k.spread(Load(Param("wrap"), GP64()))
	if k.across {
		k.stride = k.spread(Load(Param("stride"), GP64()))
	}
}

// spread broadcasts r to every index of a vector.
func (k *kernel) spread(r Register) VecVirtual {
	x, y := XMM(), YMM()
	VMOVQ(r, x)
	if k.indexSize == 4 {
		VPBROADCASTD(x, y)
	} else {
		VPBROADCASTQ(x, y)
	}
	return y
}

// check checks the block's indices, and sets k.from to the address of the indices or offsets.
//
// It compares the maximum of the 32-bit words of all indices, as unsigned numbers, with the
// limit. If no word is greater, the upper words of 64-bit indices are 0.
func (k *kernel) check() {
	vectors := block * k.indexSize / 32
	k.from = GP64()
	highest := YMM()
	if k.across {
		k.prefetch(k.indices, k.ahead, k.indexSize)
		k.prefetch(k.out, k.ahead, k.size)
		LEAQ(k.buffer, k.from)
		k.resolve(highest)
		k.refuse(highest, "refuse")
		return
	}
	MOVQ(k.indices, k.from)
	VMOVDQU(Mem{Base: k.indices}, highest)
	for v := 1; v < vectors; v++ {
		VPMAXUD(Mem{Base: k.indices, Disp: 32 * v}, highest, highest)
	}
	k.refuse(highest, "negative")
	Label("move")
	k.prefetch(k.ahead, nil, k.size)
}

// prefetch prefetches a block of elements of size bytes, n elements after base.
func (k *kernel) prefetch(base, n Register, size int) {
	for line := 0; line < block*size; line += 64 {
		m := Mem{Base: base, Disp: line}
		if n != nil {
			m.Index, m.Scale = n, uint8(size)
		}
		PREFETCHT0(m)
	}
}

// refuse jumps to label if a 32-bit word is greater than that of the limit.
func (k *kernel) refuse(highest VecVirtual, label string) {
	lower, mask := YMM(), GP32()
	VPMINUD(k.limit, highest, lower)
	VPCMPEQD(lower, highest, lower)
	VPMOVMSKB(lower, mask)
	CMPL(mask, I32(-1))
	JNE(LabelRef(label))
}

// resolve writes the block's indices to the buffer, without negative ones and, if across,
// multiplied by the stride.
func (k *kernel) resolve(highest VecVirtual) {
	zero := YMM()
	if k.indexSize == 8 {
		VPXOR(zero, zero, zero)
	}
	for v := 0; v < block*k.indexSize/32; v++ {
		i, add := YMM(), YMM()
		VMOVDQU(Mem{Base: k.indices, Disp: 32 * v}, i)
		if k.indexSize == 4 {
			VPSRAD(Imm(31), i, add)
			VPAND(k.wrap, add, add)
			VPADDD(add, i, i)
		} else {
			VPCMPGTQ(i, zero, add)
			VPAND(k.wrap, add, add)
			VPADDQ(add, i, i)
		}
		if v == 0 {
			VMOVDQA(i, highest)
		} else {
			VPMAXUD(i, highest, highest)
		}
		switch {
		case !k.across:
		case k.indexSize == 4:
			VPMULLD(k.stride, i, i)
		default:
			VPMULUDQ(k.stride, i, i)
		}
		VMOVDQU(i, k.buffer.Offset(32*v))
	}
}

// advance advances the pointers by n elements, or by a block if n is nil.
func (k *kernel) advance(n Register) {
	move := func(p Register, size int) {
		if n == nil {
			ADDQ(U32(block*size), p)
		} else {
			LEAQ(Mem{Base: p, Index: n, Scale: uint8(size)}, p)
		}
	}
	move(k.out, k.size)
	move(k.indices, k.indexSize)
	if k.across {
		move(k.data, k.size)
	} else {
		move(k.ahead, k.size)
	}
}

// result returns v.
func (k *kernel) result(v uint8) {
	VZEROUPPER()
	ok := GP8()
	MOVB(U8(v), ok)
	Store(ok, ReturnIndex(0))
	RET()
}

// aligned is Label for the start of a loop, at a cache line. Elsewhere, its speed would depend on
// the code before it, by up to a third.
func aligned(label string) {
	Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []Op{Imm(64)}})
	Label(label)
}
