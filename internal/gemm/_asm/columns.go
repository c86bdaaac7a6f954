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
	columns int
	sums    [][]VecVirtual // sets of sums; a set has one for each column
	t       Register
	mask    VecVirtual // AVX2: the lanes that are rows
	buffer  Mem        // memory for one vector
}

func (k *columnKernel) generate() {
	name := columnsName(k.isa, k.columns)
	TEXT(name, NOSPLIT, "func(t *byte)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s computes up to %d rows of a tile with %d columns. t is a tile.", name, k.rows, k.columns))
	k.t = Load(Param("t"), GP64())
	k.buffer = AllocLocal(k.lanes() * 4)
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
				VADDPS(k.sums[i+sets/2][j], sum, sum)
			}
		}
	}
	for j, sum := range k.sums[0] {
		k.epilogue(j, sum)
	}
	VZEROUPPER()
	RET()
}

// lanes returns the number of lanes of a vector.
func (k *columnKernel) lanes() int { return k.isa.columns / 2 }

// load loads a field of the tile.
func (k *columnKernel) load(at int) Register {
	r := GP64()
	MOVQ(Mem{Base: k.t, Disp: at}, r)
	return r
}

// setMask sets a mask of the lanes that are rows of a panel. Without it, the last load would read
// beyond the end of the panel.
func (k *columnKernel) setMask() {
	if k.masks {
		bits := GP32()
		MOVL(U32(1<<k.rows-1), bits)
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
			if k.masks {
				VFMADD231PS_BCST(from, x, sum)
				continue
			}
			y := vector(k.lanes())
			VBROADCASTSS(from, y)
			VFMADD231PS(y, x, sum)
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

// epilogue adds c and the biases to column j, clamps it and writes it.
func (k *columnKernel) epilogue(j int, sum VecVirtual) {
	label := func(name string) string { return fmt.Sprintf("%s%d", name, j) }
	c, ldc, flags := k.load(fieldC), k.load(fieldLDC), k.load(fieldFlags)
	ADDQ(Imm(uint64(4*j)), c)
	// eachRow generates a loop over the rows. Row i is element i of the buffer.
	eachRow := func(name string, f func(i Register)) {
		i, rows := GP64(), k.load(fieldRows)
		XORQ(i, i)
		Label(label(name))
		f(i)
		INCQ(i)
		CMPQ(i, rows)
		JLT(LabelRef(label(name)))
	}
	element := func(i Register) Mem { return k.buffer.Idx(i, 4) }
	x := GP32()

	TESTQ(U32(flagAdd), flags)
	JE(LabelRef(label("bias")))
	from := GP64()
	MOVQ(c, from)
	eachRow("add", func(i Register) {
		MOVL(Mem{Base: from}, x)
		MOVL(x, element(i))
		ADDQ(ldc, from)
	})
	VADDPS(k.buffer, sum, sum)

	Label(label("bias"))
	bias := k.load(fieldRowBias)
	TESTQ(bias, bias)
	JE(LabelRef(label("column")))
	eachRow("rowBias", func(i Register) {
		MOVL(Mem{Base: bias, Index: i, Scale: 4}, x)
		MOVL(x, element(i))
	})
	VADDPS(k.buffer, sum, sum)

	Label(label("column"))
	bias = k.load(fieldColumnBias)
	TESTQ(bias, bias)
	JE(LabelRef(label("clamp")))
	y := vector(k.lanes())
	VBROADCASTSS(Mem{Base: bias, Disp: 4 * j}, y)
	VADDPS(y, sum, sum)

	Label(label("clamp"))
	TESTQ(U32(flagClamp), flags)
	JE(LabelRef(label("write")))
	VBROADCASTSS(Mem{Base: k.t, Disp: fieldLo}, y)
	VMAXPS(y, sum, sum) // lo if sum is NaN
	VBROADCASTSS(Mem{Base: k.t, Disp: fieldHi}, y)
	VMINPS(y, sum, sum)

	Label(label("write"))
	VMOVUPS(sum, k.buffer)
	eachRow("row", func(i Register) {
		MOVL(element(i), x)
		MOVL(x, Mem{Base: c})
		ADDQ(ldc, c)
	})
}
