//go:build !amd64 || noasm

package fold

func vectorRows(Function, []float32, []float32, []float32, Rows, int) bool { return false }

func vectorLines(Function, []float32, []float32, int, int) bool { return false }

func hasVectors() bool { return false }

func vectorNormalize([]float32, []float32, int, float32, float32) { panic("BUG: no code for lines") }
