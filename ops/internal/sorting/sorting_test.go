package sorting

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type pair struct{ key, position int }

func compare(a, b pair) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.position, b.position))
}

// TestSort has lengths around one, two and three blocks, and few and many different keys.
func TestSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 100, Block - 1, Block, Block + 1, 2 * Block, 2*Block + 1, 3*Block - 1, 5*Block + 7} {
		for _, keys := range []int{1, 10, 1 << 30} {
			a := make([]pair, n)
			for i := range a {
				a[i] = pair{rng.IntN(keys), i}
			}
			want := slices.Clone(a)
			slices.SortStableFunc(want, compare)
			Sort(nil, a, make([]pair, SpareLen(n)), compare)
			require.True(t, slices.Equal(want, a), "%d elements, %d keys", n, keys)
		}
	}
}

// TestSort_stop checks that a sort of many blocks ends after few comparisons.
func TestSort_stop(t *testing.T) {
	stop := make(chan struct{})
	close(stop)
	a, compared := make([]pair, 100*Block), 0
	Sort(stop, a, make([]pair, len(a)), func(a, b pair) int {
		compared++
		return compare(a, b)
	})
	assert.Less(t, compared, 10*Block*13)
}

func TestSort_allocations(t *testing.T) {
	a, spare := make([]pair, 3*Block), make([]pair, 3*Block)
	assert.Zero(t, testing.AllocsPerRun(3, func() {
		for i := range a {
			a[i] = pair{i * 7919 % len(a), i}
		}
		Sort(nil, a, spare, compare)
	}))
}
