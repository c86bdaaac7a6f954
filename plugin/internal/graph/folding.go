package graph

import (
	"errors"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	sizes "github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// evaluator computes layers at compile time.
type evaluator struct {
	env  *Environment
	stop parallel.Stop
	work float64 // that may still be done, see workOf
	pool *parallel.Pool
	// copies has the deferred copies of unaligned constants.
	copies map[ir.Deferred]*memory.Deferred
}

// A layer is not folded if its output is larger than maxGrownBytes and more than maxGrowth times
// as large as its inputs: it is cheaper to compute the output in each Infer.
const (
	maxGrownBytes = 64 << 20
	maxGrowth     = 8
)

// maxFoldWork is the largest work, as workOf counts it, of a layer that is folded, and
// maxTotalFoldWork that of all layers of a model together. It takes some seconds on a slow machine.
// Layers beyond it are computed in each Infer. So the time of compiling is bounded even if the
// context has no deadline.
const (
	maxFoldWork      = 1 << 33
	maxTotalFoldWork = 1 << 36
)

// workOf returns the work of a kernel: its arithmetic operations and the bytes that it reads and
// writes.
func workOf(prepared *ops.Prepared, inputs, outputs []ir.Fact) float64 {
	work := prepared.Flops + float64(prepared.MovedBytes)
	for _, facts := range [][]ir.Fact{inputs, outputs} {
		for i := range facts {
			size, _ := byteSize(&facts[i])
			work += float64(size)
		}
	}
	return work
}

// evaluate computes layer from constant inputs.
func (e *evaluator) evaluate(layer *ir.Layer, inputs []ir.Fact) (outputs []*ir.Tensor, err error) {
	defer control.Guard(&err)
	op, err := e.env.Registry.Op(layer)
	if err != nil {
		return nil, err
	}
	if op.Traits.Stateful || len(layer.Bodies) > 0 {
		return nil, errors.New("the layer does not depend on its inputs alone")
	}
	if err := e.stop.Err(); err != nil {
		return nil, err
	}
	tensors, given := make([]*ir.Tensor, len(inputs)), make([]*ir.Tensor, len(inputs))
	inputs = slices.Clone(inputs)
	for i := range inputs {
		given[i] = inputs[i].Tensor
		if tensors[i], err = memory.BeginRead(given[i], e.stop); err != nil {
			return nil, err
		}
		defer func() { err = faults.Join(err, memory.EndRead(tensors[i])) }()
		inputs[i].Tensor = tensors[i]
	}
	in := &ops.Inference{Layer: layer, Inputs: inputs, Outputs: make([]ir.Fact, max(len(layer.Outputs), 1))}
	kernel := new(memory.Tables)
	kernel.Init(e.env.Memory.Caches)
	defer func() {
		if outputs == nil || outputs[0].Deferred() == nil {
			kernel.Close()
		}
	}()
	single, err := ops.NewSingle(op, in, ops.SingleOptions{
		Threads: e.pool.Threads(), Accurate: e.env.Accurate, Stop: e.stop,
		MaxScratchBytes: e.env.Memory.Limits.MaxTensorBytes, Charge: kernel.Charge,
		Admit: func(outputs []ir.Fact) error { return e.admit(inputs, outputs) },
	})
	if err != nil {
		return nil, err
	}
	work := workOf(single.Prepared, inputs, single.Outputs)
	if work > min(maxFoldWork, e.work) {
		return nil, errors.New("the layer takes too long to compute")
	}
	e.work -= work
	if size, err := byteSize(&single.Outputs[0]); err == nil && size >= deferredBytes && op.Traits.Deferrable {
		t, err := e.deferred(single, given, size) // without the stop of this compilation
		if err != nil {
			return nil, err
		}
		return []*ir.Tensor{t}, nil
	}
	size, err := e.sizeOf(single.Outputs)
	if err != nil {
		return nil, err
	}
	for _, t := range tensors {
		if err := memory.Acquire(t); err != nil {
			return nil, err
		}
		defer memory.Release(t, false)
	}
	if err := e.env.Memory.Kept.Charge(size); err != nil {
		return nil, err
	}
	kept := int64(0) // by the kernel, in the text of strings
	single.Charge = func(bytes int64) error {
		if err := e.env.Memory.Kept.Charge(bytes); err != nil {
			return err
		}
		kept += bytes
		return nil
	}
	defer e.env.Flush().Restore()
	if outputs, err = single.NewOutputs(); err == nil {
		err = single.Run(e.pool, tensors, outputs)
	}
	if err != nil {
		e.env.Memory.Kept.Add(-size - kept)
		return nil, err
	}
	if outputs[0].ElementType() != ir.String {
		e.env.Memory.Kept.Add(-kept)
	}
	return outputs, nil
}

// sizeOf returns the bytes of outputs of static shapes.
func (e *evaluator) sizeOf(outputs []ir.Fact) (int64, error) {
	total := int64(0)
	for i := range outputs {
		size, err := byteSize(&outputs[i])
		if err != nil {
			return 0, err
		}
		total = sizes.Sum(total, int64(size))
	}
	return total, nil
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
		size, err := e.env.Memory.Limits.SizeOf(outputs[i].Type, shape)
		if err != nil {
			return err
		}
		if size > maxGrownBytes && size/maxGrowth > from || !e.env.Memory.Kept.Fits(int64(size)) {
			return errors.New("the outputs are too large to be kept")
		}
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
	return ir.DeferredTensor(t, shape, memory.NewDeferred(size, e.env.Memory.Buffers, inputs, func(dst []byte, stop parallel.Stop) (err error) {
		output, err := ir.TensorOfBytes(t, shape, dst)
		if err != nil {
			return err
		}
		read := make([]*ir.Tensor, len(inputs))
		for i, input := range inputs {
			defer e.env.Memory.Discard(input)
			if read[i], err = memory.BeginRead(input, stop); err != nil {
				return err
			}
			defer func() { err = faults.Join(err, memory.EndRead(read[i])) }()
		}
		defer e.env.Flush().Restore()
		return (&ops.Single{Outputs: single.Outputs, Prepared: single.Prepared, Stop: stop}).Run(nil, read, []*ir.Tensor{output})
	}))
}

// deferUnaligned defers the constants of model that are unaligned and must be copied to be read.
// Most kernels pack them or move them as bytes, so that the copy is temporary or not needed.
func (e *evaluator) deferUnaligned(model *ir.Model) error {
	for _, layer := range model.Order {
		t := layer.Constant
		if t == nil || t.Unaligned() == nil {
			continue
		}
		d := e.copies[t.Deferred()]
		if d == nil {
			d = memory.NewAlignedCopy(t.Unaligned(), e.env.Memory.Buffers, func() { e.env.Memory.Discard(t) })
			e.copies[t.Deferred()] = d
		}
		var err error
		if layer.Constant, err = ir.DeferredTensor(t.ElementType(), t.Shape(), d); err != nil {
			return err
		}
	}
	return nil
}
