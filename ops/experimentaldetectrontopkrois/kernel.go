package experimentaldetectrontopkrois

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

// prepare returns a kernel that sorts the probabilities and copies the rows of the highest.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	if p.Inputs[0].Type == ir.F64 {
		return prepareFor[float64](p)
	}
	return prepareFor[float32](p)
}

func prepareFor[T detection.Float](p *ops.Preparation) (*ops.Prepared, error) {
	shape := p.InputShape(1)
	if _, err := p.OutputShape(0); err != nil {
		return nil, faults.Errorf("max_rois is %d: %w", p.Attributes.(attributes).maxROIs, err)
	}
	// The probabilities are those of an image of one row.
	var scratch ops.Scratch
	k := &kernel[T]{rowBytes: 4 * p.Inputs[0].Type.Size()}
	var err error
	if k.grid, err = detection.NewGrid[T](&scratch, p.Inputs[0].Type, 1, 1, 1, shape[0], 0); err != nil {
		return nil, err
	}
	return &ops.Prepared{Kernel: k.run, ScratchBytes: scratch.Bytes()}, nil
}

type kernel[T detection.Float] struct {
	grid     *detection.Grid[T]
	rowBytes int
}

// rowsPerCheck is the number of rows that are copied between two checks of the Stop.
const rowsPerCheck = 1 << 14

func (k *kernel[T]) run(r *ops.Run) error {
	meter := r.Stop.Meter()
	list := k.grid.Image(r, 0)
	k.grid.Sort(&list, r.Inputs[1], 0, &meter)
	if meter.Spent(0) {
		return parallel.ErrStopped
	}
	rois, out := r.Inputs[0].Bytes(), r.Outputs[0].Bytes()
	for i, c := range list.Candidates {
		if len(out) == 0 {
			break
		}
		if i%rowsPerCheck == 0 && r.Stop.Requested() {
			return parallel.ErrStopped
		}
		if from := rois[int(c.Index)*k.rowBytes:]; k.rowBytes == 16 { // faster than a call of copy
			*(*[16]byte)(out) = *(*[16]byte)(from)
		} else {
			copy(out[:k.rowBytes], from)
		}
		out = out[k.rowBytes:]
	}
	parallel.Clear(r.Stop, out)
	return nil
}
