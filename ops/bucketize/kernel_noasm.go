//go:build noasm || !arm64

package bucketize

import "github.com/vinoir/vinoir/ops/internal/search"

func vectorCounts[T search.Number, I int32 | int64](_ []T, _ []I, _ []T, _ I, _ bool) int { return 0 }
