package main

import (
	"fmt"
	"math"
	"strings"

	. "github.com/mmcloughlin/avo/operand"

	"github.com/vinoir/vinoir/internal/neon"
)

// neonCode is a function of NEON that a machine generates.
type neonCode struct {
	*neon.Func
	table neon.Reg // the constants
	rest  neon.Reg // the number of elements of a last vector that is not whole
}

// neonVector is a vector in the place of an operand of amd64.
type neonVector struct{ neon.Vec }

// Asm implements Op. avo never writes these operands.
func (neonVector) Asm() string { panic("an operand of NEON in code for amd64") }

// neonConstants holds the constants of all functions: each fills half a vector.
var neonConstants struct {
	all   []uint64
	index map[uint64]int
}

// constant loads a constant of 64 bits into both halves of a vector.
func (c *neonCode) constant(bits uint64) Op {
	t := &neonConstants
	i, ok := t.index[bits]
	if !ok {
		if t.index == nil {
			t.index = make(map[uint64]int)
		}
		i = len(t.all)
		t.index[bits], t.all = i, append(t.all, bits)
	}
	v := c.Vec()
	c.Emit("ldr", v.Q(), neon.At(c.table).Plus(16*i))
	return neonVector{v}
}

// neonFile writes all functions for NEON.
func neonFile(pkg string) *neon.File {
	file := neon.New(pkg)
	for i := range binary {
		for _, mode := range modes {
			binary[i].generateNEON(file, mode)
		}
	}
	for i := range unary {
		unary[i].generateNEON(file)
	}
	for i := range reductions {
		reductions[i].generateNEON(file)
	}
	affineNEON(file)
	for i := range checked {
		checked[i].generateNEON(file)
	}
	var words []uint32
	for _, bits := range neonConstants.all {
		low, high := uint32(bits), uint32(bits>>32)
		words = append(words, low, high, low, high)
	}
	file.Data("constants", words...)
	file.Data("lanes", 0, 1, 2, 3)
	return file
}

// newNEON begins a function.
func newNEON(file *neon.File, signature string, doc ...string) (*machine, *neonCode) {
	f := file.Func(signature, doc...)
	c := &neonCode{Func: f, table: f.Address("constants")}
	return &machine{neon: c}, c
}

// perNEON generates an instruction for each vector. An operand that is an int is a constant of the
// instruction.
func (m *machine) perNEON(name string, operands ...any) value {
	if m.counts != nil {
		return nil
	}
	z := make(value, m.ways)
	for way := range z {
		v := m.neon.Vec()
		m.emitNEON(name, v, way, operands)
		z[way] = neonVector{v}
	}
	return z
}

// emitNEON generates an instruction for one vector.
func (m *machine) emitNEON(name string, result neon.Vec, way int, operands []any) {
	all := []any{result}
	for _, o := range operands {
		switch o := o.(type) {
		case value:
			all = append(all, o.of(way).(neonVector).Vec)
		default:
			all = append(all, o)
		}
	}
	for i, o := range all {
		v, ok := o.(neon.Vec)
		switch name {
		case "and", "orr", "orn", "eor", "bsl": // these have lanes of bytes
			all[i] = v.B16()
		default:
			if ok && m.double {
				all[i] = v.D2()
			}
		}
	}
	m.neon.Emit(name, all...)
}

// neonUpdate generates an instruction that changes y.
func (m *machine) neonUpdate(name string, y value, operands ...any) {
	if m.counts != nil {
		return
	}
	for way := range m.ways {
		m.emitNEON(name, y[way].(neonVector).Vec, way, operands)
	}
}

// neonMulAdd sets y to y*x + c. The sum replaces c.
func (m *machine) neonMulAdd(y, x, c value) {
	if m.counts != nil {
		return
	}
	m.neonUpdate("fmla", c, y, x)
	copy(y, c)
}

// neonLong is long.
func (m *machine) neonLong(b uint64) value {
	if m.counts != nil {
		m.counts[b]++
		return nil
	}
	if r, ok := m.registers[b]; ok {
		return value{r}
	}
	return value{m.loadConstant(b)}
}

