//go:build !noasm

package subnormal

// Supported reports whether Flush has an effect.
const Supported = true

// flushBits is FZ of FPCR, for operands and results of 32 and 64 bits. Floats of 16 bits, which
// FZ16 is for, keep their subnormal numbers.
const flushBits = 1 << 24

// control returns FPCR.
//
//go:noescape
func control() uint64

// setControl sets FPCR.
//
//go:noescape
func setControl(mode uint64)
