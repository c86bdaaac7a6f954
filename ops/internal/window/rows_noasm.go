//go:build !amd64 || noasm

package window

func vectorRow[T float32 | float64](_, _ []T, _ T) bool { return false }

func vectorRows[T float32 | float64](_, _, _, _, _ []T, _ [RowsAtOnce]T) bool { return false }
