package faults

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestErrorf(t *testing.T) {
	err := Errorf("%d bytes: %w", 3, io.EOF)
	assert.EqualError(t, err, "3 bytes: EOF")
	assert.ErrorIs(t, err, io.EOF)
}

func TestJoin(t *testing.T) {
	assert.NoError(t, Join(nil, nil))
	assert.ErrorIs(t, Join(nil, io.EOF), io.EOF)
}
