package quantization_test

import (
	"math"
	"testing"

	"github.com/x448/float16"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/quantization"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// tensor returns a tensor of type e, of the given elements; of the bits of 8-bit and 4-bit floats.
func tensor(e ir.ElementType, shape ir.Shape, values ...float64) *ir.Tensor {
	t, err := ir.NewTensor(e, shape...)
	if err != nil {
		panic(err)
	}
	for i, v := range values {
		t.SetValue(i, v)
	}
	return t
}

func TestQuantizeLinear(t *testing.T) {
	s := onnxtest.NewSuite(t, quantization.Rules())
	x := [][]float32{{-3, 1, 3}, {5, 600, 2}}
	for _, c := range []onnxtest.Case{
		// Halves become even before the zero point is added.
		{Version: 10, Inputs: []any{x, float32(2), uint8(1)}, Want: []any{[][]uint8{{0, 1, 3}, {3, 255, 2}}}},
		{Version: 23, Attributes: []any{"output_dtype", 0, "precision", 0}, Inputs: []any{x, float32(2)}, Want: []any{[][]uint8{{0, 0, 2}, {2, 255, 1}}}},
		{Version: 13, Inputs: []any{x, float32(2)}, Want: []any{[][]uint8{{0, 0, 2}, {2, 255, 1}}}},
		{Version: 13, Inputs: []any{x, []float32{1, 2, 4}, []int8{0, 1, 2}}, Want: []any{[][]int8{{-3, 1, 3}, {5, 127, 2}}}},
		{Version: 19, Attributes: []any{"axis", -2}, Inputs: []any{x, []float32{1, 10}, []int8{0, 1}}, Want: []any{[][]int8{{-3, 1, 3}, {1, 61, 1}}}},
		{Version: 21, Attributes: []any{"axis", 0}, Inputs: []any{x, []float32{1, 10}, []int16{0, 1}}, Want: []any{[][]int16{{-3, 1, 3}, {1, 61, 1}}}},
		{Version: 21, Attributes: []any{"output_dtype", int(onnxtest.DataType(ir.U16))}, Inputs: []any{x, float32(0.001)}, Want: []any{[][]uint16{{0, 1000, 3000}, {5000, 65535, 2000}}}},
		{Version: 21, Attributes: []any{"output_dtype", int(onnxtest.DataType(ir.I4))}, Inputs: []any{x, float32(1)}, Want: []any{tensor(ir.I4, ir.Shape{2, 3}, -3, 1, 3, 5, 7, 2)}},
		{Version: 25, Inputs: []any{x, float32(1), tensor(ir.U2, nil, 1)}, Want: []any{tensor(ir.U2, ir.Shape{2, 3}, 0, 2, 3, 3, 3, 3)}},
		{Version: 21, Attributes: []any{"block_size", 2}, Inputs: []any{x, [][]float32{{1, 3}, {5, 2}}, [][]uint8{{3, 0}, {0, 1}}}, Want: []any{[][]uint8{{0, 4, 1}, {1, 120, 2}}}},
		{Version: 23, Inputs: []any{[]float16.Float16{float16.Fromfloat32(3)}, float32(2), int8(0)}, Want: []any{[]int8{2}}},
		{Version: 23, Attributes: []any{"precision", int(onnxtest.DataType(ir.F16))}, Inputs: []any{[]float32{3}, float32(2), int8(0)}, Want: []any{[]int8{2}}},
		{Version: 24, Inputs: []any{[]int32{7, -7}, float32(2), uint8(128)}, Want: []any{[]uint8{132, 124}}},
		{Version: 19, Inputs: []any{[]float32{3, 2000}, float32(2), tensor(ir.F8E4M3, nil, 0)}, Want: []any{tensor(ir.F8E4M3, ir.Shape{2}, 0x3c, 0x7e)}},
		{Version: 28, Attributes: []any{"output_dtype", int(onnxtest.DataType(ir.F4E2M1))}, Inputs: []any{[]float32{3, float32(math.Copysign(0, -1)), 100}, float32(2)},
			Want: []any{tensor(ir.F4E2M1, ir.Shape{3}, 3, 0, 7)}},
		{Version: 25, Inputs: []any{[]float32{3, 1.5, -9, 0.5}, float32(1), tensor(ir.I4, nil, 0)}, Types: map[int]proto.DataType{2: proto.Int2},
			Want: []any{tensor(ir.I4, ir.Shape{4}, 1, 1, -2, 0)}, Static: true},
		{Version: 28, Attributes: []any{"output_dtype", int(proto.Float8E4M3FNUZ)}, Inputs: []any{[]float32{0.3, -900}, float32(2)}, Want: []any{tensor(ir.F16, ir.Shape{2}, 0.15625, -240)}},

		{Version: 13, Attributes: []any{"axis", 2}, Inputs: []any{x, []float32{1, 2}}, Error: "axis 2 of rank 2 is out of range"},
		{Version: 13, Attributes: []any{"axis", math.MinInt32}, Inputs: []any{x, []float32{1, 2}}, Error: "axis -2147483648 of rank 2 is out of range"},
		{Version: 13, Inputs: []any{x, [][]float32{{1, 2, 3}}}, Error: "the scale or the zero point has rank 2"},
		{Version: 21, Attributes: []any{"output_dtype", int(onnxtest.DataType(ir.I8))}, Inputs: []any{x, float32(1), uint8(0)}, Error: "attribute output_dtype is i8, and the type of the zero point is u8"},
		{Version: 21, Attributes: []any{"block_size", -1}, Inputs: []any{x, float32(1)}, Error: "attribute block_size is -1"},
		{Version: 21, Attributes: []any{"output_dtype", int(onnxtest.DataType(ir.I32))}, Inputs: []any{x, float32(1)}, Error: "numbers cannot be quantized to i32"},
	} {
		c.Operator = "QuantizeLinear"
		c.Constants = []int{1, 2}[:len(c.Inputs)-1]
		s.Check(c)
	}
	s.Check(onnxtest.Case{Operator: "QuantizeLinear", Version: 13, Inputs: []any{x, []float32{1, 2, 4}, []int8{0, 1, 2}}, Want: []any{[][]int8{{-3, 1, 3}, {5, 127, 2}}}, Static: true})
}

func TestDequantizeLinear(t *testing.T) {
	s := onnxtest.NewSuite(t, quantization.Rules())
	for _, c := range []onnxtest.Case{
		{Version: 10, Inputs: []any{[]uint8{0, 3, 255}, float32(2), uint8(1)}, Want: []any{[]float32{-2, 4, 508}}},
		{Version: 23, Attributes: []any{"output_dtype", 0}, Inputs: []any{[]int8{1, 2}, float32(2)}, Want: []any{[]float32{2, 4}}},
		{Version: 13, Inputs: []any{[][]int8{{1, 2}}, []float32{2, 3}}, Want: []any{[][]float32{{2, 6}}}},
		{Version: 13, Attributes: []any{"axis", 0}, Inputs: []any{[][]uint8{{130, 3}, {250, 252}}, []float32{2, 3}, []uint8{128, 250}}, Want: []any{[][]float32{{4, -250}, {0, 6}}}},
		{Version: 19, Attributes: []any{"axis", -2}, Inputs: []any{[][]int8{{-128, 3}}, []float32{2}, []int8{100}}, Want: []any{[][]float32{{-456, -194}}}},
		{Version: 13, Inputs: []any{[]int32{1000}, float32(0.5)}, Want: []any{[]float32{500}}},
		{Version: 21, Inputs: []any{[]uint16{65535}, float16.Fromfloat32(0.25), uint16(65531)}, Want: []any{[]float16.Float16{float16.Fromfloat32(1)}}},
		{Version: 21, Attributes: []any{"block_size", 2, "axis", 0}, Inputs: []any{tensor(ir.U4, ir.Shape{4, 2}, 0, 1, 2, 3, 4, 5, 6, 15), [][]float32{{1, 2}, {3, 4}}, tensor(ir.U4, ir.Shape{2, 2}, 1, 0, 0, 15)},
			Want: []any{[][]float32{{-1, 2}, {1, 6}, {12, -40}, {18, 0}}}},
		{Version: 25, Attributes: []any{"block_size", 2, "axis", -1}, Inputs: []any{[][]int8{{1, 2, 3}}, [][]float32{{1, 10}}}, Want: []any{[][]float32{{1, 2, 30}}}},
		{Version: 28, Attributes: []any{"output_dtype", int(onnxtest.DataType(ir.F16))}, Inputs: []any{[]int8{3}, float32(0.5)}, Want: []any{[]float16.Float16{float16.Fromfloat32(1.5)}}},
		{Version: 25, Inputs: []any{tensor(ir.I4, ir.Shape{2}, -2, 1), float32(0.5), tensor(ir.I4, nil, -1)}, Types: map[int]proto.DataType{0: proto.Int2, 2: proto.Int2}, Want: []any{[]float32{-0.5, 1}}, Static: true},
		{Version: 23, Inputs: []any{tensor(ir.F16, ir.Shape{1}, 240), float32(0.5)}, Types: map[int]proto.DataType{0: proto.Float8E4M3FNUZ}, Want: []any{[]float32{120}}},
		{Version: 23, Inputs: []any{tensor(ir.F8E5M2, ir.Shape{1}, 0x42), float32(0.5)}, Want: []any{[]float32{1.5}}},
	} {
		c.Operator = "DequantizeLinear"
		c.Constants = []int{1, 2}[:len(c.Inputs)-1]
		s.Check(c)
	}
}

func TestDynamicQuantizeLinear(t *testing.T) {
	s := onnxtest.NewSuite(t, quantization.Rules())
	for _, c := range []onnxtest.Case{
		{Inputs: []any{[]float32{0, 2, -3, -2.5, 1.34, 0.5}}, Want: []any{[]uint8{153, 255, 0, 26, 221, 179}, float32(0.019607844), uint8(153)}},
		{Inputs: []any{[]float32{51, 255}}, Want: []any{[]uint8{51, 255}, float32(1), uint8(0)}},
		{Inputs: []any{[]float32{0, 0}}, Want: []any{[]uint8{0, 0}, nil, uint8(0)}},
	} {
		c.Operator, c.Version = "DynamicQuantizeLinear", 11
		s.Check(c)
	}
}

// line returns a tensor [1,1,n] of type e.
func line(e ir.ElementType, values ...float64) *ir.Tensor {
	return tensor(e, ir.Shape{1, 1, len(values)}, values...)
}

func TestProducts(t *testing.T) {
	s := onnxtest.NewSuite(t, quantization.Rules())
	x, w := line(ir.U8, 10, 20, 30), line(ir.I8, 1, 2)
	two := tensor(ir.I8, ir.Shape{2, 1, 1}, 1, 2)
	for _, c := range []onnxtest.Case{
		{Operator: "ConvInteger", Inputs: []any{x, w}, Constants: []int{1}, Want: []any{line(ir.I32, 50, 80)}},
		{Operator: "ConvInteger", Attributes: []any{"pads", []int{1, 0}}, Inputs: []any{x, w, uint8(10), int8(1)}, Constants: []int{1, 2, 3}, Want: []any{line(ir.I32, 0, 10, 20)}},
		{Operator: "ConvInteger", Inputs: []any{x, two, nil, []int8{0, 1}}, Constants: []int{1, 3}, Want: []any{tensor(ir.I32, ir.Shape{1, 2, 3}, 10, 20, 30, 10, 20, 30)}},
		{Operator: "QLinearConv", Inputs: []any{x, float32(0.5), uint8(10), w, float32(2), int8(1), float32(4), uint8(100)},
			Constants: []int{1, 2, 3, 4, 5, 6, 7}, Want: []any{line(ir.U8, 102, 105)}},
		{Operator: "QLinearConv", Inputs: []any{x, float32(0.5), uint8(10), two, []float32{2, 4}, []int8{0, 1}, float32(1), uint8(100), []int32{1, -1}},
			Constants: []int{1, 2, 3, 4, 5, 6, 7, 8}, Want: []any{tensor(ir.U8, ir.Shape{1, 2, 3}, 101, 111, 121, 98, 118, 138)}},
		{Operator: "QLinearMatMul", Inputs: []any{[][]uint8{{1, 2}, {3, 4}}, float32(2), uint8(0), [][]int8{{1, 2}, {3, 4}}, float32(0.5), int8(1), float32(1), int8(-1)},
			Constants: []int{1, 2, 4, 5, 6, 7}, Want: []any{[][]int8{{3, 6}, {7, 14}}}},
		{Operator: "QLinearMatMul", Inputs: []any{[][]uint8{{1, 2}, {3, 4}}, []float32{2, 1}, []uint8{0, 1}, [][]int8{{1, 2}, {3, 4}}, []float32{1, 10}, []int8{1, 0}, float32(1), uint8(0)},
			Constants: []int{1, 2, 4, 5, 6, 7}, Want: []any{[][]uint8{{8, 200}, {6, 160}}}},
	} {
		c.Version = 10
		s.Check(c)
	}
	s.Check(onnxtest.Case{
		Operator: "QLinearMatMul", Version: 21,
		Inputs:    []any{[]int8{2, 3}, float16.Fromfloat32(0.5), int8(0), []int8{4, 5}, float16.Fromfloat32(2), int8(0), float16.Fromfloat32(1), int8(1)},
		Constants: []int{1, 2, 4, 5, 6, 7}, Want: []any{int8(24)},
	})
}
