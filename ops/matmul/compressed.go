package matmul

import (
	"slices"

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
	tablePort = 4
)

// formatOf returns the format in which codes of an element type are packed.
func formatOf(t ir.ElementType) (f lowbit.Format, ok bool) {
	switch t {
	case ir.U2, ir.U3:
		return lowbit.Format{Bits: 4}, true
	case ir.U4, ir.I4:
		return lowbit.Format{Bits: 4, Signed: t == ir.I4}, true
	case ir.U8, ir.I8:
		return lowbit.Format{Bits: 8, Signed: t == ir.I8}, true
	case ir.NF4:
		return lowbit.Format{Bits: 4, Table: tableOf(minifloat.NF4ToF32)}, true
	case ir.F4E2M1:
		return lowbit.Format{Bits: 4, Table: tableOf(minifloat.F4E2M1ToF32)}, true
	case ir.F8E4M3:
		return lowbit.Format{Bits: 8, Float: lowbit.F8E4M3}, true
	case ir.F8E5M2:
		return lowbit.Format{Bits: 8, Float: lowbit.F8E5M2}, true
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

// checkTypes returns an error unless there are kernels for codes and zero points of the given
// types. zero is Dynamic if there are no zero points.
func checkTypes(codes, zero ir.ElementType) error {
	if codes == ir.Dynamic {
		return nil
	}
	f, ok := formatOf(codes)
	if ok && zero != ir.Dynamic {
		z, isCode := formatOf(zero)
		ok = isCode && f.Table == nil && z.Table == nil && f.Float == lowbit.Integer && z.Float == lowbit.Integer
	}
	if !ok {
		return faults.Errorf("there are no products with codes of %v and zero points of %v", codes, zero)
	}
	return nil
}

// checkTable returns an error unless codes of the given type can be positions in a table.
func checkTable(codes ir.ElementType, table *ir.Fact) error {
	shape := ir.Shape{16}.Partial()
	if codes != ir.U4 && codes != ir.Dynamic || table.Type != ir.F32 && table.Type != ir.Dynamic || !table.Shape.Compatible(shape) {
		return faults.Errorf("input %d is %v, input %d is %v%v: expected u4, and f32%v", codesPort, codes, tablePort, table.Type, table.Shape, shape)
	}
	return nil
}

// compressedAttributes are those of CompressedMatMul.
type compressedAttributes struct{ transposed, batched, exact bool }

func parseCompressed(a *ir.Attributes) (any, error) {
	return compressedAttributes{a.Bool("transpose_b", false), a.Bool("batched", false), a.Bool("exact", false)}, a.Err()
}

// codeAxes returns the axes of the columns, of the groups and of the rows of a group in codes of
// the given rank. groups is -1 if there is only one. The matrices of a batch are along axis 0.
func (at compressedAttributes) codeAxes(rank int) (columns, groups, rows int) {
	first := 0
	if at.batched {
		first = 1
	}
	switch {
	case rank-first == 2 && at.transposed:
		return first, -1, first + 1
	case rank-first == 2:
		return first + 1, -1, first
	case at.transposed:
		return first, first + 1, first + 2
	}
	return first + 2, first, first + 1
}

// maxGroup is the largest number of rows of a group, if there is an axis of groups. A panel of
// numbers has whole groups.
const maxGroup = 4096

// maxMatrices is the largest number of matrices of a batch. Each is packed by itself.
const maxMatrices = 4096

func inferCompressed(in *ops.Inference) error {
	a, codes, out := &in.Inputs[0], &in.Inputs[codesPort], &in.Outputs[0]
	at := in.Attributes.(compressedAttributes)
	zero := ir.Dynamic
	if len(in.Inputs) > zeroPort {
		zero = in.Inputs[zeroPort].Type
	}
	if len(in.Inputs) > tablePort {
		if err := checkTable(codes.Type, &in.Inputs[tablePort]); err != nil {
			return err
		}
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
	n := codes.Shape.Rank()
	switch {
	case at.batched && (a.Shape.Rank() != 3 || n != 3 && n != 4):
		return faults.Errorf("input 0 is %v, input %d is %v: expected 3 axes, and 3 or 4", a.Shape, codesPort, codes.Shape)
	case !at.batched && (a.Shape.Rank() < 2 || n != 2 && n != 3):
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
	for i := scalePort; i < min(len(in.Inputs), tablePort); i++ {
		if err := checkFactors(i, in.Inputs[i].Shape, codes.Shape, rows); err != nil {
			return err
		}
	}
	dims := append(slices.Clone(a.Shape.Dims()[:last]), codes.Shape.At(columns))
	if at.batched {
		matrices, one := codes.Shape.At(0), ir.Dim(1)
		if matrices.IsStatic() && matrices.Max > maxMatrices {
			return faults.Errorf("input %d is %v: there are no batches of more than %d matrices", codesPort, codes.Shape, maxMatrices)
		}
		if dims[0].IsStatic() && matrices.IsStatic() && dims[0] != one && dims[0] != matrices {
			return faults.Errorf("input 0 is %v, input %d is %v: expected %v or 1 along axis 0", a.Shape, codesPort, codes.Shape, matrices)
		}
		dims[0] = matrices
	}
	out.Shape = ir.ShapeOf(dims...)
	return nil
}

// checkFactors returns an error if scales or zero points do not have one element for each group and
// column, or 1 instead of the length of an axis.
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
