package embedding

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestMatrix_Search compares Search with sorting all rows.
func TestMatrix_Search(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []int{0, 1, 7, 3 * searchRows / 2} {
		m := &Matrix{Rows: rows, Columns: 5, Data: make([]float32, rows*5)}
		for i := range m.Data {
			m.Data[i] = float32(rng.IntN(4))
		}
		query := []float32{1, 2, 0, -1, 3}
		var all []Match
		for i := range rows {
			sum := float32(0)
			for k, v := range m.Row(i) {
				sum += v * query[k]
			}
			all = append(all, Match{i, sum})
		}
		slices.SortFunc(all, compareMatches)
		for _, n := range []int{1, 3, 50, rows, rows + 1} {
			got := m.Search(query, n)
			assert.Equal(t, len(all[:min(n, rows)]), len(got))
			for i := range got {
				assert.Equal(t, all[i], got[i], "%d of %d", n, rows)
			}
		}
		assert.Empty(t, m.Search(query, 0))
		assert.Empty(t, m.Search(query, -1))
		assert.Empty(t, m.Search(query[:4], 1))
	}
	nan := float32(math.NaN())
	m := &Matrix{Rows: 3, Columns: 1, Data: []float32{nan, -1, 2}}
	got := m.Search([]float32{1}, 3)
	assert.Equal(t, []int{2, 1, 0}, []int{got[0].Index, got[1].Index, got[2].Index})
}

func TestCosine(t *testing.T) {
	assert.InDelta(t, 0.6, Cosine([]float32{2, 0}, []float32{3, 4}), 1e-6)
	assert.Zero(t, Cosine([]float32{0, 0}, []float32{3, 4}))
	assert.EqualValues(t, 6, Dot([]float32{2, 0}, []float32{3, 4}))
	v := []float32{3, 4}
	normalize(v)
	assert.InDeltaSlice(t, []float32{0.6, 0.8}, v, 1e-6)
	zero := []float32{0, 0}
	normalize(zero)
	assert.Equal(t, []float32{0, 0}, zero)
}
