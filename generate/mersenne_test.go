package generate

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestMersenne has the value that the C++ standard requires of std::mt19937, and the first ones.
func TestMersenne(t *testing.T) {
	var m mersenne
	m.seed(5489)
	assert.Equal(t, uint32(3499211612), m.uint32())
	for range 9998 {
		m.uint32()
	}
	assert.Equal(t, uint32(4123659995), m.uint32(), "number 10000")
	m.seed(5489)
	assert.InDelta(t, 3499211612.0/(1<<32), m.float32(), 1e-7)
	for range 100000 {
		x := m.float32()
		assert.True(t, x >= 0 && x < 1, "%v", x)
	}
	m.state[0], m.next = 0x9f2a8d3b, 0
	for i := range m.state { // find a number that would be rounded to 1
		m.state[i] = uint32(i) * 0x01000193
	}
	m.next = 0
	assert.Less(t, m.float32(), float32(1))
}
