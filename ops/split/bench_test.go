package split

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer has only one output. The kernel would copy the other pieces in the same way.
func BenchmarkLayer(b *testing.B) {
	data := layertest.Counted(b, ir.F32, 1024, 1024)
	for _, c := range []struct {
		name, splits string
		axis         int64
	}{{"quarter of the rows", "4", 0}, {"quarter of the columns", "4", 1}, {"single columns", "1024", 1}} {
		layertest.Benchmark(b, c.name, &Ops[0], layertest.Attributes{"num_splits", c.splits}, data, layertest.Ints(b, ir.I64, ir.Shape{}, c.axis))
	}
}
