package main

import (
	"math"
	"sort"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// machine generates vector code for an instruction set. Each operation is generated for
// several vectors in sequence. These instructions are independent, so that the processor
// can execute them at the same time.
type machine struct {
	neon   *neonCode // not nil for NEON
	wide   bool      // AVX-512; otherwise AVX2 with FMA
	double bool      // numbers of 64 bits
	ways   int       // the number of vectors of an operation
	// registers holds the registers of the constants that are used most: two of 32 bits or one
	// of 64.
	registers map[uint64]Op
	// counts, if not nil, counts the uses of constants. No code is generated meanwhile.
	counts map[uint64]int
}

// value holds one vector for each of the machine's ways, or a single one for all of them: a
// constant or a parameter.
type value []Op

// lanes returns the number of float32 lanes of a vector.
func (m *machine) lanes() int {
	switch {
	case m.neon != nil:
		return 4
	case m.wide:
		return 16
	}
	return 8
}

// vector allocates a vector register.
func (m *machine) vector() VecVirtual {
	if m.wide {
		return ZMM()
	}
	return YMM()
}

// collect loads the constants that code uses most into registers, at most limit of them. It
// runs code to count their uses, without generating it.
func (m *machine) collect(limit int, code func()) {
	m.counts = make(map[uint64]int)
	code()
	all := make([]uint64, 0, len(m.counts))
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
	m.registers = make(map[uint64]Op)
	for _, bits := range all[:min(limit, len(all))] {
		m.registers[bits] = m.loadConstant(bits)
	}
}

// loadConstant returns a register with a constant in each lane. Only NEON takes one of 64 bits.
func (m *machine) loadConstant(bits uint64) Op {
	if m.neon != nil {
		return m.neon.constant(bits)
	}
	v := m.vector()
	if m.wide {
		VBROADCASTSS(vectors8.at(bits&math.MaxUint32), v)
	} else {
		VMOVUPS(vectors8.at(bits&math.MaxUint32), v)
	}
	return v
}

// twice returns a constant of 32 bits as one of 64 that has it in both halves.
func twice(b uint32) uint64 { return uint64(b)<<32 | uint64(b) }

// bits returns the constant with the given bits.
func (m *machine) bits(b uint32) value {
	if m.counts != nil {
		m.counts[twice(b)]++
		return nil
	}
	if r, ok := m.registers[twice(b)]; ok {
		return value{r}
	}
	if m.wide || m.neon != nil {
		return value{m.loadConstant(twice(b))}
	}
	return value{vectors8.at(uint64(b))}
}

// number returns the constant x.
func (m *machine) number(x float64) value {
	if m.double {
		return m.long(math.Float64bits(x))
	}
	return m.bits(math.Float32bits(float32(x)))
}

// long returns the constant of 64 bits with the given bits.
func (m *machine) long(b uint64) value {
	if m.neon != nil {
		return m.neonLong(b)
	}
	if m.counts != nil {
		return nil
	}
	v := m.vector()
	VBROADCASTSD(longs.at(b), v)
	return value{v}
}

// of returns the vector number way.
func (v value) of(way int) Op {
	if len(v) == 1 {
		return v[0]
	}
	return v[way]
}

// inRegister returns x in registers. A constant may be in memory.
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

// perVector returns a value in new registers z. emit generates the code for one of them.
func (m *machine) perVector(emit func(way int, z VecVirtual)) value {
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

// op2 generates an instruction of two operands. Of these, only y may be in memory.
func (m *machine) op2(instruction func(...Op), x, y value) value {
	x = m.inRegister(x)
	return m.perVector(func(way int, z VecVirtual) { instruction(y.of(way), x.of(way), z) })
}

// forWidth returns the instruction for the numbers of m: 32 or 64 bits.
func (m *machine) forWidth(single, double func(...Op)) func(...Op) {
	if m.double {
		return double
	}
	return single
}

// either generates an instruction of two operands: the one of amd64 as op2 does, or the one of NEON
// by its name.
func (m *machine) either(instruction func(...Op), name string, x, y value) value {
	if m.neon != nil {
		return m.perNEON(name, x, y)
	}
	return m.op2(instruction, x, y)
}

func (m *machine) add(x, y value) value { return m.either(m.forWidth(VADDPS, VADDPD), "fadd", x, y) }
func (m *machine) sub(x, y value) value { return m.either(m.forWidth(VSUBPS, VSUBPD), "fsub", x, y) }
func (m *machine) mul(x, y value) value { return m.either(m.forWidth(VMULPS, VMULPD), "fmul", x, y) }
func (m *machine) div(x, y value) value { return m.either(m.forWidth(VDIVPS, VDIVPD), "fdiv", x, y) }
func (m *machine) and(x, y value) value { return m.either(VANDPS, "and", x, y) }
func (m *machine) or(x, y value) value  { return m.either(VORPS, "orr", x, y) }
func (m *machine) xor(x, y value) value { return m.either(VXORPS, "eor", x, y) }

// max returns x > y ? x : y, which is y if one is NaN.
func (m *machine) max(x, y value) value {
	if m.neon != nil {
		return m.pick(m.compare(x, greater, y), x, y)
	}
	return m.op2(VMAXPS, x, y)
}

// min returns x < y ? x : y, which is y if one is NaN.
func (m *machine) min(x, y value) value {
	if m.neon != nil {
		return m.pick(m.compare(x, less, y), x, y)
	}
	return m.op2(VMINPS, x, y)
}

func (m *machine) sqrt(x value) value {
	if m.neon != nil {
		return m.perNEON("fsqrt", x)
	}
	return m.perVector(func(way int, z VecVirtual) { VSQRTPS(x.of(way), z) })
}

func (m *machine) copy(x value) value {
	if m.neon != nil {
		return m.perNEON("mov", x)
	}
	return m.perVector(func(way int, z VecVirtual) { VMOVUPS(x.of(way), z) })
}

// addInts and subInts add and subtract integers of 32 bits.
func (m *machine) addInts(x, y value) value { return m.either(VPADDD, "add", x, y) }
func (m *machine) subInts(x, y value) value { return m.either(VPSUBD, "sub", x, y) }

// shiftLeft and shiftRight shift integers of 32 bits; shiftRight copies the sign.
func (m *machine) shiftLeft(x value, bits uint64) value {
	if m.neon != nil {
		return m.perNEON("shl", x, int(bits))
	}
	return m.perVector(func(way int, z VecVirtual) { VPSLLD(Imm(bits), x.of(way), z) })
}

func (m *machine) shiftRight(x value, bits uint64) value {
	if m.neon != nil {
		return m.perNEON("sshr", x, int(bits))
	}
	return m.perVector(func(way int, z VecVirtual) { VPSRAD(Imm(bits), x.of(way), z) })
}

// toInts converts numbers that are integers to integers of 32 bits, and fromInts back.
func (m *machine) toInts(x value) value {
	if m.neon != nil {
		return m.perNEON("fcvtns", x)
	}
	return m.perVector(func(way int, z VecVirtual) { VCVTPS2DQ(x.of(way), z) })
}

func (m *machine) fromInts(x value) value {
	if m.neon != nil {
		return m.perNEON("scvtf", x)
	}
	return m.perVector(func(way int, z VecVirtual) { VCVTDQ2PS(x.of(way), z) })
}

// update runs emit for each vector of y. emit changes it in place.
func (m *machine) update(y value, emit func(way int, y Op)) {
	if m.counts != nil {
		return
	}
	for way := range m.ways {
		emit(way, y[way])
	}
}

// mulAdd sets y to y*x + c, rounded once. x must be in registers.
func (m *machine) mulAdd(y, x, c value) {
	if m.neon != nil {
		m.neonMulAdd(y, x, m.copy(c))
		return
	}
	m.update(y, func(way int, y Op) { m.forWidth(VFMADD213PS, VFMADD213PD)(c.of(way), x.of(way), y) })
}

// mulSub sets y to y*x - c, rounded once. x must be in registers.
func (m *machine) mulSub(y, x, c value) {
	if m.neon != nil {
		m.neonMulAdd(y, x, m.perNEON("fneg", c))
		return
	}
	m.update(y, func(way int, y Op) { VFMSUB213PS(c.of(way), x.of(way), y) })
}

// addProduct sets y to y + a*b, rounded once.
func (m *machine) addProduct(y, a, b value) {
	if m.neon != nil {
		m.neonUpdate("fmla", y, a, b)
		return
	}
	a = m.inRegister(a)
	m.update(y, func(way int, y Op) { m.forWidth(VFMADD231PS, VFMADD231PD)(b.of(way), a.of(way), y) })
}

// subProduct sets y to y - a*b, rounded once.
func (m *machine) subProduct(y, a, b value) {
	if m.neon != nil {
		m.neonUpdate("fmls", y, a, b)
		return
	}
	a = m.inRegister(a)
	m.update(y, func(way int, y Op) { m.forWidth(VFNMADD231PS, VFNMADD231PD)(b.of(way), a.of(way), y) })
}

// polynomial returns the polynomial of x with the coefficients c, highest power first.
func (m *machine) polynomial(x value, c []float64) value {
	if m.neon != nil {
		return m.neonPolynomial(x, c)
	}
	y := m.copy(m.number(c[0]))
	for _, p := range c[1:] {
		m.mulAdd(y, x, m.number(p))
	}
	return y
}

// The rounding modes of round: immediates of VROUNDPS.
const (
	nearest = iota // ties to even
	down
	up
	towardsZero
)

// round returns x rounded to an integer.
func (m *machine) round(x value, direction uint8) value {
	if m.neon != nil {
		return m.perNEON([...]string{"frintn", "frintm", "frintp", "frintz"}[direction], x)
	}
	return m.perVector(func(way int, z VecVirtual) {
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

// scale returns y * 2^n for an integer n, from -252 to 254 with AVX2. AVX2 multiplies by two
// powers of two, which are both normal, so that the result can be infinite, subnormal or 0.
func (m *machine) scale(y, n value) value {
	if m.wide {
		return m.op2(VSCALEFPS, y, n)
	}
	n = m.toInts(n)
	half := m.shiftRight(n, 1)
	rest := m.subInts(n, half)
	for _, power := range []value{half, rest} {
		y = m.mul(y, m.powerOfInteger(power, 0))
	}
	return y
}

// powerOfInteger returns 2^(n+shift). n holds integers of 32 bits.
func (m *machine) powerOfInteger(n value, shift uint32) value {
	return m.shiftLeft(m.addInts(n, m.bits(127+shift)), 23)
}

// power returns 2^n. n holds floats that are integers, from -126 to 127 with AVX2.
func (m *machine) power(n value) value {
	if m.wide {
		return m.op2(VSCALEFPS, m.number(1), n)
	}
	return m.powerOfInteger(m.toInts(n), 0)
}
