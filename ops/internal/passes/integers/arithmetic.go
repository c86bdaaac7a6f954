package integers

import (
	"strconv"

	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// arithmetic adds layers on behalf of a layer, that compute in a type: f32 or i32.
type arithmetic struct {
	*editor
	at *ir.Layer
	to ir.ElementType
}

// op adds a layer of two inputs.
func (a arithmetic) op(layerType string, x, y ir.Input) ir.Input {
	return ir.Input{Source: a.AddLayer(a.at, layerType, "opset1", nil, x, y)}
}

// wide converts in, which may have the type already, to it. Integers that i32 holds are converted
// from what they were before, so that nothing reads them as i32.
func (a arithmetic) wide(in ir.Input) ir.Input {
	t := a.Fact(in).Type
	if t == a.to {
		return in
	}
	if c, ok := a.FindCodes(in); ok && t == ir.I32 && c.Zero.Source == nil {
		in = c.Input
	}
	return ir.Input{Source: a.AddConvert(a.at, in, a.to)}
}

// numbers adds a constant vector of numbers, one for each column.
func (a arithmetic) numbers(values ...float64) ir.Input {
	t, err := ir.NewTensor(a.to, len(values))
	if err != nil {
		panic("BUG: " + err.Error())
	}
	for i, v := range values {
		t.SetValue(i, v)
	}
	return a.AddConstant(a.at, t)
}

// rowSums adds the sums of the rows of codes.
func (a arithmetic) rowSums(codes ir.Input) ir.Input {
	wide := a.wide(codes)
	return ir.Input{Source: a.AddLayer(a.at, "ReduceSum", "opset1", edit.Attributes("keep_dims", "true"), wide, a.AddInts(a.at, []int64{-1}))}
}

// quantizedMatMul adds a product of codes and bytes, which can be transposed, with a scale and an
// offset for each column.
func (a arithmetic) quantizedMatMul(codes ir.Input, bytes *ir.Tensor, transposed bool, scale, offset []float64) ir.Input {
	y := a.AddLayer(a.at, "QuantizedMatMul", rewrite.Namespace, edit.Attributes("transpose_b", strconv.FormatBool(transposed)),
		codes, a.AddConstant(a.at, bytes), a.AddFloats(a.at, ir.Shape{len(scale)}, scale), a.AddFloats(a.at, ir.Shape{len(offset)}, offset))
	a.Facts[y] = ir.Fact{Type: ir.F32, Shape: ir.UnknownRank}
	return ir.Input{Source: y}
}
