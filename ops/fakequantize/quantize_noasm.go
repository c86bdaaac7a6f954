//go:build !amd64 || noasm

package fakequantize

func (l *level[T]) vectorRow(_, _ []T, _ T) bool { return false }

// vectorCodes reports that there is no assembly.
func (l *byteLevel) vectorCodes(_ []uint8, _ []float32) bool { return false }
