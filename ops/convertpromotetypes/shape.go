package convertpromotetypes

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// inputTypes are the types that can be promoted.
var inputTypes = []ir.ElementType{
	ir.Dynamic, ir.Boolean, ir.F16, ir.F32, ir.F64, ir.I4, ir.I8, ir.I16, ir.I32, ir.I64,
	ir.U1, ir.U4, ir.U8, ir.U16, ir.U32, ir.U64, ir.F8E4M3, ir.F8E5M2, ir.BF16,
}

func infer(in *ops.Inference) error {
	for i := range in.Inputs {
		if !slices.Contains(inputTypes, in.Inputs[i].Type) {
			return faults.Errorf("input %d is %v, which is not promoted", i, in.Inputs[i].Type)
		}
	}
	t, ok := promote(in.Attributes.(attributes), &in.Inputs[0], &in.Inputs[1])
	if !ok {
		return faults.Errorf("input 0 is %v%v, input 1 is %v%v, which cannot be promoted to one type",
			in.Inputs[0].Type, in.Inputs[0].Shape, in.Inputs[1].Type, in.Inputs[1].Shape)
	}
	return ops.SetOutputs(in, ir.Fact{Type: t, Shape: in.Inputs[0].Shape}, ir.Fact{Type: t, Shape: in.Inputs[1].Shape})
}

// promote returns the type that a and b are converted to; false if there is none.
func promote(at attributes, a, b *ir.Fact) (ir.ElementType, bool) {
	switch {
	case a.Type == ir.Dynamic || b.Type == ir.Dynamic:
		return ir.Dynamic, true
	case a.Type == b.Type, b.Type == ir.Boolean:
		return a.Type, true
	case a.Type == ir.Boolean:
		return b.Type, true
	case a.Type.IsFloat() && !b.Type.IsFloat():
		return a.Type, at.unsafe || a.Type.Bits() >= 2*b.Type.Bits()
	case b.Type.IsFloat() && !a.Type.IsFloat():
		return b.Type, at.unsafe || b.Type.Bits() >= 2*a.Type.Bits()
	}
	if at.scalars && !(a.Shape.RankKnown() && b.Shape.RankKnown()) {
		return ir.Dynamic, true
	}
	if at.scalars && isScalar(a) != isScalar(b) {
		scalar, other := a.Type, b.Type
		if isScalar(b) {
			scalar, other = other, scalar
		}
		return other, at.unsafe || holds(other, scalar)
	}
	switch {
	case isSigned(a.Type) && !isSigned(b.Type):
		return at.signed(a.Type.Bits(), b.Type.Bits())
	case isSigned(b.Type) && !isSigned(a.Type):
		return at.signed(b.Type.Bits(), a.Type.Bits())
	case a.Type.Bits() > b.Type.Bits():
		return a.Type, true
	case a.Type.Bits() < b.Type.Bits():
		return b.Type, true
	case a.Type.Bits() == 8:
		return ir.F16, at.unsafe
	}
	return ir.F32, at.unsafe // f16 and bf16
}

// signed returns the promoted type of a signed and an unsigned integer type of the given bits;
// false if there is none.
func (at attributes) signed(signed, unsigned int) (ir.ElementType, bool) {
	switch bits := max(signed, 2*unsigned); {
	case !at.unsafe && bits > signed:
		return ir.Dynamic, false
	case bits > 64:
		return at.u64, true
	default:
		return map[int]ir.ElementType{4: ir.I4, 8: ir.I8, 16: ir.I16, 32: ir.I32, 64: ir.I64}[bits], true
	}
}

// isScalar reports whether a tensor is known to be a scalar.
func isScalar(f *ir.Fact) bool { return f.Shape.Rank() == 0 }

// isSigned reports whether t has negative values.
func isSigned(t ir.ElementType) bool { return t.Kind() != ir.KindUnsigned }

// holds reports whether t is taken to hold a scalar of type s. A signed type is taken to hold
// unsigned types of up to twice its bits, such as u16 in i8, which is OpenVINO's rule.
func holds(t, s ir.ElementType) bool {
	return isSigned(t) == isSigned(s) && t.Bits() >= s.Bits() ||
		isSigned(t) && !isSigned(s) && 2*t.Bits() >= s.Bits()
}
