package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// reduction is a function that makes one number of a row. Each vector of a step has
// an accumulator of its own.
type reduction struct {
	name string
	doc  []string
	// writes and moves say whether the function has a row out, and a number m.
	writes, moves bool
	// term returns what is joined to the accumulators; max says that this is the
	// greatest, not the sum.
	term func(m *machine, x, by value) value
	max  bool
}

var reductions = []reduction{
	{
		name: "maxRow", max: true,
		doc: []string{
			" returns the greatest of n elements, of which there is one:", "",
			"\tmax = x[i] > max ? x[i] : max", "",
			"If some are NaN it returns any of them or of the elements.",
		},
		term: func(_ *machine, x, _ value) value { return x },
	},
	{
		name: "sumRow",
		doc:  []string{" returns the sum of n elements."},
		term: func(_ *machine, x, _ value) value { return x },
	},
	{
		name: "squaresRow", moves: true,
		doc: []string{" returns the sum of (x[i]-m)*(x[i]-m) over n elements."},
		term: func(m *machine, x, by value) value {
			d := m.sub(x, by)
			return m.mul(d, d)
		},
	},
	{
		name: "expSumRow", moves: true, writes: true,
		doc: []string{
			" sets, for i below n,", "", "\tout[i] = exp(x[i]-m)", "", "and returns their sum.",
		},
		term: func(m *machine, x, by value) value { return m.exp(m.sub(x, by)) },
	},
}

func (f *reduction) generate(wide bool) {
	name := f.name + suffix(wide)
	parameters := "x *float32, n int"
	if f.moves {
		parameters = "x *float32, m float32, n int"
	}
	if f.writes {
		parameters = "out, " + parameters
	}
	TEXT(name, NOSPLIT, "func("+parameters+") float32")
	Pragma("noescape")
	Doc(append([]string{name + f.doc[0]}, f.doc[1:]...)...)
	var out Register
	var by value
	if f.writes {
		out = Load(Param("out"), GP64())
	}
	ways := 4
	if f.writes {
		ways = 2
	}
	m := &machine{wide: wide, ways: ways}
	x := Load(Param("x"), GP64())
	if f.moves {
		by = m.broadcast(NewParamAddr("m", map[bool]int{true: 16, false: 8}[f.writes]))
	}
	n := Load(Param("n"), GP64())
	m.collect(map[bool]int{true: 12}[wide], func() { f.term(m, nil, nil) })
	acc := m.each(func(_ int, z VecVirtual) {
		if f.max {
			VBROADCASTSS(Mem{Base: x}, z)
		} else {
			VXORPS(z, z, z)
		}
	})
	m.walk(n, ways, func() Op { return m.tail(n) }, func(part Op) {
		v := f.term(m, m.from(x, part), by)
		if f.writes {
			m.to(out, part, v)
		}
		if part != nil {
			v = m.pick(condition{part}, f.join(m, v, acc[:1]), acc[:1])
			VMOVAPS(v[0], acc[0])
			return
		}
		for way := range m.ways {
			f.instruction()(acc[way], v.of(way), acc[way])
		}
	}, func(count int) {
		if f.writes {
			ADDQ(U32(4*count), out)
		}
		ADDQ(U32(4*count), x)
	})
	join := f.instruction()
	for half := ways / 2; half > 0; half /= 2 {
		for i := range half {
			join(acc[i+half], acc[i], acc[i])
		}
	}
	lowest := acc[0].(VecVirtual)
	m.fold(lowest, join)
	Store(lowest.AsX(), ReturnIndex(0))
	end()
}

func (f *reduction) instruction() func(...Op) {
	if f.max {
		return VMAXPS
	}
	return VADDPS
}

func (f *reduction) join(m *machine, x, y value) value { return m.two(f.instruction(), x, y) }

// fold joins the lanes of v into each of the lowest four.
func (m *machine) fold(v VecVirtual, join func(...Op)) {
	low, high := v.AsY(), YMM()
	if m.wide {
		VEXTRACTF64X4(Imm(1), v, high)
		join(high, low, low)
		VEXTRACTF32X4(Imm(1), low, high.AsX())
	} else {
		VEXTRACTF128(Imm(1), low, high.AsX())
	}
	join(high, low, low)
	for _, order := range []uint64{0x4e, 0xb1} {
		VPERMILPS(Imm(order), low, high)
		join(high, low, low)
	}
}

// affine writes affineRow.
func affine(wide bool) {
	name := "affineRow" + suffix(wide)
	TEXT(name, NOSPLIT, "func(out, x *float32, sub, mul, add float32, n int)")
	Pragma("noescape")
	Doc(name+" sets, for i below n,", "", "\tout[i] = (x[i]-sub)*mul + add", "", "with one rounding of the product and the sum.")
	out, x := Load(Param("out"), GP64()), Load(Param("x"), GP64())
	m := &machine{wide: wide}
	sub, mul, add := m.broadcast(NewParamAddr("sub", 16)), m.broadcast(NewParamAddr("mul", 20)), m.broadcast(NewParamAddr("add", 24))
	n := Load(Param("n"), GP64())
	m.walk(n, 4, func() Op { return m.tail(n) }, func(part Op) {
		v := m.sub(m.from(x, part), sub)
		m.mulAdd(v, mul, add)
		m.to(out, part, v)
	}, func(count int) {
		ADDQ(U32(4*count), out)
		ADDQ(U32(4*count), x)
	})
	end()
}

// softmaxRows writes the softmax of rows that fit one vector of AVX-512.
func softmaxRows() {
	TEXT("softmaxRows512", NOSPLIT, "func(out, x *float32, n, rows int)")
	Pragma("noescape")
	Doc("softmaxRows512 sets each of rows, at least 1, of n elements, 1 to 16, to", "",
		"\tout[i] = exp(x[i]-max(x)) / sum(exp(x-max(x)))")
	out, x := Load(Param("out"), GP64()), Load(Param("x"), GP64())
	n, rows := Load(Param("n"), GP64()), Load(Param("rows"), GP64())
	bits, part := GP64(), K()
	MOVQ(U32(1<<16-1), bits)
	BZHIQ(n, bits, bits)
	KMOVW(bits.As32(), part)
	SHLQ(Imm(2), n)
	m := &machine{wide: true, ways: 1}
	least := m.inRegister(m.number(math.Inf(-1)))
	m.collect(16, func() { m.exp(m.number(1)) })
	Label("row")
	v, greatest, sum := ZMM(), ZMM(), ZMM()
	// The lanes behind the row are -infinity, whose exponential is 0.
	VMOVAPS(least[0], v)
	VMOVUPS(Mem{Base: x}, part, v)
	VMOVAPS(v, greatest)
	m.fold(greatest, VMAXPS)
	VBROADCASTSS(greatest.AsX(), greatest)
	e := m.exp(m.sub(value{v}, value{greatest}))
	VMOVAPS(e[0], sum)
	m.fold(sum, VADDPS)
	VBROADCASTSS(sum.AsX(), sum)
	m.to(out, part, m.mul(e, m.div(m.number(1), value{sum})))
	ADDQ(n, x)
	ADDQ(n, out)
	DECQ(rows)
	JNZ(LabelRef("row"))
	end()
}
