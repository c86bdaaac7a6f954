package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// reduction is a function that reduces a row to one number. Each vector of a step has an
// accumulator of its own.
type reduction struct {
	name   string
	doc    []string
	hasOut bool // the function has a parameter out, a row of the terms
	hasM   bool // the function has a parameter m
	// term returns what the elements x contribute to the reduction.
	term func(m *machine, x, by value) value
	// max specifies the maximum of the terms. Otherwise the reduction is their sum.
	max bool
}

var reductions = []reduction{
	{
		name: "maxRow", max: true,
		doc: []string{
			" returns the greatest of n elements:", "",
			"\tmax = x[i] > max ? x[i] : max", "",
			"If an element is NaN, the result is any element. n must be positive.",
		},
		term: func(_ *machine, x, _ value) value { return x },
	},
	{
		name: "sumRow",
		doc:  []string{" returns the sum of n elements."},
		term: func(_ *machine, x, _ value) value { return x },
	},
	{
		name: "squaresRow", hasM: true,
		doc: []string{" returns the sum of (x[i]-m)*(x[i]-m) over n elements."},
		term: func(m *machine, x, by value) value {
			d := m.sub(x, by)
			return m.mul(d, d)
		},
	},
	{
		name: "expSumRow", hasM: true, hasOut: true,
		doc: []string{
			" sets, for each i < n,", "", "\tout[i] = exp(x[i]-m)", "", "and returns the sum of these exponentials.",
		},
		term: func(m *machine, x, by value) value { return m.exp(m.sub(x, by)) },
	},
}

// generate generates the function.
func (f *reduction) generate(wide bool) {
	name := f.name + suffix(wide)
	parameters := "x *float32, n int"
	if f.hasM {
		parameters = "x *float32, m float32, n int"
	}
	if f.hasOut {
		parameters = "out, " + parameters
	}
	TEXT(name, NOSPLIT, "func("+parameters+") float32")
	Pragma("noescape")
	Doc(append([]string{name + f.doc[0]}, f.doc[1:]...)...)
	var out Register
	var by value
	if f.hasOut {
		out = Load(Param("out"), GP64())
	}
	ways := 4
	if f.hasOut {
		ways = 2
	}
	m := &machine{wide: wide, ways: ways}
	x := Load(Param("x"), GP64())
	if f.hasM {
		by = m.broadcast(NewParamAddr("m", map[bool]int{true: 16, false: 8}[f.hasOut]))
	}
	n := Load(Param("n"), GP64())
	m.collect(map[bool]int{true: 12}[wide], func() { f.term(m, nil, nil) })
	acc := m.perVector(func(_ int, z VecVirtual) {
		if f.max {
			VBROADCASTSS(Mem{Base: x}, z)
		} else {
			VXORPS(z, z, z)
		}
	})
	m.walk(n, ways, func() Op { return m.tail(n) }, func(part Op) {
		v := f.term(m, m.load(x, part), by)
		if f.hasOut {
			m.store(out, part, v)
		}
		if part != nil {
			v = m.pick(condition{part}, f.combine(m, v, acc[:1]), acc[:1])
			VMOVAPS(v[0], acc[0])
			return
		}
		for way := range m.ways {
			f.instruction()(acc[way], v.of(way), acc[way])
		}
	}, func(count int) {
		if f.hasOut {
			ADDQ(U32(4*count), out)
		}
		ADDQ(U32(4*count), x)
	})
	combine := f.instruction()
	for half := ways / 2; half > 0; half /= 2 {
		for i := range half {
			combine(acc[i+half], acc[i], acc[i])
		}
	}
	lowest := acc[0].(VecVirtual)
	m.reduceLanes(lowest, combine)
	Store(lowest.AsX(), ReturnIndex(0))
	end()
}

// instruction returns the instruction that combines terms.
func (f *reduction) instruction() func(...Op) {
	if f.max {
		return VMAXPS
	}
	return VADDPS
}

// combine returns the reduction of x and y.
func (f *reduction) combine(m *machine, x, y value) value { return m.op2(f.instruction(), x, y) }

// reduceLanes sets each of the lowest four lanes of v to the reduction of all lanes.
func (m *machine) reduceLanes(v VecVirtual, combine func(...Op)) {
	low, high := v.AsY(), YMM()
	if m.wide {
		VEXTRACTF64X4(Imm(1), v, high)
		combine(high, low, low)
		VEXTRACTF32X4(Imm(1), low, high.AsX())
	} else {
		VEXTRACTF128(Imm(1), low, high.AsX())
	}
	combine(high, low, low)
	for _, order := range []uint64{0x4e, 0xb1} {
		VPERMILPS(Imm(order), low, high)
		combine(high, low, low)
	}
}

