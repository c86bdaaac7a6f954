package gridsample

import (
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/ops/internal/sampling"
)

// plan holds what the positions depend on. Coordinates are of type G.
type plan[G sampling.Float] struct {
	shape
	y, x axis[G]
}

// axis maps coordinates to the elements of an axis of data.
type axis[G sampling.Float] struct {
	n            int64
	scale, shift G // the position of coordinate g is ((g+1)*scale - shift) / 2
	padding      padding
	align        bool
	// exact is such that three times as much is the middle of a range of numbers without fraction,
	// which extends by exact to both sides.
	exact G
}

type padding int

const (
	zeros padding = iota
	border
	reflection
)

func newAxis[G sampling.Float](at attributes, n int) axis[G] {
	a := axis[G]{n: int64(n), scale: G(n), shift: 1, align: at.alignCorners, exact: 1 << 22}
	if unsafe.Sizeof(a.exact) == 8 {
		a.exact = 1 << 51
	}
	switch at.paddingMode {
	case "border":
		a.padding = border
	case "reflection":
		a.padding = reflection
	}
	if a.align {
		a.scale, a.shift = G(n-1), 0
	}
	return a
}

// position returns the position of a coordinate, in elements. The conversions keep the compiler
// from fusing a product with a sum: the results are the same on all processors.
func (a *axis[G]) position(g G) G { return (G((g+1)*a.scale) - a.shift) / 2 }

// most is the magnitude from which on positions are not converted to integers.
const most = 1 << 62

// floor returns the element before a position, and the distance from it, which is NaN for positions
// that are not finite. The element may be beyond the axis.
func (a *axis[G]) floor(v G) (int64, G) {
	if v > -most && v < most {
		i := int64(v)
		if G(i) > v {
			i--
		}
		return i, v - G(i)
	}
	return a.far(v), v - v
}

// nearest returns the element nearest to a position, or the even one of two.
func (a *axis[G]) nearest(v G) int64 {
	if v > -a.exact && v < a.exact {
		return int64(v + 3*a.exact - 3*a.exact)
	}
	if v > -most && v < most {
		return int64(math.RoundToEven(float64(v)))
	}
	return a.far(v)
}

// far returns an element that the padding treats like the one at v, which is NaN or at least most
// in magnitude. For NaN and, with reflection, for infinities it is element 0.
func (a *axis[G]) far(v G) int64 {
	switch {
	case v != v:
		if a.padding == zeros {
			return -most
		}
		return 0
	case a.padding == reflection:
		if v-v != 0 || a.period() == 0 {
			return 0
		}
		return int64(math.Mod(float64(v), float64(a.period())))
	case v < 0:
		return -most
	}
	return most
}

// period is the number of positions after which reflection repeats the axis.
func (a *axis[G]) period() int64 {
	if a.align {
		return 2 * (a.n - 1)
	}
	return 2 * a.n
}

// at returns the position on the axis that the padding gives element i, or sampling.Outside.
func (a *axis[G]) at(i int64) int {
	if uint64(i) < uint64(a.n) {
		return int(i)
	}
	switch a.padding {
	case zeros:
		return sampling.Outside
	case border:
		return int(min(max(i, 0), a.n-1))
	}
	period := a.period()
	if period == 0 {
		return 0
	}
	if i %= period; i < 0 {
		i += period
	}
	if i < a.n {
		return int(i)
	}
	if a.align {
		return int(period - i)
	}
	return int(period - 1 - i)
}
