package eltwise

import (
	encoding "encoding/binary" // the package has a function binary
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
)

// intLoop returns the loop of a function of integers that is not signless; nil for comparisons.
func intLoop[T cast.Integer](f function, s stretching) loop[T, T] {
	switch f {
	case divide:
		return dividing(s, func(x, y T) T { return x / y })
	case floorDiv:
		return dividing(s, floorQuotient[T])
	case mod:
		return dividing(s, func(x, y T) T { return x % y })
	case floorMod:
		return dividing(s, func(x, y T) T {
			r := x % y
			if r != 0 && r^y < 0 {
				r += y
			}
			return r
		})
	case power:
		return each(s, integerPower[T])
	case leftShift:
		return each(s, func(x, y T) T { return x << shift(y) })
	case rightShift:
		return each(s, func(x, y T) T { return x >> shift(y) })
	}
	return orderLoop[T](f, s)
}

// wrappingLoop returns the loop of a function that is signless; nil for comparisons.
func wrappingLoop[T cast.Integer](f function, s stretching) loop[T, T] {
	switch f {
	case and:
		return [...]loop[T, T]{andRows[T], swap(andScalar[T]), andScalar[T]}[s]
	case or:
		return [...]loop[T, T]{orRows[T], swap(orScalar[T]), orScalar[T]}[s]
	case xor:
		return [...]loop[T, T]{xorRows[T], swap(xorScalar[T]), xorScalar[T]}[s]
	}
	return sumLoop[T](f, s)
}

// each returns the loop that calls f for every element. It is for functions that cost more than the
// call. It is not inlined: copies of its loops would take 22 KiB.
//
//go:noinline
func each[T any](s stretching, f func(x, y T) T) loop[T, T] {
	switch s {
	case aStretched:
		return func(out, a, b []T) int {
			x := a[0]
			for i, y := range b {
				out[i] = f(x, y)
			}
			return -1
		}
	case bStretched:
		return func(out, a, b []T) int {
			y := b[0]
			for i, x := range a {
				out[i] = f(x, y)
			}
			return -1
		}
	}
	return func(out, a, b []T) int {
		b = b[:len(a)]
		for i, x := range a {
			out[i] = f(x, b[i])
		}
		return -1
	}
}

// dividing is like each, for functions that are undefined if b is 0.
func dividing[T cast.Integer](s stretching, f func(x, y T) T) loop[T, T] {
	l := each(s, f)
	return func(out, a, b []T) int {
		for i, y := range b {
			if y == 0 {
				return i
			}
		}
		return l(out, a, b)
	}
}

// floorQuotient returns x/y rounded down.
func floorQuotient[T cast.Integer](x, y T) T {
	q := x / y
	if r := x % y; r != 0 && r^y < 0 {
		q--
	}
	return q
}

// integerPower returns x to the power of y, wrapped. For a negative y it returns the reciprocal
// rounded towards zero, and 0 if x is 0.
func integerPower[T cast.Integer](x, y T) T {
	if y < 0 {
		switch minusOne := ^T(0); {
		case x == 1, x == minusOne && y&1 == 0:
			return 1
		case x == minusOne:
			return minusOne
		}
		return 0
	}
	result := T(1)
	for ; y > 0; y >>= 1 {
		if y&1 != 0 {
			result *= x
		}
		x *= x
	}
	return result
}

// shift returns y as a number of bits to shift by. A negative y becomes the width of T.
func shift[T cast.Integer](y T) uint64 {
	if y < 0 {
		return uint64(8 * unsafe.Sizeof(y))
	}
	return uint64(y)
}

func andRows[T cast.Integer](out, a, b []T) int {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] & b[i]
	}
	return -1
}

func andScalar[T cast.Integer](out, a, b []T) int {
	a = a[:len(out)]
	y := b[0]
	for i := range out {
		out[i] = a[i] & y
	}
	return -1
}

func orRows[T cast.Integer](out, a, b []T) int {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] | b[i]
	}
	return -1
}

func orScalar[T cast.Integer](out, a, b []T) int {
	a = a[:len(out)]
	y := b[0]
	for i := range out {
		out[i] = a[i] | y
	}
	return -1
}

func xorRows[T cast.Integer](out, a, b []T) int {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] ^ b[i]
	}
	return -1
}

func xorScalar[T cast.Integer](out, a, b []T) int {
	a = a[:len(out)]
	y := b[0]
	for i := range out {
		out[i] = a[i] ^ y
	}
	return -1
}

// booleanLoop returns the loop of a logical function. Every byte except 0 is true. The bytes of the
// output are 0 or 1. Eight of them are computed at a time, as a word.
func booleanLoop(f function, s stretching) loop[uint8, uint8] {
	switch {
	case f != and && f != or && f != xor:
		return nil
	case s == aStretched:
		return swap(booleanLoop(f, bStretched))
	}
	return func(out, a, b []uint8) int {
		if s == noneStretched {
			for len(out) >= 8 {
				x, y := truths(encoding.LittleEndian.Uint64(a)), truths(encoding.LittleEndian.Uint64(b))
				encoding.LittleEndian.PutUint64(out, logicalOf(f, x, y))
				out, a, b = out[8:], a[8:], b[8:]
			}
			for i := range out {
				out[i] = uint8(logicalOf(f, truths(uint64(a[i])), truths(uint64(b[i]))))
			}
			return -1
		}
		y := truths(uint64(b[0])) * lowBits
		for len(out) >= 8 {
			encoding.LittleEndian.PutUint64(out, logicalOf(f, truths(encoding.LittleEndian.Uint64(a)), y))
			out, a = out[8:], a[8:]
		}
		for i := range out {
			out[i] = uint8(logicalOf(f, truths(uint64(a[i])), y))
		}
		return -1
	}
}

// lowBits has the lowest bit of each byte.
const lowBits = 0x0101010101010101

// truths returns 1 for each byte of x that is not 0, and 0 for the others.
func truths(x uint64) uint64 {
	const rest = 0x7f * lowBits
	return (x&rest + rest | x) >> 7 & lowBits
}

// logicalOf returns a logical function of the bytes of x and y, which are 0 or 1.
func logicalOf(f function, x, y uint64) uint64 {
	switch f {
	case and:
		return x & y
	case or:
		return x | y
	}
	return x ^ y
}
