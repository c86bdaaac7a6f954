package window

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

func TestPad(t *testing.T) {
	for _, c := range []struct {
		d    string
		n    int64
		want string
	}{
		{"3", 0, "3"},
		{"3", 2, "5"},
		{"3", -3, "0"},
		{"3", -4, "?"},
		{"2..5", 3, "5..8"},
		{"2..5", -3, "..2"},
		{"2..5", -6, "?"},
		{"2..", -1, "1.."},
		{"?", 4, "4.."},
		{"9223372036854775806", 1, "?"},
		{"9223372036854775806", 2, "?"},
		{"1..9223372036854775806", 2, "3.."},
		{"4..", math.MinInt64, "?"},
	} {
		d, err := ir.ParseDimension(c.d)
		require.NoError(t, err)
		assert.Equal(t, c.want, Pad(d, c.n).String(), "%s changed by %d", c.d, c.n)
	}
}

func TestSpatialAxes(t *testing.T) {
	unknown := ir.UnknownRank
	for _, c := range []struct {
		strides       []int64
		data, filters ir.PartialShape
		more, want    int
	}{
		{nil, ir.ShapeOfRank(4), unknown, 3, 2},
		{nil, unknown, ir.ShapeOfRank(4), 3, 1},
		{nil, unknown, unknown, 2, 2},
		{[]int64{1}, unknown, unknown, -1, 1},
		{nil, unknown, unknown, -1, -1},
	} {
		w := Attributes{Strides: c.strides}
		n, err := w.SpatialAxes(c.data, c.filters, 3, c.more)
		require.NoError(t, err)
		assert.Equal(t, c.want, n, "%+v", c)
	}
	w := Attributes{Strides: []int64{1}}
	_, err := w.SpatialAxes(unknown, unknown, 2, 2)
	assert.EqualError(t, err, "strides has 1 elements for 2 spatial axes")
}
