package gatherelements_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ops/gatherelements"
	"github.com/vinoir/vinoir/ops/scatterelements"
)

// uniqueIndices returns n of d different positions, some of them negative, for each line along
// axis 1 of a tensor [outer, d, inner], and the shape [outer, n, inner].
func uniqueIndices(r *rand.Rand, outer, d, n, inner int) ([]int64, []int) {
	indices := make([]int64, outer*n*inner)
	for o := range outer {
		for i := range inner {
			for k, v := range r.Perm(d)[:n] {
				indices[(o*n+k)*inner+i] = int64(v - d*r.IntN(2))
			}
		}
	}
	return indices, []int{outer, n, inner}
}

// TestGatherOfScatter gathers updates from where they were scattered.
func TestGatherOfScatter(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		outer, d, inner := 1+r.IntN(5), 1+r.IntN(60), 1+r.IntN(50)
		n := 1 + r.IntN(d)
		indices, shape := uniqueIndices(r, outer, d, n, inner)
		updates := make([]float32, len(indices))
		for i := range updates {
			updates[i] = r.Float32()
		}
		dataShape := []int{outer, d, inner}
		data, err := scatterelements.ONNX(scatterelements.Options{Axis: 1}, make([]float32, outer*d*inner), dataShape, indices, shape, updates, shape)
		require.NoError(t, err)
		got, err := gatherelements.ONNX(gatherelements.Options{Axis: 1}, data, dataShape, indices, shape)
		require.NoError(t, err)
		assert.Equal(t, updates, got)
	}
}

// TestScatterOfGather scatters every element back to where it was gathered.
func TestScatterOfGather(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		outer, d, inner := 1+r.IntN(5), 1+r.IntN(60), 1+r.IntN(50)
		indices, shape := uniqueIndices(r, outer, d, d, inner)
		data := make([]int16, outer*d*inner)
		for i := range data {
			data[i] = int16(r.Uint32())
		}
		got, err := gatherelements.ONNX(gatherelements.Options{Axis: -2}, data, shape, indices, shape)
		require.NoError(t, err)
		back, err := scatterelements.ONNX(scatterelements.Options{Axis: 1}, make([]int16, len(data)), shape, indices, shape, got, shape)
		require.NoError(t, err)
		assert.Equal(t, data, back)
	}
}

// TestGatherNegative compares negative indices with the same positive ones.
func TestGatherNegative(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	data := make([]uint8, 30*40)
	for i := range data {
		data[i] = uint8(r.Uint32())
	}
	for axis, d := range []int{30, 40} {
		indices := make([]int32, len(data))
		for i := range indices {
			indices[i] = int32(r.IntN(d))
		}
		back := slices.Clone(indices)
		for i := range back {
			back[i] -= int32(d)
		}
		want, err := gatherelements.ONNX(gatherelements.Options{Axis: axis}, data, []int{30, 40}, indices, []int{30, 40})
		require.NoError(t, err)
		got, err := gatherelements.ONNX(gatherelements.Options{Axis: axis}, data, []int{30, 40}, back, []int{30, 40})
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}
