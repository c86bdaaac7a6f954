package plugin

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin/passes"
)

// rewrite runs the passes on a copy of model.
func (c *CompiledModel) rewrite(ctx context.Context, model *ir.Model, shapes *infer.Shapes) (*ir.Model, error) {
	if len(c.options.Passes) == 0 {
		return model, nil
	}
	e := evaluator{
		core: c.core, left: c.core.options.MaxTotalBytes, pool: parallel.New(c.options.InferenceNumThreads),
		buffers: c.buffers, discard: model.Discard,
	}
	defer e.pool.Close()
	inputs := c.inputFacts()
	model = model.Clone()
	if err := c.deferUnaligned(model, e.discard); err != nil {
		return nil, err
	}
	for _, pass := range c.options.Passes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !pass.Run(&passes.Graph{Model: model, Shapes: shapes, Evaluate: e.evaluate}) {
			continue
		}
		parameters := make(map[*ir.Layer]ir.Fact, len(inputs))
		for i, layer := range model.Parameters {
			parameters[layer] = inputs[i]
		}
		var err error
		if shapes, err = infer.Propagate(model, c.core.registry, parameters); err != nil {
			return nil, fmt.Errorf("BUG: pass %s: %w", pass.Name, err)
		}
	}
	return model, nil
}

// evaluator computes layers at compile time.
type evaluator struct {
	core    *Core
	left    int64 // bytes that may still be computed
	pool    *parallel.Pool
	buffers *buffers
	discard func(*ir.Tensor) // of a constant that is not read soon
}

// maxGrownBytes is the size up to which a constant is computed that is more than
// maxGrowth times as large as what it is computed from: larger ones are cheaper
// to compute in each Infer than to keep.
const (
	maxGrownBytes = 64 << 20
	maxGrowth     = 8
)

// evaluate computes layer from constant inputs.
func (e *evaluator) evaluate(layer *ir.Layer, inputs []ir.Fact) (outputs []*ir.Tensor, err error) {
	defer guard(&err)
	op, err := e.core.registry.Op(layer)
	if err != nil {
		return nil, err
	}
	if op.Stateful || len(layer.Bodies) > 0 {
		return nil, errors.New("the layer is no function of its inputs alone")
	}
	in := &infer.Inference{Layer: layer, Inputs: inputs, Outputs: make([]ir.Fact, max(len(layer.Outputs), 1))}
	if op.Attributes != nil {
		if in.Attributes, err = op.Attributes(ir.AttributesOf(layer)); err != nil {
			return nil, err
		}
	}
	if err := op.Infer(in); err != nil {
		return nil, err
	}
	shapes, err := e.shapes(in)
	if err != nil {
		return nil, err
	}
	p := ops.Preparation{Attributes: in.Attributes, Layer: layer, Inputs: inputs, Outputs: in.Outputs, Threads: e.pool.Threads()}
	kernel, scratch, err := e.core.prepare(op, &p)
	if err != nil {
		return nil, err
	}
	if size, _ := ir.ByteSize(in.Outputs[0].Type, shapes[0]); size >= deferredBytes && slices.Contains(deferrable, op.Type) {
		t, err := e.deferred(in, kernel, scratch, size)
		return []*ir.Tensor{t}, err
	}
	for i, shape := range shapes {
		t, err := ir.NewTensor(in.Outputs[i].Type, shape...)
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, t)
	}
	run := ops.Run{Outputs: outputs, Scratch: ir.AlignedBytes(scratch), Pool: e.pool}
	run.Resize = func(output int, shape ir.Shape) error { return checkResize(outputs[output], shape) }
	for i := range inputs {
		run.Inputs = append(run.Inputs, inputs[i].Tensor)
		hold(inputs[i].Tensor)
		defer release(inputs[i].Tensor, false)
	}
	return outputs, kernel(&run)
}

// shapes returns the shapes of the outputs if they are small enough.
func (e *evaluator) shapes(in *infer.Inference) ([]ir.Shape, error) {
	from := 0
	for i := range in.Inputs {
		size, err := ir.ByteSize(in.Inputs[i].Type, in.Inputs[i].Tensor.Shape())
		if err != nil {
			return nil, err
		}
		from += size
	}
	shapes := make([]ir.Shape, len(in.Outputs))
	for i, fact := range in.Outputs {
		shape, err := fact.Shape.Static()
		if err != nil {
			return nil, err
		}
		size, err := e.core.sizeOf(fact.Type, shape)
		if err != nil {
			return nil, err
		}
		if size > maxGrownBytes && size/maxGrowth > from || int64(size) > e.left {
			return nil, errors.New("the outputs are too large to be kept")
		}
		e.left -= int64(size)
		shapes[i] = shape
	}
	return shapes, nil
}

// deferrable lists the layer types with one output, of weights on their way to the
// layer that computes with them, whose kernels refuse no data.
var deferrable = []string{"Add", "Convert", "Multiply", "Reshape", "Squeeze", "Subtract", "Transpose", "Unsqueeze"}

// deferredBytes is the size from which on a constant is worth to be deferred.
const deferredBytes = 1 << 16

// deferred returns the output of a layer, of which kernel computes the elements when
// they are asked for.
func (e *evaluator) deferred(in *infer.Inference, kernel ops.Kernel, scratch, size int) (*ir.Tensor, error) {
	t := in.Outputs[0].Type
	shape, err := in.Outputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	inputs := make([]*ir.Tensor, len(in.Inputs))
	for i := range in.Inputs {
		inputs[i] = in.Inputs[i].Tensor
	}
	return ir.DeferredTensor(t, shape, &deferred{size: size, buffers: e.buffers, fill: func(dst []byte) error {
		output, err := ir.TensorOfBytes(t, shape, dst)
		if err != nil {
			return err
		}
		for _, input := range inputs {
			hold(input)
			defer release(input, false)
			defer e.discard(input)
		}
		return kernel(&ops.Run{Inputs: inputs, Outputs: []*ir.Tensor{output}, Scratch: ir.AlignedBytes(scratch)})
	}})
}

// checkResize compares a shape that a kernel has found with the inferred one.
func checkResize(t *ir.Tensor, shape ir.Shape) error {
	if !slices.Equal(t.Shape(), shape) {
		return fmt.Errorf("BUG: the kernel's output shape is %v, inference found %v", slices.Clone(shape), t.Shape())
	}
	return nil
}
