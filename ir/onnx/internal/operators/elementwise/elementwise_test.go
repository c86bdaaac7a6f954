package elementwise_test

import (
	"math"
	"testing"

	"github.com/x448/float16"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/elementwise"
)

// floats returns a list of float32.
func floats(list ...float32) []float32 { return list }

var inf = float32(math.Inf(1))

func TestUnary(t *testing.T) {
	s := onnxtest.NewSuite(t, elementwise.Rules())
	for _, c := range []struct {
		operator string
		version  int
		of       func(float64) float64
		inputs   []float32
	}{
		{"Abs", 1, math.Abs, floats(-1, 2)}, {"Acos", 7, math.Acos, floats(-0.5, 1)}, {"Acosh", 9, math.Acosh, floats(1, 2)},
		{"Asin", 7, math.Asin, floats(-0.5, 1)}, {"Asinh", 9, math.Asinh, floats(-0.5, 1)}, {"Atan", 7, math.Atan, floats(-0.5, 1)},
		{"Atanh", 9, math.Atanh, floats(-0.5, 0.5)}, {"Ceil", 6, math.Ceil, floats(-0.5, 1.5)}, {"Cos", 7, math.Cos, floats(-0.5, 1)},
		{"Cosh", 9, math.Cosh, floats(-0.5, 1)}, {"Erf", 9, math.Erf, floats(-0.5, 1)}, {"Exp", 6, math.Exp, floats(-0.5, 1)},
		{"Floor", 6, math.Floor, floats(-0.5, 1.5)}, {"Log", 6, math.Log, floats(0.5, 2)}, {"Neg", 6, func(x float64) float64 { return -x }, floats(-1, 2)},
		{"Reciprocal", 13, func(x float64) float64 { return 1 / x }, floats(-4, 2)}, {"Round", 11, math.RoundToEven, floats(-0.5, 1.5, 2.5)},
		{"Sin", 7, math.Sin, floats(-0.5, 1)}, {"Sinh", 9, math.Sinh, floats(-0.5, 1)}, {"Sqrt", 13, math.Sqrt, floats(4, 2)}, {"Tan", 7, math.Tan, floats(-0.5, 1)},
	} {
		want := make([]float32, len(c.inputs))
		for i, x := range c.inputs {
			want[i] = float32(c.of(float64(x)))
		}
		s.Check(onnxtest.Case{Operator: c.operator, Version: c.version, Inputs: []any{c.inputs}, Want: []any{want}, MaxRel: 1e-6})
	}
	nan := float32(math.NaN())
	for _, c := range []onnxtest.Case{
		{Operator: "Sign", Version: 9, Inputs: []any{[]int64{-5, 0, 5}}, Want: []any{[]int64{-1, 0, 1}}},
		{Operator: "Not", Version: 1, Inputs: []any{[]bool{true, false}}, Want: []any{[]bool{false, true}}},
		{Operator: "BitwiseNot", Version: 18, Inputs: []any{[]int8{0, 5}}, Want: []any{[]int8{-1, -6}}},
		{Operator: "IsNaN", Version: 9, Inputs: []any{floats(nan, 1)}, Want: []any{[]bool{true, false}}},
		{Operator: "IsInf", Version: 10, Inputs: []any{floats(inf, -inf, 1)}, Want: []any{[]bool{true, true, false}}},
		{Operator: "IsInf", Version: 10, Attributes: []any{"detect_negative", 0}, Inputs: []any{floats(inf, -inf)}, Want: []any{[]bool{true, false}}},
		{Operator: "IsInf", Version: 20, Attributes: []any{"detect_positive", 0}, Inputs: []any{floats(inf, -inf)}, Want: []any{[]bool{false, true}}},
	} {
		s.Check(c)
	}
}

