// Package faults makes errors.
package faults

import (
	"errors"
	"fmt"
)

// Errorf is fmt.Errorf, except that the compiler does not inline it. fmt.Errorf has become small
// enough to be inlined with errors.New, for the sake of formats without arguments, and has a
// thousand callers here.
func Errorf(format string, args ...any) error { return fmt.Errorf(format, args...) }

// Join is errors.Join.
//
// It is not inlined, with the loops of errors.Join: the code of the command would be 15 KiB larger.
//
//go:noinline
func Join(errs ...error) error { return errors.Join(errs...) }
