package ops

import (
	"errors"
	"fmt"
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
)

// Preparation holds what Prepare knows about the layer.
type Preparation struct {
	// Attributes is the result of Op.Attributes.
	Attributes any
	Layer      *ir.Layer
	// Inputs and Outputs have static shapes, except outputs whose shape depends on the data: see
	// InputShape and OutputShape. Tensor is set for constant inputs and for the inputs in
	// Op.Values.
	Inputs, Outputs []ir.Fact
	// Unread reports, for each output, that nothing reads it. The kernel need not write such an
	// output. nil means that all outputs may be read.
	Unread []bool
	// Threads is the number of threads that the kernel may use.
	Threads int
	// Accurate means that the model is compiled for accuracy rather than speed: the kernel must not
	// use an algorithm that has larger rounding errors than the definition, such as Winograd's
	// convolution.
	Accurate bool
	// QuantizationGroup is the number of activations that a product with compressed weights may
	// round to 8 bits together, with one scale. 0 means that it must not round them.
	QuantizationGroup int
	// Rounded is the type that the kernel may round the operands of products to, when it adds the
	// products as f32: BF16 or F16, otherwise Dynamic. It is set only if the processor has
	// instructions for that. With F16 on arm64, up to 64 products at a time are added as f16.
	Rounded ir.ElementType
	// Stages are the layers that the kernel applies to output 0. It is empty unless
	// Op.Fusion.Applies is set. The operands of the stages follow the inputs of the layer in
	// Run.Inputs. Inputs and Outputs describe the layer itself, without the stages.
	Stages []Stage
	// Operands is set for Fusion.Stage. It holds the index in Run.Inputs of each input of the
	// layer; entry `through` is unused.
	Operands []int
	// Variables maps the variable_id of each variable of the model to its index in Run.Variables.
	Variables map[string]int
	// Stop is the request to stop. Prepare checks it in loops that can take more than about a
	// millisecond, such as packing weights and computing tables, and returns parallel.ErrStopped.
	Stop parallel.Stop
	// Keep implements Once. If it is nil, Once keeps nothing.
	Keep func(constant *ir.Tensor, key string, bytes int64, make func() (any, error)) (any, error)
	// Charge implements Reserve. A negative number returns what was borrowed. If it is nil, Reserve
	// has no limit.
	Charge func(bytes int64) error
}

// InputShape returns the shape of input i, which is static.
func (p *Preparation) InputShape(i int) ir.Shape {
	shape, err := p.Inputs[i].Shape.Static()
	if err != nil {
		panic("BUG: a kernel is prepared for a shape that is not static: " + err.Error())
	}
	return shape
}

// OutputShape returns the shape of output i of the layer itself, without the Stages. It is an error
// if the shape rule leaves a length open, since it depends on the data.
//
// It is not inlined: the code of the command would be 6 KiB larger.
//
//go:noinline
func (p *Preparation) OutputShape(i int) (ir.Shape, error) { return p.Outputs[i].Shape.Static() }

// Once returns the result of make, which computes it from constant, a constant input. An example is
// packed weights. For each constant and each key, make is called only once in a compiled model, or
// once for each set of input shapes if the constant is computed from the shapes. Layers that read
// equal ranges of the .bin share the result, so that the elements, the type and the shape of the
// constant, the type of the layer and the key must determine it: the key states all parameters, and
// nothing depends on the shapes of other inputs. Nothing may change the result later. If make
// returns parallel.ErrStopped, the next call of Once calls its make. bytes is the size of the
// result in memory. It is checked against the limits of the model before make is called.
func (p *Preparation) Once(constant *ir.Tensor, key string, bytes int64, make func() (any, error)) (any, error) {
	if p.Keep == nil {
		if err := p.Reserve(bytes); err != nil {
			return nil, err
		}
		return make()
	}
	return p.Keep(constant, key, bytes, make)
}

// Reserve reserves memory that the kernel keeps, such as tables of positions or weights. Prepare
// calls it before it allocates memory that grows with shapes, attributes or constants. It returns
// an error if the limits of the model do not allow as much. memory.Size computes sizes without
// overflow.
func (p *Preparation) Reserve(bytes int64) error {
	switch {
	case bytes < 0 || bytes > math.MaxInt:
		return errors.New("the tables of the kernel need more bytes than fit an int")
	case p.Charge == nil || bytes == 0:
		return nil
	}
	return p.Charge(bytes)
}

