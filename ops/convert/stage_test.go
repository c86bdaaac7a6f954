package convert

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// TestStage compares what a stage stores, piece by piece, with the kernel.
func TestStage(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	data := values(t, rng, ir.F32, 300)
	stored := 0
	for _, elementType := range types() {
		want, err := layertest.Run(&Ops[0], layertest.Attributes{"destination_type", elementType.String()}, 1, data)
		require.NoError(t, err)
		s, err := stage(&ops.Preparation{
			Inputs:  []ir.Fact{{Type: ir.F32, Shape: ir.StaticShape(300)}},
			Outputs: []ir.Fact{{Type: elementType, Shape: ir.StaticShape(300)}},
		}, 0)
		require.NoError(t, err)
		if s == nil {
			continue
		}
		stored++
		require.Nil(t, s.Apply)
		got, err := ir.NewTensor(elementType, 300)
		require.NoError(t, err)
		r := &ops.Run{Outputs: []*ir.Tensor{got}}
		for at := 0; at < 300; {
			n := min(1+rng.IntN(40), 300-at)
			s.Store(r, ir.Data[float32](data)[at:at+n], at)
			at += n
		}
		assert.Equal(t, want.Bytes(), got.Bytes(), elementType)
	}
	assert.Equal(t, 5, stored)
}
