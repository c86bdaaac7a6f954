// Package search counts the elements of sorted sequences that are below a number.
package search

import "github.com/vinoir/vinoir/internal/cast"

// Number is the constraint of the types that can be compared.
type Number = cast.Number

// Below returns the number of elements of sorted that are less than v. It is 0 if v is NaN. If
// sorted is not sorted, it is some number from 0 to len(sorted).
func Below[T Number](sorted []T, v T) int {
	at, n := 0, len(sorted)
	// The loop has no branch that depends on the data: most of those would be mispredicted. The
	// compiler makes none of a condition that sets 0 or 1.
	for n > 1 {
		half, first := n/2, 0
		if sorted[at+half-1] < v {
			first = 1
		}
		at += half & -first
		n -= half
	}
	if n == 0 {
		return 0
	}
	first := 0
	if sorted[at] < v {
		first = 1
	}
	return at + first
}

// NotAbove is Below for elements that are less than v or equal to it.
func NotAbove[T Number](sorted []T, v T) int {
	at, n := 0, len(sorted)
	for n > 1 {
		half, first := n/2, 0
		if sorted[at+half-1] <= v {
			first = 1
		}
		at += half & -first
		n -= half
	}
	if n == 0 {
		return 0
	}
	first := 0
	if sorted[at] <= v {
		first = 1
	}
	return at + first
}
