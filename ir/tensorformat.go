package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// Of an axis of a tensor with more than formatAll elements, String and Format print the first and
// last formatEdge ones at most, as NumPy does. They never print more than formatAll elements.
const (
	formatAll  = 1000
	formatEdge = 3
)

// String returns the type, the shape and the elements as NumPy prints them:
//
//	f32[2,3]
//	[[1 2.5 3]
//	 [4   5 6]]
//
// Of each axis of a tensor with more than 1000 elements, it has the first and the last three at
// most. The
// elements of types without arithmetic, such as f8e4m3 and those below a byte, are their bits.
func (t *Tensor) String() string { return t.text('g', -1) }

// Format implements fmt.Formatter: %v and %s print what String returns; %e, %f and %g, with or
// without a precision such as %.3f, print floating-point elements so.
func (t *Tensor) Format(f fmt.State, verb rune) {
	format, precision := byte('g'), -1
	switch verb {
	case 'v', 's':
	case 'e', 'f', 'g':
		format = byte(verb)
		if given, ok := f.Precision(); ok {
			precision = given
		}
	default:
		fmt.Fprintf(f, "%%!%c(*ir.Tensor=%v%v)", verb, t.elementType, t.shape)
		return
	}
	_, _ = f.Write([]byte(t.text(format, precision))) // fmt reports errors of its writer
}

// text returns what String does, with floating-point elements as strconv.AppendFloat formats them.
func (t *Tensor) text(format byte, precision int) string {
	if t == nil {
		return "<nil>"
	}
	p := tensorPrinter{shape: t.shape, edge: edgeOf(t.shape), element: t.elementText(format, precision)}
	p.measure(0, 0)
	fmt.Fprintf(&p.out, "%v%v", t.elementType, t.shape)
	if len(t.shape) == 0 {
		p.out.WriteString(" " + p.element(0))
		return p.out.String()
	}
	p.out.WriteByte('\n')
	p.print(0, 0)
	return p.out.String()
}

// elementText returns the function that formats element i.
func (t *Tensor) elementText(format byte, precision int) func(i int) string {
	switch et := t.elementType; {
	case et == String:
		return func(i int) string { return strconv.Quote(t.strings[i]) }
	case et == Boolean:
		value := t.Values()
		return func(i int) string { return strconv.FormatBool(value(i) != 0) }
	case et.Kind() == KindComplex || et == Dynamic:
		return func(int) string { return "?" }
	case et == F16 || et == BF16 || et == F32:
		value := t.Values()
		return func(i int) string { return strconv.FormatFloat(value(i), format, precision, 32) }
	case et == F64:
		value := t.Values()
		return func(i int) string { return strconv.FormatFloat(value(i), format, precision, 64) }
	case et == U64:
		values := Data[uint64](t)
		return func(i int) string { return strconv.FormatUint(values[i], 10) }
	case et == I64:
		values := Data[int64](t)
		return func(i int) string { return strconv.FormatInt(values[i], 10) }
	}
	value := t.Values()
	return func(i int) string { return strconv.FormatFloat(value(i), 'f', -1, 64) }
}

// edgeOf returns how many of the first and of the last indices of each axis are printed: enough for
// all of them if there are not many elements; fewer than formatEdge if the axes are that many.
func edgeOf(shape Shape) int {
	for _, edge := range []int{formatAll, formatEdge, 2, 1} {
		printed := 1
		for _, d := range shape {
			printed = min(printed*min(d, 2*edge), formatAll+1) // so that it does not overflow
		}
		if printed <= formatAll {
			return edge
		}
	}
	return 0
}

// tensorPrinter prints the elements of a tensor.
type tensorPrinter struct {
	shape   Shape
	edge    int // see edgeOf
	element func(i int) string
	width   int // of the widest element that is printed
	out     strings.Builder
}

// visit calls f for each index of axis that is printed, and with -1 for those that are left out.
func (p *tensorPrinter) visit(axis int, f func(i int)) {
	n := p.shape[axis]
	if n <= 2*p.edge {
		for i := range n {
			f(i)
		}
		return
	}
	for i := range p.edge {
		f(i)
	}
	f(-1)
	for i := n - p.edge; i < n; i++ {
		f(i)
	}
}

// measure sets width from the elements at and after axis; first is the number of the first one.
func (p *tensorPrinter) measure(axis, first int) {
	if axis == len(p.shape) {
		p.width = max(p.width, len(p.element(first)))
		return
	}
	stride := p.shape[axis+1:].Elements()
	p.visit(axis, func(i int) {
		if i >= 0 {
			p.measure(axis+1, first+i*stride)
		}
	})
}

// print prints the elements at and after axis in brackets.
func (p *tensorPrinter) print(axis, first int) {
	stride, last := p.shape[axis+1:].Elements(), axis == len(p.shape)-1
	between := " "
	if !last {
		between = strings.Repeat("\n", len(p.shape)-1-axis) + strings.Repeat(" ", axis+1)
	}
	p.out.WriteByte('[')
	separate := false
	p.visit(axis, func(i int) {
		if separate {
			p.out.WriteString(between)
		}
		separate = true
		switch {
		case i < 0:
			p.out.WriteString("...")
		case last:
			text := p.element(first + i)
			p.out.WriteString(strings.Repeat(" ", p.width-len(text)) + text)
		default:
			p.print(axis+1, first+i*stride)
		}
	})
	p.out.WriteByte(']')
}
