package main

import (
	"math"
	"sort"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// machine writes vector code for an instruction set: AVX2 with FMA, or AVX-512 where
// it is wide. Each of its operations is done for several vectors, ways, one after
// the other, so that the processor need not look far for what it can do at once.
type machine struct {
	wide bool
	// double says that the numbers are of 64 bits.
	double bool
	ways   int
	// registers hold the constants of which most use is made.
	registers map[uint32]VecVirtual
	// counts says how often a constant is used while no code is written.
	counts map[uint32]int
}

// value is one vector for each way, or the same for all: a constant or a parameter.
type value []Op

func (m *machine) lanes() int {
	if m.wide {
		return 16
	}
	return 8
}

func (m *machine) vector() VecVirtual {
	if m.wide {
		return ZMM()
	}
	return YMM()
}

// collect finds the constants that code uses, without writing it, and puts the most
// used ones, up to limit, in registers.
func (m *machine) collect(limit int, code func()) {
	m.counts = make(map[uint32]int)
	code()
	all := make([]uint32, 0, len(m.counts))
	for bits := range m.counts {
		all = append(all, bits)
	}
	sort.Slice(all, func(i, j int) bool {
		if a, b := m.counts[all[i]], m.counts[all[j]]; a != b {
			return a > b
		}
		return all[i] < all[j]
	})
	m.counts = nil
	m.registers = make(map[uint32]VecVirtual)
	for _, bits := range all[:min(limit, len(all))] {
		m.registers[bits] = m.load(bits)
	}
}

// load returns a register with a constant in every lane.
func (m *machine) load(bits uint32) VecVirtual {
	v := m.vector()
	if m.wide {
		VBROADCASTSS(vectors8.at(uint64(bits)), v)
	} else {
		VMOVUPS(vectors8.at(uint64(bits)), v)
	}
	return v
}

// bits returns a constant.
func (m *machine) bits(b uint32) value {
	if m.counts != nil {
		m.counts[b]++
		return nil
	}
	if r, ok := m.registers[b]; ok {
		return value{r}
	}
	if m.wide {
		return value{m.load(b)}
	}
	return value{vectors8.at(uint64(b))}
}

func (m *machine) number(x float64) value {
	if m.double {
		return m.long(math.Float64bits(x))
	}
	return m.bits(math.Float32bits(float32(x)))
}

// long returns a constant of 64 bits.
func (m *machine) long(b uint64) value {
	if m.counts != nil {
		return nil
	}
	v := m.vector()
	VBROADCASTSD(longs.at(b), v)
	return value{v}
}

// of returns the vector of a way.
func (v value) of(way int) Op {
	if len(v) == 1 {
		return v[0]
	}
	return v[way]
}

// inRegister returns x in a register, which a constant may not be in.
func (m *machine) inRegister(x value) value {
	if m.counts != nil || len(x) > 1 {
		return x
	}
	if _, ok := x[0].(Mem); !ok {
		return x
	}
	v := m.vector()
	VMOVUPS(x[0], v)
	return value{v}
}

// each returns the vectors that emit makes of each way, in registers of their own.
func (m *machine) each(emit func(way int, z VecVirtual)) value {
	if m.counts != nil {
		return nil
	}
	z := make(value, m.ways)
	for way := range z {
		v := m.vector()
		emit(way, v)
		z[way] = v
	}
	return z
}

// two is each for an instruction of two operands, of which only y may be in memory.
func (m *machine) two(instruction func(...Op), x, y value) value {
	x = m.inRegister(x)
	return m.each(func(way int, z VecVirtual) { instruction(y.of(way), x.of(way), z) })
}

// either returns the instruction for the numbers of m.
func (m *machine) either(single, double func(...Op)) func(...Op) {
	if m.double {
		return double
	}
	return single
}

func (m *machine) add(x, y value) value { return m.two(m.either(VADDPS, VADDPD), x, y) }
func (m *machine) sub(x, y value) value { return m.two(m.either(VSUBPS, VSUBPD), x, y) }
func (m *machine) mul(x, y value) value { return m.two(m.either(VMULPS, VMULPD), x, y) }
func (m *machine) div(x, y value) value { return m.two(m.either(VDIVPS, VDIVPD), x, y) }
func (m *machine) and(x, y value) value { return m.two(VANDPS, x, y) }
func (m *machine) or(x, y value) value  { return m.two(VORPS, x, y) }
func (m *machine) xor(x, y value) value { return m.two(VXORPS, x, y) }

// max returns x > y ? x : y, which is y where one is NaN; min likewise.
func (m *machine) max(x, y value) value { return m.two(VMAXPS, x, y) }
func (m *machine) min(x, y value) value { return m.two(VMINPS, x, y) }

func (m *machine) sqrt(x value) value {
	return m.each(func(way int, z VecVirtual) { VSQRTPS(x.of(way), z) })
}

func (m *machine) copy(x value) value {
	return m.each(func(way int, z VecVirtual) { VMOVUPS(x.of(way), z) })
}

// change runs emit on each vector of y.
func (m *machine) change(y value, emit func(way int, y Op)) {
	if m.counts != nil {
		return
	}
	for way := range m.ways {
		emit(way, y[way])
	}
}

// mulAdd sets y to y*x + c, mulSub to y*x - c, each rounded once; x is in registers.
func (m *machine) mulAdd(y, x, c value) {
	m.change(y, func(way int, y Op) { m.either(VFMADD213PS, VFMADD213PD)(c.of(way), x.of(way), y) })
}

func (m *machine) mulSub(y, x, c value) {
	m.change(y, func(way int, y Op) { VFMSUB213PS(c.of(way), x.of(way), y) })
}

// addProduct adds a*b to y, rounded once; subProduct takes it off.
func (m *machine) addProduct(y, a, b value) {
	a = m.inRegister(a)
	m.change(y, func(way int, y Op) { m.either(VFMADD231PS, VFMADD231PD)(b.of(way), a.of(way), y) })
}

func (m *machine) subProduct(y, a, b value) {
	a = m.inRegister(a)
	m.change(y, func(way int, y Op) { m.either(VFNMADD231PS, VFNMADD231PD)(b.of(way), a.of(way), y) })
}

// polynomial returns the polynomial of x with the coefficients c, of the highest power
// first.
func (m *machine) polynomial(x value, c []float64) value {
	y := m.copy(m.number(c[0]))
	for _, p := range c[1:] {
		m.mulAdd(y, x, m.number(p))
	}
	return y
}

// The directions of round.
const (
	nearest = iota // ties to even
	down
	up
	towardsZero
)

func (m *machine) round(x value, direction uint8) value {
	return m.each(func(way int, z VecVirtual) {
		switch d := Imm(uint64(direction)); {
		case m.wide && m.double:
			VRNDSCALEPD(d, x.of(way), z)
		case m.wide:
			VRNDSCALEPS(d, x.of(way), z)
		case m.double:
			VROUNDPD(d, x.of(way), z)
		default:
			VROUNDPS(d, x.of(way), z)
		}
	})
}

// scale returns y times 2 to the n, an integer that is between -252 and 254 where
// the code is not wide. There it is multiplied in two halves, so that results beyond
// the normal numbers come out as infinities, subnormal numbers and zeros.
func (m *machine) scale(y, n value) value {
	if m.wide {
		return m.two(VSCALEFPS, y, n)
	}
	n = m.each(func(way int, z VecVirtual) { VCVTPS2DQ(n.of(way), z) })
	half := m.each(func(way int, z VecVirtual) { VPSRAD(Imm(1), n.of(way), z) })
	rest := m.two(VPSUBD, n, half)
	for _, power := range []value{half, rest} {
		y = m.mul(y, m.shifted(power, 0))
	}
	return y
}

// shifted returns 2 to the n+by, integers.
func (m *machine) shifted(n value, by uint32) value {
	n = m.two(VPADDD, n, m.bits(127+by))
	return m.each(func(way int, z VecVirtual) { VPSLLD(Imm(23), n.of(way), z) })
}

// power returns 2 to the n, an integer between -126 and 127 where the code is not
// wide.
func (m *machine) power(n value) value {
	if m.wide {
		return m.two(VSCALEFPS, m.number(1), n)
	}
	return m.shifted(m.each(func(way int, z VecVirtual) { VCVTPS2DQ(n.of(way), z) }), 0)
}
