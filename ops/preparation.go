package ops

import "github.com/vinoir/vinoir/ir"

// Preparation is what Prepare knows of the layer.
type Preparation struct {
	Attributes any
	Layer      *ir.Layer
	// Inputs and Outputs have static shapes, except outputs whose shape depends on the data.
	// Tensor is set for constant inputs and for those of Op.Values.
	Inputs, Outputs []ir.Fact
	// Unread reports, for each output, whether nobody reads it, so that the kernel need not
	// write it. nil means that this is not known.
	Unread []bool
	// Threads is the number of threads that the kernel may use.
	Threads int
	// Stages are the layers that the kernel applies to output 0 if Op.Fusion.Applies is
	// set. Their other inputs follow the layer's own in Run.Inputs. Inputs and Outputs
	// describe the layer itself, without the stages.
	Stages []Stage
	// Operands is set for Fusion.Stage. It gives the index in Run.Inputs of each input of
	// the layer; entry `through` is unused.
	Operands []int
	// Variables lists the variable_id of each variable of the model.
	Variables []string
	// Keep, if not nil, implements Once.
	Keep func(key string, bytes int64, make func() (any, error)) (any, error)
}

// Once returns what make returns, and calls it only once for each layer of a compiled model
// and key. It is for what is made of constants alone, such as packed weights, and is the
// same for all shapes of the other inputs. It must not be changed later. bytes is its size,
// which is checked against the limits of the model before make is called.
func (p *Preparation) Once(key string, bytes int64, make func() (any, error)) (any, error) {
	if p.Keep == nil {
		return make()
	}
	return p.Keep(key, bytes, make)
}

// Prepared is a kernel with what running it takes and what is known of it.
type Prepared struct {
	Kernel Kernel
	// ScratchBytes is the length of Run.Scratch that the kernel needs.
	ScratchBytes int
	// TableBytes is the memory that the kernel holds on to, such as tables of positions and
	// weights, without that of Once.
	TableBytes int64
	// Released lists the inputs that the kernel does not read, and whose memory nothing
	// that was prepared refers to, because packed weights stand for them. Large constants
	// are in memory only as long as a kernel reads them.
	Released []int
	// Algorithm names the kernel in a few words if the layer type has several. Flops is the
	// number of floating-point operations. MovedBytes is the number of bytes read and
	// written; 0 means the size of all inputs and outputs. They are for profiles.
	Algorithm  string
	Flops      float64
	MovedBytes int64
}

// Only returns the result of Prepare for a kernel that needs nothing else.
func Only(kernel Kernel, err error) (*Prepared, error) {
	if err != nil {
		return nil, err
	}
	return &Prepared{Kernel: kernel}, nil
}

// PickedBytes returns MovedBytes of a kernel that reads no more elements of input 0 than
// output 0 has.
func (p *Preparation) PickedBytes() int64 {
	if len(p.Inputs) == 0 || len(p.Outputs) == 0 {
		return 0 // there is no layer, and nobody asks
	}
	n := 2 * sizeOf(&p.Outputs[0])
	for i := 1; i < len(p.Inputs); i++ {
		n += sizeOf(&p.Inputs[i])
	}
	return n
}

// sizeOf returns the bytes of a tensor; 0 if its shape or type has no size.
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
