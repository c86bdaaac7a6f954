package trie

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSort compares with a sort by comparison.
func TestSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, fewKeys, fewKeys + 1, 5000} {
		for _, start := range []string{"", "same start of all"} {
			k := NewKeys(n)
			for i := range n {
				key := []byte(start)
				for range 1 + rng.IntN(12) {
					key = append(key, "\x00ab\xff"[rng.IntN(4)])
				}
				k.Add(key, int32(i))
			}
			want := slices.Clone(k.entries)
			slices.SortFunc(want, k.compare)
			k.sort()
			require.Equal(t, want, k.entries)
		}
	}
}
