package sentencepiece

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/text/sentencepiece"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// special is the number of inputs with special tokens and their ids.
const special = decomposed.StringsLen + 1

// textInputs returns the number of inputs with the texts: 1 or 3; 0 if the number of inputs is
// neither 2, 4, 6 nor 8.
func textInputs(inputs int) int {
	switch inputs {
	case 2, 2 + special:
		return 1
	case 4, 4 + special:
		return 3
	}
	return 0
}

func inferTokenizer(in *ops.Inference) error {
	texts := textInputs(len(in.Inputs))
	if texts == 0 {
		return faults.Errorf("the layer has %d inputs, expected 2, 4, 6 or 8", len(in.Inputs))
	}
	if texts == decomposed.StringsLen {
		if _, err := decomposed.InferStrings(in, 1); err != nil {
			return err
		}
	} else if t := in.Inputs[1].Type; t != ir.String {
		return faults.Errorf("input 1, texts, is %v, expected string", t)
	}
	if first := 1 + texts; first < len(in.Inputs) {
		if _, err := decomposed.InferStrings(in, first); err != nil {
			return err
		}
		if ids := first + decomposed.StringsLen; in.Inputs[ids].Type != ir.I32 {
			return faults.Errorf("input %d, ids of special tokens, is %v, expected i32", ids, in.Inputs[ids].Type)
		}
	}
	if err := checkModel(in, in.Inputs[1].Shape); err != nil {
		return err
	}
	return ops.SetOutputs(in,
		ir.Fact{Type: ir.I64, Shape: ir.ShapeOf(ir.AnyDim, ir.Dim(2))},
		ir.Fact{Type: ir.I32, Shape: ir.ShapeOf(ir.AnyDim)},
		ir.Fact{Type: ir.I64, Shape: ir.StaticShape(2)})
}

// checkModel checks the type of the model, and the model itself as far as that is cheap, while the
// shape of data is not known. Once it is, Prepare reads the model.
func checkModel(in *ops.Inference, data ir.PartialShape) error {
	model := &in.Inputs[0]
	if model.Type != ir.U8 {
		return faults.Errorf("the model is %v, expected u8", model.Type)
	}
	if model.Tensor == nil || data.IsStatic() {
		return nil
	}
	return sentencepiece.Check(model.Tensor.Bytes())
}

func inferDetokenizer(in *ops.Inference) error {
	ids := &in.Inputs[1]
	if ids.Type != ir.I32 {
		return faults.Errorf("ids is %v, expected i32", ids.Type)
	}
	if err := check.Rank("ids", ids.Shape, 2); err != nil {
		return err
	}
	if err := checkModel(in, ids.Shape); err != nil {
		return err
	}
	rows := ir.AnyDim
	if ids.Shape.Rank() == 2 {
		rows = ids.Shape.At(0)
	}
	return ops.SetOutputs(in, decomposed.StringFacts(ir.ShapeOf(rows))...)
}
