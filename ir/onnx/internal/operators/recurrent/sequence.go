package recurrent

import (
	"slices"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// fitsLayer reports whether the sequence layer can compute the node.
func (q *recurrence) fitsLayer() bool {
	if q.inputForget || !q.peepholes.Absent() || q.memory != nil {
		return false
	}
	for _, list := range q.functions {
		for _, f := range list {
			if !inLayers(f) {
				return false
			}
		}
	}
	return true
}

// sameFunctions reports whether all directions have the same functions, as in a layer.
func (q *recurrence) sameFunctions() bool {
	return slices.Equal(q.functions[0], q.functions[q.directions-1])
}

// sequence adds a layer for directions from to before to, and returns its outputs. The layer limits
// only what f and g are applied to, and not the state that h is: so does ONNX Runtime.
func (q *recurrence) sequence(from, to int) []convert.Value {
	n := q.n
	part := func(v convert.Value, axis int64) convert.Value {
		if to-from == q.directions {
			return v
		}
		return n.Slice(v, axis, int64(from), int64(to))
	}
	inputs := []convert.Value{q.x}
	for _, state := range q.states {
		inputs = append(inputs, part(state, 1))
	}
	inputs = append(inputs, q.allLengths(), part(q.w, 0), part(q.r, 0), part(n.Concat(1, q.b...), 0))
	return n.Layer(q.layer, 5, q.attributes(from, to), inputs...).Outputs(1 + len(q.states))
}

// attributes returns those of the layer for directions from to before to.
func (q *recurrence) attributes(from, to int) []ir.Attribute {
	direction := q.direction
	if to-from < q.directions {
		direction = []string{"forward", "reverse"}[from]
	}
	list := q.functionAttributes(from, "hidden_size", q.hidden, "direction", direction)
	if len(q.order) == 3 {
		list = append(list, "linear_before_reset", q.linearBeforeReset)
	}
	return convert.Attributes(list...)
}

// functionAttributes appends the functions of a direction, and clip, to a list of attributes.
func (q *recurrence) functionAttributes(d int, list ...any) []any {
	var names string
	var alpha, beta []float32
	for i, f := range q.functions[d] {
		if i > 0 {
			names += ","
		}
		names += strings.ToLower(f.Name)
		alpha, beta = append(alpha, f.Alpha), append(beta, f.Beta)
	}
	return append(list, "activations", names, "activations_alpha", alpha, "activations_beta", beta, "clip", q.clip)
}

// joined joins the outputs of layers for one direction each.
func joined(n *convert.Node, forward, backward []convert.Value) []convert.Value {
	outputs := make([]convert.Value, len(forward))
	for i := range outputs {
		outputs[i] = n.Concat(1, forward[i], backward[i])
	}
	return outputs
}
