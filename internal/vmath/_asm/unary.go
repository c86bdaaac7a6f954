package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// unaryFunction is a function of a number x and up to two parameters, a and b.
type unaryFunction struct {
	name, formula string
	parameters    int
	ways          [2]int // the number of vectors of a step, for AVX2 and AVX-512
	registers     [2]int // the number of constants in registers, for AVX2 and AVX-512
	apply         func(m *machine, x, a, b value) value
}

// plain adapts a function without parameters.
func plain(f func(*machine, value) value) func(m *machine, x, a, b value) value {
	return func(m *machine, x, _, _ value) value { return f(m, x) }
}

var (
	short = [2]int{4, 4}  // ways of functions with few instructions
	long  = [2]int{2, 2}  // ways of functions with many instructions
	few   = [2]int{4, 4}  // registers of functions with few constants
	many  = [2]int{2, 16} // registers of functions with many constants
)

var unary = []unaryFunction{
	{"relu", "x[i] > 0 ? x[i] : 0", 0, short, few, plain(func(m *machine, x value) value { return m.max(x, m.number(0)) })},
	{"abs", "|x[i]|", 0, short, few, plain((*machine).abs)},
	{"negative", "-x[i]", 0, short, few, plain(func(m *machine, x value) value { return m.xor(x, m.bits(signBit)) })},
	{"sqrt", "sqrt(x[i])", 0, short, few, plain((*machine).sqrt)},
	{"sign", "x[i] > 0 ? 1 : x[i] < 0 ? -1 : x[i]", 0, short, few, plain((*machine).sign)},
	{"floor", "floor(x[i])", 0, short, few, plain(func(m *machine, x value) value { return m.round(x, down) })},
	{"ceiling", "ceil(x[i])", 0, short, few, plain(func(m *machine, x value) value { return m.round(x, up) })},
	{"roundHalfToEven", "the integer nearest to x[i], ties to even", 0, short, few, plain(func(m *machine, x value) value { return m.round(x, nearest) })},
	{"roundHalfAway", "the integer nearest to x[i], ties away from 0", 0, short, few, plain((*machine).roundHalfAway)},
	{"clamp", "min(max(x[i], a), b), or a if x[i] is NaN", 2, short, few, func(m *machine, x, a, b value) value {
		return m.min(m.max(x, a), b)
	}},
	{"hsigmoid", "min(max(x[i]+3, 0), 6) / 6", 0, short, few, plain((*machine).hsigmoid)},
	{"hswish", "x[i] * (min(max(x[i]+3, 0), 6) / 6)", 0, short, few, plain(func(m *machine, x value) value { return m.mul(x, m.hsigmoid(x)) })},
	{"hardSigmoid", "min(max(a*x[i] + b, 0), 1)", 2, short, few, func(m *machine, x, a, b value) value {
		return m.atMost(m.atLeast(m.add(m.mul(x, a), b), 0), 1)
	}},
	{"softSign", "x[i] / (1 + |x[i]|)", 0, short, few, plain(func(m *machine, x value) value {
		return m.div(x, m.add(m.abs(x), m.number(1)))
	})},
	{"exp", "exp(x[i])", 0, long, many, plain((*machine).exp)},
	{"sigmoid", "1 / (1 + exp(-x[i]))", 0, long, many, plain((*machine).logistic)},
	{"tanh", "tanh(x[i])", 0, long, many, plain((*machine).tanh)},
	{"erf", "erf(x[i])", 0, long, many, plain((*machine).erf)},
	{"geluErf", "x[i] * (1 + erf(x[i]/sqrt(2))) / 2", 0, long, many, plain((*machine).geluErf)},
	{"geluTanh", "x[i] / (1 + exp(-2*sqrt(2/pi)*(x[i] + 0.044715*x[i]^3)))", 0, long, many, plain((*machine).geluTanh)},
	{"swish", "x[i] / (1 + exp(-a*x[i]))", 1, long, many, func(m *machine, x, a, _ value) value { return m.swish(x, m.mul(x, a)) }},
	{"mish", "x[i] * tanh(ln(1 + exp(x[i])))", 0, long, many, plain((*machine).mish)},
	{"softPlus", "ln(1 + exp(x[i]))", 0, long, many, plain((*machine).softplus)},
	{"elu", "x[i] < 0 ? a*(exp(x[i])-1) : x[i]", 1, long, many, func(m *machine, x, a, _ value) value { return m.elu(x, a) }},
	{"selu", "b * (x[i] < 0 ? a*(exp(x[i])-1) : x[i])", 2, long, many, func(m *machine, x, a, b value) value { return m.mul(m.elu(x, a), b) }},
	{"log", "ln(x[i])", 0, long, many, plain((*machine).log)},
	{"cube", "x[i] * x[i] * x[i]", 0, short, few, plain(func(m *machine, x value) value { return m.mul(m.mul(x, x), x) })},
	{"root", "pow(x[i], 0.5)", 0, short, few, plain((*machine).root)},
	{"inverseRoot", "pow(x[i], -0.5)", 0, short, few, plain(func(m *machine, x value) value { return m.div(m.number(1), m.root(x)) })},
}

// generate generates the function.
func (f *unaryFunction) generate(wide bool) {
	set := 0
	if wide {
		set = 1
	}
	name := f.name + "Row" + suffix(wide)
	TEXT(name, NOSPLIT, "func(out, x *float32, n int, a, b float32)")
	Pragma("noescape")
	doc := []string{name + " sets, for each i < n,", "", "\tout[i] = " + f.formula}
	if f.parameters < 2 {
		doc = append(doc, "", [...]string{"The parameters a and b are unused.", "The parameter b is unused."}[f.parameters])
	}
	Doc(doc...)
	out, x, n := Load(Param("out"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	m := &machine{wide: wide}
	parameters := make([]value, 2)
	for i, p := range []string{"a", "b"}[:f.parameters] {
		parameters[i] = m.broadcast(NewParamAddr(p, 24+4*i))
	}
	m.ways = f.ways[set]
	m.collect(f.registers[set], func() { f.apply(m, nil, nil, nil) })
	m.walk(n, f.ways[set], func() Op { return m.tail(n) }, func(part Op) {
		m.store(out, part, f.apply(m, m.load(x, part), parameters[0], parameters[1]))
	}, func(count int) {
		ADDQ(U32(4*count), out)
		ADDQ(U32(4*count), x)
	})
	end()
}
