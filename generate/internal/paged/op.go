// Package paged keeps the keys and values of many texts in blocks, and computes attention to them.
// Texts that begin with the same tokens share the blocks of these tokens.
//
// PagedAttention-vinoir.paged is the layer type of a Store. Its rows, those of a step, are rows of
// several texts: Store.Begin says of which, and at which positions.
//
//	PagedAttention(query, key, value): key and value are stored as those of the positions of the
//	    rows; then each row of the output is the attention of its row of query to the keys and
//	    values of its text up to its own position
//
// Inputs, f32: query [1, heads*groups, rows, E], key [1, heads, rows, E] and value [1, heads, rows,
// Ev]. Output: f32[1, heads*groups, rows, Ev]. Attributes: layer, the index in NewStore's layers;
// groups; scale, that of the products of query and key; window, the number of positions up to its
// own that a row sees, 0 for all; slopes, what each head of query adds to a score for each position
// that the key is behind the row, a negative number of them (ALiBi); and sinks, a further score of
// each head of query, without a value. The lists are empty if there are none.
package paged

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Type and Namespace are those of the layer type of a Store.
const Type, Namespace = "PagedAttention", "vinoir.paged"

// The indices of the inputs.
const (
	query = iota
	key
	value
	inputs
)

type attributes struct {
	layer, groups, window int
	scale                 float32
	slopes, sinks         []float32
}

// Op returns the layer type.
func (s *Store) Op() ops.Op {
	return ops.Op{
		Type: Type, Namespace: Namespace, Inputs: ops.Exactly(inputs), Types: []ir.ElementType{ir.F32},
		Attributes: s.parse, Infer: s.infer, Prepare: s.prepare, Traits: ops.Traits{Stateful: true},
	}
}

func (s *Store) parse(a *ir.Attributes) (any, error) {
	at := attributes{
		layer: int(a.Int("layer", 0)), groups: int(a.Int("groups", 1)), window: int(a.Int("window", 0)), scale: float32(a.Float("scale", 1)),
	}
	switch {
	case at.layer < 0 || at.layer >= len(s.layers):
		a.Fail("layer", "%d is not one of %d", at.layer, len(s.layers))
	case at.groups < 1:
		a.Fail("groups", "%d is less than 1", at.groups)
	case at.window < 0:
		a.Fail("window", "%d is negative", at.window)
	default:
		heads := s.layers[at.layer].Heads * at.groups
		at.slopes, at.sinks = perHead(a, "slopes", heads), perHead(a, "sinks", heads)
	}
	return at, a.Err()
}

// perHead returns an attribute that has a number for each head, or none.
func perHead(a *ir.Attributes, name string, heads int) []float32 {
	numbers := a.Floats(name)
	if len(numbers) > 0 && len(numbers) != heads {
		a.Fail(name, "it has %d numbers for %d heads", len(numbers), heads)
	}
	list := make([]float32, len(numbers))
	cast.Convert(list, numbers)
	return list
}

func (s *Store) infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	l := &s.layers[at.layer]
	rows := ir.AnyDim
	if q := in.Inputs[query].Shape; q.RankKnown() && q.Rank() == 4 {
		rows = q.At(2)
	}
	for i, want := range []ir.PartialShape{
		shapeOf(l.Heads*at.groups, rows, l.KeyWidth), shapeOf(l.Heads, rows, l.KeyWidth), shapeOf(l.Heads, rows, l.ValueWidth),
	} {
		if got := &in.Inputs[i]; !got.Shape.Compatible(want) || got.Type != ir.F32 && got.Type != ir.Dynamic {
			return faults.Errorf("input %d is %v%v, expected f32%v", i, got.Type, got.Shape, want)
		}
	}
	return ops.SetOutputs(in, ir.Fact{Type: ir.F32, Shape: shapeOf(l.Heads*at.groups, rows, l.ValueWidth)})
}

func shapeOf(heads int, rows ir.Dimension, width int) ir.PartialShape {
	return ir.ShapeOf(ir.Dim(1), ir.Dim(int64(heads)), rows, ir.Dim(int64(width)))
}
