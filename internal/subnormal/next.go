package subnormal

import (
	"math"
	"unsafe"
)

// Next returns the least number above x, or if not up, the greatest below x, that comparisons tell
// from x on this thread. Where subnormal numbers are flushed, that of a 0 is the smallest normal
// number. Next of a NaN is NaN.
func Next[T float32 | float64](x T, up bool) T {
	direction := math.Inf(-1)
	if up {
		direction = math.Inf(1)
	}
	if unsafe.Sizeof(x) == 4 {
		return past(x, T(math.Nextafter32(float32(x), float32(direction))), 0x1p-126, up)
	}
	return past(x, T(math.Nextafter(float64(x), direction)), 0x1p-1022, up)
}

// past returns next, or the smallest normal number, with a sign, if the processor takes both next
// and x for 0.
func past[T float32 | float64](x, next T, smallest float64, up bool) T {
	switch {
	case x != 0 || next != 0:
		return next
	case up:
		return T(smallest)
	}
	return T(-smallest)
}
