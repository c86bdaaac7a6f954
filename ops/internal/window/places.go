package window

import "github.com/vinoir/vinoir/ir"

// Places is an output of the positions of elements, i32 or i64. The zero value stands for no
// output.
type Places struct {
	narrow []int32
	wide   []int64
}

// PlacesOf returns the output t, whose type is i32 or i64.
func PlacesOf(t *ir.Tensor) Places {
	if t.ElementType() == ir.I32 {
		return Places{narrow: ir.Data[int32](t)}
	}
	return Places{wide: ir.Data[int64](t)}
}

// Wanted reports whether there is an output.
func (p *Places) Wanted() bool { return p.narrow != nil || p.wide != nil }

// Set sets element at of the output, which there must be, to place.
func (p *Places) Set(at, place int) {
	if p.narrow != nil {
		p.narrow[at] = int32(place)
	} else {
		p.wide[at] = int64(place)
	}
}
