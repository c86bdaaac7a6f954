package ops

import (
	"errors"
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Rule returns the shape rule of op. Its Fold is nil: the rule does not fold constants.
func (op *Op) Rule() *infer.Rule {
	return &infer.Rule{
		Type: op.Type, Inputs: op.Inputs, Attributes: op.Attributes, Values: op.Values, Infer: op.Infer, Bounds: op.Bounds,
		SameElements: op.Memory.View,
	}
}

// PrepareKernel calls op.Prepare and checks its result. It is an error if Computes returns one, if
// the kernel needs more than maxScratchBytes bytes of scratch memory, or if Prepare panics. If
// p.Stop was requested, the error is parallel.ErrStopped.
func (op *Op) PrepareKernel(p *Preparation, maxScratchBytes int64) (prepared *Prepared, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = faults.OfPanic(" while the kernel is prepared", r)
		} else if stopped := p.Stop.Err(); stopped != nil {
			// whatever err is: a deferred constant that was not computed in time has zeros
			err = stopped
		}
		if err != nil {
			prepared = nil
		}
	}()
	if err := op.Computes(p.Inputs, p.Outputs); err != nil {
		return nil, err
	}
	for i := range p.Inputs {
		if _, err := p.Inputs[i].Shape.Static(); err != nil {
			return nil, err
		}
	}
	prepared, err = op.Prepare(p)
	switch {
	case err != nil:
		return nil, err
	case prepared == nil || prepared.Kernel == nil:
		return nil, errors.New("BUG: Prepare returned no kernel")
	case prepared.ScratchBytes > maxScratch:
		return nil, errors.New("the kernel needs more bytes of scratch memory than fit an int")
	case prepared.ScratchBytes < 0 || int64(prepared.ScratchBytes) > maxScratchBytes:
		return nil, faults.Errorf("the kernel needs %d bytes of scratch memory, more than the limit of %d", prepared.ScratchBytes, maxScratchBytes)
	}
	return prepared, nil
}

// Single is one layer that runs by itself, outside of a compiled model: a layer whose inputs are
// constant, a call of a family's Go API, or a test.
type Single struct {
	// Outputs are the inferred types and shapes of the outputs, without values.
	Outputs  []ir.Fact
	Prepared *Prepared
	// Stop is SingleOptions.Stop. Run stops when it is requested.
	Stop parallel.Stop
	// Charge is SingleOptions.Charge. Run uses it as Run.Charge.
	Charge func(bytes int64) error
}

// SingleOptions specify how a Single is prepared.
type SingleOptions struct {
	// Threads is the number of threads that the kernel may use; 0 means 1.
	Threads int
	// Accurate is Preparation.Accurate.
	Accurate bool
	// MaxScratchBytes is the largest size of the kernel's scratch memory in bytes.
	MaxScratchBytes int64
	// Charge is called with the bytes of each table before the kernel allocates it, as
	// Preparation.Charge, and with those that the kernel reserves when it runs. nil means no limit.
	Charge func(bytes int64) error
	// Admit, if not nil, is called with the inferred outputs before the kernel is prepared. If it
	// returns an error, NewSingle returns that error.
	Admit func(outputs []ir.Fact) error
	// Stop is the request to stop: NewSingle and Single.Run then return parallel.ErrStopped.
	Stop parallel.Stop
}

// NewSingle infers the outputs of the layer in.Layer by the rule of op and prepares its kernel.
// in.Outputs must have an entry for each output. If in.Layer is nil, it becomes a layer without
// attributes. If in.Attributes is nil, the attributes are parsed from in.Layer.
func NewSingle(op *Op, in *Inference, options SingleOptions) (*Single, error) {
	if in.Layer == nil {
		in.Layer = &ir.Layer{Type: op.Type}
	}
	if in.Attributes == nil && op.Attributes != nil {
		var err error
		if in.Attributes, err = op.Attributes(ir.AttributesOf(in.Layer)); err != nil {
			return nil, err
		}
	}
	rule := op.Rule()
	rule.Bounds = nil // the kernel computes the values
	if err := rule.Run(in); err != nil {
		return nil, err
	}
	return prepareSingle(op, in, options)
}

// prepareSingle is NewSingle for a layer whose outputs are already inferred.
func prepareSingle(op *Op, in *Inference, options SingleOptions) (*Single, error) {
	if options.Admit != nil {
		if err := options.Admit(in.Outputs); err != nil {
			return nil, err
		}
	}
	p := &Preparation{
		Attributes: in.Attributes, Layer: in.Layer, Inputs: in.Inputs, Outputs: in.Outputs,
		Threads: max(options.Threads, 1), Accurate: options.Accurate, Stop: options.Stop, Charge: options.Charge,
	}
	prepared, err := op.PrepareKernel(p, options.MaxScratchBytes)
	if err != nil {
		return nil, err
	}
	return &Single{in.Outputs, prepared, options.Stop, options.Charge}, nil
}

// NewOutputs allocates tensors for the outputs. It is an error if a shape is not static.
func (s *Single) NewOutputs() ([]*ir.Tensor, error) {
	tensors := make([]*ir.Tensor, len(s.Outputs))
	for i, fact := range s.Outputs {
		shape, err := fact.Shape.Static()
		if err != nil {
			return nil, err
		}
		if tensors[i], err = ir.NewTensor(fact.Type, shape...); err != nil {
			return nil, err
		}
	}
	return tensors, nil
}

