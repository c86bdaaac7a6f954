package matmul

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/lowbit"
	"github.com/vinoir/vinoir/internal/minifloat"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// The inputs of CompressedMatMul after a.
const (
	codesPort = 1
	scalePort = 2
	zeroPort  = 3
)

// formatOf returns the format of the codes of an element type.
func formatOf(t ir.ElementType) (f lowbit.Format, ok bool) {
	switch t {
	case ir.U4, ir.I4:
		return lowbit.Format{Bits: 4, Signed: t == ir.I4}, true
	case ir.U8, ir.I8:
		return lowbit.Format{Bits: 8, Signed: t == ir.I8}, true
	case ir.NF4:
		return lowbit.Format{Bits: 4, Table: tableOf(minifloat.NF4ToF32)}, true
	case ir.F4E2M1:
		return lowbit.Format{Bits: 4, Table: tableOf(minifloat.F4E2M1ToF32)}, true
	}
	return f, false
}

// tableOf returns the numbers of all codes of 4 bits.
func tableOf(number func(code uint8) float32) *[16]float32 {
	t := new([16]float32)
	for code := range t {
		t[code] = number(uint8(code))
	}
	return t
}

// checkTypes returns an error unless there are kernels for codes and zero points of the given types. zero is Dynamic if there
// are no zero points.
func checkTypes(codes, zero ir.ElementType) error {
	if codes == ir.Dynamic {
		return nil
	}
	f, ok := formatOf(codes)
	if ok && zero != ir.Dynamic {
		z, isCode := formatOf(zero)
		ok = isCode && f.Table == nil && z.Table == nil
	}
	if !ok {
		return faults.Errorf("there are no products with codes of %v and zero points of %v", codes, zero)
	}
	return nil
}

// compressedAttributes are those of CompressedMatMul.
type compressedAttributes struct{ transposed bool }

func parseCompressed(a *ir.Attributes) (any, error) {
	return compressedAttributes{a.Bool("transpose_b", false)}, a.Err()
}

// codeAxes returns the axes of the columns, of the groups and of the rows of a group in codes of the given rank. groups is
// -1 if there is only one.
func (at compressedAttributes) codeAxes(rank int) (columns, groups, rows int) {
	switch {
	case rank == 2 && at.transposed:
		return 0, -1, 1
	case rank == 2:
		return 1, -1, 0
	case at.transposed:
		return 0, 1, 2
	}
	return 2, 0, 1
}

// maxGroup is the largest number of rows of a group, if there is an axis of groups. A panel of numbers has whole groups.
const maxGroup = 4096

func inferCompressed(in *ops.Inference) error {
	a, codes, out := &in.Inputs[0], &in.Inputs[codesPort], &in.Outputs[0]
	at := in.Attributes.(compressedAttributes)
	zero := ir.Dynamic
	if len(in.Inputs) > zeroPort {
		zero = in.Inputs[zeroPort].Type
	}
	scale := in.Inputs[scalePort].Type
	if a.Type != ir.F32 && a.Type != ir.Dynamic || scale != ir.F32 && scale != ir.Dynamic {
		return faults.Errorf("input 0 is %v, input %d is %v, expected f32", a.Type, scalePort, scale)
	}
	if err := checkTypes(codes.Type, zero); err != nil {
		return err
	}
	out.Type = ir.F32
	if !a.Shape.RankKnown() || !codes.Shape.RankKnown() {
		out.Shape = ir.UnknownRank
		return nil
	}
	if n := codes.Shape.Rank(); a.Shape.Rank() < 2 || n != 2 && n != 3 {
		return faults.Errorf("input 0 is %v, input %d is %v: expected 2 or more axes, and 2 or 3", a.Shape, codesPort, codes.Shape)
	}
	columns, groups, rows := at.codeAxes(codes.Shape.Rank())
	depth := codes.Shape.At(rows)
	if groups >= 0 {
		if depth.IsStatic() && depth.Max > maxGroup {
			return faults.Errorf("input %d is %v: there are no groups of more than %d rows", codesPort, codes.Shape, maxGroup)
		}
		depth = depth.Mul(codes.Shape.At(groups))
	}
	last := a.Shape.Rank() - 1
	if n := a.Shape.At(last); n.IsStatic() && depth.IsStatic() && n != depth {
		return faults.Errorf("input 0 is %v, input %d is %v: the rows of one have %v elements, the columns of the other %v",
			a.Shape, codesPort, codes.Shape, n, depth)
	}
	for i := scalePort; i < len(in.Inputs); i++ {
		if err := checkFactors(i, in.Inputs[i].Shape, codes.Shape, rows); err != nil {
			return err
		}
	}
	out.Shape = ir.ShapeOf(append(a.Shape.Dims()[:last:last], codes.Shape.At(columns))...)
	return nil
}

// checkFactors returns an error if scales or zero points do not have one element for each group and column, or 1 instead of
// the length of an axis.
func checkFactors(port int, factors, codes ir.PartialShape, rows int) error {
	if !factors.RankKnown() {
		return nil
	}
	skip := codes.Rank() - factors.Rank()
	for i := range factors.Rank() {
		n, one := factors.At(i), ir.Dim(1)
		if skip < 0 || n.IsStatic() && n != one && (i+skip == rows || codes.At(i+skip).IsStatic() && n != codes.At(i+skip)) {
			return faults.Errorf("input %d is %v, input %d is %v: expected the same lengths except for axis %d, or 1",
				port, factors, codesPort, codes, rows)
		}
	}
	return nil
}
