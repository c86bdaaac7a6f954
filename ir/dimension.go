package ir

import (
	"math"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
)

// Unbounded is the Max of a Dimension without an upper bound.
const Unbounded = math.MaxInt64

// Dimension is the interval of possible lengths of an axis, Min <= length <= Max. The zero
// value is the static dimension 0.
type Dimension struct {
	Min, Max int64
}

// Dim returns the static dimension n.
func Dim(n int64) Dimension { return Dimension{n, n} }

// DimRange returns the dimension of min to max.
func DimRange(min, max int64) Dimension { return Dimension{min, max} }

// AnyDim is the dimension with unknown length: "?".
var AnyDim = Dimension{0, Unbounded}

// DimOf returns the dimension for a length that is an element of a tensor with the bounds v. As
// in OpenVINO, -1 stands for any length, and smaller numbers count as 0.
func DimOf(v Interval) Dimension {
	if v.Max == -1 || v.Min == Unbounded {
		return AnyDim
	}
	return Dimension{max(v.Min, 0), max(v.Max, 0)}
}

// DimOfInt is DimOf for a single number.
func DimOfInt(n int64) Dimension { return DimOf(Interval{n, n}) }

// IsStatic reports whether d is a single length.
func (d Dimension) IsStatic() bool { return d.Min == d.Max && d.Max != Unbounded }

// IsDynamic reports whether d has several possible lengths.
func (d Dimension) IsDynamic() bool { return !d.IsStatic() }

// Contains reports whether length n is possible.
func (d Dimension) Contains(n int64) bool { return d.Min <= n && n <= d.Max }

// Compatible reports whether d and e have a possible length in common.
func (d Dimension) Compatible(e Dimension) bool {
	return max(d.Min, e.Min) <= min(d.Max, e.Max)
}

// String returns d in OpenVINO's notation: "3", "?", "..5", "3.." or "3..5".
func (d Dimension) String() string { return string(d.append(nil)) }

func (d Dimension) append(b []byte) []byte {
	switch {
	case d.IsStatic():
		return strconv.AppendInt(b, d.Min, 10)
	case d == AnyDim, d.Min == Unbounded:
		return append(b, '?')
	}
	if d.Min > 0 {
		b = strconv.AppendInt(b, d.Min, 10)
	}
	b = append(b, '.', '.')
	if d.Max != Unbounded {
		b = strconv.AppendInt(b, d.Max, 10)
	}
	return b
}

// ParseDimension parses a dimension in OpenVINO's notation: "3", "?", "-1", "3..5", "..5" or
// "3..".
func ParseDimension(s string) (Dimension, error) {
	s = strings.TrimSpace(s)
	if s == "?" || s == "-1" {
		return AnyDim, nil
	}
	lo, hi, isRange := strings.Cut(s, "..")
	if !isRange {
		n, err := parseLength(s)
		return Dim(n), err
	}
	d := AnyDim
	var err error
	if lo = strings.TrimSpace(lo); lo != "" {
		if d.Min, err = parseLength(lo); err != nil {
			return d, err
		}
	}
	if hi = strings.TrimSpace(hi); hi != "" {
		if d.Max, err = parseLength(hi); err != nil {
			return d, err
		}
	}
	if d.Min > d.Max {
		return d, faults.Errorf("dimension %.100q: lower bound %d is above upper bound %d", s, d.Min, d.Max)
	}
	return d, nil
}

func parseLength(s string) (int64, error) {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil || n == Unbounded {
		return 0, faults.Errorf("dimension %.100q is not a number from 0 to 2^63-2, a range or \"?\"", s)
	}
	return int64(n), nil
}

// Merge returns the intersection of d and e; false if it is empty.
func (d Dimension) Merge(e Dimension) (Dimension, bool) {
	m := Dimension{max(d.Min, e.Min), min(d.Max, e.Max)}
	return m, m.Min <= m.Max
}

// Relax returns the smallest interval that contains both d and e.
func (d Dimension) Relax(e Dimension) Dimension {
	return Dimension{min(d.Min, e.Min), max(d.Max, e.Max)}
}

// Broadcast returns the dimension that d and e broadcast to: a length of 1 is stretched to the
// other length. It returns false if no lengths of d and e can be broadcast.
func (d Dimension) Broadcast(e Dimension) (Dimension, bool) {
	switch {
	case d.Contains(1) && e.Contains(1):
		return d.Relax(e), true
	case d.Contains(1):
		return e, true
	case e.Contains(1):
		return d, true
	}
	return d.Merge(e)
}

// Add returns the interval of the sums of a length of d and a length of e.
func (d Dimension) Add(e Dimension) Dimension {
	return Dimension{satAdd(d.Min, e.Min), satAdd(d.Max, e.Max)}
}

// Mul returns the interval of the products of a length of d and a length of e. It is not inlined:
// two checked multiplications are larger than a call.
//
//go:noinline
func (d Dimension) Mul(e Dimension) Dimension {
	return Dimension{satMul(d.Min, e.Min), satMul(d.Max, e.Max)}
}

// Div returns the interval of the quotients of the lengths of d that are multiples of n, which
// must be positive; false if there are none.
func (d Dimension) Div(n int64) (Dimension, bool) {
	if n == 1 || d == AnyDim {
		return d, true
	}
	q := Dimension{d.Min / n, d.Max / n}
	if d.Min%n != 0 {
		q.Min++
	}
	if d.Max == Unbounded {
		// as in OpenVINO: the quotient of Unbounded is not Unbounded
		q.Max = int64(0x1p63 / float64(n))
	}
	return q, q.Min <= q.Max
}

// Sub returns the interval of the differences of a length of d and a length of e. Negative
// differences count as 0.
func (d Dimension) Sub(e Dimension) Dimension {
	return Dimension{satSub(d.Min, e.Max), satSub(d.Max, e.Min)}
}

// satAdd adds non-negative numbers. A sum beyond int64 is Unbounded.
func satAdd(a, b int64) int64 {
	if a > Unbounded-b {
		return Unbounded
	}
	return a + b
}

// satSub subtracts non-negative numbers. Unbounded minus a number is Unbounded; a negative
// difference is 0.
func satSub(a, b int64) int64 {
	switch {
	case a <= b:
		return 0
	case a == Unbounded:
		return a
	}
	return a - b
}

// satMul multiplies non-negative numbers. A product beyond int64 is Unbounded. It is not inlined:
// shape rules multiply in dozens of places, none of them in a kernel.
//
//go:noinline
func satMul(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	if a > Unbounded/b {
		return Unbounded
	}
	return a * b
}
