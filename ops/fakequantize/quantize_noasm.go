//go:build noasm || (!amd64 && !arm64)

package fakequantize

import "github.com/vinoir/vinoir/internal/cast"

func (l *level[T]) vectorRow(_, _ []T, _ T) bool { return false }

func vectorColumns[T cast.Float](_, _ []T, _ T, _ *[limits][]T, _, _ *[limits]int) int { return 0 }
