package equalstr

import (
	"bytes"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// prepare returns a kernel that compares one pair after the other.
func prepare(*ops.Preparation) (*ops.Prepared, error) { return &ops.Prepared{Kernel: run}, nil }

func run(r *ops.Run) error {
	a, err := decomposed.Strings(r, 0, "a")
	if err != nil {
		return err
	}
	b, err := decomposed.Strings(r, decomposed.StringsLen, "b")
	if err != nil {
		return err
	}
	n := max(a.Len(), b.Len())
	switch {
	case a.Len() == 0 || b.Len() == 0:
		n = 0
	case a.Len() != b.Len() && min(a.Len(), b.Len()) > 1:
		return faults.Errorf("a has %d strings, b has %d", a.Len(), b.Len())
	}
	if err := r.SetShape(0, n); err != nil {
		return err
	}
	out := ir.Data[int32](r.Outputs[0])
	meter := r.Stop.Meter()
	for i := range out {
		x, y := a.At(min(i, a.Len()-1)), b.At(min(i, b.Len()-1))
		if meter.Spent(1 + min(len(x), len(y))/8) {
			return parallel.ErrStopped
		}
		if out[i] = 0; bytes.Equal(x, y) {
			out[i] = 1
		}
	}
	return nil
}
