// Package faults makes errors.
package faults

import "fmt"

// Errorf is fmt.Errorf, except that the compiler does not inline it. fmt.Errorf has become small
// enough to be inlined with errors.New, for the sake of formats without arguments, and has a
// thousand callers here.
func Errorf(format string, args ...any) error { return fmt.Errorf(format, args...) }
