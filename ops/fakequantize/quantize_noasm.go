//go:build noasm || (!amd64 && !arm64)

package fakequantize

func (l *level[T]) vectorRow(_, _ []T, _ T) bool { return false }

// vectorCodes reports that there is no assembly.
func (l *byteLevels) vectorCodes(_ []uint8, _ []float32, _ int) bool { return false }

// vectorValues reports that there is no assembly.
func (v *byteValues) vectorValues(_ []float32, _ []uint8) bool { return false }
