package convert

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, pair := range [][2]ir.ElementType{{ir.F16, ir.F32}, {ir.F32, ir.F16}, {ir.BF16, ir.F32}, {ir.F32, ir.BF16}, {ir.U8, ir.F32}, {ir.F32, ir.U8},
		{ir.I64, ir.I32}, {ir.I32, ir.F32}, {ir.F32, ir.I64}, {ir.U4, ir.F32}, {ir.F32, ir.Boolean}, {ir.F8E4M3, ir.F32}, {ir.F32, ir.F8E4M3}} {
		b.Run(fmt.Sprintf("%v to %v", pair[0], pair[1]), func(b *testing.B) {
			kernel, r, err := layertest.Prepare(&Ops[0], layertest.Attributes{"destination_type", pair[1].String()}, 1, values(b, rng, pair[0], 1<<16))
			require.NoError(b, err)
			b.SetBytes(1 << 16) // millions of elements a second
			for b.Loop() {
				_ = kernel(r)
			}
		})
	}
}
