package faults

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// OfPanic returns the error for r, which was recovered from a panic in what: a bug, except for a
// fault while memory was read. debug.SetPanicOnFault makes a panic of such a fault, which the
// truncation of a file that is mapped into memory brings about.
func OfPanic(what string, r any) error {
	if fault, ok := r.(interface {
		runtime.Error
		Addr() uintptr
	}); ok {
		return fmt.Errorf("the memory at %#x cannot be read: the file that is mapped there has become shorter", fault.Addr())
	}
	return fmt.Errorf("BUG: panic%s: %v\n%s", what, r, debug.Stack())
}
