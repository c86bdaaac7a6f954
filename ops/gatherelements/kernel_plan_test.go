package gatherelements

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDivide checks that the pieces hold each element of the output once, and that no piece is so
// large that a run could not stop for long.
func TestDivide(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for range 2000 {
		data := make([]int, 1+rng.IntN(4))
		for i := range data {
			data[i] = 1 + rng.IntN(1<<rng.IntN(20/len(data)+2))
		}
		axis := rng.IntN(len(data))
		indices := append([]int(nil), data...)
		indices[axis] = rng.IntN(1 << rng.IntN(12))
		p := newPlan(data, indices, axis, true)
		p.divide(1<<rng.IntN(4), 1+rng.IntN(4))
		total, elements := 0, 1
		for _, n := range indices {
			elements *= n
		}
		for i := range min(p.pieces, 5000) {
			c := p.piece(i)
			assert.LessOrEqual(t, c.rows*c.columns, 2*maxPiece, "%v %v along %d", data, indices, axis)
			total += c.rows * c.columns
		}
		if p.pieces <= 5000 {
			assert.Equal(t, elements, total, "%v %v along %d", data, indices, axis)
		}
		assert.Positive(t, p.grain())
	}
	long := newPlan([]int{2, 1 << 22}, []int{2, 1 << 22}, 1, true)
	long.divide(4, 1)
	assert.LessOrEqual(t, long.piece(0).columns, maxPiece, "a long row is divided")
}
