package slice

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/layertest"
)

func TestShapes(t *testing.T) {
	one := "i64[1]=1"
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 8, Inputs: []string{"f32[10,4]", "i64[1]=2", "i64[1]=9", "i64[1]=3"}, Want: "f32[3,4]"},
		{Version: 8, Inputs: []string{"f32[10,4]", "i64[1]=-1", "i64[1]=-100", "i64[1]=-1", "i64[1]=1"}, Want: "f32[10,4]"},
		{Version: 8, Inputs: []string{"f32[10,4]", "i32[2]=-3,1", "i32[2]=100,2", "i32[2]=1,1"}, Want: "f32[3,1]"},
		{Version: 8, Inputs: []string{"f32[10,4]", "u8[2]=0,3", "i64[2]=4,9", "i64[2]=1,2", "i64[2]=-1,0"}, Want: "f32[3,4]"},
		{Version: 8, Inputs: []string{"f32[10]", "i64[1]=5", "i64[1]=5", one}, Want: "f32[0]"},
		{Version: 8, Inputs: []string{"f32[10]", "i64[1]=7", "i64[1]=2", one}, Want: "f32[0]"},
		{Version: 8, Inputs: []string{"f32[0]", "i64[1]=-1", "i64[1]=-5", "i64[1]=-1"}, Want: "f32[0]"},
		{Version: 8, Inputs: []string{"f32[10]", "i64[1]=9223372036854775807", "i64[1]=-9223372036854775808", "i64[1]=-9223372036854775808"}, Want: "f32[1]"},
		{Version: 8, Inputs: []string{"f32[10]", "i64[1]=0", "i64[1]=9223372036854775807", "i64[1]=9223372036854775807"}, Want: "f32[1]"},
		{Version: 8, Inputs: []string{"f32[10,4]", "i64[0]=", "i64[0]=", "i64[0]="}, Want: "f32[10,4]"},

		{Version: 8, Inputs: []string{"f32[10]", "i64[1]=1", "i64[1]=2", "i64[1]=0"}, Error: "step[0] is 0"},
		{Version: 8, Inputs: []string{"f32[10]", one, one, one, one}, Error: "axis 1 is outside [-1,0] for rank 1"},
		{Version: 8, Inputs: []string{"f32[2,2]", "i64[2]=0,0", "i64[2]=1,1", "i64[2]=1,1", "i64[2]=1,-1"}, Error: "axes[1] names axis 1, which an axis before it names too"},
		{Version: 8, Inputs: []string{"f32[2,2]", "i64[2]", "i64[1]", "i64[1]"}, Error: "start has shape [2], stop has [1]"},
		{Version: 8, Inputs: []string{"f32[2]", "i64[2]", "i64[2]", "i64[2]"}, Error: "start has 2 elements, data of shape [2] has 1 axes"},
		{Version: 8, Inputs: []string{"f32[2]", "i64[1,1]", one, one}, Error: "start has shape [1,1], not that of a vector"},
		{Version: 8, Inputs: []string{"f32[2]", one, "f32[1]", one}, Error: "stop is f32, not a type of integers"},
		{Version: 8, Inputs: []string{"f32[]", one, one, one}, Error: "data is a scalar, which has no axis to slice"},

		{Version: 8, Inputs: []string{"f32[?,4]", "i64[1]=1", "i64[1]=9223372036854775807", one}, Want: "f32[?,4]"},
		{Version: 8, Inputs: []string{"f32[4..9]", "i64[1]=1", "i64[1]=-1", one}, Want: "f32[2..7]"},
		{Version: 8, Inputs: []string{"f32[4..9]", "i64[1]=1", "i64[1]=6", "i64[1]=2"}, Want: "f32[2..3]"},
		{Version: 8, Inputs: []string{"f32[?]", "i64[1]=-3", "i64[1]=9223372036854775807", one}, Want: "f32[..3]"},
		{Version: 8, Inputs: []string{"f32[?]", "i64[1]=0", "i64[1]=5", one}, Want: "f32[..5]"},
		{Version: 8, Inputs: []string{"f32[?]", "i64[1]=-1", "i64[1]=-9223372036854775808", "i64[1]=-1"}, Want: "f32[?]"},
		{Version: 8, Inputs: []string{"f32[?]", "i32[1]=0", "i32[1]=2147483647", "i32[1]=1"}, Want: "f32[?]"},
		{Version: 8, Inputs: []string{"f32[3..]", "i32[1]=-1", "i32[1]=2147483647", "i32[1]=2"}, Want: "f32[1]"},
		{Version: 8, Inputs: []string{"f32[3..]", "i32[1]=-1", "i32[1]=-2147483648", "i32[1]=-1"}, Want: "f32[3..]"},
		{Version: 8, Inputs: []string{"f32[?]", "i64[1]=0", "i64[1]=2147483647", one}, Want: "f32[..2147483647]"},
		{Version: 8, Inputs: []string{"f32[10]", "i64[1]=1..3", "i64[1]=7..8", one}, Want: "f32[4..7]"},
		{Version: 8, Inputs: []string{"f32[10]", "i64[1]=0", "i64[1]=2..", one}, Want: "f32[2..10]"},
		{Version: 8, Inputs: []string{"f32[10,4]", "i64[1]", "i64[1]=5", one}, Want: "f32[..10,4]"},
		{Version: 8, Inputs: []string{"f32[10,4]", "i64[1]", one, one, "i64[1]"}, Want: "f32[..10,..4]"},
		{Version: 8, Inputs: []string{"f32[10,4]", "i64[?]", "i64[?]", "i64[...]"}, Want: "f32[..10,..4]"},
		{Version: 8, Inputs: []string{"f32[...]", one, one, one}, Want: "f32[...]"},

		{Version: 8, Inputs: []string{"i64[4]=1,2..5,?,7", "i64[1]=1", "i64[1]=3", one}, Want: "i64[2]=2..5,?"},
		{Version: 8, Inputs: []string{"i64[4]=1,2..5,?,7", "i64[1]=-1", "i64[1]=-9", "i64[1]=-2"}, Want: "i64[2]=7,2..5"},
		{Version: 8, Inputs: []string{"i64[2,2]=1,2,3,4", "i64[1]=1", "i64[1]=2", one, one}, Want: "i64[2,1]=2,4"},
		{Version: 8, Inputs: []string{"i64[2]=1,2", "i64[1]=2", "i64[1]=2", one}, Want: "i64[0]="},
	})
}

