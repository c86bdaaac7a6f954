// Package decomposed has the strings and rows of OpenVINO Tokenizers as layers have them, in
// several inputs and outputs:
//
//	strings         begins i32, ends i32, chars u8: string i is chars[begins[i]:ends[i]]
//	rows            begins i32, ends i32: row i has the items begins[i] to ends[i]-1 of a vector
//	rows of strings the begins and ends of rows, then strings
//
// Begins and ends have one shape, those of strings in rows are vectors, and chars is a vector.
package decomposed

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// The number of inputs or outputs that hold strings, and rows of strings.
const (
	StringsLen       = 3
	RowsOfStringsLen = 5
)

// InferRows checks the types and shapes of inputs at and at+1, begins and ends, and returns their
// shape.
func InferRows(in *ops.Inference, at int) (ir.PartialShape, error) {
	if err := CheckRowTypes(in, at); err != nil {
		return ir.UnknownRank, err
	}
	begins, ends := &in.Inputs[at], &in.Inputs[at+1]
	shape, ok := begins.Shape.Merge(ends.Shape)
	if !ok {
		return ir.UnknownRank, faults.Errorf("input %d, begins, has shape %v, input %d, ends, has shape %v", at, begins.Shape, at+1, ends.Shape)
	}
	return shape, nil
}

// CheckRowTypes checks the types of inputs at and at+1, begins and ends.
func CheckRowTypes(in *ops.Inference, at int) error {
	for i, name := range []string{"begins", "ends"} {
		if t := in.Inputs[at+i].Type; t != ir.I32 {
			return faults.Errorf("input %d, %s, is %v, expected i32", at+i, name, t)
		}
	}
	return nil
}

// InferStrings checks the types and shapes of the three inputs from at on, and returns the shape of
// begins and ends.
func InferStrings(in *ops.Inference, at int) (ir.PartialShape, error) {
	shape, err := InferRows(in, at)
	if err != nil {
		return ir.UnknownRank, err
	}
	return shape, InferBytes(in, at+2, "chars")
}

// InferRowsOfStrings checks the types and shapes of the five inputs from at on, and returns the
// shape of the rows.
func InferRowsOfStrings(in *ops.Inference, at int) (ir.PartialShape, error) {
	rows, err := InferRows(in, at)
	if err != nil {
		return ir.UnknownRank, err
	}
	strings, err := InferStrings(in, at+2)
	if err != nil {
		return ir.UnknownRank, err
	}
	return rows, check.Rank("begins of strings", strings, 1)
}

// InferBytes checks that input at is a vector of u8: chars, or a text such as a pattern. name is
// what errors call it.
func InferBytes(in *ops.Inference, at int, name string) error {
	if t := in.Inputs[at].Type; t != ir.U8 {
		return faults.Errorf("input %d, %s, is %v, expected u8", at, name, t)
	}
	return check.Rank(name, in.Inputs[at].Shape, 1)
}

// InferSkips checks the type of input at, skips: whether each string is passed on as it is. It
// returns the fact of an output that has the same.
func InferSkips(in *ops.Inference, at int) (ir.Fact, error) {
	skips := &in.Inputs[at]
	if skips.Type != ir.Boolean {
		return ir.Fact{}, faults.Errorf("input %d, skips, is %v, expected boolean", at, skips.Type)
	}
	return ir.Fact{Type: ir.Boolean, Shape: skips.Shape}, nil
}

// StringFacts returns the facts of the three outputs that hold strings of the given shape.
//
// It is not inlined: the code of the command would be 5 KiB larger.
//
//go:noinline
func StringFacts(shape ir.PartialShape) []ir.Fact {
	return append(RowFacts(shape), ir.Fact{Type: ir.U8, Shape: ir.ShapeOfRank(1)})
}

// RowFacts returns the facts of the two outputs that hold the begins and ends of rows of the given
// shape.
func RowFacts(shape ir.PartialShape) []ir.Fact {
	return []ir.Fact{{Type: ir.I32, Shape: shape}, {Type: ir.I32, Shape: shape}}
}

// RowOfStringFacts returns the facts of the five outputs that hold rows of strings.
func RowOfStringFacts(shape ir.PartialShape) []ir.Fact {
	return append(RowFacts(shape), StringFacts(ir.ShapeOfRank(1))...)
}

// Strings returns the strings in the three inputs of r from at on. It checks the ranges; name is
// what errors call the strings.
func Strings(r *ops.Run, at int, name string) (ragged.Strings, error) {
	s := Unchecked(r.Inputs[at:])
	if err := s.CheckUntil(r.Stop, name); err != nil {
		return ragged.Strings{}, err
	}
	return s, nil
}

// Unchecked returns the strings in the first three tensors, whose ranges were or will be checked.
func Unchecked(tensors []*ir.Tensor) ragged.Strings {
	return ragged.Strings{Begins: ir.Data[int32](tensors[0]), Ends: ir.Data[int32](tensors[1]), Chars: tensors[2].Bytes()}
}

// ConstantStrings is Strings for inputs of a Preparation that are in Op.Values.
func ConstantStrings(p *ops.Preparation, at int, name string) (ragged.Strings, error) {
	s := Unchecked([]*ir.Tensor{p.Inputs[at].Tensor, p.Inputs[at+1].Tensor, p.Inputs[at+2].Tensor})
	return s, s.CheckUntil(p.Stop, name)
}

// Rows is Strings for the begins and ends, of n items, in the inputs at and at+1.
func Rows(r *ops.Run, at, n int, name string) (ragged.Rows, error) {
	rows := ragged.Rows{Begins: ir.Data[int32](r.Inputs[at]), Ends: ir.Data[int32](r.Inputs[at+1])}
	if err := rows.CheckUntil(r.Stop, name, n); err != nil {
		return ragged.Rows{}, err
	}
	return rows, nil
}
