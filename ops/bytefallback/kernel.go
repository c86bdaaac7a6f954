package bytefallback

import (
	"github.com/vinoir/vinoir/internal/text/detokenize"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// prepare returns a kernel that first adds up the lengths of the outputs.
func prepare(*ops.Preparation) (*ops.Prepared, error) {
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		return decomposed.Map(r, detokenize.BytesLen, detokenize.AppendBytes)
	}}, nil
}
