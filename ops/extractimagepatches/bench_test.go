package extractimagepatches

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// BenchmarkLayer takes the patches of a network that fills holes of images.
func BenchmarkLayer(b *testing.B) {
	for _, stride := range []int{1, 2} {
		o := options{[2]int{3, 3}, [2]int{stride, stride}, [2]int{1, 1}, "same_upper"}
		layertest.Benchmark(b, "inpainting_f32_stride_"+string(rune('0'+stride)), &Ops[0], o.attributes(), layertest.Counted(b, ir.F32, 1, 32, 64, 64))
	}
}
