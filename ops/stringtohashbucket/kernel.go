package stringtohashbucket

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// prepare returns a kernel that hashes one string after the other.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	buckets := p.Attributes.(attributes).buckets
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		in, err := decomposed.Strings(r, 0, "strings")
		if err != nil {
			return err
		}
		out := ir.Data[int64](r.Outputs[0])
		meter := r.Stop.Meter()
		for i := range in.Len() {
			text := in.At(i)
			if meter.Spent(1 + len(text)/8) {
				return parallel.ErrStopped
			}
			out[i] = int64(fingerprint(text) % buckets)
		}
		return nil
	}}, nil
}
