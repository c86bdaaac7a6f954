package implicit

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestWalk compares identity and inside with the elements that the windows read.
func TestWalk(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 13))
	identities, insides := 0, 0
	for range 5000 {
		w := walk{input: 1 + rng.IntN(6), output: rng.IntN(5), stride: 1 + rng.IntN(2)}
		for range rng.IntN(3) {
			w.offsets = append(w.offsets, rng.IntN(5)-1)
		}
		if rng.IntN(3) == 0 {
			w.offsets, w.output = []int{rng.IntN(2)}, w.input
		}
		identity, inside := len(w.offsets) == 1 && w.input == w.output, len(w.offsets) > 0 && w.output > 0
		for o := range w.output {
			for _, offset := range w.offsets {
				at := o*w.stride + offset
				identity = identity && at == o
				inside = inside && at >= 0 && at < w.input
			}
		}
		assert.Equal(t, identity, w.identity(), "%+v", w)
		assert.Equal(t, inside, w.inside(), "%+v", w)
		if identity {
			identities++
		}
		if inside {
			insides++
		}
	}
	assert.Greater(t, identities, 100)
	assert.Greater(t, insides, 100)
}

// TestJoinAxes compares the elements that the windows read before and after.
func TestJoinAxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 14))
	for range 1000 {
		var walks [3]walk
		for i := range walks {
			w := &walks[i]
			*w = walk{input: 1 + rng.IntN(3), output: 1 + rng.IntN(3), stride: 1 + rng.IntN(2), offsets: []int{0}}
			if rng.IntN(3) > 0 {
				w.output, w.stride = w.input, 1
			} else if rng.IntN(2) == 0 {
				w.offsets = []int{rng.IntN(2) - 1, 1}
			}
		}
		joined := walks
		joinAxes(&joined)
		assert.Equal(t, reads(&walks), reads(&joined), "%+v", walks)
		for i := range 2 {
			a, b := &joined[i], &joined[i+1]
			assert.False(t, a.identity() && b.identity() && a.input > 1, "%+v: axes %d and %d could be joined", walks, i, i+1)
		}
	}
}

// reads returns the elements of the input that the window of each output reads, or -1 for those
// outside.
func reads(walks *[3]walk) (list []int) {
	z, y, x := &walks[0], &walks[1], &walks[2]
	for oz := range z.output {
		for oy := range y.output {
			for ox := range x.output {
				for _, kz := range z.offsets {
					for _, ky := range y.offsets {
						for _, kx := range x.offsets {
							az, ay, ax := oz*z.stride+kz, oy*y.stride+ky, ox*x.stride+kx
							at := -1
							if az >= 0 && az < z.input && ay >= 0 && ay < y.input && ax >= 0 && ax < x.input {
								at = (az*y.input+ay)*x.input + ax
							}
							list = append(list, at)
						}
					}
				}
			}
		}
	}
	return list
}
