package vocab

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// The inputs of VocabDecoder.
const (
	ids = iota
	vocabulary
	skipped = vocabulary + 3
)

// The inputs of VocabEncoder.
const (
	strings = 0
	keys    = 3
	values  = 6
	unknown = 7
)

func inferDecoder(in *ops.Inference) error {
	if err := check.KnownIndex("ids", in.Inputs[ids].Type); err != nil {
		return err
	}
	if err := check.Rank("ids", in.Inputs[ids].Shape, 2); err != nil {
		return err
	}
	if _, err := decomposed.InferStrings(in, vocabulary); err != nil {
		return err
	}
	if len(in.Inputs) > skipped {
		if err := check.KnownIndex("the list of ids to skip", in.Inputs[skipped].Type); err != nil {
			return err
		}
	}
	rows, n := ir.AnyDim, ir.AnyDim
	if shape := in.Inputs[ids].Shape; shape.RankKnown() {
		if rows = shape.At(0); shape.At(1).IsStatic() {
			n = rows.Mul(ir.Dim(max(shape.At(1).Min, 1)))
		}
	}
	return ops.SetOutputs(in, append(decomposed.RowFacts(ir.ShapeOf(rows)), decomposed.StringFacts(ir.ShapeOf(n))...)...)
}

func inferEncoder(in *ops.Inference) error {
	shape, err := decomposed.InferStrings(in, strings)
	if err != nil {
		return err
	}
	if _, err := decomposed.InferStrings(in, keys); err != nil {
		return err
	}
	t := in.Inputs[values].Type
	if err := check.KnownIndex("values", t); err != nil {
		return err
	}
	if of := in.Inputs[keys].Shape; of.IsStatic() && !of.Equal(in.Inputs[values].Shape) {
		return faults.Errorf("the begins of keys have shape %v, values has shape %v", of, in.Inputs[values].Shape)
	}
	if other := in.Inputs[unknown].Type; other != t {
		return faults.Errorf("values is %v, the default is %v", t, other)
	}
	return ops.SetOutputs(in, ir.Fact{Type: t, Shape: shape})
}
