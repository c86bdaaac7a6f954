//go:build !noasm && (amd64 || arm64)

package selectop

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSelectPrefix compares the assembly with the portable loops, for every length and all operands
// that are one value, and checks that the memory behind the prefix is unchanged.
func TestSelectPrefix(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := range 70 {
		for strides := range 4 {
			cond, a, b := make([]uint8, n+1), make([]uint32, n+1), make([]uint32, n+1)
			for i := range cond {
				cond[i], a[i], b[i] = uint8(rng.IntN(3)*100), rng.Uint32(), rng.Uint32()
			}
			got, want := make([]uint32, n), make([]uint32, n)
			done := selectPrefix(got, cond, a, b, strides&1, strides>>1)
			if !hasVectors() {
				require.Zero(t, done)
				continue
			}
			require.Equal(t, n/lanes*lanes, done)
			selectRow(want[:done], cond, a, b, [3]int{1, strides & 1, strides >> 1})
			require.Equal(t, want, got, fmt.Sprint(n, " elements, strides ", strides&1, strides>>1))
		}
	}
}
