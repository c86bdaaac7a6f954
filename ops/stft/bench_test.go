package stft

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	scalar := func(v int64) *ir.Tensor { return layertest.Ints(b, ir.I64, ir.Shape{}, v) }
	layertest.Benchmark(b, "whisper", layertest.FindType(b, Ops, "STFT-15"), layertest.Attributes{"transpose_frames", "true"},
		layertest.Numbers(b, ir.F32, ir.Shape{1, 80000}), layertest.Numbers(b, ir.F32, ir.Shape{400}), scalar(400), scalar(160))
	layertest.Benchmark(b, "vocoder", layertest.FindType(b, Ops, "ISTFT-16"), layertest.Attributes{"center", "true", "normalized", "false"},
		layertest.Numbers(b, ir.F32, ir.Shape{1, 513, 150, 2}), layertest.Numbers(b, ir.F32, ir.Shape{1024}), scalar(1024), scalar(256))
}
