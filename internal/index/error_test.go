package index

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestError(t *testing.T) {
	for _, c := range []struct {
		err  Error
		want string
	}{
		{Error{Position: []int{1, 2}, Value: -4, Lo: -3, Hi: 2}, "index -4 at position [1 2] is outside [-3,2]"},
		{Error{Value: 3, Lo: 0, Hi: 2}, "index 3 at position [] is outside [0,2]"},
		{Error{Position: []int{0}, Value: 0, Lo: 0, Hi: -1}, "index 0 at position [0] points into an axis of length 0"},
		{Error{Position: []int{0}, Value: -1, Lo: 0, Hi: 2, Unsigned: true}, "index 18446744073709551615 at position [0] is outside [0,2]"},
	} {
		assert.EqualError(t, &c.err, c.want)
	}
}

func TestPosition(t *testing.T) {
	i := 0
	for a := range 2 {
		for b := range 3 {
			for c := range 4 {
				assert.Equal(t, []int{a, b, c}, Position(i, []int{2, 3, 4}))
				i++
			}
		}
	}
	assert.Empty(t, Position(0, nil))
}
