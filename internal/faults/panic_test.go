package faults

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// fault is a panic as debug.SetPanicOnFault makes it.
type fault struct{}

func (fault) Error() string { return "invalid memory address" }
func (fault) RuntimeError() {}
func (fault) Addr() uintptr { return 0x7f0000001000 }

func TestOfPanic(t *testing.T) {
	assert.EqualError(t, OfPanic(" in a kernel", fault{}), "the memory at 0x7f0000001000 cannot be read: the file that is mapped there has become shorter")
	assert.ErrorContains(t, OfPanic(" in a kernel", "no"), "BUG: panic in a kernel: no\ngoroutine ")
	assert.ErrorContains(t, OfPanic("", "no"), "BUG: panic: no\n")
}
