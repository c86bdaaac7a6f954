//go:build !noasm && !plan9

package subnormal

// Supported reports whether Flush has an effect. Plan 9 is left out: there, the runtime starts
// threads from locked ones.
const Supported = true

// flushBits are FTZ (results) and DAZ (operands) of MXCSR. All processors of amd64 have both.
const flushBits = 1<<15 | 1<<6

// control returns MXCSR, without the flags of exceptions that have happened.
//
//go:noescape
func control() uint64

// setControl sets MXCSR.
//
//go:noescape
func setControl(mode uint64)
