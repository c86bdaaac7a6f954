package qlinear_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/qlinear"
)

// check checks a case with all inputs but those in variable as initializers.
func check(s *onnxtest.Suite, c onnxtest.Case, variable ...int) {
	c.Domain, c.Version = "com.microsoft", 1
	isVariable := make(map[int]bool)
	for _, i := range variable {
		isVariable[i] = true
	}
	for i := range c.Inputs {
		if !isVariable[i] && c.Inputs[i] != nil {
			c.Constants = append(c.Constants, i)
		}
	}
	s.Check(c)
}

func TestElementwise(t *testing.T) {
	s := onnxtest.NewSuite(t, qlinear.Rules())
	a, b := [][]uint8{{10, 20, 250}}, [][]uint8{{1, 2, 100}}
	half, one, two := float32(0.5), float32(1), float32(2)
	for _, c := range []onnxtest.Case{
		{Operator: "QLinearAdd", Inputs: []any{a, half, uint8(10), b, two, nil, one, uint8(3)}, Want: []any{[][]uint8{{5, 12, 255}}}},
		{Operator: "QLinearAdd", Inputs: []any{[]int8{-128, 5}, one, int8(0), []int8{-1}, one, int8(0), one}, Want: []any{[]int8{-128, 4}}},
		{Operator: "QLinearMul", Inputs: []any{a, half, uint8(10), b, two, uint8(0), one, uint8(3)}, Want: []any{[][]uint8{{3, 23, 255}}}},
		{Operator: "QLinearLeakyRelu", Attributes: []any{"alpha", 0.5}, Inputs: []any{[]int8{-8, 8}, half, int8(0), one, int8(1)}, Want: []any{[]int8{-1, 5}}},
		{Operator: "QLinearSigmoid", Inputs: []any{[]uint8{0, 128, 255}, one, uint8(128), float32(1.0 / 256), uint8(0)}, Want: []any{[]uint8{0, 128, 255}}},
		{Operator: "QLinearConcat", Attributes: []any{"axis", 1}, Inputs: []any{one, uint8(1), a, half, uint8(0), b, two, uint8(0)}, Want: []any{[][]uint8{{6, 11, 126, 3, 5, 201}}}},
		{Operator: "QLinearWhere", Inputs: []any{[][]bool{{true, false, true}}, a, half, uint8(0), b, two, uint8(0), one, uint8(0)}, Want: []any{[][]uint8{{5, 4, 125}}}},
		{Operator: "QLinearSoftmax", Attributes: []any{"opset", 13, "axis", 1}, Inputs: []any{[][]uint8{{3, 3}, {9, 9}}, one, uint8(0), float32(0.01), uint8(0)}, Want: []any{[][]uint8{{50, 50}, {50, 50}}}},
		{Operator: "QLinearSoftmax", Attributes: []any{"opset", 12, "axis", 0}, Inputs: []any{[][]uint8{{3, 3}, {3, 3}}, one, uint8(0), float32(0.01), uint8(0)}, Want: []any{[][]uint8{{25, 25}, {25, 25}}}},
		{Operator: "QLinearReduceMean", Attributes: []any{"axes", []int{1}, "keepdims", 0}, Inputs: []any{[][]uint8{{3, 5}, {9, 10}}, two, nil, one, nil}, Want: []any{[]uint8{8, 19}}},
		{Operator: "QLinearReduceMean", Inputs: []any{[][]uint8{{3, 5}, {9, 11}}, two, nil, one}, Want: []any{[][]uint8{{14}}}},
	} {
		switch c.Operator {
		case "QLinearConcat":
			check(s, c, 2, 5)
		case "QLinearWhere":
			check(s, c, 0, 1, 4)
		default:
			check(s, c, 0, 3*(len(c.Inputs)/6)) // the second tensor of those with two
		}
	}
	check(s, onnxtest.Case{Operator: "QLinearConcat", Attributes: []any{"axis", 0}, Inputs: []any{one, uint8(1), a, half}, Error: "4 inputs are connected, expected two and three for each tensor"}, 2)
	check(s, onnxtest.Case{Operator: "QLinearAdd", Inputs: []any{a, half, nil, nil, two, nil, one}, Error: "input 3 is absent, and QLinearAdd requires it"}, 0)
	check(s, onnxtest.Case{Operator: "QLinearSigmoid", Inputs: []any{a, half, uint8(0)}, Error: "input 3 is absent, and QLinearSigmoid requires it"}, 0)
	check(s, onnxtest.Case{Operator: "QLinearConcat", Inputs: []any{one, uint8(1), a, half, uint8(0)}, Error: "attribute axis is missing"}, 2)
	check(s, onnxtest.Case{Operator: "QLinearSoftmax", Inputs: []any{a, one, uint8(0), one, uint8(0)}, Error: "attribute opset is missing"}, 0)
}

