package unique

import (
	"math"

	"github.com/vinoir/vinoir/ir"
)

// order turns the bits of elements into keys in ascending order. Elements have the same key if and only if
// the shape rule counts them as one: if they have the same bits, or are 0 and -0. NaN comes last.
type order[E element] struct {
	shift uint // to the sign bit
	sign  E
	first E // the key of -Inf, before keys are rotated so that NaN of either sign comes last
	float bool
}

func orderOf[E element](t ir.ElementType) order[E] {
	o := order[E]{shift: uint(t.Bits() - 1)}
	switch t.Kind() {
	case ir.KindFloat:
		inf := math.Float64bits(math.Inf(1))
		switch t {
		case ir.F16:
			inf = 0x1f << 10
		case ir.BF16:
			inf = 0xff << 7
		case ir.F32:
			inf = 0xff << 23
		}
		o.float, o.sign = true, 1<<o.shift
		o.first = ^(E(inf) | o.sign)
	case ir.KindSigned:
		o.sign = 1 << o.shift
	}
	return o
}

func (o *order[E]) key(v E) uint64 {
	if !o.float {
		return uint64(v ^ o.sign)
	}
	if v == o.sign {
		v = 0
	}
	negative := -(v >> (o.shift & 63))
	return uint64(v ^ (negative | o.sign) - o.first)
}
