package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// binaryFunction is a function of two numbers.
type binaryFunction struct {
	name, formula string
	apply         func(m *machine, x, y value) value
}

var binary = []binaryFunction{
	{"add", "a[i] + b[i]", (*machine).add},
	{"subtract", "a[i] - b[i]", (*machine).sub},
	{"multiply", "a[i] * b[i]", (*machine).mul},
	{"divide", "a[i] / b[i]", (*machine).div},
	{"maximum", "a[i] > b[i] ? a[i] : b[i]", (*machine).max},
	{"minimum", "a[i] < b[i] ? a[i] : b[i]", (*machine).min},
	{"squaredDifference", "(a[i] - b[i]) * (a[i] - b[i])", func(m *machine, x, y value) value {
		d := m.sub(x, y)
		return m.mul(d, d)
	}},
	{"prelu", "a[i] < 0 ? a[i] * b[i] : a[i]", func(m *machine, x, y value) value {
		return m.pick(m.compare(x, less, m.number(0)), m.mul(x, y), x)
	}},
}

// modes holds the names of vmath.Mode.
var modes = []string{"Rows", "ScalarA", "ScalarB"}

// generate generates the function for one mode.
func (f *binaryFunction) generate(wide bool, mode string) {
	name := f.name + mode + suffix(wide)
	docs := []string{name + " sets, for each i < n in each of rows rows,", "", "\tout[i] = " + f.formula, ""}
	if mode != "Rows" {
		docs = append(docs, fmt.Sprintf("with %s[0] instead of %[1]s[i].", map[string]string{"ScalarA": "a", "ScalarB": "b"}[mode]))
	}
	docs = append(docs, "Rows of out are contiguous. Rows of a and b start aStep and bStep elements apart. rows", "must be positive.")
	TEXT(name, NOSPLIT, "func(out, a, b *float32, n, rows, aStep, bStep int)")
	Pragma("noescape")
	Doc(docs...)
	outRow, aRow, bRow := Load(Param("out"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	length, rows := Load(Param("n"), GP64()), Load(Param("rows"), GP64())
	aStep, bStep := Load(Param("aStep"), GP64()), Load(Param("bStep"), GP64())
	m := &machine{wide: wide, ways: 4}
	m.collect(4, func() { f.apply(m, nil, nil) })
	tail := m.tail(length)
	Label("row")
	out, a, b, n := GP64(), GP64(), GP64(), GP64()
	MOVQ(outRow, out)
	MOVQ(aRow, a)
	MOVQ(bRow, b)
	MOVQ(length, n)
	var scalar value
	switch mode {
	case "ScalarA":
		scalar = m.broadcast(Mem{Base: a})
	case "ScalarB":
		scalar = m.broadcast(Mem{Base: b})
	}
	m.walk(n, 4, func() Op { return tail }, func(part Op) {
		x, y := scalar, scalar
		if mode != "ScalarA" {
			x = m.load(a, part)
		}
		if mode != "ScalarB" {
			y = m.load(b, part)
		}
		m.store(out, part, f.apply(m, x, y))
	}, func(count int) {
		ADDQ(U32(4*count), out)
		if mode != "ScalarA" {
			ADDQ(U32(4*count), a)
		}
		if mode != "ScalarB" {
			ADDQ(U32(4*count), b)
		}
	})
	LEAQ(Mem{Base: outRow, Index: length, Scale: 4}, outRow)
	LEAQ(Mem{Base: aRow, Index: aStep, Scale: 4}, aRow)
	LEAQ(Mem{Base: bRow, Index: bStep, Scale: 4}, bRow)
	DECQ(rows)
	JNZ(LabelRef("row"))
	end()
}