func TestBinary(t *testing.T) {
	s := onnxtest.NewSuite(t, elementwise.Rules())
	a, b := [][]float32{{1, 2}, {3, 4}}, floats(2, 3)
	for _, c := range []struct {
		operator string
		version  int
		a, b     any
		want     any
	}{
		{"Add", 7, a, b, [][]float32{{3, 5}, {5, 7}}}, {"Sub", 14, a, b, [][]float32{{-1, -1}, {1, 1}}}, {"Mul", 13, a, b, [][]float32{{2, 6}, {6, 12}}},
		{"Div", 14, []int32{7, -7}, []int32{2, 2}, []int32{3, -3}}, {"Div", 7, a, float32(2), [][]float32{{0.5, 1}, {1.5, 2}}},
		{"And", 7, []bool{true, true}, []bool{true, false}, []bool{true, false}}, {"Or", 7, []bool{false, true}, []bool{false, false}, []bool{false, true}},
		{"Xor", 7, []bool{true, true}, []bool{true, false}, []bool{false, true}}, {"Equal", 19, a, b, [][]bool{{false, false}, {false, false}}},
		{"Equal", 19, []string{"a", "b"}, []string{"b"}, []bool{false, true}},
		{"Greater", 13, a, b, [][]bool{{false, false}, {true, true}}}, {"GreaterOrEqual", 12, []int64{1, 2}, int64(2), []bool{false, true}},
		{"Less", 13, a, b, [][]bool{{true, true}, {false, false}}}, {"LessOrEqual", 16, []int64{3, 2}, int64(2), []bool{false, true}},
		{"BitwiseAnd", 18, []uint8{6}, []uint8{3}, []uint8{2}}, {"BitwiseOr", 18, []uint8{6}, []uint8{3}, []uint8{7}}, {"BitwiseXor", 18, []uint8{6}, []uint8{3}, []uint8{5}},
		{"Mod", 10, []int32{-7, 7}, []int32{3, -3}, []int32{2, -2}},
		{"Pow", 7, floats(2, 3), floats(3, 2), floats(8, 9)}, {"Pow", 13, []int32{2, 3}, floats(3, 0.5), []int32{8, 1}},
		{"Pow", 13, []int64{2, 3}, []float64{3, 2}, []int64{8, 9}}, {"Pow", 13, floats(2, 3), []int64{3, 2}, floats(8, 9)}, {"Pow", 15, []int8{2}, floats(3), []int8{8}},
	} {
		s.Check(onnxtest.Case{Operator: c.operator, Version: c.version, Inputs: []any{c.a, c.b}, Want: []any{c.want}, MaxRel: 1e-6})
	}
	s.Check(onnxtest.Case{Operator: "Mod", Version: 13, Attributes: []any{"fmod", 1}, Inputs: []any{floats(-7, 7), floats(3, -3)}, Want: []any{floats(-1, 1)}})
}

// TestBinary_axis checks the attributes of versions before 7.
func TestBinary_axis(t *testing.T) {
	s := onnxtest.NewSuite(t, elementwise.Rules())
	a := [][]float32{{1, 2, 3}, {4, 5, 6}}
	for _, c := range []struct {
		attributes []any
		b          any
		want       any
		message    string
	}{
		{nil, a, [][]float32{{2, 4, 6}, {8, 10, 12}}, ""},
		{[]any{"broadcast", 1}, floats(1, 2, 3), [][]float32{{2, 4, 6}, {5, 7, 9}}, ""},
		{[]any{"broadcast", 1, "axis", 1}, floats(1, 2, 3), [][]float32{{2, 4, 6}, {5, 7, 9}}, ""},
		{[]any{"broadcast", 1, "axis", 0}, floats(1, 2), [][]float32{{2, 3, 4}, {6, 7, 8}}, ""},
		{[]any{"broadcast", 1, "axis", -2}, floats(1, 2), [][]float32{{2, 3, 4}, {6, 7, 8}}, ""},
		{[]any{"broadcast", 1, "axis", 2}, floats(1, 2), nil, "axes 2 to 2 of input 0 of rank 2 do not exist"},
	} {
		s.Check(onnxtest.Case{Operator: "Add", Version: 6, Attributes: c.attributes, Inputs: []any{a, c.b}, Want: []any{c.want}, Error: c.message, Static: true})
	}
}

func TestBitShift(t *testing.T) {
	s := onnxtest.NewSuite(t, elementwise.Rules())
	for _, c := range []struct {
		direction  string
		x, y, want any
	}{
		{"LEFT", []uint8{16, 3, 1}, []uint8{1, 7, 8}, []uint8{32, 128, 0}},
		{"RIGHT", []uint8{16, 255, 255}, []uint8{1, 7, 200}, []uint8{8, 1, 0}},
		{"RIGHT", []int8{-16, -1, 64, -5}, []int8{1, 100, 8, -1}, []int8{-8, -1, 0, -1}},
		{"LEFT", []int16{-3, 1}, []int16{2, 16}, []int16{-12, 0}},
	} {
		s.Check(onnxtest.Case{Operator: "BitShift", Version: 28, Attributes: []any{"direction", c.direction}, Inputs: []any{c.x, c.y}, Want: []any{c.want}})
	}
	s.Check(onnxtest.Case{Operator: "BitShift", Version: 11, Inputs: []any{[]uint8{1}, []uint8{1}}, Error: "attribute direction is missing"})
}

