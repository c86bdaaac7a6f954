package layertest

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Run infers, prepares and runs a layer, and returns its output. Only the inputs in op.Values
// are constant. The memory of the output and the scratch memory hold garbage before the run.
func Run(op *ops.Op, attributes Attributes, threads int, inputs ...*ir.Tensor) (*ir.Tensor, error) {
	return run(op, attributes, threads, -1, inputs)
}

// RunInPlace is Run with the output in the memory of input 0.
func RunInPlace(op *ops.Op, attributes Attributes, threads int, inputs ...*ir.Tensor) (*ir.Tensor, error) {
	return run(op, attributes, threads, 0, inputs)
}

// RunOutputs is Run for a layer with several outputs.
func RunOutputs(op *ops.Op, attributes Attributes, threads, outputs int, inputs ...*ir.Tensor) ([]*ir.Tensor, error) {
	kernel, r, err := prepare(op, attributes, threads, outputs, inputs)
	if err != nil {
		return nil, err
	}
	defer r.Pool.Close()
	return r.Outputs, kernel(r)
}

// run is Run with the output in the memory of input inPlace unless that is negative.
func run(op *ops.Op, attributes Attributes, threads, inPlace int, inputs []*ir.Tensor) (*ir.Tensor, error) {
	kernel, r, err := Prepare(op, attributes, threads, inputs...)
	if err != nil {
		return nil, err
	}
	defer r.Pool.Close()
	if inPlace >= 0 {
		r.Outputs[0] = inputs[inPlace]
	}
	return r.Outputs[0], kernel(r)
}

// Prepare is Run without a call of the kernel. The caller should close the Pool of the Run.
func Prepare(op *ops.Op, attributes Attributes, threads int, inputs ...*ir.Tensor) (ops.Kernel, *ops.Run, error) {
	return prepare(op, attributes, threads, 1, inputs)
}

// PrepareOutputs is Prepare for a layer with several outputs.
func PrepareOutputs(op *ops.Op, attributes Attributes, threads, outputs int, inputs ...*ir.Tensor) (ops.Kernel, *ops.Run, error) {
	return prepare(op, attributes, threads, outputs, inputs)
}

// prepare is PrepareOutputs.
func prepare(op *ops.Op, attributes Attributes, threads, outputs int, inputs []*ir.Tensor) (ops.Kernel, *ops.Run, error) {
	return prepareStages(op, attributes, threads, outputs, inputs, nil)
}

// prepareStages is prepare for a layer that applies stages. The caller must add the operands of
// the stages to the inputs.
func prepareStages(op *ops.Op, attributes Attributes, threads, outputs int, inputs []*ir.Tensor, stages []ops.Stage) (ops.Kernel, *ops.Run, error) {
	facts := make([]ir.Fact, len(inputs))
	for i, tensor := range inputs {
		facts[i] = ir.Fact{Type: tensor.ElementType(), Shape: tensor.Shape().Partial()}
	}
	for _, i := range op.Values {
		if i < len(inputs) {
			facts[i].Tensor = inputs[i]
		}
	}
	in, err := inferLayer(op, attributes, outputs, facts)
	if err != nil {
		return nil, nil, err
	}
	p := &ops.Preparation{Attributes: in.Attributes, Inputs: facts, Outputs: in.Outputs, Threads: threads, Stages: stages}
	prepared, err := op.PrepareKernel(p, math.MaxInt)
	if err != nil {
		return nil, nil, err
	}
	if threads == 2 {
		if refitted, err := refit(op, attributes, p); err != nil {
			return nil, nil, err
		} else if refitted != nil {
			prepared = refitted
		}
	}
	r := &ops.Run{Inputs: inputs, Scratch: ir.AlignedBytes(prepared.ScratchBytes), Pool: parallel.New(threads)}
	// Kernels must not rely on the sign of what an earlier run has left.
	fillGarbage(r.Scratch, []byte{0xcd, 0x01}[threads%2])
	for _, fact := range in.Outputs {
		shape := ir.Shape{0} // until the kernel resizes it
		if fact.Shape.IsStatic() {
			if shape, err = fact.Shape.Static(); err != nil {
				return nil, nil, err
			}
		}
		out, err := newOutput(fact.Type, shape)
		if err != nil {
			return nil, nil, err
		}
		r.Outputs = append(r.Outputs, out)
	}
	r.Resize = func(output int, shape ir.Shape) error {
		r.Outputs[output], err = newOutput(in.Outputs[output].Type, slices.Clone(shape))
		return err
	}
	return prepared.Kernel, r, nil
}

// refit returns the kernel for longer inputs, refitted to p. It returns nil if there is none.
func refit(op *ops.Op, attributes Attributes, p *ops.Preparation) (*ops.Prepared, error) {
	longer := slices.Clone(p.Inputs)
	for i := range longer {
		for k, d := range longer[i].Shape.Dims() {
			if d.Min > 1 {
				longer[i].Shape = longer[i].Shape.With(k, ir.Dim(d.Min+1))
			}
		}
	}
	in, err := inferLayer(op, attributes, len(p.Outputs), longer)
	if err != nil {
		return nil, nil // values and constants do not fit the lengths
	}
	other := *p
	other.Inputs, other.Outputs = longer, in.Outputs
	prepared, err := op.PrepareKernel(&other, math.MaxInt)
	if err != nil || prepared.Refit == nil {
		return nil, nil
	}
	fits, err := prepared.Refit(p)
	if err != nil || !fits {
		return nil, err
	}
	return prepared, nil
}

// newOutput returns a tensor with garbage as elements.
func newOutput(t ir.ElementType, shape ir.Shape) (*ir.Tensor, error) {
	out, err := ir.NewTensor(t, shape...)
	if err != nil {
		return nil, err
	}
	fillGarbage(out.Bytes(), 0xcd)
	for i := range out.Strings() {
		out.Strings()[i] = "left over"
	}
	return out, nil
}

// fillGarbage fills memory that the kernel must overwrite.
func fillGarbage(memory []byte, value byte) {
	for i := range memory {
		memory[i] = value
	}
}

// inferLayer infers a layer with the given number of outputs.
func inferLayer(op *ops.Op, attributes Attributes, outputs int, facts []ir.Fact) (*ops.Inference, error) {
	layer := &ir.Layer{Type: op.Type, Data: attributes.Data()}
	in := &ops.Inference{Layer: layer, Inputs: facts, Outputs: make([]ir.Fact, outputs)}
	for i := range in.Outputs {
		in.Outputs[i].Shape = ir.UnknownRank
	}
	if op.Attributes != nil {
		var err error
		if in.Attributes, err = op.Attributes(ir.AttributesOf(layer)); err != nil {
			return nil, err
		}
	}
	if err := op.Rule().Run(in); err != nil {
		return nil, err
	}
	return in, nil
}
