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
	size, err := m.logitsBytes(o.shape)
	if err != nil || m.rows < 0 {
		return err
	}
	if size > len(o.memory) {
		o.memory = ir.AlignedBytes(size)
	}
	if err := o.tensor.Reset(ir.F32, o.shape, o.memory, nil); err != nil {
		return err
	}
	return request.SetOutput(m.logits, &o.tensor)
}

// logitsBytes returns the size of logits of a shape [sequences,positions,vocabulary]. It is an
// error if they take more than MaxTensorBytes.
func (m *Model) logitsBytes(shape ir.Shape) (int, error) {
	size, err := ir.ByteSize(ir.F32, shape)
	if err != nil {
		return 0, err
	}
	if limit := m.maxTensorBytes(); int64(size) > limit {
		return 0, faults.Errorf("the logits of %d positions of %d sequences need %d bytes, more than the limit of %d (MaxTensorBytes)",
			shape[1], shape[0], size, limit)
	}
	return size, nil
}
