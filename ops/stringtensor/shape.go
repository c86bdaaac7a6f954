package stringtensor

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func inferPack(in *ops.Inference) error {
	begins, ends, symbols := &in.Inputs[0], &in.Inputs[1], &in.Inputs[2]
	if err := check.KnownIndex("begins", begins.Type); err != nil {
		return err
	}
	if begins.Type != ends.Type {
		return faults.Errorf("begins is %v, ends is %v", begins.Type, ends.Type)
	}
	if symbols.Type != ir.U8 {
		return faults.Errorf("symbols is %v, expected u8", symbols.Type)
	}
	if err := check.Rank("symbols", symbols.Shape, 1); err != nil {
		return err
	}
	for i, name := range []string{"begins", "ends"} {
		if err := checkBounds(name, &in.Inputs[i], symbols.Shape); err != nil {
			return err
		}
	}
	shape, ok := begins.Shape.Merge(ends.Shape)
	if !ok {
		return faults.Errorf("begins has shape %v, ends has shape %v", begins.Shape, ends.Shape)
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = ir.String, shape
	return nil
}

// checkBounds checks begins or ends if it is known.
func checkBounds(name string, in *ir.Fact, symbols ir.PartialShape) error {
	values, known := in.Ints()
	if !known || len(values) == 0 {
		return nil
	}
	if values[0] < 0 {
		return faults.Errorf("%s[0] is negative: %d", name, values[0])
	}
	if err := check.Sorted(name, values); err != nil {
		return err
	}
	if last := values[len(values)-1]; symbols.IsStatic() && last > symbols.At(0).Min {
		return faults.Errorf("%s ends with %d, symbols has %v elements", name, last, symbols.At(0))
	}
	return nil
}

func inferUnpack(in *ops.Inference) error {
	data := &in.Inputs[0]
	if data.Type != ir.String {
		return faults.Errorf("data is %v, expected string", data.Type)
	}
	symbols := ir.AnyDim
	if data.Tensor != nil || data.Shape.Elements() == ir.Dim(0) {
		symbols = ir.Dim(0)
	}
	if data.Tensor != nil {
		for _, s := range data.Tensor.Strings() {
			symbols = symbols.Add(ir.Dim(int64(len(s))))
		}
	}
	return ops.SetOutputs(in,
		ir.Fact{Type: ir.I32, Shape: data.Shape},
		ir.Fact{Type: ir.I32, Shape: data.Shape},
		ir.Fact{Type: ir.U8, Shape: ir.ShapeOf(symbols)})
}

// inferExtensionUnpack is the rule of StringTensorUnpack of the extension.
func inferExtensionUnpack(in *ops.Inference) error {
	data := &in.Inputs[0]
	if data.Type == ir.String {
		return inferUnpack(in)
	}
	if data.Type != ir.U8 {
		return faults.Errorf("data is %v, expected string or u8", data.Type)
	}
	if err := check.Rank("data", data.Shape, 1); err != nil {
		return err
	}
	n, symbols := ir.AnyDim, ir.AnyDim
	if data.Tensor != nil {
		offsets, _, err := splitPacked(data.Tensor.Bytes())
		if err != nil {
			return err
		}
		last := len(offsets)/numberBytes - 1
		n, symbols = ir.Dim(int64(last)), ir.Dim(int64(max(offsetAt(offsets, last), 0)))
	}
	return ops.SetOutputs(in,
		ir.Fact{Type: ir.I32, Shape: ir.ShapeOf(n)},
		ir.Fact{Type: ir.I32, Shape: ir.ShapeOf(n)},
		ir.Fact{Type: ir.U8, Shape: ir.ShapeOf(symbols)})
}
