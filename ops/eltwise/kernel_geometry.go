package eltwise

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/autobroadcast"
)

// stretching specifies which input, if any, is stretched: it has a single element for a whole row.
type stretching uint8

const (
	noneStretched stretching = iota
	aStretched
	bStretched
)

// lengths returns the number of elements that each input has for a row of n elements.
func (s stretching) lengths(n int) (a, b int) {
	switch s {
	case aStretched:
		return 1, n
	case bStretched:
		return n, 1
	}
	return n, n
}

// axis is one or more neighbouring axes of the output along which both inputs advance by a fixed
// step.
type axis struct {
	n    int // positions
	a, b int // steps of the inputs; 0 if an input is stretched
}

// geometry splits the output into rows along its last axis. In a row, each input is contiguous or a
// single element. The rows along the axis before have a fixed distance.
type geometry struct {
	shape        ir.Shape // of the output
	elements     int
	n            int // elements of a row
	stretching   stretching
	rows         int // number of rows along the axis before the last
	aStep, bStep int // distance between these rows
	outer        []axis
}

func newGeometry(p *ops.Preparation, at attributes) (*geometry, error) {
	out, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	return geometryOf(out, p.InputShape(0), p.InputShape(1), at)
}

func geometryOf(out, a, b ir.Shape, at attributes) (*geometry, error) {
	for at.f == prelu && len(b) > len(out) && b[0] == 1 { // the slope adds no axes to the output
		b = b[1:]
	}
	// The axis of the output that corresponds to the first axis of each input.
	aStart, bStart := len(out)-len(a), len(out)-len(b)
	if at.Kind == autobroadcast.PDPD && at.Axis >= 0 {
		bStart = at.Axis
	}
	aStrides, ok := strides(a, out, aStart)
	if !ok {
		return nil, faults.Errorf("input 0 is %v, which does not broadcast to %v", a, out)
	}
	bStrides, ok := strides(b, out, bStart)
	if !ok {
		return nil, faults.Errorf("input 1 is %v, which does not broadcast to %v", b, out)
	}
	g := &geometry{shape: out, elements: out.Elements(), rows: 1}
	if g.elements > 0 {
		g.collapse(aStrides, bStrides)
	}
	return g, nil
}

// strides returns the step of a tensor along each axis of out; false if the tensor does not
// broadcast to out. Axis start of out corresponds to the first axis of the tensor.
func strides(shape, out ir.Shape, start int) ([]int, bool) {
	steps := make([]int, len(out))
	if start < 0 || start+len(shape) > len(out) {
		return nil, false
	}
	stride := 1
	for i := len(shape) - 1; i >= 0; i-- {
		switch shape[i] {
		case out[start+i]:
			steps[start+i] = stride
		case 1:
		default:
			return nil, false
		}
		stride *= shape[i]
	}
	return steps, true
}

// collapse merges neighbouring axes if each input has a single step for both.
func (g *geometry) collapse(a, b []int) {
	var axes []axis
	for i, n := range g.shape {
		if n == 1 {
			continue
		}
		if k := len(axes) - 1; k >= 0 && axes[k].a == a[i]*n && axes[k].b == b[i]*n {
			axes[k] = axis{axes[k].n * n, a[i], b[i]}
			continue
		}
		axes = append(axes, axis{n, a[i], b[i]})
	}
	if len(axes) == 0 {
		g.n = 1
		return
	}
	last := axes[len(axes)-1]
	g.n, axes = last.n, axes[:len(axes)-1]
	switch {
	case last.a == 0:
		g.stretching = aStretched
	case last.b == 0:
		g.stretching = bStretched
	}
	if len(axes) > 0 {
		before := axes[len(axes)-1]
		g.rows, g.aStep, g.bStep = before.n, before.a, before.b
		g.outer = axes[:len(axes)-1]
	}
}

// span is a number of rows of n elements, or a part of one row.
type span struct {
	out, a, b int // where the first row starts
	n, rows   int
}

// span returns the rows from element lo on that end at hi or before. If lo is inside a row, or hi
// is inside the first row, it returns the part of this row between them.
func (g *geometry) span(lo, hi int) span {
	row, skip := lo/g.n, lo%g.n
	s := span{out: lo, n: g.n, rows: 1}
	if rest := row % g.rows; skip == 0 && hi-lo >= g.n {
		s.rows = min(g.rows-rest, (hi-lo)/g.n)
	} else {
		s.n = min(g.n-skip, hi-lo)
	}
	s.a, s.b = row%g.rows*g.aStep, row%g.rows*g.bStep
	row /= g.rows
	for i := len(g.outer) - 1; i >= 0; i-- {
		at := row % g.outer[i].n
		row /= g.outer[i].n
		s.a += at * g.outer[i].a
		s.b += at * g.outer[i].b
	}
	if g.stretching != aStretched {
		s.a += skip
	}
	if g.stretching != bStretched {
		s.b += skip
	}
	return s
}
