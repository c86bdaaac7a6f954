package integers

import (
	"math"
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// multiplyCodes replaces the product of integers that convert converts to f32, if one of its
// operands is u8 and the other constant:
//
//	Convert(MatMul(Convert(a) - zero, weights)) = QuantizedMatMul(a, weights, 1, 0) - zero*sums
//
// where sums are those of the columns of the weights. a and zero are what the quantization of data
// with limits of its own returns, DynamicQuantizeLinear of ONNX.
func (e *editor) multiplyCodes(convert *ir.Layer) {
	if convert.Type != "Convert" {
		return
	}
	product := rewrite.Producer(convert.Inputs[0], "MatMul")
	if product == nil || !e.IsFloat32(ir.Input{Source: convert}) || e.Fact(convert.Inputs[0]).Type != ir.I32 || !e.HasOneReader(product) {
		return
	}
	a, zero, ok := e.codesOf(product.Inputs[0])
	if !ok || e.Fact(a).Type != ir.U8 || len(zero) > 0 && e.Fact(zero[0]).Type != ir.U8 {
		return
	}
	at := ir.AttributesOf(product)
	transposed := at.Bool("transpose_b", false)
	if at.Bool("transpose_a", false) || at.Err() != nil || !e.isManyRows(a) {
		return
	}
	weights := e.differences(product.Inputs[1])
	if weights == nil {
		return
	}
	depth, columns := weights.Shape()[0], weights.Shape()[1]
	if transposed {
		depth, columns = columns, depth
	}
	if !gemm.IsBytes(depth) {
		return
	}
	number := func(v float64) ir.Input {
		return e.AddConstant(product, rewrite.FloatTensor(ir.Shape{columns}, slices.Repeat([]float64{v}, columns)))
	}
	data := edit.Attributes("transpose_b", strconv.FormatBool(transposed))
	by := e.AddLayer(product, "QuantizedMatMul", rewrite.Namespace, data, a, e.AddConstant(product, weights), number(1), number(0))
	if len(zero) > 0 {
		sums := e.AddFloats(product, ir.Shape{columns}, sumsOf(ir.Data[int8](weights), columns, transposed))
		shift := e.AddLayer(product, "Multiply", "opset1", nil, ir.Input{Source: e.AddConvert(product, zero[0], ir.F32)}, sums)
		by = e.AddLayer(product, "Subtract", "opset1", nil, ir.Input{Source: by}, ir.Input{Source: shift})
	}
	e.ReplaceLayer(convert, edit.First(by))
}

// isManyRows reports whether a product of integers pays for the rows of a: see matMul.
func (e *editor) isManyRows(a ir.Input) bool {
	shape := e.Fact(a).Shape
	if !shape.RankKnown() || shape.Rank() == 0 {
		return false
	}
	rows := e.Lengths(a)
	return !gemm.HasWords() || rows == nil || rows[:len(rows)-1].Elements() > 1
}

// codesOf matches integers of 8 bits that are converted to i32. A zero point, if there is one, is a
// single element that does not change their shape.
func (e *editor) codesOf(in ir.Input) (codes ir.Input, zero []ir.Input, ok bool) {
	if subtract := rewrite.Producer(in, "Subtract"); subtract != nil {
		convert := rewrite.Producer(subtract.Inputs[1], "Convert")
		if convert == nil || !isOne(e.Fact(convert.Inputs[0]).Shape) {
			return in, nil, false
		}
		in, zero = subtract.Inputs[0], []ir.Input{convert.Inputs[0]}
	}
	convert := rewrite.Producer(in, "Convert")
	if convert == nil {
		return in, nil, false
	}
	shape := e.Fact(convert.Inputs[0]).Shape
	return convert.Inputs[0], zero, shape.RankKnown() && shape.Rank() > 0
}

// isOne reports whether shape is that of a scalar or of a vector of one element.
func isOne(shape ir.PartialShape) bool {
	return shape.RankKnown() && (shape.Rank() == 0 || shape.Rank() == 1 && shape.At(0) == ir.Dim(1))
}

// differences returns a constant matrix of integers of 8 bits, from which a zero point may be
// subtracted, as i8; nil if in is something else or if i8 cannot hold it.
func (e *editor) differences(in ir.Input) *ir.Tensor {
	zero := func(int) int { return 0 }
	columns := 1
	if subtract := rewrite.Producer(in, "Subtract"); subtract != nil {
		from := rewrite.Producer(subtract.Inputs[1], "Convert")
		if from == nil {
			return nil
		}
		t := e.Value(from.Inputs[0])
		matrix := e.Lengths(in)
		if t == nil || len(matrix) != 2 || !isBytes(t) || t.Len() == 0 || t.Len() != 1 && (t.Len() != matrix[1] || len(t.Shape()) > 2 || t.Shape()[len(t.Shape())-1] != matrix[1]) {
			return nil
		}
		if values := t.Bytes(); slices.Max(values) > 0 {
			columns, zero = t.Len(), func(i int) int { return numberOf(t.ElementType(), values[i]) }
		}
		in = subtract.Inputs[0]
	}
	convert := rewrite.Producer(in, "Convert")
	if convert == nil {
		return nil
	}
	t := convert.Inputs[0].Source.Constant
	if t == nil || len(t.Shape()) != 2 || !isBytes(t) || t.Len() == 0 {
		return nil
	}
	if t.ElementType() == ir.I8 && columns == 1 && zero(0) == 0 {
		return t
	}
	moved, err := ir.NewTensor(ir.I8, t.Shape()...)
	if err != nil {
		return nil
	}
	out := ir.Data[int8](moved)
	for i, code := range t.Bytes() {
		v := numberOf(t.ElementType(), code) - zero(i%columns)
		if v < math.MinInt8 || v > math.MaxInt8 {
			return nil
		}
		out[i] = int8(v)
	}
	return moved
}

// isBytes reports whether t has integers of 8 bits.
func isBytes(t *ir.Tensor) bool { return t.ElementType() == ir.U8 || t.ElementType() == ir.I8 }

// numberOf returns the number of a byte of type i8 or u8.
func numberOf(t ir.ElementType, code byte) int {
	if t == ir.I8 {
		return int(int8(code))
	}
	return int(code)
}

// sumsOf returns the sums of the columns of a matrix. With transposed, these are its rows.
func sumsOf(matrix []int8, columns int, transposed bool) []float64 {
	sums, values := make([]int32, columns), make([]float64, columns)
	if depth := len(matrix) / columns; transposed {
		for j := range sums {
			for _, v := range matrix[j*depth:][:depth] {
				sums[j] += int32(v)
			}
		}
	} else {
		for ; len(matrix) > 0; matrix = matrix[columns:] {
			for j, v := range matrix[:columns] {
				sums[j] += int32(v)
			}
		}
	}
	for j, v := range sums {
		values[j] = float64(v)
	}
	return values
}
