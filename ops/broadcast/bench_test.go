package broadcast

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		name    string
		lengths []int
	}{{"rows", []int{1, 1024}}, {"columns", []int{1024, 1}}, {"one element", []int{1, 1}}} {
		b.Run(c.name, func(b *testing.B) {
			data := layertest.Counted(b, ir.F32, c.lengths...)
			kernel, r, err := layertest.Prepare(&Ops[1], nil, 1, data, layertest.Ints(b, ir.I64, ir.Shape{2}, 1024, 1024))
			require.NoError(b, err)
			b.SetBytes(int64(len(r.Outputs[0].Bytes())))
			for b.Loop() {
				_ = kernel(r)
			}
		})
	}
}
