//go:build noasm || !((amd64 && !plan9) || arm64)

package subnormal

// Supported reports whether Flush has an effect.
const Supported = false

const flushBits = 0

func control() uint64 { return 0 }

func setControl(uint64) {}
