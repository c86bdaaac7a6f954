package irxml

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestReadRecovers causes a panic in the reader, in a way that callers cannot.
func TestReadRecovers(t *testing.T) {
	m, err := read([]byte("<net/>"), nil, ReadOptions{})
	assert.Nil(t, m)
	assert.ErrorContains(t, err, "BUG: panic in the reader: ")
}
