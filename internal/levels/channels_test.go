package levels

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLevels_Clamped has levels that rise and levels that fall.
func TestLevels_Clamped(t *testing.T) {
	l := Levels{Scale: []float32{10, -10}, Shift: []float32{20, 100}, Inner: 1, Max: 255}
	for _, test := range []struct {
		channel          int
		lo, hi, min, max float32
	}{
		{0, -1, 5, 10, 70}, {0, -9, 99, 0, 255}, {1, -1, 5, 50, 110}, {1, -99, 99, 0, 255}, {1, 20, 30, 0, 0},
	} {
		lo, hi := l.Clamped(test.lo, test.hi, test.channel)
		assert.Equal(t, []float32{test.min, test.max}, []float32{lo, hi}, "%+v", test)
	}
}

// TestLevels_Channels has two channels with an activation each.
func TestLevels_Channels(t *testing.T) {
	l := Levels{Scale: []float32{1, 10, 10}, Shift: []float32{0, 20, 30}, Slope: []float32{1, 0.5, 2}, Max: 100}
	part := l.Channels(1, 3)
	for _, test := range []struct {
		x       float32
		channel int
		level   float32
	}{
		{3, 0, 50}, {-2, 0, 10}, {-1, 1, 10}, {-5, 1, 0}, {50, 1, 100},
	} {
		assert.Equal(t, test.level, part.Level(test.x, test.channel), "%+v", test)
	}
	part.Slope, part.HSwish = nil, true
	assert.Equal(t, float32(0), part.Level(-3, 0)-20)
	assert.Equal(t, float32(70), part.Level(5, 0))
	end, c := (&Levels{Scale: make([]float32, 2), Inner: 4}).Span(5, 99)
	assert.Equal(t, []int{8, 1}, []int{end, c})
}
