//go:build noasm || !amd64

package pointwise

import "unsafe"

// call is the argument of the assembly of other builds.
type call struct {
	out                         unsafe.Pointer
	in, filters, bias, sum      *float32
	inStep, outStep, filterStep int
	depth, tiles, rest          int
	lo, hi                      float32
	clamp, bytes                uint32
	scale                       *float32
}

func toFloats(_ []float32, _ []uint8) {}

// available returns false: there is no assembly.
func available() bool { return false }

func isWide() bool { return false }

func (c *call) run(_ int) {}
