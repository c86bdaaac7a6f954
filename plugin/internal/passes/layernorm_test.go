package passes

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestIsEpsilon has numbers that no normalization takes.
func TestIsEpsilon(t *testing.T) {
	for _, eps := range []float64{math.Inf(1), math.Inf(-1), math.NaN(), -1, 0, 1e300, 1e-300} {
		assert.False(t, isEpsilon(eps), "%v", eps)
	}
	for _, eps := range []float64{1e-12, 1, math.MaxFloat32} {
		assert.True(t, isEpsilon(eps), "%v", eps)
	}
}
