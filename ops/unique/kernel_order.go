package unique

import (
	"math"

	"github.com/vinoir/vinoir/ir"
)

// order turns the bits of elements into keys in ascending order. Elements have the same key if and
// only if the shape rule counts them as one: if they have the same bits, or are 0 and -0. NaN comes
// last.
type order struct {
	shift uint // to the sign bit
	sign  uint64
	first uint64 // the key of -Inf, before keys are rotated so that NaN of either sign comes last
	mask  uint64 // of the bits of an element
	float bool
}

func orderOf(t ir.ElementType) order {
	o := order{shift: uint(t.Bits() - 1), mask: math.MaxUint64 >> (64 - t.Bits())}
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
		o.first = ^(inf | o.sign) & o.mask
	case ir.KindSigned:
		o.sign = 1 << o.shift
	}
	return o
}

// key returns the key of the bits of an element.
func (o *order) key(v uint64) uint64 {
	if !o.float {
		return v ^ o.sign
	}
	if v == o.sign {
		v = 0
	}
	negative := -(v >> (o.shift & 63)) & o.mask
	return (v ^ (negative | o.sign) - o.first) & o.mask
}
