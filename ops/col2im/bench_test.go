package col2im

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer adds the tokens of a transformer to an image.
func BenchmarkLayer(b *testing.B) {
	one := [2]int{1, 1}
	for _, elementType := range []ir.ElementType{ir.F32, ir.I32} {
		l := &layer{batch: 1, channels: 32, size: [2]int{56, 56}, kernel: [2]int{3, 3}, strides: one, dilations: one, padBegin: one, padEnd: one}
		layertest.Benchmark(b, elementType.String(), &Ops[0], l.attributes(), l.inputs(b, elementType, nil)...)
	}
}
