package ragged

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer pads and combines the ids of a batch of texts.
func BenchmarkLayer(b *testing.B) {
	const rows, length = 64, 512
	begins, ends := make([]int64, rows), make([]int64, rows)
	for i := range begins {
		begins[i], ends[i] = int64(length*i), int64(length*(i+1)-i)
	}
	first, last, data := i32s(b, begins...), i32s(b, ends...), i32s(b, make([]int64, rows*length)...)
	one := []*ir.Tensor{scalar(b, 0), scalar(b, 1), i32s(b, 101)}
	layertest.BenchmarkOf(b, "dense", op(b, "RaggedToDense"), nil, 2, first, last, data, scalar(b, length), scalar(b, 0))
	layertest.BenchmarkOf(b, "truncate", op(b, "Truncate"), nil, 3, first, last, data, scalar(b, 100), text(b, "right"), text(b, "longest_first"))
	b.Run("combine", func(b *testing.B) {
		for b.Loop() {
			if _, err := layertest.RunOutputs(op(b, "CombineSegments"), nil, 1, 6, one[0], one[1], one[2], first, last, data, one[0], one[1], one[2], i32s(b, 0, 0, 0)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
