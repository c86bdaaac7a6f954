//go:build !noasm

package bucketize

import (
	"math"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/ops/internal/search"
)

// lanes is the number of elements that the assembly counts for at once. It is the same as in
// _neon/gen.go.
const lanes = 16

// maxCompared is the number of boundaries up to which comparing with each takes fewer instructions
// than a search.
const maxCompared = 64

// vectorCounts counts for the first values with assembly, which compares them with each boundary,
// and returns for how many.
func vectorCounts[T search.Number, I int32 | int64](values []T, out []I, boundaries []T, first I, rightBound bool) int {
	n := len(values) &^ (lanes - 1)
	if n == 0 || int64(first) > math.MaxInt32-maxCompared || len(boundaries) == 0 || len(boundaries) > maxCompared || !cpu.NEON.Available() {
		return 0
	}
	_ = out[n-1]
	// The calls are written out, since the arguments of a call through a function value would
	// escape to the heap.
	count := len(boundaries)
	switch v := any(values).(type) {
	case []int32:
		b := any(boundaries).([]int32)
		switch o := any(out).(type) {
		case []int32:
			if rightBound {
				belowInts32(&o[0], &v[0], &b[0], n, count, int32(first))
			} else {
				notAboveInts32(&o[0], &v[0], &b[0], n, count, int32(first))
			}
		case []int64:
			if rightBound {
				belowInts64(&o[0], &v[0], &b[0], n, count, int32(first))
			} else {
				notAboveInts64(&o[0], &v[0], &b[0], n, count, int32(first))
			}
		}
	case []float32:
		b := any(boundaries).([]float32)
		switch o := any(out).(type) {
		case []int32:
			if rightBound {
				belowFloats32(&o[0], &v[0], &b[0], n, count, int32(first))
			} else {
				notAboveFloats32(&o[0], &v[0], &b[0], n, count, int32(first))
			}
		case []int64:
			if rightBound {
				belowFloats64(&o[0], &v[0], &b[0], n, count, int32(first))
			} else {
				notAboveFloats64(&o[0], &v[0], &b[0], n, count, int32(first))
			}
		}
	default:
		return 0
	}
	return n
}