// neonPolynomial is polynomial. Each coefficient becomes the sum of its step, so it is loaded for
// each vector: a copy of a register would take an instruction too.
func (m *machine) neonPolynomial(x value, c []float64) value {
	if m.counts != nil {
		return nil
	}
	var y value
	for _, p := range c {
		bits := twice(math.Float32bits(float32(p)))
		if m.double {
			bits = math.Float64bits(p)
		}
		sum := make(value, m.ways)
		for way := range sum {
			sum[way] = m.loadConstant(bits)
		}
		if y != nil {
			m.neonUpdate("fmla", sum, y, x)
		}
		y = sum
	}
	return y
}

// neonWidened is widened.
func (m *machine) neonWidened(x value) (*machine, value) {
	d := *m
	d.double, d.ways = true, 2*m.ways
	if m.counts != nil {
		return &d, nil
	}
	z := make(value, d.ways)
	for way := range m.ways {
		v, low, high := x.of(way).(neonVector), m.neon.Vec(), m.neon.Vec()
		m.neon.Emit("fcvtl", low.D2(), v.S2())
		m.neon.Emit("fcvtl2", high.D2(), v.S4())
		z[way], z[way+m.ways] = neonVector{low}, neonVector{high}
	}
	return &d, z
}

// neonNarrowed is narrowed.
func (m *machine) neonNarrowed(x value) value {
	if m.counts != nil {
		return nil
	}
	z := make(value, m.ways)
	for way := range z {
		v := m.neon.Vec()
		m.neon.Emit("fcvtn", v.S2(), x[way].(neonVector).D2())
		m.neon.Emit("fcvtn2", v.S4(), x[way+m.ways].(neonVector).D2())
		z[way] = neonVector{v}
	}
	return z
}

// neonCompare is compare. The lanes of a condition are ones or zeros.
func (m *machine) neonCompare(x value, comparison uint8, y value) condition {
	switch comparison {
	case equal:
		return condition(m.perNEON("fcmeq", x, y))
	case less:
		return condition(m.perNEON("fcmgt", y, x))
	case notLess:
		return condition(m.perNEON("fcmge", x, y))
	case greater:
		return condition(m.perNEON("fcmgt", x, y))
	}
	return condition(m.or(m.perNEON("fcmgt", x, y), m.perNEON("fcmgt", y, x))) // notEqual
}

// neonPick is pick.
func (m *machine) neonPick(c condition, yes, no value) value {
	z := m.copy(value(c))
	m.neonUpdate("bsl", z, yes, no)
	return z
}

// neonWalk is walk, for steps that advance their pointers themselves.
func (m *machine) neonWalk(n neon.Reg, ways int, step func(part Op)) {
	f := m.neon
	m.neon.rest = n
	for _, w := range []int{ways, 1} {
		count := 4 * w
		loop, after := fmt.Sprint("by", w), fmt.Sprint("after", w)
		f.Emit("subs", n, n, count)
		f.Branch("blt", after)
		f.Label(loop)
		m.ways = w
		step(nil)
		f.Emit("subs", n, n, count)
		f.Branch("bge", loop)
		f.Label(after)
		f.Emit("add", n, n, count)
		if ways == 1 {
			break
		}
	}
	f.Zero(n, "done")
	m.ways = 1
	lanes, index := f.Vec(), neonVector{f.Vec()}
	counts := f.Address("lanes")
	f.Emit("ldr", index.Q(), neon.At(counts))
	f.Emit("dup", lanes, n)
	f.Emit("cmgt", index.Vec, lanes, index.Vec)
	step(index)
	f.Label("done")
}

// neonLoad loads the vectors of a step and advances the pointer. Lanes beyond the row are 0.
func (m *machine) neonLoad(base neon.Reg, part Op) value {
	f := m.neon
	v := f.Vecs(m.ways)
	switch {
	case part != nil:
		one, done := f.Unique("one"), f.Unique("loaded")
		f.BitClear(f.rest, 1, one)
		f.Emit("ldr", v[0].D(), neon.At(base))
		f.BitClear(f.rest, 0, done)
		at := f.Reg()
		f.Emit("add", at, base, 8)
		f.Emit("ld1", v[0].Lane(2), neon.At(at))
		f.Branch("b", done)
		f.Label(one)
		f.Emit("ldr", v[0].S(), neon.At(base))
		f.Label(done)
	case m.ways == 1:
		f.Emit("ldr", v[0].Q(), neon.At(base).Post(16))
	default:
		for way := 0; way < m.ways; way += 2 {
			f.Emit("ldp", v[way].Q(), v[way+1].Q(), neon.At(base).Post(32))
		}
	}
	z := make(value, m.ways)
	for way := range z {
		z[way] = neonVector{v[way]}
	}
	return z
}

