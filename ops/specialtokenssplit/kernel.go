package specialtokenssplit

import (
	"github.com/vinoir/vinoir/internal/text/split"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/splitting"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	pattern := len(p.Inputs) - 1
	l := &splitting.Layer{
		Pattern: pattern,
		Skips:   pattern > splitting.Skips,
		New:     func(pattern []byte) (splitting.Core, error) { return split.NewSpecials(pattern) },
	}
	return l.Prepare(p)
}
