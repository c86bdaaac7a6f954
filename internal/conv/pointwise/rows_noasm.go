//go:build noasm || !amd64

package pointwise

// call is the argument of the assembly of other builds.
type call struct {
	out, in, filters, bias, sum *float32
	inStep, outStep, filterStep int
	depth, tiles, rest          int
	lo, hi                      float32
	clamp                       uint32
}

// available returns false: there is no assembly.
func available() bool { return false }

func isWide() bool { return false }

func (c *call) run(_ int) {}
