package attention

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// rotation rotates pairs of elements of each head by angles that depend on the position.
type rotation struct {
	// size is the number of elements of a head that are rotated: the first ones. 0 means all.
	size int64
	// interleaved means that pairs are neighbours. Otherwise they are half of size apart.
	interleaved bool
}

// apply rotates v, [batch, rows, heads, size] or [batch, heads, rows, size], by the cosines and
// sines of angles, that broadcast to half of what is rotated.
func (r rotation) apply(n *convert.Node, v, cosine, sine convert.Value) convert.Value {
	var rest convert.Value
	if r.size > 0 {
		if shape := n.Shape(v); shape.Rank() != 4 || shape.At(3) != ir.Dim(r.size) {
			rest = n.Slice(v, 3, r.size, math.MaxInt64)
			v = n.Slice(v, 3, 0, r.size)
		}
	}
	shape := n.ShapeOf(v)
	pairs, halves := v, int64(3)
	if r.interleaved {
		pairs, halves = n.Reshape(v, n.IntValues(0, 0, 0, -1, 2), true), 4
	}
	parts := n.Split(pairs, halves, 2)
	x, y := parts[0], parts[1]
	if r.interleaved {
		cosine, sine = n.Unsqueeze(cosine, -1), n.Unsqueeze(sine, -1)
	}
	times := func(a, b convert.Value) convert.Value { return arithmetic.Multiply(n, a, b) }
	rotated := n.Concat(halves,
		arithmetic.Subtract(n, times(x, cosine), times(y, sine)), arithmetic.Add(n, times(x, sine), times(y, cosine)))
	if r.interleaved {
		rotated = n.Reshape(rotated, shape, false)
	}
	if !rest.Absent() {
		rotated = n.Concat(3, rotated, rest)
	}
	return rotated
}

// rotationOf reads the attributes of an operator of rotation. Its input has three axes if heads is
// not 0.
func rotationOf(n *convert.Node) (r rotation, heads int64) {
	r = rotation{n.Int("rotary_embedding_dim", 0), n.Bool("interleaved", false)}
	if r.size < 0 || r.size%2 != 0 {
		n.Fail("attribute rotary_embedding_dim is %d, expected an even number", r.size)
	}
	return r, n.Int("num_heads", 0)
}

// rotaryEmbedding is ONNX's operator: caches have the angles of each position of a table that
// position_ids pick from or, without them, of each row.
func rotaryEmbedding(n *convert.Node) []convert.Value {
	r, heads := rotationOf(n)
	v, cosine, sine := n.Input(0), n.Input(1), n.Input(2)
	if n.Has(3) {
		cosine, sine = arithmetic.Gather(n, cosine, n.Input(3), 0), arithmetic.Gather(n, sine, n.Input(3), 0)
	}
	if rank := n.Rank(v); rank == 3 || rank < 0 && n.HasAttribute("num_heads") {
		n.RequireAttribute("num_heads")
		rotated := r.apply(n, apart(n, v, heads), n.Unsqueeze(cosine, 2), n.Unsqueeze(sine, 2))
		return []convert.Value{n.Reshape(rotated, n.ShapeOf(v), false)}
	}
	return []convert.Value{r.apply(n, v, n.Unsqueeze(cosine, 1), n.Unsqueeze(sine, 1))}
}
