//go:build noasm || (!amd64 && !arm64)

package reduction

func vectorRows(Function, []float32, []float32, []float32, Rows, int) bool { return false }

func vectorSegments(Function, []float32, []float32, int, int) bool { return false }

func hasNormalize() bool { return false }

func vectorNormalize([]float32, []float32, int, float32, float32) {
	panic("BUG: Normalize has no portable code")
}

func vectorDivideByNorms([]float32, []float32, int, float32, float32) {
	panic("BUG: DivideByNorms has no portable code")
}

func vectorWeightedSum([]float32, []float32, []int, []float32) bool { return false }

func vectorLanes() int { return 0 }

func vectorResample(_, _ []float32, _ []int32, _ []float32, _, _, _, _, _, _, _ int) {
	panic("BUG: Resampler has no portable code")
}
