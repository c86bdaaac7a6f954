package regexsplit

import (
	"github.com/vinoir/vinoir/internal/text/split"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/splitting"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) { return layerOf(p).Prepare(p) }

// Core returns what RegexSplit does with one string that is not skipped; nil if the pattern is not
// constant, or if strings of the inputs stay whole.
func Core(p *ops.Preparation) (splitting.Core, error) {
	l := layerOf(p)
	if l.Kept > 0 {
		return nil, nil
	}
	return l.Core(p)
}

func layerOf(p *ops.Preparation) *splitting.Layer {
	at := p.Attributes.(attributes)
	pattern, kept := inputsOf(len(p.Inputs))
	return &splitting.Layer{
		Pattern: pattern,
		Kept:    kept,
		Skips:   len(p.Inputs) == withSkips,
		Empty:   true,
		New: func(pattern []byte) (splitting.Core, error) {
			return split.NewSplitter(pattern, at.behaviour, at.invert, at.maxSplits)
		},
	}
}
