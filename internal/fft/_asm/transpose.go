package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// square addresses a square of elements: in the tensor, where each lane is a line, and in the
// planes, where each is a column, in turns of the two planes.
type square struct {
	width
	lines       []GPVirtual // every fourth line
	line, line3 GPVirtual   // the distance of lines in bytes, and thrice that
	re, im      GPVirtual
	pitch       map[int]GPVirtual // odd multiples of the distance of rows of the planes
	squares     GPVirtual
}

func (w width) newSquare(tensor string) *square {
	s := &square{width: w, pitch: map[int]GPVirtual{}}
	s.re, s.im = pointer("re"), pointer("im")
	first := pointer(tensor)
	s.line = scaled("distance")
	s.line3 = times(s.line, 3)
	s.lines = append(s.lines, first)
	for i := 4; i < w.lanes; i += 4 {
		next := GP64()
		LEAQ(Mem{Base: s.lines[len(s.lines)-1], Index: s.line, Scale: 4}, next)
		s.lines = append(s.lines, next)
	}
	s.pitch[1] = scaled("lanes")
	for k := 3; k < w.lanes/2; k += 2 {
		s.pitch[k] = times(s.pitch[1], k)
	}
	s.squares = pointer("squares")
	return s
}

// inTensor returns the address of line i.
func (s *square) inTensor(i int) Mem { return at(s.lines[i/4], s.line, s.line3, i%4) }

// inPlanes returns the address of element j of all lanes.
func (s *square) inPlanes(j int) Mem {
	base, k := s.re, j/2
	if j%2 == 1 {
		base = s.im
	}
	if k == 0 {
		return Mem{Base: base}
	}
	scale := 1
	for k%2 == 0 {
		k, scale = k/2, 2*scale
	}
	return Mem{Base: base, Index: s.pitch[k], Scale: uint8(scale)}
}

// step goes to the next square.
func (s *square) step() {
	for _, r := range s.lines {
		ADDQ(Imm(uint64(s.bytes())), r)
	}
	for _, r := range []Register{s.re, s.im} {
		LEAQ(Mem{Base: r, Index: s.pitch[1], Scale: uint8(min(s.lanes/2, 8))}, r)
	}
	DECQ(s.squares)
	JNZ(LabelRef("square"))
	VZEROUPPER()
	RET()
}

func (w width) split() {
	name := "split" + w.suffix
	TEXT(name, NOSPLIT, "func(re, im, src *float32, lanes, distance, squares int)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s copies %d lanes, distance elements apart in src, to the planes, whose rows are lanes elements apart. It copies", name, w.lanes),
		fmt.Sprintf("%d elements of each for each of at least one square. It needs %s.", w.lanes, w.suffix),
	)
	s := w.newSquare("src")
	Label("square")
	x := make([]VecVirtual, w.lanes)
	for i := range x {
		x[i] = w.vector()
		VMOVUPS(s.inTensor(i), x[i])
	}
	for j, v := range w.transpose(x) {
		VMOVUPS(v, s.inPlanes(j))
	}
	s.step()
}

func (w width) join() {
	name := "join" + w.suffix
	TEXT(name, NOSPLIT, "func(dst, re, im *float32, lanes, distance, squares int, scale float32)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s is the reverse of split%s: it copies the planes, times scale, to dst. It needs %s.", name, w.suffix, w.suffix),
	)
	s := w.newSquare("dst")
	scale := w.vector()
	from, err := Param("scale").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(from.Addr, scale)
	Label("square")
	x := make([]VecVirtual, w.lanes)
	for j := range x {
		x[j] = w.vector()
		VMULPS(s.inPlanes(j), scale, x[j])
	}
	for i, v := range w.transpose(x) {
		VMOVUPS(v, s.inTensor(i))
	}
	s.step()
}

// transpose returns the columns of the square whose rows are x.
func (w width) transpose(x []VecVirtual) []VecVirtual {
	two := func(op func(...Op), a, b VecVirtual) VecVirtual {
		z := w.vector()
		op(b, a, z)
		return z
	}
	unpack := func(low, high func(...Op), a, b VecVirtual) (VecVirtual, VecVirtual) {
		return two(low, a, b), two(high, a, b)
	}
	// Element c of quarter l of y[4i+c] is column 4l+c of rows 4i to 4i+3.
	y := make([]VecVirtual, len(x))
	for i := 0; i < len(x); i += 4 {
		a, b := unpack(VUNPCKLPS, VUNPCKHPS, x[i], x[i+1])
		c, d := unpack(VUNPCKLPS, VUNPCKHPS, x[i+2], x[i+3])
		y[i], y[i+1] = unpack(VUNPCKLPD, VUNPCKHPD, a, c)
		y[i+2], y[i+3] = unpack(VUNPCKLPD, VUNPCKHPD, b, d)
	}
	z := make([]VecVirtual, len(x))
	quarters := func(choice uint64, a, b VecVirtual) VecVirtual {
		to := w.vector()
		if w.lanes == 16 {
			VSHUFF32X4(Imm(choice), b, a, to)
		} else {
			VPERM2F128(Imm(choice), b, a, to)
		}
		return to
	}
	for c := range 4 {
		if w.lanes == 8 {
			z[c], z[4+c] = quarters(0x20, y[c], y[4+c]), quarters(0x31, y[c], y[4+c])
			continue
		}
		const even, odd = 0x88, 0xdd
		a, b := quarters(even, y[c], y[4+c]), quarters(even, y[8+c], y[12+c])
		d, e := quarters(odd, y[c], y[4+c]), quarters(odd, y[8+c], y[12+c])
		z[c], z[8+c] = quarters(even, a, b), quarters(odd, a, b)
		z[4+c], z[12+c] = quarters(even, d, e), quarters(odd, d, e)
	}
	return z
}
