package ir

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// broadcastTable is what OpenVINO infers for an Add of two vectors: the row is the dimension of
// one, the column that of the other; "-" means an error.
const broadcastTable = `
         0    1    2    3    ?  ..1  ..2  ..4  1..  2..  3.. 1..3 2..4 3..5 5..9  ..3
0        0    0    -    -    0    0    0    0    0    -    -    0    -    -    -    0
1        0    1    2    3    ?  ..1  ..2  ..4  1..  2..  3.. 1..3 2..4 3..5 5..9  ..3
2        -    2    2    -    2    2    2    2    2    2    -    2    2    -    -    2
3        -    3    -    3    3    3    3    3    3    3    3    3    3    3    -    3
?        0    ?    2    3    ?    ?    ?    ?    ?  2..  3..    ? 2..4 3..5 5..9    ?
..1      0  ..1    2    3    ?  ..1  ..2  ..4    ?  2..  3..  ..3 2..4 3..5 5..9  ..3
..2      0  ..2    2    3    ?  ..2  ..2  ..4    ?  2..  3..  ..3 2..4 3..5 5..9  ..3
..4      0  ..4    2    3    ?  ..4  ..4  ..4    ?  2..  3..  ..4 2..4 3..5 5..9  ..4
1..      0  1..    2    3    ?    ?    ?    ?  1..  2..  3..  1.. 2..4 3..5 5..9    ?
2..      -  2..    2    3  2..  2..  2..  2..  2..  2..  3..  2.. 2..4 3..5 5..9  2..
3..      -  3..    -    3  3..  3..  3..  3..  3..  3..  3..  3.. 3..4 3..5 5..9  3..
1..3     0 1..3    2    3    ?  ..3  ..3  ..4  1..  2..  3.. 1..3 2..4 3..5 5..9  ..3
2..4     - 2..4    2    3 2..4 2..4 2..4 2..4 2..4 2..4 3..4 2..4 2..4 3..4    - 2..4
3..5     - 3..5    -    3 3..5 3..5 3..5 3..5 3..5 3..5 3..5 3..5 3..4 3..5    5 3..5
5..9     - 5..9    -    - 5..9 5..9 5..9 5..9 5..9 5..9 5..9 5..9    -    5 5..9 5..9
..3      0  ..3    2    3    ?  ..3  ..3  ..4    ?  2..  3..  ..3 2..4 3..5 5..9  ..3
`

func TestDimension_Broadcast(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(broadcastTable), "\n")
	columns := strings.Fields(lines[0])
	for _, line := range lines[1:] {
		cells := strings.Fields(line)
		require.Len(t, cells, len(columns)+1)
		d, err := ParseDimension(cells[0])
		require.NoError(t, err)
		for i, column := range columns {
			e, err := ParseDimension(column)
			require.NoError(t, err)
			got, ok := d.Broadcast(e)
			if want := cells[i+1]; want == "-" {
				assert.False(t, ok, "%v and %v give %v", d, e, got)
			} else {
				assert.True(t, ok, "%v and %v", d, e)
				assert.Equal(t, want, got.String(), "%v and %v", d, e)
			}
		}
	}
}

func TestDimension_Div(t *testing.T) {
	for _, c := range []struct {
		d    string
		n    int64
		want string
	}{
		{"8", 2, "4"}, {"0", 3, "0"}, {"7", 2, ""}, {"3..7", 2, "2..3"}, {"9..11", 4, ""}, {"..3", 4, "0"}, {"?", 4, "?"},
		{"3..", 1, "3.."}, {"3..", 2, "2..4611686018427387904"}, {"3..", 3, "1..3074457345618258432"},
		{"9223372036854775806", Unbounded, ""}, {"9223372036854775806", 2, "4611686018427387903"},
	} {
		d, err := ParseDimension(c.d)
		require.NoError(t, err)
		got, ok := d.Div(c.n)
		assert.Equal(t, c.want != "", ok, "%v / %d", d, c.n)
		if ok {
			assert.Equal(t, c.want, got.String(), "%v / %d", d, c.n)
		}
	}
}

func TestDimension_Sub(t *testing.T) {
	assert.Equal(t, Dim(3), Dim(5).Sub(Dim(2)))
	assert.Equal(t, Dim(0), Dim(2).Sub(Dim(5)))
	assert.Equal(t, DimRange(0, 4), DimRange(1, 5).Sub(DimRange(1, 3)))
	assert.Equal(t, DimRange(2, Unbounded), DimRange(4, Unbounded).Sub(Dim(2)))
}

func TestDimOf(t *testing.T) {
	for _, c := range []struct {
		v    Interval
		want string
	}{
		{Interval{3, 3}, "3"}, {Interval{0, 4}, "..4"}, {Interval{2, math.MaxInt64}, "2.."},
		{Interval{-1, -1}, "?"}, {Interval{-3, -1}, "?"}, {Interval{-2, -2}, "0"}, {Interval{-1, 5}, "..5"},
		{Interval{math.MinInt64, math.MaxInt64}, "?"}, {Interval{math.MaxInt64, math.MaxInt64}, "?"},
	} {
		assert.Equal(t, c.want, DimOf(c.v).String(), "%v", c.v)
	}
}

func TestDimOfInt(t *testing.T) {
	for n, want := range map[int64]Dimension{
		0: Dim(0), 5: Dim(5), -1: AnyDim, -2: Dim(0), math.MinInt64: Dim(0), math.MaxInt64: AnyDim,
	} {
		assert.Equal(t, want, DimOfInt(n), "%d", n)
	}
}

func TestDimension_saturates(t *testing.T) {
	half := Dim(math.MaxInt64 / 2)
	assert.Equal(t, Dim(math.MaxInt64-1), half.Mul(Dim(2)), "the largest product that is known")
	assert.Equal(t, AnyDim.Max, half.Mul(Dim(3)).Max)
	assert.Equal(t, Dim(5), Dim(2).Add(Dim(3)))
	assert.Equal(t, AnyDim.Max, half.Add(AnyDim).Max)
}
