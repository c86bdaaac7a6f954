package random

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

// TestPhilox has the published test vectors of philox4x32-10, and numbers of OpenVINO 2026.4.1.
func TestPhilox(t *testing.T) {
	assert.Equal(t, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}, Philox{}.Group(0))
	assert.Equal(t, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}, Philox{math.MaxUint64, math.MaxUint64}.Group(math.MaxUint64))
	assert.Equal(t, [4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
		Philox{0x299f31d0<<32 | 0xa4093822, 0x03707344<<32 | 0x13198a2e}.Group(0x85a308d3<<32|0x243f6a88))
	assert.Equal(t, [4]uint32{2058544851, 32233798, 302027796, 3838645477}, Philox{3, 5}.Group(0))
	assert.Equal(t, [4]uint32{1441186052, 3437574395, 829115037, 2153154003}, Philox{3, 5}.Group(1))
}

// TestPhilox_Fill compares sequences of all lengths with single groups, with and without assembly.
// The numbers of groups carry into their upper halves and wrap around.
func TestPhilox_Fill(t *testing.T) {
	layertest.CheckSeeds(t, 200, func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(1, seed))
		p := Philox{rng.Uint64(), rng.Uint64()}
		first := []uint64{0, 1<<32 - 5, math.MaxUint64 - 20, rng.Uint64()}[seed%4]
		words := make([]uint32, seed+1)
		p.Fill(words[:seed], first)
		for i, v := range words[:seed] {
			require.Equal(t, p.Group(first + uint64(i/4))[i%4], v, "number %d of %d", i, seed)
		}
		require.Zero(t, words[seed])
	})
}

// TestMersenne has the number that the C++ standard requires of a default mt19937, and numbers of
// PyTorch.
func TestMersenne(t *testing.T) {
	var m Mersenne
	m.Seed(5489)
	last := uint32(0)
	for range 10000 {
		last = m.Next()
	}
	assert.Equal(t, uint32(4123659995), last)
	m.Seed(3)
	assert.Equal(t, uint32(2365658986), m.Next())
	assert.Equal(t, uint32(303761048), m.Next())
	assert.Equal(t, uint32(3041471737), m.Next())
}

// TestMersenne_sequence has the numbers that OpenVINO 2026.4.1 draws from 4096 equal classes.
func TestMersenne_sequence(t *testing.T) {
	var m Mersenne
	m.SeedSequence([2]uint32{9, 2})
	for _, want := range []uint32{1114, 2656, 1093, 1011, 2068, 631, 371, 3581, 2945, 3372, 2692, 1176} {
		assert.Equal(t, want, m.Next()>>20)
	}
	m.SeedSequence([2]uint32{0, 2})
	assert.Equal(t, uint32(3648), m.Next()>>20)
}

func TestAdvance(t *testing.T) {
	group, counter := Advance(10, 7, 5, 256)
	assert.Equal(t, []uint64{1290, 7}, []uint64{group, counter})
	group, counter = Advance(math.MaxUint64, 7, 1<<63, 2)
	assert.Equal(t, []uint64{math.MaxUint64, 8}, []uint64{group, counter})
	group, counter = Advance(math.MaxUint64, 7, 1, 1)
	assert.Equal(t, []uint64{0, 8}, []uint64{group, counter})
}
