// Package magnitude finds the largest elements of float32 numbers. The magnitude of a number is its
// bits without the sign: they have the order of the absolute values, with infinity and then NaN
// above all others.
package magnitude

import "math"

//go:generate go run ./_neon -out magnitude_arm64.s -stubs stubs_arm64.go -pkg magnitude

// Padding is the number of elements behind the magnitudes of Merge that may be read and written.
const Padding = 7

// mergePortable is Merge without assembly.
func mergePortable(to []uint32, from []float32, n, channels, step int) {
	for c := range channels {
		for i, v := range from[c*step:][:n] {
			to[i] = max(to[i], math.Float32bits(v)&^(1<<31))
		}
	}
}

// extremesPortable is Extremes without assembly.
func extremesPortable(list []uint32) (least, most uint32) {
	least = math.MaxUint32
	for _, v := range list {
		least, most = min(least, v), max(most, v)
	}
	return least, most
}

// infinity is the bits of infinity.
const infinity = 255 << 23

// Finite reports whether no element of list is infinite or NaN.
func Finite(list []float32) bool { return Largest(list) < infinity }

// Largest returns the largest magnitude of list: that of a NaN if there is one.
func Largest(list []float32) uint32 {
	const width = 64
	var most [width + Padding]uint32
	lines := len(list) / width
	Merge(most[:], list, width, lines, width)
	Merge(most[:], list[lines*width:], len(list)%width, 1, width)
	_, largest := Extremes(most[:])
	return largest
}
