package plugin

import (
	"errors"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// evaluator computes layers at compile time.
type evaluator struct {
	env  *environment
	left int64 // bytes that may still be computed
	pool *parallel.Pool
}

// A layer is not folded if its output is larger than maxGrownBytes and more than maxGrowth times
// as large as its inputs: it is cheaper to compute the output in each Infer.
const (
	maxGrownBytes = 64 << 20
	maxGrowth     = 8
)

// evaluate computes layer from constant inputs.
func (e *evaluator) evaluate(layer *ir.Layer, inputs []ir.Fact) (outputs []*ir.Tensor, err error) {
	defer guard(&err)
	op, err := e.env.registry.Op(layer)
	if err != nil {
		return nil, err
	}
	if op.Traits.Stateful || len(layer.Bodies) > 0 {
		return nil, errors.New("the layer does not depend on its inputs alone")
	}
	in := &ops.Inference{Layer: layer, Inputs: inputs, Outputs: make([]ir.Fact, max(len(layer.Outputs), 1))}
	single, err := ops.NewSingle(op, in, ops.SingleOptions{
		Threads: e.pool.Threads(), MaxScratchBytes: e.env.limits.MaxTensorBytes,
		Admit: func(outputs []ir.Fact) error { return e.admit(inputs, outputs) },
	})
	if err != nil {
		return nil, err
	}
	tensors := make([]*ir.Tensor, len(inputs))
	for i := range inputs {
		tensors[i] = inputs[i].Tensor
	}
	if size, err := byteSize(&single.Outputs[0]); err == nil && size >= deferredBytes && op.Traits.Deferrable {
		t, err := e.deferred(single, tensors, size)
		return []*ir.Tensor{t}, err
	}
	if outputs, err = single.NewOutputs(); err != nil {
		return nil, err
	}
	for _, t := range tensors {
		hold(t)
		defer release(t, false)
	}
	return outputs, single.Run(e.pool, tensors, outputs)
}

// byteSize returns the bytes of a tensor of static shape.
func byteSize(fact *ir.Fact) (int, error) {
	shape, err := fact.Shape.Static()
	if err != nil {
		return 0, err
	}
	return ir.ByteSize(fact.Type, shape)
}

// admit returns an error if the outputs are too large to keep.
func (e *evaluator) admit(inputs, outputs []ir.Fact) error {
	from := 0
	for i := range inputs {
		size, err := byteSize(&inputs[i])
		if err != nil {
			return err
		}
		from += size
	}
	for i := range outputs {
		shape, err := outputs[i].Shape.Static()
		if err != nil {
			return err
		}
		size, err := e.env.sizeOf(outputs[i].Type, shape)
		if err != nil {
			return err
		}
		if size > maxGrownBytes && size/maxGrowth > from || int64(size) > e.left {
			return errors.New("the outputs are too large to be kept")
		}
		e.left -= int64(size)
	}
	return nil
}

// deferredBytes is the smallest size of a constant that is deferred.
const deferredBytes = 1 << 16

// deferred returns the output of a layer as a tensor whose elements are computed at the first read.
func (e *evaluator) deferred(single *ops.Single, inputs []*ir.Tensor, size int) (*ir.Tensor, error) {
	t := single.Outputs[0].Type
	shape, err := single.Outputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	return ir.DeferredTensor(t, shape, &deferred{size: size, buffers: &e.env.buffers, fill: func(dst []byte) error {
		output, err := ir.TensorOfBytes(t, shape, dst)
		if err != nil {
			return err
		}
		for _, input := range inputs {
			hold(input)
			defer release(input, false)
			defer e.env.discard(input)
		}
		return single.Run(nil, inputs, []*ir.Tensor{output})
	}})
}
