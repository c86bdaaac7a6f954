package slicing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// TestLength compares the lengths of all small slices with counting.
func TestLength(t *testing.T) {
	ends := []int64{math.MinInt64, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, math.MaxInt64}
	for n := range int64(6) {
		for _, start := range ends {
			for _, stop := range ends {
				for _, step := range []int64{math.MinInt64, -6, -3, -2, -1, 1, 2, 3, 6, math.MaxInt64} {
					require.EqualValues(t, len(layertest.Positions(n, start, stop, step)), length(n, start, stop, step), "[%d:%d:%d] of %d", start, stop, step, n)
				}
			}
		}
	}
}

// TestCut checks that Cut includes the length of every slice whose start, stop and axis length
// lie in the intervals. It leaves out a start and a stop that count from different ends: there
// OpenVINO's rule, which Cut follows, is narrower than it can know.
func TestCut(t *testing.T) {
	front := []ir.Interval{{Min: 0, Max: 0}, {Min: 1, Max: 3}, {Min: 2, Max: 9}}
	back := []ir.Interval{{Min: -1, Max: -1}, {Min: -3, Max: -2}, {Min: -9, Max: -1}}
	for _, intervals := range [][]ir.Interval{front, back} {
		for _, start := range intervals {
			for _, stop := range intervals {
				for _, d := range []ir.Dimension{ir.Dim(5), ir.DimRange(0, 4), ir.DimRange(2, 6)} {
					for _, step := range []int64{-3, -1, 1, 2} {
						checkCut(t, d, start, stop, step)
					}
				}
			}
		}
	}
}

func checkCut(t *testing.T, d ir.Dimension, start, stop ir.Interval, step int64) {
	got := Cut(d, start, stop, step)
	for n := d.Min; n <= d.Max; n++ {
		for a := start.Min; a <= start.Max; a++ {
			for b := stop.Min; b <= stop.Max; b++ {
				have := int64(len(layertest.Positions(n, a, b, step)))
				require.True(t, got.Contains(have), "[%d:%d:%d] of %d has %d, in %v inferred %v", a, b, step, n, have, d, got)
			}
		}
	}
}

func TestCut_unknown(t *testing.T) {
	unknown := ir.Interval{Min: math.MinInt64, Max: math.MaxInt64}
	three := ir.Interval{Min: 3, Max: math.MaxInt64}
	for _, step := range []int64{-1, 1} {
		require.Equal(t, ir.AnyDim, Cut(ir.DimRange(3, ir.Unbounded), unknown, three, step))
		require.Equal(t, ir.DimRange(0, 5), Cut(ir.Dim(5), ir.Interval{}, unknown, step))
	}
}
