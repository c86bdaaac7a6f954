package unary

import (
	"math"

	"github.com/vinoir/vinoir/ops"
)

// stage returns the layer as a stage; nil if the function does not map floats to floats.
func stage(at attributes) *ops.Stage {
	l := floatLoop[float32](at)
	if l == nil {
		return nil
	}
	s := &ops.Stage{Apply: func(_ *ops.Run, x []float32, _ int) { l(x, x) }}
	switch at.f {
	case relu:
		s.Clamp, s.Hi = true, float32(math.Inf(1))
	case hSwish:
		s.HSwish = true
	case clamp:
		s.Clamp, s.Lo, s.Hi = true, float32(at.min), float32(at.max)
	}
	return s
}
