//go:build !linux

package parallel

import "runtime"

// yield lets other goroutines run.
func yield() { runtime.Gosched() }
