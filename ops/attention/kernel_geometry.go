package attention

import (
	"fmt"
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// operand is an input whose batches broadcast to those of the output.
type operand struct {
	steps   []int // elements for one position of each batch axis, 0 where stretched
	row     int   // elements from one row to the next, 0 where one is stretched
	column  int   // elements from one column to the next
	present bool
}

// geometry is the lengths of the matrices, and where they stand.
type geometry struct {
	l, s, e, ev int
	tile        int // rows that are computed at a time
	batch       ir.Shape
	batches     int
	causal      bool
	scale       float64 // where no input says it

	query, key, value, mask, sink operand
	booleans                      bool // the mask's type
	scaled                        bool // an input says the scale
}

// tileRows is the greatest number of rows of a tile, and tileScores the number of its
// scores, unless these are fewer than those of minRows rows.
const (
	tileRows   = 96
	minRows    = 12
	tileScores = 1 << 16
)

func newGeometry(p *ops.Preparation) (*geometry, error) {
	out, err := p.Outputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	if _, err := ir.ByteSize(ir.F64, out); err != nil {
		return nil, err
	}
	shapes := make([]ir.Shape, len(p.Inputs))
	for i := range shapes {
		if shapes[i], err = p.Inputs[i].Shape.Static(); err != nil {
			return nil, err
		}
	}
	rank := len(out)
	lastOf := func(i int) (rows, columns int) { return shapes[i][len(shapes[i])-2], shapes[i][len(shapes[i])-1] }
	g := &geometry{causal: p.Attributes.(attributes).causal, batch: out[:rank-2], batches: out[:rank-2].Elements(), l: out[rank-2]}
	g.s, g.e = lastOf(key)
	_, g.ev = lastOf(value)
	g.tile = max(min(g.l, tileRows, tileScores/max(g.s, 1)), min(g.l, minRows), 1)
	g.scale = scaleOf(g.e)
	if g.query, err = g.operand(query, shapes[query], g.l, g.e); err != nil {
		return nil, err
	}
	if g.key, err = g.operand(key, shapes[key], g.s, g.e); err != nil {
		return nil, err
	}
	if g.value, err = g.operand(value, shapes[value], g.s, g.ev); err != nil {
		return nil, err
	}
	return g, g.optional(p, shapes)
}

// scaleOf returns the scale that no input says. Without columns there is nothing to
// scale.
func scaleOf(e int) float64 {
	if e == 0 {
		return 1
	}
	return 1 / math.Sqrt(float64(e))
}

// optional takes the inputs that a layer may lack.
func (g *geometry) optional(p *ops.Preparation, shapes []ir.Shape) error {
	var err error
	t := p.Outputs[0].Type
	if len(shapes) > mask && !g.causal {
		g.booleans = p.Inputs[mask].Type == ir.Boolean
		if !g.booleans && p.Inputs[mask].Type != t {
			return fmt.Errorf("attention_mask is %v, query is %v", p.Inputs[mask].Type, t)
		}
		shape := shapes[mask]
		if len(shape) == 0 {
			shape = ir.Shape{1, 1}
		}
		if g.mask, err = g.operand(mask, shape, g.l, g.s); err != nil {
			return err
		}
	}
	if len(shapes) > scale {
		g.scaled = true
		if shapes[scale].Elements() == 0 {
			return fmt.Errorf("scale has shape %v, which has no element", shapes[scale])
		}
	}
	if len(shapes) > sink {
		g.sink, err = g.operand(sink, shapes[sink], g.l, 1)
	}
	return err
}

// operand returns how an input of at least two axes is read as rows by columns, to
// which lengths of 1 are stretched.
func (g *geometry) operand(port int, shape ir.Shape, rows, columns int) (operand, error) {
	o := operand{present: true, steps: make([]int, len(g.batch))}
	misfit := fmt.Errorf("input %d has shape %v, which does not fit %d rows, %d columns and batches of %v", port, shape, rows, columns, g.batch)
	n := len(shape) - 2
	if n < 0 || n > len(g.batch) {
		return o, misfit
	}
	stride := 1
	for i, length := range []int{columns, rows} {
		step := stride
		switch shape[n+1-i] {
		case length:
		case 1:
			step = 0
		default:
			return o, misfit
		}
		stride *= shape[n+1-i]
		if i == 0 {
			o.column = step
		} else {
			o.row = step
		}
	}
	first := len(g.batch) - n
	for k := n - 1; k >= 0; k-- {
		switch shape[k] {
		case g.batch[first+k]:
			o.steps[first+k] = stride
		case 1:
		default:
			return o, misfit
		}
		stride *= shape[k]
	}
	return o, nil
}

// offset returns where a batch of an operand starts.
func (g *geometry) offset(o *operand, batch int) int {
	at := 0
	for k := len(g.batch) - 1; k >= 0; k-- {
		at += batch % g.batch[k] * o.steps[k]
		batch /= g.batch[k]
	}
	return at
}
