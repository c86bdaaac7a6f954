package slice

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		name              string
		axis              int64
		start, stop, step int64
	}{
		{"front rows", 0, 0, 512, 1}, {"half columns", 1, 0, 512, 1}, {"even columns", 1, 0, 1024, 2}, {"backwards", 1, -1, -1025, -1},
	} {
		b.Run(c.name, func(b *testing.B) {
			data := layertest.Counted(b, ir.F32, 1024, 1024)
			vector := func(v int64) *ir.Tensor { return layertest.Ints(b, ir.I64, ir.Shape{1}, v) }
			kernel, r, err := layertest.Prepare(&Ops[0], nil, 1, data, vector(c.start), vector(c.stop), vector(c.step), vector(c.axis))
			require.NoError(b, err)
			b.SetBytes(int64(len(r.Outputs[0].Bytes())))
			for b.Loop() {
				_ = kernel(r)
			}
		})
	}
}
