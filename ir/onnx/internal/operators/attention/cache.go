package attention

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// tensorScatter writes rows over those of a cache, from one on that each element of the batch has
// of its own, 0 by default. With mode circular, rows behind the last one are the first ones.
//
// It picks each row of the result from the cache and the rows that are written, joined: so it needs
// no indices of all elements, and a row is copied at once.
func tensorScatter(n *convert.Node) []convert.Value {
	cache, update, start := n.Input(0), n.Input(1), n.Input(2)
	circular := n.Enum("mode", "linear", "linear", "circular") == "circular"
	axis := n.Int("axis", -2)
	rank := n.Rank(cache)
	if rank < 0 && axis < 0 {
		rank = n.RequireRank(cache, "past_cache")
	}
	if rank >= 0 {
		axis = int64(n.Axis(axis, rank))
	}
	if axis == 0 {
		n.Fail("attribute axis is 0, the axis of the batch")
		return nil
	}
	if start.Absent() {
		start = n.IntValues(0)
	}
	return []convert.Value{written(n, cache, update, start, write{axis, circular, arithmetic.Lengths(n, cache, axis)})}
}

// write says how rows are written to a cache.
type write struct {
	axis     int64
	circular bool
	// capacity is the length of the result. If it is longer than the cache, what is behind that and
	// not written has any value.
	capacity convert.Value
}

// written returns a cache with rows written over, from start on: one number, or one for each
// element of the batch.
func written(n *convert.Node, cache, update, start convert.Value, w write) convert.Value {
	old, rows := arithmetic.Lengths(n, cache, w.axis), arithmetic.Lengths(n, update, w.axis)
	places := n.Unsqueeze(arithmetic.Range(n, w.capacity, ir.I64), 0)
	// from is the row of update that goes to each place.
	from := arithmetic.Subtract(n, places, n.Unsqueeze(n.Convert(start, ir.I64), 1))
	if w.circular {
		from = n.Layer("FloorMod", 1, nil, from, w.capacity)
	}
	isWritten := n.Layer("LogicalAnd", 1, nil,
		n.Layer("GreaterEqual", 1, nil, from, n.IntValue(0)), n.Layer("Less", 1, nil, from, rows))
	kept := arithmetic.Minimum(n, places, arithmetic.Subtract(n, arithmetic.Add(n, old, rows), n.IntValue(1)))
	picked := arithmetic.Select(n, isWritten, arithmetic.Add(n, from, old), kept)
	batch := n.Concat(0, arithmetic.Lengths(n, cache, 0), w.capacity)
	picked = arithmetic.Broadcast(n, picked, batch)
	return n.Layer("Gather", 8, convert.Attributes("batch_dims", 1), n.Concat(w.axis, cache, update), picked, n.IntValue(w.axis))
}