// neonStore stores the vectors of a step and advances the pointer.
func (m *machine) neonStore(base neon.Reg, part Op, x value) {
	f := m.neon
	v := func(way int) neon.Vec { return x.of(way).(neonVector).Vec }
	switch {
	case part != nil:
		one, done := f.Unique("one"), f.Unique("stored")
		f.BitClear(f.rest, 1, one)
		f.Emit("str", v(0).D(), neon.At(base))
		f.BitClear(f.rest, 0, done)
		at := f.Reg()
		f.Emit("add", at, base, 8)
		f.Emit("st1", v(0).Lane(2), neon.At(at))
		f.Branch("b", done)
		f.Label(one)
		f.Emit("str", v(0).S(), neon.At(base))
		f.Label(done)
	case m.ways == 1:
		f.Emit("str", v(0).Q(), neon.At(base).Post(16))
	default:
		for way := 0; way < m.ways; way += 2 {
			f.Emit("stp", v(way).Q(), v(way+1).Q(), neon.At(base).Post(32))
		}
	}
}

// docOf returns the lines of a doc comment.
func docOf(name, text string) []string {
	return []string{name + " sets, for each i < n,", "", "\tout[i] = " + text}
}

// neonRegisters is the number of constants in registers of functions with ways vectors.
func neonRegisters(ways int) int {
	if ways == 4 {
		return 4
	}
	return 10
}

func (f *unaryFunction) generateNEON(file *neon.File) {
	name := f.name + "NEON"
	m, c := newNEON(file, "func "+name+"(out, x *float32, n int, a, b float32)", docOf(name, f.formula)...)
	out, x, n := c.Arg("out"), c.Arg("x"), c.Arg("n")
	parameters := make([]value, 2)
	for i, p := range []string{"a", "b"}[:f.parameters] {
		parameters[i] = value{neonVector{c.ArgVec(p)}}
	}
	m.ways = f.ways[1]
	m.collect(neonRegisters(m.ways), func() { f.apply(m, nil, nil, nil) })
	m.neonWalk(n, f.ways[1], func(part Op) {
		m.neonStore(out, part, f.apply(m, m.neonLoad(x, part), parameters[0], parameters[1]))
	})
	c.Return()
}

func (f *binaryFunction) generateNEON(file *neon.File, mode string) {
	name := f.name + mode + "NEON"
	doc := append(docOf(name, f.formula), "", "for each of rows rows, as the functions for amd64 do.")
	m, c := newNEON(file, "func "+name+"(out, a, b *float32, n, rows, aStep, bStep int)", doc...)
	out, aRow, bRow, length, rows := c.Arg("out"), c.Arg("a"), c.Arg("b"), c.Arg("n"), c.Arg("rows")
	aStep, bStep := c.Arg("aStep"), c.Arg("bStep")
	c.Emit("lsl", aStep, aStep, 2)
	c.Emit("lsl", bStep, bStep, 2)
	size := c.Reg()
	c.Emit("lsl", size, length, 2)
	m.ways = 4
	m.collect(4, func() { f.apply(m, nil, nil) })
	c.Label("row")
	to, a, b, n := c.Reg(), c.Reg(), c.Reg(), c.Reg()
	c.Emit("mov", to, out)
	c.Emit("mov", a, aRow)
	c.Emit("mov", b, bRow)
	c.Emit("mov", n, length)
	scalar := neonVector{c.Vec()}
	switch {
	case strings.HasSuffix(mode, "A"):
		c.Emit("ld1r", scalar.Vec, neon.At(a))
	case strings.HasSuffix(mode, "B"):
		c.Emit("ld1r", scalar.Vec, neon.At(b))
	}
	m.neonWalk(n, 4, func(part Op) {
		x, y := value{scalar}, value{scalar}
		if mode != "ScalarA" {
			x = m.neonLoad(a, part)
		}
		if mode != "ScalarB" {
			y = m.neonLoad(b, part)
		}
		m.neonStore(to, part, f.apply(m, x, y))
	})
	c.Emit("add", out, out, size)
	c.Emit("add", aRow, aRow, aStep)
	c.Emit("add", bRow, bRow, bStep)
	c.Emit("subs", rows, rows, 1)
	c.Branch("bne", "row")
	c.Return()
}