// Borrow is Reserve for memory that Prepare needs only until it calls release.
func (p *Preparation) Borrow(bytes int64) (release func(), err error) {
	if err := p.Reserve(bytes); err != nil {
		return nil, err
	}
	return func() {
		if p.Charge != nil {
			_ = p.Charge(-bytes) // never fails
		}
	}, nil
}

// Prepared is the result of Prepare: a kernel, the memory that it needs, and what a profile
// reports about it.
type Prepared struct {
	// Kernel computes the layer. It must not be nil.
	Kernel Kernel
	// ScratchBytes is the length of Run.Scratch that the kernel needs, in bytes.
	ScratchBytes int
	// Refit makes Kernel that of p, which differs from the argument of Prepare, or of the last
	// Refit, only in lengths and in the values of the inputs in Op.Values. It changes ScratchBytes
	// and the fields for profiles, too. It returns false if Prepare would return another kernel. If
	// so, or if there is an error, the kernel is not run before the next Refit. It never runs
	// together with the kernel, neither of them keeps a tensor of p, and Refit reserves nothing.
	//
	// It is for kernels that take little time to prepare, so that a model in which a length changes
	// all the time need not make other ones: a kernel is kept only for lengths and values that come
	// again. nil means that it is kept for all.
	Refit func(p *Preparation) (bool, error)
	// Released lists the constant inputs that the kernel does not read, because it reads packed
	// weights instead. Nothing in the kernel may refer to their memory, which may be freed. A
	// kernel that reads them for unusual data keeps the tensor of Preparation.Inputs and asks it
	// for the elements, which then stay in memory.
	Released []int
	// Algorithm, Flops, MovedBytes and Precision are for profiles. Algorithm names the kernel in a
	// few words if the layer type has several. Flops is the number of floating-point operations of
	// a run. MovedBytes is the number of bytes that a run reads and writes; 0 means the size of all
	// inputs and outputs. Precision is the type that products are computed in, I8 for integers of 8
	// bits, if it is not the type of output 0.
	Algorithm  string
	Flops      float64
	MovedBytes int64
	Precision  ir.ElementType
}

// Fits is a Refit for kernels that read the lengths from the tensors of Run.
func Fits(*Preparation) (bool, error) { return true, nil }

// Floats returns constant input i, which must have n elements of f32.
func (p *Preparation) Floats(i, n int) ([]float32, error) {
	if t := p.Inputs[i].Tensor; t != nil && t.ElementType() == ir.F32 && t.Len() == n {
		return ir.Data[float32](t), nil
	}
	expected := fmt.Sprint(n, " elements of f32")
	if n == 1 {
		expected = "one f32"
	}
	return nil, faults.Errorf("input %d is %v%v, expected %s", i, p.Inputs[i].Type, p.Inputs[i].Shape, expected)
}

// Only returns the result of Prepare for a kernel that needs no other field of Prepared. If err is
// not nil, it returns err.
func Only(kernel Kernel, err error) (*Prepared, error) {
	if err != nil {
		return nil, err
	}
	return &Prepared{Kernel: kernel}, nil
}

// PickedBytes returns Prepared.MovedBytes for a kernel that reads as many elements of input 0 as
// output 0 has, and all elements of the other inputs. A tensor of unknown size counts as 0 bytes.
func (p *Preparation) PickedBytes() int64 {
	if len(p.Inputs) == 0 || len(p.Outputs) == 0 {
		return 0 // a Preparation without a layer, which has no profile
	}
	n := 2 * sizeOf(&p.Outputs[0])
	for i := 1; i < len(p.Inputs); i++ {
		n += sizeOf(&p.Inputs[i])
	}
	return n
}

// sizeOf returns the size of a tensor in bytes; 0 if it is unknown or too large.
func sizeOf(fact *ir.Fact) int64 {
	shape, err := fact.Shape.Static()
	if err != nil {
		return 0
	}
	n, err := ir.ByteSize(fact.Type, shape)
	if err != nil {
		return 0
	}
	return int64(n)
}