// TestLength holds the lengths of all small slices against counting.
func TestLength(t *testing.T) {
	ends := []int64{math.MinInt64, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, math.MaxInt64}
	for n := range int64(6) {
		for _, start := range ends {
			for _, stop := range ends {
				for _, step := range []int64{math.MinInt64, -6, -3, -2, -1, 1, 2, 3, 6, math.MaxInt64} {
					require.EqualValues(t, len(positions(n, start, stop, step)), length(n, start, stop, step), "[%d:%d:%d] of %d", start, stop, step, n)
				}
			}
		}
	}
}

// positions lists the positions of a slice, as Python does but for a start before
// the first element, which a negative step too takes for that element.
func positions(n, start, stop, step int64) []int {
	end := func(v, lo, hi int64) int64 {
		if v < 0 {
			v += n
		}
		return min(max(v, lo), hi)
	}
	var list []int
	if step > 0 {
		for i := end(start, 0, n); i < end(stop, 0, n); i += min(step, n) {
			list = append(list, int(i))
		}
		return list
	}
	for i := min(end(start, 0, n), n-1); i > end(stop, -1, n-1); i += max(step, -n-1) {
		list = append(list, int(i))
	}
	return list
}

// TestCut has every slice whose start, stop and length lie in the intervals among
// the lengths that are inferred of them. Where start and stop count from different
// ends, OpenVINO's rule, which this one follows, says more than it can know.
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
	got := cut(d, start, stop, step)
	for n := d.Min; n <= d.Max; n++ {
		for a := start.Min; a <= start.Max; a++ {
			for b := stop.Min; b <= stop.Max; b++ {
				have := int64(len(positions(n, a, b, step)))
				require.True(t, got.Contains(have), "[%d:%d:%d] of %d has %d, in %v inferred %v", a, b, step, n, have, d, got)
			}
		}
	}
}
