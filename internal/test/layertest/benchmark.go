package layertest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Benchmark measures a layer on one thread and on two, with the output in memory of its own.
func Benchmark(b *testing.B, name string, op *ops.Op, attributes Attributes, inputs ...*ir.Tensor) {
	BenchmarkOf(b, name, op, attributes, 1, inputs...)
}

// BenchmarkOf is Benchmark for a layer with several outputs. Its bytes are those of the first one.
func BenchmarkOf(b *testing.B, name string, op *ops.Op, attributes Attributes, outputs int, inputs ...*ir.Tensor) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("%s/threads=%d", name, threads), func(b *testing.B) {
			kernel, r, err := prepare(op, attributes, threads, outputs, inputs)
			require.NoError(b, err)
			defer r.Pool.Close()
			b.SetBytes(int64(len(r.Outputs[0].Bytes())))
			b.ReportAllocs()
			for b.Loop() {
				if err := kernel(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
