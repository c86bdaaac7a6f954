//go:build noasm || (!amd64 && !arm64)

package depthwise

import (
	"github.com/vinoir/vinoir/internal/conv"
)

// directPlan needs assembly, so newDirectPlan always returns nil here.
type directPlan struct{}

func (p *directPlan) rowMultiple() int { return 1 }

func newDirectPlan(*Shape) *directPlan { return nil }

func (p *directPlan) run(_, _, _, _ []float32, _ *conv.Epilogue, _, _, _ int) {}

func pickTaps() tapsFunc { return tapsPortable }

func vectorEvens(_, _ []float32) int { return 0 }
