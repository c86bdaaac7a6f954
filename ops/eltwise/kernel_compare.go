package eltwise

import "github.com/vinoir/vinoir/internal/cast"

func compares(f function) bool { return equal <= f && f <= greaterEqual }

// compareLoop returns the loop of a comparison; nil for all other functions.
func compareLoop[T cast.Number](f function, s stretching) loop[T, bool] {
	if l := equalLoop[T](f, s); l != nil {
		return l
	}
	return orderingLoop[T](f, s)
}

// orderingLoop is compareLoop for the comparisons that are not signless. If a is stretched, it uses
// the mirrored comparison with swapped inputs. So do greater and greaterEqual if no input is
// stretched.
func orderingLoop[T cast.Number](f function, s stretching) loop[T, bool] {
	if !compares(f) {
		return nil
	}
	if s == aStretched {
		return swap(orderingLoop[T](mirrored(f), bStretched))
	}
	switch f {
	case less:
		return [...]loop[T, bool]{noneStretched: lessRows[T], bStretched: lessScalar[T]}[s]
	case lessEqual:
		return [...]loop[T, bool]{noneStretched: lessEqualRows[T], bStretched: lessEqualScalar[T]}[s]
	case greater:
		return [...]loop[T, bool]{noneStretched: swap(lessRows[T]), bStretched: greaterScalar[T]}[s]
	case greaterEqual:
		return [...]loop[T, bool]{noneStretched: swap(lessEqualRows[T]), bStretched: greaterEqualScalar[T]}[s]
	}
	return nil
}

// equalLoop is compareLoop for the comparisons that are signless.
func equalLoop[T comparable](f function, s stretching) loop[T, bool] {
	var rows, scalar loop[T, bool]
	switch f {
	case equal:
		rows, scalar = equalRows[T], equalScalar[T]
	case notEqual:
		rows, scalar = notEqualRows[T], notEqualScalar[T]
	default:
		return nil
	}
	return [...]loop[T, bool]{rows, swap(scalar), scalar}[s]
}

// mirrored returns the comparison that gives the same result as f if the inputs are swapped.
func mirrored(f function) function {
	switch f {
	case less:
		return greater
	case lessEqual:
		return greaterEqual
	case greater:
		return less
	case greaterEqual:
		return lessEqual
	}
	return f
}

func equalRows[T comparable](out []bool, a, b []T) int {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] == b[i]
	}
	return -1
}

func equalScalar[T comparable](out []bool, a, b []T) int {
	a = a[:len(out)]
	y := b[0]
	for i := range out {
		out[i] = a[i] == y
	}
	return -1
}

func notEqualRows[T comparable](out []bool, a, b []T) int {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] != b[i]
	}
	return -1
}

func notEqualScalar[T comparable](out []bool, a, b []T) int {
	a = a[:len(out)]
	y := b[0]
	for i := range out {
		out[i] = a[i] != y
	}
	return -1
}

func lessRows[T cast.Number](out []bool, a, b []T) int {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] < b[i]
	}
	return -1
}

func lessScalar[T cast.Number](out []bool, a, b []T) int {
	a = a[:len(out)]
	y := b[0]
	for i := range out {
		out[i] = a[i] < y
	}
	return -1
}

func lessEqualRows[T cast.Number](out []bool, a, b []T) int {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] <= b[i]
	}
	return -1
}

func lessEqualScalar[T cast.Number](out []bool, a, b []T) int {
	a = a[:len(out)]
	y := b[0]
	for i := range out {
		out[i] = a[i] <= y
	}
	return -1
}

// greaterScalar compares with a threshold, which is the most common comparison: eight elements at a
// time. The speed of the short loop would depend on where the linker puts it.
func greaterScalar[T cast.Number](out []bool, a, b []T) int {
	a = a[:len(out)]
	y := b[0]
	for len(out) >= 8 && len(a) >= 8 {
		to, from := (*[8]bool)(out), (*[8]T)(a)
		to[0], to[1], to[2], to[3] = from[0] > y, from[1] > y, from[2] > y, from[3] > y
		to[4], to[5], to[6], to[7] = from[4] > y, from[5] > y, from[6] > y, from[7] > y
		out, a = out[8:], a[8:]
	}
	a = a[:len(out)]
	for i := range out {
		out[i] = a[i] > y
	}
	return -1
}

func greaterEqualScalar[T cast.Number](out []bool, a, b []T) int {
	a = a[:len(out)]
	y := b[0]
	for i := range out {
		out[i] = a[i] >= y
	}
	return -1
}
