// Command gen writes the micro-kernels of package gemm.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	(&tile{name: "AVX2", rows: 6, lanes: 8, vector: YMM}).generate()
	(&tile{name: "AVX512", rows: 12, lanes: 16, vector: ZMM}).generate()
	addRows(4)
	addRows(1)
	dot()
	Generate()
}

// tile is a micro-kernel whose tile is rows by two vectors of lanes elements.
type tile struct {
	name        string
	rows, lanes int
	vector      func() VecVirtual
}

// unroll is the number of steps of the depth in the main loop.
const unroll = 4

func (t *tile) generate() {
	vector, columns := t.vector, 2*t.lanes
	TEXT("tile"+t.name, NOSPLIT, "func(depth int, a, b, c *float32, ldc int, add bool)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("tile%s multiplies a panel of a, of %d rows, by one of b, of %d columns:", t.name, t.rows, columns),
		"",
		fmt.Sprintf("\tc[i*ldc + j] = sum over p of a[p*%d + i]*b[p*%d + j]", t.rows, columns),
		"",
		"to which it adds what c held where add is true.",
	)
	depth := Load(Param("depth"), GP64())
	a := Load(Param("a"), GP64())
	b := Load(Param("b"), GP64())
	c := Load(Param("c"), GP64())
	ldc := Load(Param("ldc"), GP64())
	add := Load(Param("add"), GP8())
	SHLQ(Imm(2), ldc)

	sums := make([][2]VecVirtual, t.rows)
	for i := range sums {
		sums[i] = [2]VecVirtual{vector(), vector()}
		for _, s := range sums[i] {
			t.zero(s)
		}
	}
	// The tile is fetched while the sums are made.
	row := GP64()
	MOVQ(c, row)
	for i := range t.rows {
		if i > 0 {
			ADDQ(ldc, row)
		}
		PREFETCHT0(Mem{Base: row})
		PREFETCHT0(Mem{Base: row, Disp: columns*4 - 4})
	}

	step := func(k int) {
		b0, b1, x := vector(), vector(), vector()
		VMOVUPS(Mem{Base: b, Disp: k * columns * 4}, b0)
		VMOVUPS(Mem{Base: b, Disp: k*columns*4 + t.lanes*4}, b1)
		for i := range t.rows {
			VBROADCASTSS(Mem{Base: a, Disp: (k*t.rows + i) * 4}, x)
			VFMADD231PS(b0, x, sums[i][0])
			VFMADD231PS(b1, x, sums[i][1])
		}
	}
	CMPQ(depth, Imm(unroll))
	JL(LabelRef("rest"))
	Label("loop")
	PREFETCHT0(Mem{Base: a, Disp: 4 * unroll * t.rows * 4})
	PREFETCHT0(Mem{Base: a, Disp: 4*unroll*t.rows*4 + 64})
	for k := range unroll {
		step(k)
	}
	ADDQ(U32(unroll*t.rows*4), a)
	ADDQ(U32(unroll*columns*4), b)
	SUBQ(Imm(unroll), depth)
	CMPQ(depth, Imm(unroll))
	JGE(LabelRef("loop"))
	Label("rest")
	TESTQ(depth, depth)
	JE(LabelRef("store"))
	Label("one")
	step(0)
	ADDQ(U32(t.rows*4), a)
	ADDQ(U32(columns*4), b)
	DECQ(depth)
	JNE(LabelRef("one"))

	Label("store")
	TESTB(add, add)
	JE(LabelRef("set"))
	t.eachRow(c, ldc, func(i int, m Mem, half int) { VADDPS(m, sums[i][half], sums[i][half]) })
	Label("set")
	t.eachRow(c, ldc, func(i int, m Mem, half int) { VMOVUPS(sums[i][half], m) })
	VZEROUPPER()
	RET()
}

func (t *tile) zero(s VecVirtual) {
	if t.lanes == 16 {
		VPXORD(s, s, s)
		return
	}
	VXORPS(s, s, s)
}

func (t *tile) eachRow(c, ldc Register, f func(i int, m Mem, half int)) {
	row := GP64()
	MOVQ(c, row)
	for i := range t.rows {
		if i > 0 {
			ADDQ(ldc, row)
		}
		f(i, Mem{Base: row}, 0)
		f(i, Mem{Base: row, Disp: t.lanes * 4}, 1)
	}
}
