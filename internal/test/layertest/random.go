package layertest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// RandomInts returns n random integers from lo to hi.
func RandomInts(rng *rand.Rand, lo, hi, n int) []int {
	values := make([]int, n)
	for i := range values {
		values[i] = lo + rng.IntN(hi-lo+1)
	}
	return values
}

// RandomNumbers returns n random multiples of step from -limit*step to limit*step. Types of
// few bits hold them exactly if step is a power of two.
func RandomNumbers(rng *rand.Rand, limit int, step float64, n int) []float64 {
	values := make([]float64, n)
	for i, v := range RandomInts(rng, -limit, limit, n) {
		values[i] = float64(v) * step
	}
	return values
}

// List writes integers as an attribute: "1,2,3".
func List(values []int) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(values), "[]")), ",")
}