func TestVariadic(t *testing.T) {
	s := onnxtest.NewSuite(t, elementwise.Rules())
	a, b, c := floats(1, 5), floats(4, 2), floats(1, 8)
	for _, x := range []onnxtest.Case{
		{Operator: "Max", Version: 8, Inputs: []any{a, b, c}, Want: []any{floats(4, 8)}},
		{Operator: "Min", Version: 13, Inputs: []any{a, float32(3)}, Want: []any{floats(1, 3)}},
		{Operator: "Sum", Version: 6, Inputs: []any{a, b, c}, Want: []any{floats(6, 15)}},
		{Operator: "Sum", Version: 6, Inputs: []any{a}, Want: []any{a}},
		{Operator: "Mean", Version: 13, Inputs: []any{a, b, c}, Want: []any{floats(2, 5)}},
		{Operator: "Max", Version: 13, Inputs: []any{a, nil, b}, Error: "input 1 is absent"},
	} {
		s.Check(x)
	}
}

func TestOther(t *testing.T) {
	s := onnxtest.NewSuite(t, elementwise.Rules())
	x := floats(-2, 0.5, 9)
	nan := float32(math.NaN())
	scales := floats(0, 1, 1.2, 1.5, 2, 3, 0.7, 0.75, 1e-39, inf, nan)
	f8 := func(e ir.ElementType, data ...byte) *ir.Tensor {
		tensor, err := ir.TensorOfBytes(e, ir.Shape{len(data)}, data)
		if err != nil {
			t.Fatal(err)
		}
		return tensor
	}
	f4, err := ir.TensorOfBytes(ir.F4E2M1, ir.Shape{2}, []byte{0x28})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []onnxtest.Case{
		{Operator: "Cast", Version: 13, Attributes: []any{"to", 7}, Inputs: []any{floats(-2.7, 9)}, Want: []any{[]int64{-2, 9}}},
		{Operator: "Cast", Version: 13, Attributes: []any{"to", 1}, Inputs: []any{x}, Want: []any{x}},
		{Operator: "Cast", Version: 13, Attributes: []any{"to", 9}, Inputs: []any{floats(0, 0.5, -1)}, Want: []any{[]bool{false, true, true}}},
		{Operator: "Cast", Version: 1, Attributes: []any{"to", "FLOAT16"}, Inputs: []any{floats(1)}, Want: []any{[]float16.Float16{float16.Fromfloat32(1)}}},
		{Operator: "Cast", Version: 19, Attributes: []any{"to", 17}, Inputs: []any{floats(1, 1e6, -inf, nan)}, Want: []any{f8(ir.F8E4M3, 0x38, 0x7e, 0xfe, 0x7f)}},
		{Operator: "Cast", Version: 19, Attributes: []any{"to", 19}, Inputs: []any{floats(1, 1e6)}, Want: []any{f8(ir.F8E5M2, 0x3c, 0x7b)}},
		{Operator: "Cast", Version: 24, Attributes: []any{"to", 24}, Inputs: []any{scales}, Want: []any{f8(ir.F8E8M0, 0, 127, 128, 128, 128, 129, 127, 127, 0, 254, 255)}},
		{Operator: "Cast", Version: 24, Attributes: []any{"to", 24, "round_mode", "down"}, Inputs: []any{scales}, Want: []any{f8(ir.F8E8M0, 0, 127, 127, 127, 128, 128, 126, 126, 0, 254, 255)}},
		{Operator: "Cast", Version: 24, Attributes: []any{"to", 24, "round_mode", "nearest"}, Inputs: []any{scales}, Want: []any{f8(ir.F8E8M0, 0, 127, 127, 128, 128, 129, 126, 127, 0, 254, 255)}},
		{Operator: "Cast", Version: 24, Attributes: []any{"to", 24, "round_mode", "nearest", "saturate", 0}, Inputs: []any{floats(0, 1, 3, inf, nan)}, Want: []any{f8(ir.F8E8M0, 255, 127, 129, 255, 255)}},
		{Operator: "Cast", Version: 24, Attributes: []any{"to", 24, "round_mode", "even"}, Inputs: []any{scales}, Error: `attribute round_mode is "even", expected one of`},
		{Operator: "Cast", Version: 23, Attributes: []any{"to", 23}, Inputs: []any{floats(nan, 1)}, Want: []any{f4}},
		{Operator: "Cast", Version: 13, Attributes: []any{"to", 8}, Inputs: []any{x}, Error: "a conversion of f32 to string is not supported"},
		{Operator: "Cast", Version: 13, Inputs: []any{x}, Error: "attribute to is missing"},
		{Operator: "CastLike", Version: 15, Inputs: []any{x, []int32{5}}, Want: []any{[]int32{-2, 0, 9}}},
		{Operator: "Clip", Version: 1, Attributes: []any{"min", 0.0, "max", 5.0}, Inputs: []any{x}, Want: []any{floats(0, 0.5, 5)}},
		{Operator: "Clip", Version: 6, Attributes: []any{"max", 5.0}, Inputs: []any{x}, Want: []any{floats(-2, 0.5, 5)}},
		{Operator: "Clip", Version: 11, Inputs: []any{x, float32(0), float32(5)}, Want: []any{floats(0, 0.5, 5)}},
		{Operator: "Clip", Version: 11, Inputs: []any{x, nil, float32(5)}, Want: []any{floats(-2, 0.5, 5)}},
		{Operator: "Clip", Version: 12, Inputs: []any{[]int8{-2, 9}, int8(0)}, Want: []any{[]int8{0, 9}}},
		{Operator: "Clip", Version: 13, Inputs: []any{x, float32(5), float32(0)}, Want: []any{floats(0, 0, 0)}},
		{Operator: "Clip", Version: 13, Inputs: []any{x}, Want: []any{x}},
		{Operator: "Where", Version: 9, Inputs: []any{[]bool{true, false}, []string{"a", "b"}, "c"}, Want: []any{[]string{"a", "c"}}},
		{Operator: "Where", Version: 16, Inputs: []any{[][]bool{{true}, {false}}, []int64{1, 2}, int64(0)}, Want: []any{[][]int64{{1, 2}, {0, 0}}}},
	} {
		s.Check(c)
	}
}

