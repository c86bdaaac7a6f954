package index

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLines(t *testing.T) {
	shape := []int{2, 3, 4, 5}
	assert.Equal(t, []Lines{{1, 2, 60}, {2, 3, 20}, {6, 4, 5}, {24, 5, 1}}, []Lines{Along(shape, 0), Along(shape, 1), Along(shape, 2), Along(shape, 3)})
	l, next := Along(shape, 1), 0
	for i := range 2 * 3 * 4 * 5 {
		if Position(i, shape)[1] == 0 {
			assert.Equal(t, i, l.Start(next))
			next++
		}
	}
	assert.Equal(t, l.Outer*l.Inner, next)
}