// image returns a tensor of u8 whose elements count from 1.
func image(shape ...int) *ir.Tensor {
	t, err := ir.NewTensor(ir.U8, shape...)
	if err != nil {
		panic(err)
	}
	for i := range t.Len() {
		t.SetValue(i, float64(i+1))
	}
	return t
}

// bytes returns a tensor of u8.
func bytes(shape ir.Shape, values ...uint8) *ir.Tensor {
	t, err := ir.TensorOf(ir.U8, shape, values)
	if err != nil {
		panic(err)
	}
	return t
}

func TestPools(t *testing.T) {
	s := onnxtest.NewSuite(t, qlinear.Rules())
	one := float32(1)
	kernel := []any{"kernel_shape", []int{2, 2}}
	last := append([]any{"channels_last", 1}, kernel...)
	for _, c := range []onnxtest.Case{
		{Operator: "QLinearAveragePool", Attributes: kernel, Inputs: []any{image(1, 1, 2, 3), one, uint8(0), float32(0.5), uint8(1)}, Want: []any{bytes(ir.Shape{1, 1, 1, 2}, 7, 9)}, Static: true},
		{Operator: "QLinearAveragePool", Attributes: last, Inputs: []any{image(1, 2, 2, 2), one, uint8(0), one, uint8(1)}, Want: []any{bytes(ir.Shape{1, 1, 1, 2}, 5, 6)}, Static: true},
		{Operator: "QLinearGlobalAveragePool", Inputs: []any{image(1, 2, 1, 3), one, uint8(0), one, uint8(1)}, Want: []any{bytes(ir.Shape{1, 2, 1, 1}, 3, 6)}},
		{Operator: "QLinearGlobalAveragePool", Attributes: []any{"channels_last", 1}, Inputs: []any{image(1, 1, 3, 2), one, uint8(0), one, uint8(1)}, Want: []any{bytes(ir.Shape{1, 1, 1, 2}, 4, 5)}},
		{Operator: "NhwcMaxPool", Attributes: kernel, Inputs: []any{image(1, 2, 3, 2)}, Want: []any{bytes(ir.Shape{1, 1, 2, 2}, 9, 10, 11, 12)}, Static: true},
	} {
		check(s, c, 0)
	}
}

func TestProducts(t *testing.T) {
	s := onnxtest.NewSuite(t, qlinear.Rules())
	a, b := [][]uint8{{1, 2}, {3, 4}}, [][]int8{{1, 0}, {1, 2}}
	half, one := float32(0.5), float32(1)
	for _, c := range []onnxtest.Case{
		{Operator: "QGemm", Inputs: []any{a, one, uint8(1), b, half, int8(0)}, Want: []any{[][]float32{{0.5, 1}, {2.5, 3}}}},
		{Operator: "QGemm", Attributes: []any{"transA", 1, "transB", 1, "alpha", 2.0}, Inputs: []any{a, one, uint8(1), b, []float32{0.5, 1}, []int8{0, 1}, []int32{1, -1}, one, uint8(1)},
			Want: []any{[][]uint8{{2, 3}, {3, 5}}}},
		{Operator: "DynamicQuantizeMatMul", Inputs: []any{[][]float32{{255, 51}}, b, []float32{1, 2}, []int8{0, 1}, []float32{1, 0}}, Want: []any{[][]float32{{307, -408}}}, MaxRel: 1e-6},
		{Operator: "MatMulIntegerToFloat", Inputs: []any{a, b, half, []float32{1, 2}, uint8(1), nil, []float32{1, 0}}, Want: []any{[][]float32{{1.5, 2}, {3.5, 6}}}},
		{Operator: "MatMulInteger16", Inputs: []any{[][]int16{{300, 2}}, [][]int16{{300}, {-1}}}, Want: []any{[][]int32{{89998}}}},
		{Operator: "QuantizeLinear", Inputs: []any{[]float32{-70000, 3}, one, int16(1)}, Want: []any{[]int16{-32768, 4}}},
		{Operator: "DequantizeLinear", Inputs: []any{[]int16{-7, 3}, half, int16(1)}, Want: []any{[]float32{-4, 1}}},
	} {
		check(s, c, 0)
	}
	w, err := ir.TensorOf(ir.I8, ir.Shape{1, 2, 1}, []int8{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	convolution := []any{image(1, 2, 2), one, uint8(1), w, one, int8(0), one, uint8(5), []int32{1}}
	check(s, onnxtest.Case{Operator: "QLinearConv", Inputs: convolution, Want: []any{bytes(ir.Shape{1, 1, 2}, 10, 13)}}, 0)
	check(s, onnxtest.Case{Operator: "QLinearConv", Attributes: []any{"channels_last", 1}, Inputs: convolution, Want: []any{bytes(ir.Shape{1, 2, 1}, 8, 14)}}, 0)
}
