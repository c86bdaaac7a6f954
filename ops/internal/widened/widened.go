// Package widened prepares kernels of element types that few models use: a kernel of a wider type
// computes them on copies in scratch memory, so that a family needs no code of its own for each
// type.
package widened

import (
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Conversion converts the elements of a type to a wider type and back. Both functions get whole
// elements, as many of each type.
type Conversion struct {
	From, To ir.ElementType
	Widen    func(wide, narrow []byte)
	Narrow   func(narrow, wide []byte)
}

// Conversions of small integers to i32, and of u32 to i64. They keep every number. A sum,
// difference or product wraps to the same bits as in the type itself.
var (
	I8  = Conversion{ir.I8, ir.I32, convert[int32, int8], convert[uint8, uint32]}
	U8  = Conversion{ir.U8, ir.I32, convert[int32, uint8], convert[uint8, uint32]}
	I16 = Conversion{ir.I16, ir.I32, convert[int32, int16], convert[uint16, uint32]}
	U16 = Conversion{ir.U16, ir.I32, convert[int32, uint16], convert[uint16, uint32]}
	U32 = Conversion{ir.U32, ir.I64, convert[int64, uint32], convert[uint32, uint64]}
)

var (
	// Small are the conversions of integers of 8 and 16 bits.
	Small = []Conversion{I8, U8, I16, U16}
	// Saturating are the conversions of all small integers and of u32 whose Narrow limits numbers
	// to those of the small type. They are for functions that depend on its limits.
	Saturating = []Conversion{
		{ir.I8, ir.I32, convert[int32, int8], saturate[int8, int32]},
		{ir.U8, ir.I32, convert[int32, uint8], saturate[uint8, int32]},
		{ir.I16, ir.I32, convert[int32, int16], saturate[int16, int32]},
		{ir.U16, ir.I32, convert[int32, uint16], saturate[uint16, int32]},
		{ir.U32, ir.I64, convert[int64, uint32], saturate[uint32, int64]},
	}
)

// Rounded are the conversions of all integers to f32 whose Narrow rounds to the nearest integer,
// halves to even, and limits numbers to those of the type. NaN becomes 0. They are for functions of
// real numbers, which OpenVINO computes so.
var Rounded = []Conversion{
	{ir.I8, ir.F32, convert[float32, int8], round[int8]},
	{ir.I16, ir.F32, convert[float32, int16], round[int16]},
	{ir.I32, ir.F32, convert[float32, int32], round[int32]},
	{ir.I64, ir.F32, convert[float32, int64], round[int64]},
	{ir.U8, ir.F32, convert[float32, uint8], round[uint8]},
	{ir.U16, ir.F32, convert[float32, uint16], round[uint16]},
	{ir.U32, ir.F32, convert[float32, uint32], round[uint32]},
	{ir.U64, ir.F32, convert[float32, uint64], round[uint64]},
}

// RoundedTypes lists the types of layers of floating-point types that Rounded extends.
var RoundedTypes = []ir.ElementType{
	ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64,
}

// round narrows numbers to the nearest integers of N.
func round[N int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](narrow, wide []byte) {
	to, from := cast.Bytes[N](narrow), cast.Bytes[float32](wide)
	lo, hi := N(0), ^N(0)
	if hi < lo { // N is signed
		hi = 1<<(8*unsafe.Sizeof(*new(N))-1) - 1
		lo = ^hi
	}
	to = to[:len(from)]
	for i, v := range from {
		switch x := math.RoundToEven(float64(v)); {
		case x != x:
			to[i] = 0
		case x >= float64(hi):
			to[i] = hi
		case x <= float64(lo):
			to[i] = lo
		default:
			to[i] = N(x)
		}
	}
}

// saturate narrows numbers, and those beyond the limits of N to the limit.
func saturate[N int8 | uint8 | int16 | uint16 | uint32, W int32 | int64](narrow, wide []byte) {
	to, from := cast.Bytes[N](narrow), cast.Bytes[W](wide)
	lo, hi := W(0), W(^N(0))
	if hi < 0 { // N is signed
		hi = 1<<(8*unsafe.Sizeof(*new(N))-1) - 1
		lo = ^hi
	}
	to = to[:len(from)]
	for i, v := range from {
		to[i] = N(min(max(v, lo), hi))
	}
}

func convert[D, S cast.Number](dst, src []byte) { cast.Convert(cast.Bytes[D](dst), cast.Bytes[S](src)) }

// Find returns the conversion from t; nil if there is none.
func Find(conversions []Conversion, t ir.ElementType) *Conversion {
	for i := range conversions {
		if conversions[i].From == t {
			return &conversions[i]
		}
	}
	return nil
}

// Prepare returns a function for Op.Prepare. If input 0 has the type From of one of the
// conversions, the kernel that prepare returns for the type To runs on wide copies of the given
// inputs and, if it has the same type, of output 0. It must not set the shape of an output. The
// inputs must have the type of input 0, or another one, which is left as it is. prepare does not
// see their elements, even if they are constant.
func Prepare(conversions []Conversion, prepare func(*ops.Preparation) (*ops.Prepared, error), inputs ...int) func(*ops.Preparation) (*ops.Prepared, error) {
	return func(p *ops.Preparation) (*ops.Prepared, error) {
		if c := Find(conversions, p.Inputs[0].Type); c != nil {
			return prepareAs(c, p, prepare, inputs)
		}
		return prepare(p)
	}
}

func prepareAs(c *Conversion, p *ops.Preparation, prepare func(*ops.Preparation) (*ops.Prepared, error), inputs []int) (*ops.Prepared, error) {
	wide := *p
	wide.Inputs, wide.Outputs = append([]ir.Fact(nil), p.Inputs...), append([]ir.Fact(nil), p.Outputs...)
	k := &kernel{conversion: c}
	for _, i := range inputs {
		if i < len(p.Inputs) && p.Inputs[i].Type == c.From {
			if err := k.add(&wide.Inputs[i], i); err != nil {
				return nil, err
			}
		}
	}
	if p.Outputs[0].Type == c.From {
		k.output = true
		if err := k.add(&wide.Outputs[0], 0); err != nil {
			return nil, err
		}
	}
	prepared, err := prepare(&wide)
	if err != nil {
		return nil, err
	}
	k.compute, k.scratchBytes = prepared.Kernel, prepared.ScratchBytes
	size := memory.Sum(int64(k.bytes), int64(k.scratchBytes))
	if size > math.MaxInt {
		return nil, faults.Errorf("%d bytes of copies and %d bytes of scratch memory are more than fit an int", k.bytes, k.scratchBytes)
	}
	prepared.Kernel, prepared.ScratchBytes = k.run, int(size)
	return prepared, nil
}

// kernel runs compute on wide copies.
type kernel struct {
	conversion   *Conversion
	copies       []wideCopy // of inputs and, last, of output 0 if output is set
	output       bool
	bytes        int // of all copies, at the start of the scratch memory
	compute      ops.Kernel
	scratchBytes int // of compute
}

// wideCopy is the copy of an input, or of output 0.
type wideCopy struct {
	port    int
	shape   ir.Shape
	at, end int // in the scratch memory
	part    ops.Part
}

// grain is the number of elements that are worth another thread.
const grain = 1 << 14

// add adds the copy of a tensor with the given fact, which it changes to the wide type.
func (k *kernel) add(fact *ir.Fact, port int) error {
	shape, err := fact.Shape.Static()
	if err != nil {
		return err
	}
	size, err := ir.ByteSize(k.conversion.To, shape)
	if err != nil {
		return err
	}
	if size > math.MaxInt-memory.Align-k.bytes {
		return faults.Errorf("%d bytes and shape %v as %v are more than fit an int", k.bytes, shape, k.conversion.To)
	}
	*fact = ir.Fact{Type: k.conversion.To, Shape: fact.Shape}
	c := wideCopy{port: port, shape: shape, at: k.bytes, end: k.bytes + size}
	narrow, wide := k.conversion.From.Size(), k.conversion.To.Size()
	if k.output {
		c.part = func(r *ops.Run, lo, hi int) error {
			k.conversion.Narrow(r.Outputs[port].Bytes()[lo*narrow:hi*narrow], r.Scratch[c.at:][lo*wide:hi*wide])
			return nil
		}
	} else {
		c.part = func(r *ops.Run, lo, hi int) error {
			k.conversion.Widen(r.Scratch[c.at:][lo*wide:hi*wide], r.Inputs[port].Bytes()[lo*narrow:hi*narrow])
			return nil
		}
	}
	k.copies = append(k.copies, c)
	k.bytes += (size + memory.Align - 1) &^ (memory.Align - 1)
	return nil
}

// state is what a Run keeps: the Run of compute and its tensors.
type state struct {
	run     ops.Run
	tensors []ir.Tensor
}

func newState() any { return new(state) }

func (k *kernel) run(r *ops.Run) error {
	s := r.Own(newState).(*state)
	if len(s.tensors) < len(k.copies) {
		s.tensors = make([]ir.Tensor, len(k.copies))
	}
	inner := &s.run
	inner.Inputs, inner.Outputs = append(inner.Inputs[:0], r.Inputs...), append(inner.Outputs[:0], r.Outputs...)
	inner.Pool, inner.Stop, inner.Scratch = r.Pool, r.Stop, r.Scratch[k.bytes:]
	for i := range k.copies {
		c, t := &k.copies[i], &s.tensors[i]
		if err := t.Reset(k.conversion.To, c.shape, r.Scratch[c.at:c.end], nil); err != nil {
			return err
		}
		if k.output && i == len(k.copies)-1 {
			inner.Outputs[0] = t
			break
		}
		inner.Inputs[c.port] = t
		if err := r.For(t.Len(), grain, c.part); err != nil {
			return err
		}
	}
	if err := k.compute(inner); err != nil || !k.output {
		return err
	}
	c := &k.copies[len(k.copies)-1]
	return r.For(c.shape.Elements(), grain, c.part)
}
