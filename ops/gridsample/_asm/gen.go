// Command gen writes the assembly of package gridsample.
package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// lanes is the number of points of a step.
const lanes = 8

// Predicates of VCMPPS that are false for NaN.
const less, greaterOrEqual = 17, 29

// axis holds the constants of an axis in memory: the fields of struct vectorAxis.
type axis struct{ scale, shift, least, most, last, pair Mem }

func newAxis(base Register, index int) axis {
	field := func(i int) Mem { return Mem{Base: base, Disp: 4 * lanes * (6*index + i)} }
	return axis{field(0), field(1), field(2), field(3), field(4), field(5)}
}

func main() {
	ConstraintExpr("amd64,!noasm")
	TEXT("bilinearAVX2", NOSPLIT, "func(out, plane, grid *float32, done *uint8, steps int, constants *byte)")
	Pragma("noescape")
	Doc(
		"bilinearAVX2 computes samples at 8 points in each step. Bit i of a byte of done is 1 if the position of point i of",
		"the step is between least and most; otherwise its sample is not set to anything useful. It needs AVX2.",
	)
	out, plane, grid := Load(Param("out"), GP64()), Load(Param("plane"), GP64()), Load(Param("grid"), GP64())
	done, steps, constants := Load(Param("done"), GP64()), Load(Param("steps"), GP64()), Load(Param("constants"), GP64())
	ax, ay := newAxis(constants, 0), newAxis(constants, 1)
	width, keep := Mem{Base: constants, Disp: 4 * lanes * 12}, Mem{Base: constants, Disp: 4 * lanes * 13}
	one := constant(1)

	Label("step")
	// In each half, the points are in the order 0, 1, 4, 5 and 2, 3, 6, 7 until the samples are
	// stored.
	first, x, y := YMM(), YMM(), YMM()
	VMOVUPS(Mem{Base: grid}, first)
	VSHUFPS(Imm(0x88), Mem{Base: grid, Disp: 32}, first, x)
	VSHUFPS(Imm(0xdd), Mem{Base: grid, Disp: 32}, first, y)
	mask := YMM()
	VPCMPEQD(mask, mask, mask)
	position(x, ax, one, mask)
	position(y, ay, one, mask)
	VANDPS(mask, x, x)
	VANDPS(mask, y, y)
	VPERMPD(Imm(0xd8), mask, mask)
	bits := GP32()
	VMOVMSKPS(mask, bits)
	MOVB(bits.As8(), Mem{Base: done})

	column, row := split(x), split(y) // x and y are now the distances from the elements before
	ones := YMM()
	VPCMPEQD(ones, ones, ones)
	nextColumn, nextRow := YMM(), YMM()
	VPSUBD(ones, column, nextColumn)
	VPSUBD(ones, row, nextRow)
	pair := YMM()
	clamp(column, ax.pair, pair)
	// What is needed late waits in memory, as the registers do not suffice.
	local := AllocLocal(4 * 4 * lanes)
	wait := func(i int, v VecVirtual) Mem {
		to := local.Offset(4 * lanes * i)
		VMOVUPS(v, to)
		return to
	}
	rest, lowRow := wait(0, y), wait(1, nextRow)
	column, inside := place(column, ax.last, keep)
	columnInside := wait(2, inside)
	nextColumn, inside = place(nextColumn, ax.last, keep)
	nextInside := wait(3, inside)
	// The elements of a line are read as a pair from column pair on. The first is that of the
	// column unless that is behind the pair's first, and the second that of the next column unless
	// that is the pair's first.
	VPCMPGTD(pair, column, column)
	VPCMPEQD(pair, nextColumn, nextColumn)
	l := lines{plane, pair, column, nextColumn, columnInside, nextInside, x, YMM(), width}
	VSUBPS(x, one, l.left)
	row, rowInside := place(row, ay.last, keep)
	top := l.sum(row, rowInside)
	nextRow = YMM()
	VMOVUPS(lowRow, nextRow)
	nextRow, rowInside = place(nextRow, ay.last, keep)
	low := l.sum(nextRow, rowInside)
	left := YMM()
	VMOVUPS(rest, y)
	VSUBPS(y, one, left)
	VMULPS(left, top, top)
	VMULPS(y, low, low)
	VADDPS(low, top, top)
	VPERMPD(Imm(0xd8), top, top)
	VMOVUPS(top, Mem{Base: out})
	ADDQ(U32(8*lanes), grid)
	ADDQ(U32(4*lanes), out)
	INCQ(done)
	DECQ(steps)
	JNZ(LabelRef("step"))
	VZEROUPPER()
	RET()
	Generate()
}

