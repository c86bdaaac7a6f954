package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// constants are factors of the butterflies, in every lane.
var constants struct{ half, h, cos1, cos2, sin1, sin2 Mem }

func newConstants() {
	table := GLOBL("factors", RODATA|NOPTR)
	at := 0
	next := func(x float64) Mem {
		first := table.Offset(at)
		for range 16 {
			DATA(at, U32(math.Float32bits(float32(x))))
			at += 4
		}
		return first
	}
	c := &constants
	c.half = next(0.5)
	c.h = next(math.Sqrt(3) / 2)
	c.cos1, c.cos2 = next(math.Cos(math.Pi*2/5)), next(math.Cos(math.Pi*4/5))
	c.sin1, c.sin2 = next(math.Sin(math.Pi*2/5)), next(math.Sin(math.Pi*4/5))
}

// complex is a vector of complex numbers.
type complex struct{ re, im VecVirtual }

// butterfly computes vectors of a stage.
type butterfly struct {
	width
	toRe, toIm, re, im, u, v Register
	// n and stride are the distances in bytes of the rows of the result and of the source, n3 and
	// stride3 thrice these.
	n, n3, stride, stride3 Register
}

// stage writes the function for a stage of a radix.
func (w width) stage(radix int) {
	name := fmt.Sprintf("stage%d%s", radix, w.suffix)
	TEXT(name, NOSPLIT, "func(toRe, toIm, re, im, u, v *float32, n, stride, count int)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s computes count steps of a stage of radix %d. Row j of the source is j*stride elements from re and im, row k", name, radix),
		"of the result is k*n elements from toRe and toIm. Each row has n elements, and the next step starts behind it. u and v",
		fmt.Sprintf("are the factors. n must be at least %d, and count at least 1. It needs %s.", w.lanes, w.needs),
	)
	b := &butterfly{width: w}
	b.toRe, b.toIm, b.re, b.im = pointer("toRe"), pointer("toIm"), pointer("re"), pointer("im")
	b.u, b.v = pointer("u"), pointer("v")
	b.n, b.stride = scaled("n"), scaled("stride")
	count := pointer("count")
	if radix > 3 {
		b.n3, b.stride3 = times(b.n, 3), times(b.stride, 3)
	}
	left, back := GP64(), GP64()
	Label("step")
	MOVQ(b.n, left)
	Label("vector")
	switch radix {
	case 2:
		b.radix2()
	case 3:
		b.radix3()
	case 4:
		b.radix4()
	case 5:
		b.radix5()
	}
	walking := []Register{b.toRe, b.toIm, b.re, b.im}
	for _, r := range walking {
		ADDQ(Imm(uint64(w.bytes())), r)
	}
	SUBQ(Imm(uint64(w.bytes())), left)
	JZ(LabelRef("end"))
	CMPQ(left, Imm(uint64(w.bytes())))
	JGE(LabelRef("vector"))
	Comment("The last vector overlaps the one before: it ends with the row.")
	MOVQ(U32(uint32(w.bytes())), back)
	SUBQ(left, back)
	for _, r := range walking {
		SUBQ(back, r)
	}
	MOVQ(U32(uint32(w.bytes())), left)
	JMP(LabelRef("vector"))
	Label("end")
	for _, r := range []Register{b.toRe, b.toIm} {
		switch radix {
		case 2:
			ADDQ(b.n, r)
		case 3:
			LEAQ(Mem{Base: r, Index: b.n, Scale: 2}, r)
		case 4:
			ADDQ(b.n3, r)
		case 5:
			LEAQ(Mem{Base: r, Index: b.n, Scale: 4}, r)
		}
	}
	ADDQ(Imm(uint64(4*(radix-1))), b.u)
	ADDQ(Imm(uint64(4*(radix-1))), b.v)
	DECQ(count)
	JNZ(LabelRef("step"))
	VZEROUPPER()
	RET()
}

// at returns the address of row k.
func at(base, distance, thrice Register, k int) Mem {
	switch k {
	case 0:
		return Mem{Base: base}
	case 3:
		return Mem{Base: base, Index: thrice, Scale: 1}
	default:
		return Mem{Base: base, Index: distance, Scale: uint8(k)}
	}
}

// load loads row j of the source.
func (b *butterfly) load(j int) complex {
	x := complex{b.vector(), b.vector()}
	VMOVUPS(at(b.re, b.stride, b.stride3, j), x.re)
	VMOVUPS(at(b.im, b.stride, b.stride3, j), x.im)
	return x
}

// store sets row k of the result.
func (b *butterfly) store(k int, x complex) {
	VMOVUPS(x.re, at(b.toRe, b.n, b.n3, k))
	VMOVUPS(x.im, at(b.toIm, b.n, b.n3, k))
}

