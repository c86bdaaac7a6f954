package specialtokenssplit

import (
	"github.com/vinoir/vinoir/internal/text/split"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/splitting"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) { return layerOf(p).Prepare(p) }

// Core returns what SpecialTokensSplit does with one string that is not skipped; nil if the pattern
// is not constant.
func Core(p *ops.Preparation) (splitting.Core, error) { return layerOf(p).Core(p) }

func layerOf(p *ops.Preparation) *splitting.Layer {
	pattern := len(p.Inputs) - 1
	return &splitting.Layer{
		Pattern: pattern,
		Skips:   pattern > splitting.Skips,
		New:     func(pattern []byte) (splitting.Core, error) { return split.NewSpecials(pattern) },
	}
}
