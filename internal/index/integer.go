package index

// Integer is the constraint of the types of indices.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Check returns the position of the first index that is less than lo or greater than hi, or -1
// if all are in range. lo must not be positive. If hi is less than lo, no index is in range.
func Check[I Integer](indices []I, lo, hi int64) int {
	if hi < lo {
		return min(len(indices), 1) - 1
	}
	base := uint64(lo)
	if Unsigned[I]() {
		base = 0
	}
	span := uint64(hi) - base
	// If v is less than base, the difference wraps around to a number greater than span.
	for i, v := range indices {
		if uint64(v)-base > span {
			return i
		}
	}
	return -1
}

// Resolve returns index v of an axis of n elements as a non-negative number, or -1 if v is out
// of range. If negative is true, v from -n to -1 counts from the end of the axis.
func Resolve[I Integer](v I, n int, negative bool) int {
	switch {
	case uint64(v) < uint64(n):
		return int(v)
	case negative && v < 0 && int64(v) >= -int64(n):
		return int(int64(v) + int64(n))
	}
	return -1
}

// Unsigned reports whether I is an unsigned type.
func Unsigned[I Integer]() bool { return ^I(0) > 0 }
