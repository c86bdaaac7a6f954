package predictor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// checkIndex compares with a map.
func checkIndex(t *testing.T, trees, ids []int64) {
	t.Helper()
	places := make(map[nodeKey]int)
	distinct := true
	for i, id := range ids {
		key := nodeKey{trees[i], id}
		if _, ok := places[key]; ok {
			distinct = false
		}
		places[key] = i
	}
	x, twice, ok := newNodeIndex(trees, ids)
	require.Equal(t, distinct, ok, "%v %v", trees, ids)
	if !ok {
		require.Contains(t, places, twice)
		return
	}
	for tree := int64(-2); tree < 6; tree++ {
		for id := int64(-2); id < 10; id++ {
			want, known := places[nodeKey{tree, id}]
			got, found := x.find(nodeKey{tree, id})
			require.Equal(t, known, found, "%d of tree %d in %v %v", id, tree, trees, ids)
			if known {
				require.Equal(t, want, got)
			}
		}
	}
}

func TestNodeIndex(t *testing.T) {
	checkIndex(t, nil, nil)
	checkIndex(t, []int64{0, 0, 0, 1, 1}, []int64{0, 1, 2, 0, 1})
	checkIndex(t, []int64{0, 0, 0, 1, 0}, []int64{2, 0, 1, 0, 3}) // out of order, and in two pieces
	checkIndex(t, []int64{3, 3, 2, 3, 3}, []int64{0, 1, 5, 7, 2}) // a tree that goes on
	checkIndex(t, []int64{1, 1, 2, 1}, []int64{0, 1, 0, 1})       // twice
	checkIndex(t, []int64{1, 1, 1}, []int64{5, 5, 0})             // twice
	checkIndex(t, []int64{0, 1, 0, 1}, []int64{0, 0, 1, 1})       // node by node
	x, _, ok := newNodeIndex([]int64{4, 4, 5}, []int64{0, 1, 0})
	require.True(t, ok)
	assert.Empty(t, x.others, "trees in order need no map")
}

func FuzzNodeIndex(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 1, 0, 1, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		var trees, ids []int64
		for ; len(data) >= 2; data = data[2:] {
			trees, ids = append(trees, int64(data[0]%4)), append(ids, int64(data[1]%8))
		}
		checkIndex(t, trees, ids)
	})
}