// storeTimes sets row k of the result to x times factor k.
func (b *butterfly) storeTimes(k int, x complex) {
	u, v := b.vector(), b.vector()
	VBROADCASTSS(Mem{Base: b.u, Disp: 4 * (k - 1)}, u)
	VBROADCASTSS(Mem{Base: b.v, Disp: 4 * (k - 1)}, v)
	p, q := b.vector(), b.vector()
	VMULPS(v, x.im, p)
	VMULPS(v, x.re, q)
	VFMSUB231PS(u, x.re, p)
	VFMADD231PS(u, x.im, q)
	b.store(k, complex{p, q})
}

func (b *butterfly) add(x, y VecVirtual) VecVirtual {
	z := b.vector()
	VADDPS(y, x, z)
	return z
}

func (b *butterfly) sub(x, y VecVirtual) VecVirtual {
	z := b.vector()
	VSUBPS(y, x, z)
	return z
}

func (b *butterfly) sum(x, y complex) complex {
	return complex{b.add(x.re, y.re), b.add(x.im, y.im)}
}

func (b *butterfly) difference(x, y complex) complex {
	return complex{b.sub(x.re, y.re), b.sub(x.im, y.im)}
}

// turned returns x-iy and x+iy.
func (b *butterfly) turned(x, y complex) (minus, plus complex) {
	return complex{b.add(x.re, y.im), b.sub(x.im, y.re)}, complex{b.sub(x.re, y.im), b.add(x.im, y.re)}
}

func (b *butterfly) radix2() {
	x, y := b.load(0), b.load(1)
	b.store(0, b.sum(x, y))
	b.storeTimes(1, b.difference(x, y))
}

func (b *butterfly) radix3() {
	c := &constants
	a0, a1, a2 := b.load(0), b.load(1), b.load(2)
	x, p := b.sum(a1, a2), b.difference(a1, a2)
	b.store(0, b.sum(a0, x))
	for _, r := range []struct{ to, x, p VecVirtual }{{a0.re, x.re, p.re}, {a0.im, x.im, p.im}} {
		VFNMADD231PS(c.half, r.x, r.to)
		VMULPS(c.h, r.p, r.p)
	}
	minus, plus := b.turned(a0, p)
	b.storeTimes(1, minus)
	b.storeTimes(2, plus)
}

func (b *butterfly) radix4() {
	a0, a2 := b.load(0), b.load(2)
	x0, x1 := b.sum(a0, a2), b.difference(a0, a2)
	a1, a3 := b.load(1), b.load(3)
	x2, x3 := b.sum(a1, a3), b.difference(a1, a3)
	b.store(0, b.sum(x0, x2))
	b.storeTimes(2, b.difference(x0, x2))
	minus, plus := b.turned(x1, x3)
	b.storeTimes(1, minus)
	b.storeTimes(3, plus)
}

func (b *butterfly) radix5() {
	c := &constants
	a1, a4 := b.load(1), b.load(4)
	x1, p1 := b.sum(a1, a4), b.difference(a1, a4)
	a2, a3 := b.load(2), b.load(3)
	x2, p2 := b.sum(a2, a3), b.difference(a2, a3)
	a0 := b.load(0)
	b.store(0, b.sum(b.sum(a0, x1), x2))
	// combine returns a plus x times f plus y times g.
	combine := func(a, x, y VecVirtual, f, g Mem) VecVirtual {
		z := b.vector()
		VMOVAPS(a, z)
		VFMADD231PS(f, x, z)
		VFMADD231PS(g, y, z)
		return z
	}
	r1 := complex{combine(a0.re, x1.re, x2.re, c.cos1, c.cos2), combine(a0.im, x1.im, x2.im, c.cos1, c.cos2)}
	r2 := complex{combine(a0.re, x1.re, x2.re, c.cos2, c.cos1), combine(a0.im, x1.im, x2.im, c.cos2, c.cos1)}
	e1, e2 := complex{b.vector(), b.vector()}, complex{b.vector(), b.vector()}
	for _, r := range []struct{ p1, p2, e1, e2 VecVirtual }{{p1.re, p2.re, e1.re, e2.re}, {p1.im, p2.im, e1.im, e2.im}} {
		VMULPS(c.sin2, r.p2, r.e1)
		VFMADD231PS(c.sin1, r.p1, r.e1)
		VMULPS(c.sin1, r.p2, r.e2)
		VFMSUB231PS(c.sin2, r.p1, r.e2)
	}
	minus, plus := b.turned(r1, e1)
	b.storeTimes(1, minus)
	b.storeTimes(4, plus)
	minus, plus = b.turned(r2, e2)
	b.storeTimes(2, minus)
	b.storeTimes(3, plus)
}
