//go:build !noasm

package adaptivepool

import (
	"math"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../kernel_amd64.s -stubs ../kernel_stubs_amd64.go -pkg adaptivepool"

// lanes is the number of columns of a vector.
const lanes = 8

// vectorSet is maxColumns.set for a box of one plane. done is false if there is no assembly for it.
func (m *maxColumns) vectorSet(in []float32, b *box) (done, known bool) {
	if b.planes != 1 || b.columns < lanes || b.columns > len(m) || !cpu.AVX2.Available() {
		return false, false
	}
	_, _ = in[b.first], in[b.first+(b.rows-1)*b.pitch+b.columns-1]
	return true, columnMaxima(&m[0], &in[b.first], b.columns, b.rows, b.pitch, math.MaxInt32-int32(b.first)) == 0
}
