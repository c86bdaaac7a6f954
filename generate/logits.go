package generate

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

// logitsOutput is where a model writes the logits of a step, if it computes only those that are
// asked for. The memory is kept from step to step.
type logitsOutput struct {
	tensor ir.Tensor
	shape  ir.Shape
	memory []byte
}

// set makes request write the logits of n positions of each of batch sequences to o. They must not
// take more than MaxTensorBytes, also if m computes all logits, and o is not used.
func (o *logitsOutput) set(request *plugin.InferRequest, m *Model, batch, n int) error {
	o.shape = append(o.shape[:0], batch, n, m.vocabulary)
	size, err := ir.ByteSize(ir.F32, o.shape)
	if err != nil {
		return err
	}
	if limit := m.maxTensorBytes(); int64(size) > limit {
		return faults.Errorf("the logits of %d positions of %d sequences need %d bytes, more than the limit of %d (MaxTensorBytes)", n, batch, size, limit)
	}
	if m.rows < 0 {
		return nil
	}
	if size > len(o.memory) {
		o.memory = ir.AlignedBytes(size)
	}
	if err := o.tensor.Reset(ir.F32, o.shape, o.memory, nil); err != nil {
		return err
	}
	return request.SetOutput(m.logits, &o.tensor)
}
