//go:build !amd64 || noasm

package reduction

func vectorRows(Function, []float32, []float32, []float32, Rows, int) bool { return false }

func vectorLines(Function, []float32, []float32, int, int) bool { return false }

func hasVectors() bool { return false }

func vectorNormalize([]float32, []float32, int, float32, float32) { panic("BUG: no code for lines") }

func vectorBlend([]float32, []float32, []int, []float32) bool { return false }

func vectorLanes() int { return 0 }

func vectorColumns(_, _ []float32, _ []int32, _ []float32, _, _, _, _, _, _, _ int) {
	panic("BUG: no code for columns")
}
