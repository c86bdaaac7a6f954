package plugin

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/vinoir/vinoir/internal/faults"
	sizes "github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/internal/control"
)

// CopyOutputs returns copies of all outputs of the last Infer, which the caller owns. While they
// are made, they count against Options.MaxTotalBytes together with the memory of the request: it is
// an error if they need more. A string counts as its header; copies share the text. When ctx is
// done, the error is that of ctx. If the last Infer failed, or there was none, the error says so.
func (r *InferRequest) CopyOutputs(ctx context.Context) (copies []*ir.Tensor, err error) {
	if err := r.take(accessing); err != nil {
		return nil, err
	}
	defer r.release()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // for outputs that are constants
	defer control.Guard(&err)
	if r.main.Bound == nil {
		return nil, errors.New("the outputs cannot be copied: no inference has succeeded since the last call of Infer")
	}
	outputs, size := make([]*ir.Tensor, len(r.results)), int64(0)
	for i := range r.results {
		outputs[i] = &r.results[i]
		if t := r.given[i]; t != nil {
			outputs[i] = t
		}
		bytes, err := ir.ByteSize(outputs[i].ElementType(), outputs[i].Shape())
		if err != nil {
			return nil, err
		}
		size = sizes.Sum(size, int64(bytes))
	}
	budget := r.shared.Budget
	if err := budget.Charge(size); err != nil {
		return nil, faults.Errorf("copies of the outputs: %w", err)
	}
	defer func() { budget.Add(-size) }()
	copies, stop := make([]*ir.Tensor, len(outputs)), control.StopOf(ctx)
	for i, from := range outputs {
		if copies[i], err = ir.NewTensor(from.ElementType(), from.Shape()...); err != nil {
			return nil, err
		}
		parallel.Copy(stop, copies[i].Bytes(), from.Bytes())
		parallel.Copy(stop, copies[i].Strings(), from.Strings())
		if err := stop.Err(); err != nil {
			return nil, control.Stopped(ctx, err)
		}
	}
	return copies, nil
}
