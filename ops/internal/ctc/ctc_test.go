package ctc

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func TestFinder(t *testing.T) {
	nan, inf, zero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	rows := []struct {
		want int64
		x    []float64
	}{
		{0, []float64{3}}, {1, []float64{1, 3, 2}}, {2, []float64{-3, -2, -1}}, {0, []float64{-1, -1, -2}},
		{1, []float64{-1, 2, 2}}, {0, []float64{zero, 0}}, {0, []float64{0, zero}}, {0, []float64{nan, 5, inf}},
		{2, []float64{-inf, nan, 1}}, {1, []float64{-1, inf, nan}}, {0, []float64{-inf, -inf}}, {1, []float64{-5, zero, -1}},
		{6, []float64{1, 2, 3, 4, 5, 6, 8, 7, 8, 8}}, {4, []float64{1, 2, 3, 4, 5, 0, 0, 0}},
	}
	for _, elementType := range Types {
		find := Finder(elementType)
		for _, c := range rows {
			var data []float64
			for _, row := range [][]float64{make([]float64, len(c.x)), c.x, c.x} {
				data = append(data, row...)
			}
			classes := []int64{-1, -1, -1}
			find(nil, layertest.Numbers(t, elementType, ir.Shape{3, len(c.x)}, data...), len(c.x), 1, classes[1:])
			assert.Equal(t, []int64{-1, c.want, c.want}, classes, "%v %v", elementType, c.x)
		}
	}
	assert.Panics(t, func() { Finder(ir.I32) })
}

// TestFinder_long has rows that are longer than what is computed between two checks of a Stop, and
// more rows than that.
func TestFinder_long(t *testing.T) {
	stopped := make(chan struct{})
	close(stopped)
	for _, elementType := range Types {
		const n = 3*piece + 5
		data := make([]float64, 2*n)
		for i := range data {
			data[i] = float64(i%n/piece) - 1
		}
		data[n+7] = 9
		classes := []int64{-1, -1}
		Finder(elementType)(nil, layertest.Numbers(t, elementType, ir.Shape{2, n}, data...), n, 0, classes)
		assert.Equal(t, []int64{3 * piece, 7}, classes, elementType)
		Finder(elementType)(stopped, layertest.Numbers(t, elementType, ir.Shape{2, n}, data...), n, 0, classes)
		assert.Equal(t, []int64{0, 0}, classes, elementType)
		data[2*n-3], data[0] = math.NaN(), math.NaN()
		Finder(elementType)(nil, layertest.Numbers(t, elementType, ir.Shape{2, n}, data...), n, 0, classes)
		assert.Equal(t, []int64{0, 7}, classes, elementType)

		many := make([]int64, piece)
		data = make([]float64, 3*piece)
		for i := range many {
			data[3*i+i%3] = 1
		}
		Finder(elementType)(nil, layertest.Numbers(t, elementType, ir.Shape{piece, 3}, data...), 3, 0, many)
		for i, class := range many {
			require.Equal(t, int64(i%3), class)
		}
	}
}

func TestCollapse(t *testing.T) {
	for _, c := range []struct {
		merge         bool
		blank         int64
		classes, want []int64
	}{
		{true, 2, []int64{0, 0, 2, 0, 1, 1, 2}, []int64{0, 0, 1}},
		{false, 2, []int64{0, 0, 2, 0, 1, 1, 2}, []int64{0, 0, 0, 1, 1}},
		{true, 7, []int64{0, 0, 2, 0}, []int64{0, 2, 0}},
		{true, 0, []int64{0, 0}, []int64{}},
		{true, 0, []int64{}, []int64{}},
	} {
		var pairs []int64
		for _, class := range c.classes {
			pairs = append(pairs, class, 99)
		}
		n := Collapse(pairs, len(c.classes), 2, c.blank, c.merge)
		require.Len(t, c.want, n)
		for i, want := range c.want {
			assert.Equal(t, []int64{want, 99}, pairs[2*i:2*i+2])
		}
		n = Collapse(c.classes, len(c.classes), 1, c.blank, c.merge)
		assert.Equal(t, c.want, c.classes[:n])
	}
}
