package control

import (
	"math"

	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// maxUnrolled is the largest number of nodes that a Loop is converted to in place of a layer.
const maxUnrolled = 2000

// unrolled converts the trips of a Loop one after the other, in place of the node, so that all
// lists in it are known. It is done only if the number of trips is known, by the input or by the
// condition after each trip, and if it is small.
func unrolled(n *convert.Node, states []convert.Value) (outputs []convert.Value, done bool) {
	trips, condition := int64(math.MaxInt64), true
	if n.Has(0) {
		count, known := n.Ints(n.Input(0))
		if !known || len(count) != 1 {
			return nil, false
		}
		trips = max(count[0], 0)
	}
	if n.Has(1) {
		given, known := n.Ints(n.Input(1))
		if !known || len(given) != 1 {
			return nil, false
		}
		condition = given[0] != 0
	}
	most := maxUnrolled / max(n.GraphSize("body"), 1)
	if n.Has(0) && trips > int64(most) {
		return nil, false
	}
	carried, scanned := len(states), make([][]convert.Value, n.Outputs()-len(states))
	for trip := int64(0); trip < trips && condition; trip++ {
		if trip == int64(most) {
			return nil, false
		}
		inputs := append([]convert.Value{n.IntValue(trip), n.ValueOf(true)}, states...)
		wanted := func(i int) bool { return i <= carried || n.Wants(i-1) }
		results := n.Graph("body", 1+n.Outputs(), wanted, inputs...)
		if n.Failed() {
			return nil, false
		}
		for _, v := range results {
			if v.Spoiled() {
				return v.Distribute(n.Outputs(), n.Wants), true
			}
		}
		after, known := n.Ints(results[0])
		if !known || len(after) != 1 {
			return nil, false
		}
		condition, states = after[0] != 0, results[1:1+carried]
		for i, v := range results[1+carried:] {
			if n.Wants(carried + i) {
				scanned[i] = append(scanned[i], n.Unsqueeze(v, 0))
			}
		}
	}
	outputs = states[:carried:carried]
	for i, values := range scanned {
		var v convert.Value
		if n.Wants(carried + i) {
			if len(values) == 0 {
				return nil, false // only the layer knows the shape of the values of no trip
			}
			v = n.Concat(0, values...)
		}
		outputs = append(outputs, v)
	}
	return outputs, true
}
