package regexsplit

import (
	"github.com/vinoir/vinoir/internal/text/split"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/splitting"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	pattern, kept := inputsOf(len(p.Inputs))
	l := &splitting.Layer{
		Pattern: pattern,
		Kept:    kept,
		Skips:   len(p.Inputs) == withSkips,
		Empty:   true,
		New: func(pattern []byte) (splitting.Core, error) {
			return split.NewSplitter(pattern, at.behaviour, at.invert, at.maxSplits)
		},
	}
	return l.Prepare(p)
}
