package attention

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// operand describes an input whose batch axes broadcast to those of the output.
type operand struct {
	steps   []int // stride of each batch axis in elements; 0 if it is broadcast
	row     int   // stride of rows; 0 if one row is broadcast
	column  int   // stride of columns; 0 if one column is broadcast
	present bool

	// Of key and value in CachedAttention: the number of rows that there is memory for in each
	// batch, and of the last rows that are read from another input.
	capacity, newRows int
}

// geometry holds the lengths of the matrices and their places in the inputs.
type geometry struct {
	l, s, e, ev int
	tile        int // the number of rows that are computed at a time
	batch       ir.Shape
	batches     int
	causal      bool
	scale       float64 // used if there is no input scale

	query, key, value, mask, sink operand
	booleans                      bool // the mask is boolean
	scaled                        bool // there is an input scale
	skipped                       int  // the number of inputs between value and mask

	levels bool           // query and key are u8
	stored ir.ElementType // of key and value, if it is not the type of query; otherwise Dynamic
	// the number of batches that follow each other and have the same key and value
	shared int
}

// maxShared is the number of rows that are computed together from the same key and value.
const maxShared = 16

// A tile has at most tileRows rows and about tileScores scores, but at least minRows rows if
// there are that many.
const (
	tileRows   = 96
	minRows    = 12
	tileScores = 1 << 16
)

// newGeometry returns the geometry of a layer, or an error if the shapes do not fit each other.
func newGeometry(p *ops.Preparation) (*geometry, error) {
	out, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	if _, err := ir.ByteSize(ir.F64, out); err != nil {
		return nil, err
	}
	shapes, lengths := make([]ir.Shape, len(p.Inputs)), make(ir.Shape, 0, 8*len(p.Inputs))
	for i := range shapes {
		first := len(lengths)
		for _, d := range p.Inputs[i].Shape.Dims() {
			lengths = append(lengths, int(d.Max))
		}
		shapes[i] = lengths[first:]
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

// scaleOf returns the default scale for E columns. If E is 0 there is nothing to scale.
func scaleOf(e int) float64 {
	if e == 0 {
		return 1
	}
	return 1 / math.Sqrt(float64(e))
}

// optional adds the optional inputs.
func (g *geometry) optional(p *ops.Preparation, shapes []ir.Shape) error {
	var err error
	t := p.Outputs[0].Type
	if len(shapes) > mask && !g.causal {
		g.booleans = p.Inputs[mask].Type == ir.Boolean
		if !g.booleans && p.Inputs[mask].Type != t {
			return faults.Errorf("attention_mask is %v, query is %v", p.Inputs[mask].Type, t)
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
			return faults.Errorf("scale has shape %v, which has no element", shapes[scale])
		}
	}
	if len(shapes) > sink {
		g.sink, err = g.operand(sink, shapes[sink], g.l, 1)
	}
	return err
}

// operand returns how to read an input of at least two axes as matrices of the given size. Axes
// of length 1 are broadcast.
func (g *geometry) operand(port int, shape ir.Shape, rows, columns int) (operand, error) {
	o := operand{present: true, steps: make([]int, len(g.batch))}
	misfit := func() error {
		return faults.Errorf("input %d has shape %v, which does not fit %d rows, %d columns and batches of %v", port, shape, rows, columns, g.batch)
	}
	n := len(shape) - 2
	if n < 0 || n > len(g.batch) {
		return o, misfit()
	}
	stride := 1
	for i, length := range []int{columns, rows} {
		step := stride
		switch shape[n+1-i] {
		case length:
		case 1:
			step = 0
		default:
			return o, misfit()
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
			return o, misfit()
		}
		stride *= shape[k]
	}
	return o, nil
}

// countShared sets shared.
func (g *geometry) countShared() {
	g.shared = 1
	for k := len(g.batch) - 1; k >= 0 && (g.batch[k] == 1 || g.key.steps[k] == 0 && g.value.steps[k] == 0); k-- {
		g.shared *= g.batch[k]
	}
}

// offset returns the offset of a batch in an operand.
func (g *geometry) offset(o *operand, batch int) int {
	at := 0
	for k := len(g.batch) - 1; k >= 0; k-- {
		at += batch % g.batch[k] * o.steps[k]
		batch /= g.batch[k]
	}
	return at
}