// affine generates affineRow.
func affine(wide bool) {
	name := "affineRow" + suffix(wide)
	TEXT(name, NOSPLIT, "func(out, x *float32, sub, mul, add float32, n int)")
	Pragma("noescape")
	Doc(name+" sets, for each i < n,", "", "\tout[i] = (x[i]-sub)*mul + add", "", "The product and the sum are rounded once.")
	out, x := Load(Param("out"), GP64()), Load(Param("x"), GP64())
	m := &machine{wide: wide}
	sub, mul, add := m.broadcast(NewParamAddr("sub", 16)), m.broadcast(NewParamAddr("mul", 20)), m.broadcast(NewParamAddr("add", 24))
	n := Load(Param("n"), GP64())
	m.walk(n, 4, func() Op { return m.tail(n) }, func(part Op) {
		v := m.sub(m.load(x, part), sub)
		m.mulAdd(v, mul, add)
		m.store(out, part, v)
	}, func(count int) {
		ADDQ(U32(4*count), out)
		ADDQ(U32(4*count), x)
	})
	end()
}

// softmaxRows generates the softmax of rows that fit into one vector of AVX-512.
func softmaxRows() {
	TEXT("softmaxRows512", NOSPLIT, "func(out, x *float32, n, rows int)")
	Pragma("noescape")
	Doc("softmaxRows512 sets each of rows rows of n elements to", "",
		"\tout[i] = exp(x[i]-max(x)) / sum(exp(x-max(x)))", "",
		"for the same row x. n must be from 1 to 16, and rows must be positive.")
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
	// The lanes after the row hold the negative infinity. Its exponential is 0.
	VMOVAPS(least[0], v)
	VMOVUPS(Mem{Base: x}, part, v)
	VMOVAPS(v, greatest)
	m.reduceLanes(greatest, VMAXPS)
	VBROADCASTSS(greatest.AsX(), greatest)
	e := m.exp(m.sub(value{v}, value{greatest}))
	VMOVAPS(e[0], sum)
	m.reduceLanes(sum, VADDPS)
	VBROADCASTSS(sum.AsX(), sum)
	m.store(out, part, m.mul(e, m.div(m.number(1), value{sum})))
	ADDQ(n, x)
	ADDQ(n, out)
	DECQ(rows)
	JNZ(LabelRef("row"))
	end()
}

// softmaxParts generates the softmax of rows of n elements, 2 or 4, of which a vector has several.
func softmaxParts(n int, wide bool) {
	name := map[int]string{2: "softmaxPairs", 4: "softmaxQuads"}[n] + suffix(wide)
	TEXT(name, NOSPLIT, "func(out, x *float32, n int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s sets each row of %d elements to", name, n), "",
		"\tout[i] = exp(x[i]-max(x)) / sum(exp(x-max(x)))", "",
		fmt.Sprintf("for the same row x. n, the number of all elements, must be a multiple of %d.", n))
	out, x, count := Load(Param("out"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	// all combines the elements of each row: with their neighbours, then with the other half.
	all := func(m *machine, v value, combine func(*machine, value, value) value) value {
		v = combine(m, v, m.permuted(v, 0b10_11_00_01))
		if n == 4 {
			v = combine(m, v, m.permuted(v, 0b01_00_11_10))
		}
		return v
	}
	formula := func(m *machine, v value) value {
		e := m.exp(m.sub(v, all(m, v, (*machine).max)))
		return m.mul(e, m.div(m.number(1), all(m, e, (*machine).add)))
	}
	set := 0
	if wide {
		set = 1
	}
	m := &machine{wide: wide, ways: long[set]}
	m.collect(many[set], func() { formula(m, nil) })
	m.walk(count, long[set], func() Op { return m.tail(count) }, func(part Op) {
		m.store(out, part, formula(m, m.load(x, part)))
	}, func(count int) {
		ADDQ(U32(4*count), out)
		ADDQ(U32(4*count), x)
	})
	end()
}

// permuted returns x with the elements of each group of four in another order.
func (m *machine) permuted(x value, order uint8) value {
	if m.counts != nil {
		return nil
	}
	return m.perVector(func(way int, z VecVirtual) { VPERMILPS(U8(order), x.of(way), z) })
}
