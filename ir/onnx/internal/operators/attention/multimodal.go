package attention

import (
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// multimodalRotary is MRotaryEmbedding: each row has three positions [3, batch, rows], those of the
// time, the row and the column of a picture, and each pair is turned by the angle of one of them.
// mrope_section says how many pairs each has: one after the other or, with mrope_layout 1, in turn
// as long as rows and columns have some, with those of the time between and behind them.
func multimodalRotary(n *convert.Node) []convert.Value {
	r, heads := rotationOf(n)
	v, ids := n.Input(0), n.Input(1)
	sections := n.IntList("mrope_section")
	layout := n.Int("mrope_layout", 0)
	if len(sections) != 3 || min(sections[0], sections[1], sections[2]) < 0 || max(sections[0], sections[1], sections[2]) > maxPairs {
		n.Fail("attribute mrope_section is %v, expected three numbers up to %d", sections, maxPairs)
		return nil
	}
	if layout != 0 && layout != 1 {
		n.Fail("attribute mrope_layout is %d, expected 0 or 1", layout)
		return nil
	}
	// The angles of all three positions, from which each pair picks one: [3, batch, rows, pairs].
	streams := streamsOf(sections, layout == 1)
	picked := func(cache convert.Value) convert.Value {
		all := n.Transpose(arithmetic.Gather(n, cache, ids, 0), 3, 0, 1, 2)
		each := n.Layer("Gather", 8, convert.Attributes("batch_dims", 1), all, n.ValueOf(streams), n.IntValue(1))
		return n.Transpose(each, 1, 2, 0)
	}
	cosine, sine := picked(n.Input(2)), picked(n.Input(3))
	if n.RequireRank(v, "input") == 4 {
		return []convert.Value{r.apply(n, v, n.Unsqueeze(cosine, 1), n.Unsqueeze(sine, 1))}
	}
	rotated := r.apply(n, r.heads(n, v, heads, n.Input(2)), n.Unsqueeze(cosine, 2), n.Unsqueeze(sine, 2))
	return []convert.Value{n.Reshape(rotated, n.ShapeOf(v), false)}
}

// maxPairs is the largest number of pairs of a section.
const maxPairs = 1 << 16

// streamsOf returns the position of each pair: 0 to 2.
func streamsOf(sections []int64, inTurn bool) []int64 {
	streams := make([]int64, 0, sections[0]+sections[1]+sections[2])
	for stream, pairs := range sections {
		for range pairs {
			streams = append(streams, int64(stream))
		}
	}
	if !inTurn {
		return streams
	}
	for i := range streams {
		stream := int64(i % 3)
		if stream > 0 && int64(i) >= 3*sections[stream] {
			stream = 0
		}
		streams[i] = stream
	}
	return streams
}
