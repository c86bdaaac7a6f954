package index

// Integer lists the Go types that indices can have.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Check returns the position of the first index outside lo to hi, both included,
// and -1 where there is none. lo is not above 0. No index is in an empty range.
func Check[I Integer](indices []I, lo, hi int64) int {
	if hi < lo {
		return min(len(indices), 1) - 1
	}
	base := uint64(lo)
	if Unsigned[I]() {
		base = 0
	}
	span := uint64(hi) - base
	// Below base the difference wraps to a number above span.
	for i, v := range indices {
		if uint64(v)-base > span {
			return i
		}
	}
	return -1
}

// Resolve returns index v of an axis of n elements counted from the front, where
// negative ones count from the back if they may; -1 for one that is not allowed.
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
