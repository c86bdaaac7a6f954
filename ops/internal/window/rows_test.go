package window

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/cpu"
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

// TestAddRows_vectors compares the vector code with the portable code, on integers, for lengths
// up to several vectors and at different offsets.
func TestAddRows_vectors(t *testing.T) {
	const guard = 3
	for n := range 75 {
		for offset := range 3 {
			var rows [RowsAtOnce][]float32
			for r := range rows {
				rows[r] = make([]float32, offset+n)[offset:]
				for i := range rows[r] {
					rows[r][i] = float32((r*7+i*5)%11 - 5)
				}
			}
			compute := func() (one, four []float32) {
				one, four = make([]float32, offset+n+guard), make([]float32, offset+n+guard)
				for i := range one {
					one[i], four[i] = float32(i), float32(i)
				}
				AddRow(one[offset:], rows[0], n, -3, 1, 1)
				AddRows(four[offset:], rows[0], rows[1], rows[2], rows[3], n, [RowsAtOnce]float32{1, -2, 3, -4}, 1, 1)
				return one, four
			}
			one, four := compute()
			restore := cpu.FMA.Disable()
			wantOne, wantFour := compute()
			restore()
			assert.Equal(t, wantOne, one, "%d elements", n)
			assert.Equal(t, wantFour, four, "%d elements", n)
		}
	}
}
