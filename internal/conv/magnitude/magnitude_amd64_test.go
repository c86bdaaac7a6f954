//go:build amd64 && !noasm

package magnitude

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/cpu"
)

// TestMagnitudes_bounds checks that slices that are too short for the assembly are not accessed.
func TestMagnitudes_bounds(t *testing.T) {
	if !cpu.AVX2.Available() {
		t.Skip("there is no AVX2")
	}
	assert.NotPanics(t, func() { Merge(make([]uint32, 11), make([]float32, 12), 4, 3, 4) })
	assert.Panics(t, func() { Merge(make([]uint32, 10), make([]float32, 12), 4, 3, 4) })
	assert.Panics(t, func() { Merge(make([]uint32, 11), make([]float32, 11), 4, 3, 4) })
}
