package concat

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct{ rows, run int }{{1, 1 << 19}, {1 << 13, 64}, {1 << 17, 4}, {1 << 19, 1}} {
		b.Run(fmt.Sprintf("%d rows of %d and %d", c.rows, c.run, c.run), func(b *testing.B) {
			in := layertest.Counted(b, ir.F32, c.rows, c.run)
			kernel, r, err := layertest.Prepare(&Ops[0], layertest.Attributes{"axis", "1"}, 1, in, in)
			require.NoError(b, err)
			b.SetBytes(int64(len(r.Outputs[0].Bytes())))
			for b.Loop() {
				_ = kernel(r)
			}
		})
	}
}
