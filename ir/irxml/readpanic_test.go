package irxml

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestReadRecovers has the reader panic by a mistake that its callers never make.
func TestReadRecovers(t *testing.T) {
	m, err := read([]byte("<net/>"), nil, ReadOptions{})
	assert.Nil(t, m)
	assert.ErrorContains(t, err, "BUG: panic in the reader: ")
}