func (f *reduction) generateNEON(file *neon.File) {
	name := f.name + "NEON"
	parameters := "x *float32, n int"
	if f.hasM {
		parameters = "x *float32, m float32, n int"
	}
	if f.hasOut {
		parameters = "out, " + parameters
	}
	m, c := newNEON(file, "func "+name+"("+parameters+") (r float32)", append([]string{name + f.doc[0]}, f.doc[1:]...)...)
	var out neon.Reg
	var by value
	ways, combine := 4, "fadd"
	if f.max {
		combine = "fmaxnm"
	}
	if f.hasOut {
		out, ways = c.Arg("out"), 2
	}
	x, n := c.Arg("x"), c.Arg("n")
	if f.hasM {
		by = value{neonVector{c.ArgVec("m")}}
	}
	m.ways = ways
	m.collect(neonRegisters(ways), func() { f.term(m, nil, nil) })
	acc := make(value, ways)
	for way := range acc {
		v := c.Vec()
		if f.max {
			c.Emit("ld1r", v, neon.At(x))
		} else {
			c.SetConstant(v, 0)
		}
		acc[way] = neonVector{v}
	}
	m.neonWalk(n, ways, func(part Op) {
		v := f.term(m, m.neonLoad(x, part), by)
		if f.hasOut {
			m.neonStore(out, part, v)
		}
		if part != nil {
			if f.max {
				v = m.pick(condition{part}, v, acc[:1])
			} else {
				v = m.and(v, value{part})
			}
		}
		m.neonUpdate(combine, acc, acc, v)
	})
	m.ways = ways / 2
	for half := ways / 2; half > 0; half /= 2 {
		m.ways = half
		m.neonUpdate(combine, acc[:half], acc[:half], acc[half:2*half])
	}
	v, r := acc[0].(neonVector).Vec, c.Reg()
	for range 2 {
		c.Emit(map[bool]string{true: "fmaxnmp", false: "faddp"}[f.max], v, v, v)
	}
	c.Emit("umov", r, v.Lane(0))
	c.Result("r", r)
	c.Return()
}

func (f *checkedFunction) generateNEON(file *neon.File) {
	name := f.name + "CheckedNEON"
	doc := append(docOf(name, f.formula), "", "if "+f.domain+".", "Otherwise out[i] is unspecified, and the function returns false.")
	m, c := newNEON(file, "func "+name+"(out, a, b *float32, n int) (r bool)", doc...)
	out, a, b, n := c.Arg("out"), c.Arg("a"), c.Arg("b"), c.Arg("n")
	m.ways = 1
	m.collect(f.neonRegisters, func() { f.apply(m, nil, nil) })
	all := c.Constant(1<<32 - 1)
	m.neonWalk(n, 1, func(part Op) {
		z, valid := f.apply(m, m.neonLoad(a, part), m.neonLoad(b, part))
		m.neonStore(out, part, z)
		if part != nil {
			valid = condition(m.perNEON("orn", value(valid), value{part}))
		}
		m.neonUpdate("and", value{neonVector{all}}, value{neonVector{all}}, value(valid))
	})
	r := c.Reg()
	c.Emit("uminv", all.S(), all)
	c.Emit("umov", r, all.Lane(0))
	c.Emit("and", r, r, 1)
	c.Result("r", r)
	c.Return()
}

func affineNEON(file *neon.File) {
	m, c := newNEON(file, "func affineRowNEON(out, x *float32, sub, mul, add float32, n int)",
		"affineRowNEON sets, for each i < n,", "", "\tout[i] = (x[i]-sub)*mul + add", "", "The product and the sum are rounded once.")
	out, x, n := c.Arg("out"), c.Arg("x"), c.Arg("n")
	parameter := func(name string) value { return value{neonVector{c.ArgVec(name)}} }
	sub, mul, add := parameter("sub"), parameter("mul"), parameter("add")
	m.neonWalk(n, 4, func(part Op) {
		v := m.sub(m.neonLoad(x, part), sub)
		m.mulAdd(v, mul, add)
		m.neonStore(out, part, v)
	})
	c.Return()
}
