package roipooling

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// boxes returns random boxes of at most the given size.
func boxes(rng *rand.Rand, n int, size float64) []float64 {
	var out []float64
	for range n {
		x, y := size*rng.Float64(), size*rng.Float64()
		out = append(out, 0, x, y, x+(size-x)*rng.Float64(), y+(size-y)*rng.Float64())
	}
	return out
}

func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	rois := layertest.Numbers(b, ir.F32, ir.Shape{100, 5}, boxes(rng, 100, 600)...)
	data := layertest.Numbers(b, ir.F32, ir.Shape{1, 256, 38, 50})
	for _, method := range []string{"max", "bilinear"} {
		at := layertest.Attributes{"pooled_h", "7", "pooled_w", "7", "spatial_scale", "0.0625", "method", method}
		layertest.Benchmark(b, "ROIPooling_"+method+"_f32", layertest.FindType(b, Ops, "ROIPooling-2"), at, data, rois)
	}
	at := layertest.Attributes{
		"output_dim", "5", "group_size", "7", "spatial_scale", "0.0625", "mode", "average", "spatial_bins_x", "4", "spatial_bins_y", "4",
		"part_size", "7", "trans_std", "0.1",
	}
	data = layertest.Numbers(b, ir.F32, ir.Shape{1, 5 * 49, 38, 50})
	layertest.Benchmark(b, "PSROIPooling_average_f32", layertest.FindType(b, Ops, "PSROIPooling-1"), at, data, rois)
	at[7] = "bilinear_deformable"
	layertest.Benchmark(b, "DeformablePSROIPooling_f32", layertest.FindType(b, Ops, "DeformablePSROIPooling-1"), at, data, rois,
		layertest.Numbers(b, ir.F32, ir.Shape{100, 2, 7, 7}))
}
