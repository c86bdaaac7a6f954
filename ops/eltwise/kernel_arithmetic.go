package eltwise

import "github.com/vinoir/vinoir/internal/cast"

// signless reports whether f has the same bits for signed and unsigned integers.
func signless(f function) bool {
	switch f {
	case add, subtract, multiply, squaredDifference, and, or, xor, equal, notEqual:
		return true
	}
	return false
}

// sumLoop returns the loop of an arithmetic function that is signless; nil for all other functions.
func sumLoop[T cast.Number](f function, s stretching) loop[T, T] {
	switch f {
	case add:
		return [...]loop[T, T]{addRows[T], swap(addScalar[T]), addScalar[T]}[s]
	case subtract:
		return [...]loop[T, T]{subtractRows[T], subtractFromScalar[T], subtractScalar[T]}[s]
	case multiply:
		return [...]loop[T, T]{multiplyRows[T], swap(multiplyScalar[T]), multiplyScalar[T]}[s]
	case squaredDifference:
		return [...]loop[T, T]{squaredDifferenceRows[T], swap(squaredDifferenceScalar[T]), squaredDifferenceScalar[T]}[s]
	}
	return nil
}

// orderLoop returns the loop of a function that compares numbers, with the same code for integers
// and floats; nil for all other functions.
func orderLoop[T cast.Number](f function, s stretching) loop[T, T] {
	switch f {
	case maximum:
		return [...]loop[T, T]{maximumRows[T], maximumOfScalar[T], maximumScalar[T]}[s]
	case minimum:
		return [...]loop[T, T]{minimumRows[T], minimumOfScalar[T], minimumScalar[T]}[s]
	case prelu:
		return preluLoop[T](s)
	}
	return nil
}

// preluLoop returns the loop of PRelu. It keeps -0 and NaN.
func preluLoop[T cast.Number](s stretching) loop[T, T] {
	if s == bStretched {
		return preluScalar[T]
	}
	return each(s, func(x, slope T) T {
		if x < 0 {
			x *= slope
		}
		return x
	})
}

func preluScalar[T cast.Number](out, a, b []T) int {
	a = a[:len(out)]
	slope := b[0]
	for i, x := range a {
		if x < 0 {
			x *= slope
		}
		out[i] = x
	}
	return -1
}

// swap returns l with its inputs swapped. It is not inlined: copies of its closure would take 8.8
// KiB.
//
//go:noinline
func swap[T, R any](l loop[T, R]) loop[T, R] {
	return func(out []R, a, b []T) int { return l(out, b, a) }
}

func addRows[T cast.Number](out, a, b []T) int {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] + b[i]
	}
	return -1
}

func addScalar[T cast.Number](out, a, b []T) int {
	a = a[:len(out)]
	y := b[0]
	for i := range out {
		out[i] = a[i] + y
	}
	return -1
}

func subtractRows[T cast.Number](out, a, b []T) int {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] - b[i]
	}
	return -1
}

func subtractScalar[T cast.Number](out, a, b []T) int {
	a = a[:len(out)]
	y := b[0]
	for i := range out {
		out[i] = a[i] - y
	}
	return -1
}

func subtractFromScalar[T cast.Number](out, a, b []T) int {
	b = b[:len(out)]
	x := a[0]
	for i := range out {
		out[i] = x - b[i]
	}
	return -1
}

func multiplyRows[T cast.Number](out, a, b []T) int {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] * b[i]
	}
	return -1
}

func multiplyScalar[T cast.Number](out, a, b []T) int {
	a = a[:len(out)]
	y := b[0]
	for i := range out {
		out[i] = a[i] * y
	}
	return -1
}

func maximumRows[T cast.Number](out, a, b []T) int {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		m := b[i]
		if a[i] > m {
			m = a[i]
		}
		out[i] = m
	}
	return -1
}

func maximumScalar[T cast.Number](out, a, b []T) int {
	a = a[:len(out)]
	y := b[0]
	for i := range out {
		m := y
		if a[i] > m {
			m = a[i]
		}
		out[i] = m
	}
	return -1
}

func maximumOfScalar[T cast.Number](out, a, b []T) int {
	b = b[:len(out)]
	x := a[0]
	for i := range out {
		m := b[i]
		if x > m {
			m = x
		}
		out[i] = m
	}
	return -1
}

func minimumRows[T cast.Number](out, a, b []T) int {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		m := b[i]
		if a[i] < m {
			m = a[i]
		}
		out[i] = m
	}
	return -1
}

func minimumScalar[T cast.Number](out, a, b []T) int {
	a = a[:len(out)]
	y := b[0]
	for i := range out {
		m := y
		if a[i] < m {
			m = a[i]
		}
		out[i] = m
	}
	return -1
}

func minimumOfScalar[T cast.Number](out, a, b []T) int {
	b = b[:len(out)]
	x := a[0]
	for i := range out {
		m := b[i]
		if x < m {
			m = x
		}
		out[i] = m
	}
	return -1
}

func squaredDifferenceRows[T cast.Number](out, a, b []T) int {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		d := a[i] - b[i]
		out[i] = d * d
	}
	return -1
}

func squaredDifferenceScalar[T cast.Number](out, a, b []T) int {
	a = a[:len(out)]
	y := b[0]
	for i := range out {
		d := a[i] - y
		out[i] = d * d
	}
	return -1
}
