//go:build (!amd64 && !arm64) || noasm

package depthwise

import (
	"github.com/vinoir/vinoir/internal/conv"
)

// bytesDots is what the assembly of arm64 needs.
type bytesDots struct{}

func newBytesDots(_, _ *conv.Axis) *bytesDots { return nil }

func (d *bytesDots) scratch() int { return 0 }

func (d *bytesDots) filterLen(quads int) int { return quads }