func constant(x float32) VecVirtual {
	v, bits := YMM(), GP32()
	MOVL(U32(math.Float32bits(x)), bits)
	VMOVD(bits, v.AsX())
	VBROADCASTSS(v.AsX(), v)
	return v
}

// position sets g to ((g+1)*scale - shift) / 2, each step of which is rounded, and clears the lanes
// of mask where that is not between least and most.
func position(g VecVirtual, a axis, one, mask VecVirtual) {
	VADDPS(one, g, g)
	VMULPS(a.scale, g, g)
	VSUBPS(a.shift, g, g)
	half := constant(.5)
	VMULPS(half, g, g)
	in := YMM()
	VCMPPS(Imm(greaterOrEqual), a.least, g, in)
	VANDPS(in, mask, mask)
	VCMPPS(Imm(less), a.most, g, in)
	VANDPS(in, mask, mask)
}

// split returns the integers below x, and sets x to the rest.
func split(x VecVirtual) VecVirtual {
	below, integer := YMM(), YMM()
	VROUNDPS(Imm(1), x, below)
	VSUBPS(below, x, x)
	VCVTPS2DQ(below, integer)
	return integer
}

// clamp sets to to i, limited to 0 to last.
func clamp(i VecVirtual, last Mem, to VecVirtual) {
	zero := YMM()
	VPXOR(zero, zero, zero)
	VPMAXSD(zero, i, to)
	VPMINSD(last, to, to)
}

// place returns i, limited to 0 to last, and a mask of the lanes where it was, or of all if keep is
// set.
func place(i VecVirtual, last, keep Mem) (at, inside VecVirtual) {
	at, inside = YMM(), YMM()
	clamp(i, last, at)
	VPCMPEQD(at, i, inside)
	VPOR(keep, inside, inside)
	return at, inside
}

// lines sums up pairs of elements.
type lines struct {
	plane Register
	// where the pairs are, and masks of where the elements lie in them
	pair, second, first      VecVirtual
	columnInside, nextInside Mem
	right, left              VecVirtual // the weights
	width                    Mem
}

// sum returns left*a + right*b for the elements a and b of the rows. Elements outside are 0.
func (l *lines) sum(row, inside VecVirtual) VecVirtual {
	VPMULLD(l.width, row, row)
	VPADDD(l.pair, row, row)
	// Loads one by one take less time than gathers. The lanes of row have the order of x.
	var pairs [2]VecVirtual
	for i := range pairs {
		pairs[i] = YMM()
	}
	half := YMM()
	VEXTRACTI128(Imm(1), row, half.AsX())
	two := YMM()
	l.load(row, 0, pairs[0])
	l.load(row, 1, pairs[1])
	l.load(half, 0, two)
	VINSERTF128(Imm(1), two.AsX(), pairs[0], pairs[0])
	l.load(half, 1, two)
	VINSERTF128(Imm(1), two.AsX(), pairs[1], pairs[1])
	a, b := YMM(), YMM()
	VSHUFPS(Imm(0x88), pairs[1], pairs[0], a)
	VSHUFPS(Imm(0xdd), pairs[1], pairs[0], b)
	VBLENDVPS(l.second, b, a, pairs[0])
	VBLENDVPS(l.first, a, b, pairs[1])
	for i, in := range []Mem{l.columnInside, l.nextInside} {
		VANDPS(in, pairs[i], pairs[i])
		VANDPS(inside, pairs[i], pairs[i])
	}
	VMULPS(l.left, pairs[0], pairs[0])
	VMULPS(l.right, pairs[1], pairs[1])
	VADDPS(pairs[1], pairs[0], pairs[0])
	return pairs[0]
}

// load loads the pairs at the two indexes in a quarter of at.
func (l *lines) load(at VecVirtual, quarter int, to VecVirtual) {
	first, second := GP64(), GP64()
	VPEXTRQ(Imm(uint64(quarter)), at.AsX(), second)
	MOVL(second.As32(), first.As32())
	SHRQ(Imm(32), second)
	VMOVSD(Mem{Base: l.plane, Index: first, Scale: 4}, to.AsX())
	VMOVHPS(Mem{Base: l.plane, Index: second, Scale: 4}, to.AsX(), to.AsX())
}
