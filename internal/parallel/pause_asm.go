//go:build (amd64 || arm64) && !noasm

package parallel

// pause lets the processor wait n times for a moment, some ten to a hundred cycles, in which it
// uses little power and leaves the core to its other hyper-thread. n must be at least 1.
//
//go:noescape
func pause(n uint32)
