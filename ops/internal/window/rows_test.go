package window

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAddRow(t *testing.T) {
	in := []float64{1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		n, outStep, inStep int
		want               []float64
	}{
		{3, 1, 1, []float64{10, 20, 30, 0, 0}},
		{3, 2, 1, []float64{10, 0, 20, 0, 30}},
		{3, 1, 2, []float64{10, 30, 50, 0, 0}},
		{0, 1, 1, []float64{0, 0, 0, 0, 0}},
	} {
		out := make([]float64, 5)
		AddRow(out, in, c.n, 10, c.outStep, c.inStep)
		assert.Equal(t, c.want, out)
		out = make([]float64, 5)
		AddRows(out, in, in, in, in, c.n, [RowsAtOnce]float64{1, 2, 3, 4}, c.outStep, c.inStep)
		assert.Equal(t, c.want, out)
	}
}
