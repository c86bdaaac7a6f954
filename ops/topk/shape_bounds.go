package topk

import (
	"slices"
	"sort"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/bounds"
)

// inferBounds computes the outputs of known values. They stay unknown for sort none, whose order is
// unspecified.
func inferBounds(in *ops.Inference) {
	at := in.Attributes.(attributes)
	switch in.Inputs[0].Type {
	case ir.I32, ir.I64, ir.U32, ir.U64: // the types for which OpenVINO evaluates the layer
	default:
		return
	}
	shape, out, ok := bounds.ShapesIfKnown(in)
	if !ok || at.order == unordered {
		return
	}
	data, _ := in.Inputs[0].Ints()
	axis, err := index.Axis(at.axis, len(shape))
	if err != nil {
		return
	}
	from, to := index.Along(shape, axis), index.Along(out, axis)
	if to.Length > from.Length {
		return
	}
	values, indices := make([]int64, out.Elements()), make([]int64, out.Elements())
	for line := range len(data) / max(from.Length, 1) {
		data, first := data[from.Start(line):], to.Start(line)
		for i, place := range at.pick(data, from.Length, from.Inner, to.Length) {
			values[first+i*to.Inner] = data[place*from.Inner]
			indices[first+i*to.Inner] = int64(place)
		}
	}
	bounds.SetValues(&in.Outputs[0], values)
	if len(in.Outputs) > 1 {
		bounds.SetValues(&in.Outputs[1], indices)
	}
}

// pick returns the positions of k of the n elements of row, in order. Neighbours are stride apart.
func (at attributes) pick(row []int64, n, stride, k int) []int {
	places := make([]int, n)
	for i := range places {
		places[i] = i
	}
	sort.SliceStable(places, func(i, j int) bool {
		a, b := row[places[i]*stride], row[places[j]*stride]
		if at.smallest {
			return a < b
		}
		return a > b
	})
	places = places[:k]
	if at.order == byIndex {
		slices.Sort(places)
	}
	return places
}
