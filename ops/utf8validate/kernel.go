package utf8validate

import (
	"github.com/vinoir/vinoir/internal/text/detokenize"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// prepare returns a kernel that first adds up the lengths of the outputs.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	replace := p.Attributes.(attributes).replace
	length := func(text []byte) int { return detokenize.ValidLen(text, replace) }
	appendTo := func(dst, text []byte) []byte { return detokenize.AppendValid(dst, text, replace) }
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return decomposed.Map(r, length, appendTo) }}, nil
}