func TestBitCast(t *testing.T) {
	s := onnxtest.NewSuite(t, elementwise.Rules())
	packed := func(e ir.ElementType) *ir.Tensor {
		tensor, err := ir.TensorOfBytes(e, ir.Shape{2}, []byte{0x9f})
		if err != nil {
			t.Fatal(err)
		}
		return tensor
	}
	for _, c := range []onnxtest.Case{
		{Attributes: []any{"to", 6}, Inputs: []any{floats(1, -inf)}, Want: []any{[]int32{0x3f800000, -0x800000}}},
		{Attributes: []any{"to", 1}, Inputs: []any{[]uint32{0x3f800000}}, Want: []any{floats(1)}},
		{Attributes: []any{"to", 7}, Inputs: []any{[]float64{1}}, Want: []any{[]int64{0x3ff << 52}}},
		{Attributes: []any{"to", 12}, Inputs: []any{[]int32{-1}}, Want: []any{[]uint32{math.MaxUint32}}},
		{Attributes: []any{"to", 3}, Inputs: []any{[]bool{true, false}}, Want: []any{[]int8{1, 0}}},
		{Attributes: []any{"to", 9}, Inputs: []any{[]int8{-128, 0}}, Want: []any{[]bool{true, false}}},
		{Attributes: []any{"to", 21}, Inputs: []any{packed(ir.I4)}, Want: []any{packed(ir.U4)}},
		{Attributes: []any{"to", 1}, Inputs: []any{floats(1)}, Want: []any{floats(1)}},
		{Attributes: []any{"to", 7}, Inputs: []any{floats(1)}, Error: "f32 has 32 bits, and i64 has 64"},
		{Attributes: []any{"to", 8}, Inputs: []any{floats(1)}, Error: "f32 has 32 bits, and string has 0"},
		{Inputs: []any{floats(1)}, Error: "attribute to is missing"},
	} {
		c.Operator, c.Version = "BitCast", 26
		s.Check(c)
	}
}
