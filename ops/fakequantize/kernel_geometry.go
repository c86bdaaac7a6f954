package fakequantize

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/autobroadcast"
)

// limits is the number of limits: input_low, input_high, output_low, output_high.
const limits = 4

// axis is one or more neighbouring axes of data along which every limit advances by a fixed step.
type axis struct {
	n int
	// distance between neighbouring elements of each limit; 0 if the limit is repeated
	steps [limits]int
}

// geometry splits data into rows along the last axis.
type geometry struct {
	elements int
	last     axis
	outer    []axis // innermost first
}

func newGeometry(data ir.Shape, shapes [limits]ir.Shape, rule autobroadcast.Rule) (*geometry, error) {
	g := &geometry{elements: data.Elements(), last: axis{n: 1}}
	if g.elements == 0 {
		return g, nil
	}
	var steps [limits][]int
	for i, shape := range shapes {
		var ok bool
		if steps[i], ok = stepsOf(shape, data, rule); !ok {
			return nil, faults.Errorf("input %d is %v, which does not broadcast to data of shape %v", i+1, shape, data)
		}
	}
	var axes []axis
	for k := len(data) - 1; k >= 0; k-- {
		if data[k] == 1 {
			continue
		}
		next := axis{n: data[k]}
		joins := len(axes) > 0
		for i := range next.steps {
			next.steps[i] = steps[i][k]
			joins = joins && next.steps[i] == axes[len(axes)-1].steps[i]*axes[len(axes)-1].n
		}
		if joins {
			axes[len(axes)-1].n *= next.n
		} else {
			axes = append(axes, next)
		}
	}
	if len(axes) > 0 {
		g.last, g.outer = axes[0], axes[1:]
	}
	return g, nil
}

// stepsOf returns the distance that a limit advances along each axis of data; false if the limit
// does not broadcast to data.
func stepsOf(shape, data ir.Shape, rule autobroadcast.Rule) ([]int, bool) {
	for len(shape) > len(data) && shape[0] == 1 {
		shape = shape[1:]
	}
	start := len(data) - len(shape)
	if rule.Kind == autobroadcast.PDPD && rule.Axis >= 0 {
		start = rule.Axis
	}
	if start < 0 || start > len(data)-len(shape) {
		return nil, false
	}
	steps := make([]int, len(data))
	stride := 1
	for k := len(shape) - 1; k >= 0; k-- {
		switch shape[k] {
		case data[start+k]:
			steps[start+k] = stride
		case 1:
		default:
			return nil, false
		}
		stride *= shape[k]
	}
	return steps, true
}

// run is a piece of a row of data.
type run struct {
	n  int
	at [limits]int // the offsets at which the limits start
}

// run returns the run that starts at element lo. It ends at hi or at the end of the row.
func (g *geometry) run(lo, hi int) run {
	row, skip := lo/g.last.n, lo%g.last.n
	piece := run{n: min(g.last.n-skip, hi-lo)}
	for i := range piece.at {
		piece.at[i] = skip * g.last.steps[i]
	}
	for k := range g.outer {
		a := &g.outer[k]
		position := row % a.n
		row /= a.n
		for i := range piece.at {
			piece.at[i] += position * a.steps[i]
		}
	}
	return piece
}