// Run runs the kernel on tensors of the types and shapes that it was prepared for. It is an error
// if the kernel finds a shape for an output that differs from that of its tensor. A nil pool means
// one thread.
func (s *Single) Run(pool *parallel.Pool, inputs, outputs []*ir.Tensor) error {
	err := s.Prepared.Kernel(&Run{
		Inputs: inputs, Outputs: outputs, Pool: pool, Scratch: ir.AlignedBytes(s.Prepared.ScratchBytes), Stop: s.Stop, Charge: s.Charge,
		Resize: func(output int, shape ir.Shape) error { return CheckResize(outputs[output], shape) },
	})
	if err == nil {
		err = s.Stop.Err()
	}
	return err
}

// Call infers, prepares and runs a layer with one output, on one thread. It serves the Go APIs of
// the families. attributes are those that Op.Attributes would return. facts hold what the rule and
// Prepare know about the inputs. inputs are the tensors that the kernel reads, in the same order.
// The kernel writes to output, which must have the inferred type and shape.
func Call(op *Op, attributes any, facts []ir.Fact, inputs []*ir.Tensor, output *ir.Tensor) error {
	in := &Inference{Attributes: attributes, Inputs: facts, Outputs: make([]ir.Fact, 1)}
	single, err := NewSingle(op, in, SingleOptions{MaxScratchBytes: math.MaxInt})
	if err != nil {
		return err
	}
	return single.Run(nil, inputs, []*ir.Tensor{output})
}

// CheckResize returns an error unless shape, which a kernel has found for the output t, is the
// shape of t. It serves Run.Resize for outputs whose inferred shape is static.
func CheckResize(t *ir.Tensor, shape ir.Shape) error {
	if !slices.Equal(t.Shape(), shape) {
		return faults.Errorf("BUG: the kernel's output shape is %v, inference found %v", slices.Clone(shape), t.Shape())
	}
	return nil
}

const (
	// maxFoldBytes is the size in bytes of the largest output, the largest scratch memory and the
	// largest tables of a layer that Fold computes. This is enough for the arithmetic of shapes.
	maxFoldBytes = 1 << 10
	// maxFoldInput is the largest size of all its inputs in bytes. Together with maxFoldBytes it
	// bounds the work of a kernel, and the weights that it packs.
	maxFoldInput = 16 << 10
)

// Fold computes a layer whose inputs are constant and whose inputs and outputs are small, and sets
// Tensor of the outputs. It asks in.AdmitFold, if that is set, before the kernel runs. It does
// nothing if the layer cannot be computed: the error is reported when the model runs. It also skips
// layers that decompress weights, as OpenVINO does not compute them while it infers shapes. Fold
// implements infer.Rule.Fold.
func (op *Op) Fold(in *Inference) {
	if op.Prepare == nil || op.Traits.Stateful || len(in.Layer.Bodies) > 0 || isDecompression(in.Layer) {
		return
	}
	size := int64(0)
	for i := range in.Inputs {
		size += sizeOf(&in.Inputs[i])
	}
	if size > maxFoldInput {
		return
	}
	single, err := prepareSingle(op, in, SingleOptions{
		MaxScratchBytes: maxFoldBytes, Charge: UpTo(maxFoldBytes), Admit: admitSmall, Stop: in.Done,
	})
	if err != nil {
		return
	}
	for i := range in.Outputs {
		size += sizeOf(&in.Outputs[i])
	}
	if in.AdmitFold != nil && !in.AdmitFold(float64(size)+single.Prepared.Flops) {
		return
	}
	inputs := make([]*ir.Tensor, len(in.Inputs))
	for i := range in.Inputs {
		inputs[i] = in.Inputs[i].Tensor
	}
	outputs, err := single.NewOutputs()
	if err != nil || single.Run(nil, inputs, outputs) != nil {
		return
	}
	for i, t := range outputs {
		in.Outputs[i].Tensor = t
	}
}

// UpTo returns a Preparation.Charge that allows limit bytes in all.
func UpTo(limit int64) func(bytes int64) error {
	left := limit
	return func(bytes int64) error {
		if bytes > left {
			return faults.Errorf("the tables of the kernel need %d bytes more than the %d in use, together more than the limit of %d", bytes, limit-left, limit)
		}
		left -= bytes
		return nil
	}
}

// admitSmall returns an error unless each output has a static shape and at most maxFoldBytes.
func admitSmall(outputs []ir.Fact) error {
	for _, fact := range outputs {
		shape, err := fact.Shape.Static()
		if err != nil {
			return err
		}
		size, err := ir.ByteSize(fact.Type, shape)
		if err != nil {
			return err
		}
		if size > maxFoldBytes {
			return faults.Errorf("the output has %d bytes", size)
		}
	}
	return nil
}

// isDecompression reports whether the rt_info of layer marks it as part of the conversion of
// compressed weights to the type of the computation.
func isDecompression(layer *ir.Layer) bool {
	return ir.RTInfoAttribute(layer.RTInfo, "decompression") != nil
}
