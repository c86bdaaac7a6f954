package convert

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Prepare prepares a kernel that converts input 0 to the type of output 0. The kernel needs no
// scratch memory, so that layers with several conversions can run it with Runs of their own.
// Prepare picks the loop for the two types:
//
//	for each i: output[i] = data[i]
//
// If the conversion keeps the bits, the kernel copies them. For source types of at most 8 bits
// other than u8 and i8, Prepare converts all values in advance and the kernel looks them up.
func Prepare(p *ops.Preparation) (*ops.Prepared, error) {
	src, dst := p.Inputs[0].Type, p.Outputs[0].Type
	if src == dst || sameBits(src, dst) {
		return ops.PrepareView(p)
	}
	if src.Bits() == 0 || dst.Bits() == 0 || src.Kind() == ir.KindComplex || dst.Kind() == ir.KindComplex {
		return nil, faults.Errorf("there is no conversion from %v to %v", src, dst)
	}
	part := pick(src, dst)
	if dst.Size() > 0 {
		return &ops.Prepared{Kernel: func(r *ops.Run) error {
			return r.For(r.Outputs[0].Len(), ops.Grain(ops.ConvertCost), part)
		}, Refit: ops.Fits}, nil
	}
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	n := shape.Elements()
	// Elements of less than a byte are split into groups that end at a byte boundary.
	groups := func(r *ops.Run, lo, hi int) error { return part(r, lo*group, min(hi*group, n)) }
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For((n+group-1)/group, ops.Grain(group*ops.ConvertCost), groups) }}, nil
}

// group is a number of elements that fills whole bytes in every sub-byte type.
const group = 8

// sameBits reports whether the conversion from src to dst keeps the bits.
func sameBits(src, dst ir.ElementType) bool {
	return src.IsInteger() && dst.IsInteger() && src.Size() > 0 && src.Size() == dst.Size()
}

func pick(src, dst ir.ElementType) ops.Part {
	if part := vectorPart(src, dst); part != nil {
		return part
	}
	switch {
	case src == ir.F32 && dst == ir.Boolean:
		return nonZero[float32]
	case src == ir.F16 || src == ir.BF16:
		return fromHalf(src, dst)
	case src.IsInteger() && src.Size() > 0:
		return fromInteger(src, dst)
	case src.Bits() <= 8:
		return fromCode(src, dst)
	}
	return throughFloats(src, dst, referenceBF16)
}
