package transpose

import (
	"fmt"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		shape []int
		order []int64
	}{
		{[]int{1024, 1024}, []int64{1, 0}}, {[]int{1, 3, 224, 224}, []int64{0, 2, 3, 1}}, {[]int{1, 224, 224, 3}, []int64{0, 3, 1, 2}},
		{[]int{1, 128, 56, 56}, []int64{0, 2, 3, 1}}, {[]int{1, 197, 3, 3, 64}, []int64{2, 0, 3, 1, 4}},
	} {
		for _, elementType := range []ir.ElementType{ir.F32, ir.U8} {
			order := layertest.Ints(b, ir.I64, ir.Shape{len(c.order)}, c.order...)
			name := fmt.Sprintf("%v%v by %v", elementType, ir.Shape(c.shape), c.order)
			layertest.Benchmark(b, name, &Ops[0], nil, layertest.Counted(b, elementType, c.shape...), order)
		}
	}
}
