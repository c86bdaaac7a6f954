package tile

import (
	"fmt"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		shape   []int
		repeats []int64
	}{{[]int{256, 256}, []int64{4, 4}}, {[]int{1024, 1}, []int64{1, 1024}}, {[]int{1, 1024}, []int64{1024, 1}}, {[]int{1024, 3}, []int64{1, 300}}} {
		repeats := layertest.Ints(b, ir.I64, ir.Shape{2}, c.repeats...)
		layertest.Benchmark(b, fmt.Sprintf("%v by %v", c.shape, c.repeats), &Ops[0], nil, layertest.Counted(b, ir.F32, c.shape...), repeats)
	}
}
