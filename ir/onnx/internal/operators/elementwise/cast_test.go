package elementwise_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/narrow"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/elementwise"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// packed returns a tensor of the given number of elements over data.
func packed(t *testing.T, e ir.ElementType, elements int, data ...byte) *ir.Tensor {
	t.Helper()
	tensor, err := ir.TensorOfBytes(e, ir.Shape{elements}, data)
	require.NoError(t, err)
	return tensor
}

// held returns a tensor of type e with numbers.
func held(t *testing.T, e ir.ElementType, numbers ...float64) *ir.Tensor {
	t.Helper()
	tensor, err := ir.NewTensor(e, len(numbers))
	require.NoError(t, err)
	for i, v := range numbers {
		tensor.SetValue(i, v)
	}
	return tensor
}

func TestCast(t *testing.T) {
	s := onnxtest.NewSuite(t, elementwise.Rules())
	x := floats(-2, 0.5, 9)
	nan := float32(math.NaN())
	scales := floats(0, 1, 1.2, 1.5, 2, 3, 0.7, 0.75, 1e-39, inf, nan)
	f8 := func(e ir.ElementType, data ...byte) *ir.Tensor { return packed(t, e, len(data), data...) }
	f4 := packed(t, ir.F4E2M1, 2, 0x28)
	for _, c := range []onnxtest.Case{
		{Operator: "Cast", Version: 13, Attributes: []any{"to", 7}, Inputs: []any{floats(-2.7, 9)}, Want: []any{[]int64{-2, 9}}},
		{Operator: "Cast", Version: 13, Attributes: []any{"to", 1}, Inputs: []any{x}, Want: []any{x}},
		{Operator: "Cast", Version: 13, Attributes: []any{"to", 9}, Inputs: []any{floats(0, 0.5, -1)}, Want: []any{[]bool{false, true, true}}},
		{Operator: "Cast", Version: 1, Attributes: []any{"to", "FLOAT16"}, Inputs: []any{floats(1)}, Want: []any{[]float16.Float16{float16.Fromfloat32(1)}}},
		{Operator: "Cast", Version: 19, Attributes: []any{"to", 17}, Inputs: []any{floats(1, 1e6, -inf, nan)}, Want: []any{f8(ir.F8E4M3, 0x38, 0x7e, 0xfe, 0x7f)}},
		// In f16, these are the middle between two numbers.
		{Operator: "Cast", Version: 19, Attributes: []any{"to", 17}, Inputs: []any{floats(1.0625001, 1.1874999, 1.0625)}, Want: []any{f8(ir.F8E4M3, 0x39, 0x39, 0x38)}},
		{Operator: "Cast", Version: 19, Attributes: []any{"to", 19}, Inputs: []any{held(t, ir.F64, 1.1250001, 1.125, 1e6)}, Want: []any{f8(ir.F8E5M2, 0x3d, 0x3c, 0x7b)}},
		{Operator: "Cast", Version: 19, Attributes: []any{"to", 19, "saturate", 0}, Inputs: []any{floats(61439, 61440, -inf)}, Want: []any{f8(ir.F8E5M2, 0x7b, 0x7c, 0xfc)}},
		{Operator: "Cast", Version: 19, Attributes: []any{"to", 17}, Inputs: []any{[]int32{1000, -17}}, Want: []any{f8(ir.F8E4M3, 0x7e, 0xd8)}},
		{Operator: "Cast", Version: 13, Attributes: []any{"to", 16}, Inputs: []any{[]int32{-27990, 9650}}, Want: []any{packed(t, ir.BF16, 2, 0xdb, 0xc6, 0x17, 0x46)}},
		{Operator: "Cast", Version: 19, Attributes: []any{"to", 19}, Inputs: []any{floats(1, 1e6)}, Want: []any{f8(ir.F8E5M2, 0x3c, 0x7b)}},
		{Operator: "Cast", Version: 24, Attributes: []any{"to", 24}, Inputs: []any{scales}, Want: []any{f8(ir.F8E8M0, 0, 127, 128, 128, 128, 129, 127, 127, 0, 254, 255)}},
		{Operator: "Cast", Version: 24, Attributes: []any{"to", 24, "round_mode", "down"}, Inputs: []any{scales}, Want: []any{f8(ir.F8E8M0, 0, 127, 127, 127, 128, 128, 126, 126, 0, 254, 255)}},
		{Operator: "Cast", Version: 24, Attributes: []any{"to", 24, "round_mode", "nearest"}, Inputs: []any{scales}, Want: []any{f8(ir.F8E8M0, 0, 127, 127, 128, 128, 129, 126, 127, 0, 254, 255)}},
		{Operator: "Cast", Version: 24, Attributes: []any{"to", 24, "round_mode", "nearest", "saturate", 0}, Inputs: []any{floats(0, 1, 3, inf, nan)}, Want: []any{f8(ir.F8E8M0, 255, 127, 129, 255, 255)}},
		{Operator: "Cast", Version: 24, Attributes: []any{"to", 24, "round_mode", "even"}, Inputs: []any{scales}, Error: `attribute round_mode is "even", expected one of`},
		{Operator: "Cast", Version: 23, Attributes: []any{"to", 23}, Inputs: []any{floats(nan, 1)}, Want: []any{f4}},
		{Operator: "Cast", Version: 9, Attributes: []any{"to", 8}, Inputs: []any{floats(0.1, -2, 1e10, inf, nan)}, Want: []any{[]string{"0.1", "-2", "1e+10", "INF", "NaN"}}},
		{Operator: "Cast", Version: 13, Attributes: []any{"to", 8}, Inputs: []any{[]bool{true, false}}, Want: []any{[]string{"1", "0"}}},
		{Operator: "Cast", Version: 13, Attributes: []any{"to", 8}, Inputs: []any{[]uint8{255}}, Want: []any{[]string{"255"}}},
		{Operator: "Cast", Version: 13, Attributes: []any{"to", 8}, Inputs: []any{[]uint64{math.MaxUint64}}, Want: []any{[]string{"18446744073709551615"}}},
		{Operator: "Cast", Version: 13, Attributes: []any{"to", 8}, Inputs: []any{[]string{"a"}}, Want: []any{[]string{"a"}}},
		{Operator: "Cast", Version: 9, Attributes: []any{"to", 1}, Inputs: []any{[]string{"3.14", "1E8", "+INF", "-inf", "NaN"}}, Want: []any{floats(3.14, 1e8, inf, -inf, nan)}},
		{Operator: "Cast", Version: 13, Attributes: []any{"to", 3}, Inputs: []any{[]string{"300", "-1"}}, Want: []any{[]int8{44, -1}}},
		{Operator: "Cast", Version: 13, Attributes: []any{"to", 9}, Inputs: []any{[]string{"0", "2"}}, Want: []any{[]bool{false, true}}},
		{Operator: "Cast", Version: 19, Attributes: []any{"to", 17}, Inputs: []any{[]string{"1e6"}}, Want: []any{f8(ir.F8E4M3, 0x7e)}},
		{Operator: "Cast", Version: 13, Attributes: []any{"to", 7}, Inputs: []any{[]string{"one"}}, Error: "is \"one\", which is no number"},
		{Operator: "CastLike", Version: 19, Inputs: []any{[]string{"2"}, []int16{0}}, Want: []any{[]int16{2}}},
		{Operator: "CastLike", Version: 15, Inputs: []any{[]int16{2}, []string{""}}, Want: []any{[]string{"2"}}},
		{Operator: "Cast", Version: 13, Inputs: []any{x}, Error: "attribute to is missing"},
		{Operator: "CastLike", Version: 15, Inputs: []any{x, []int32{5}}, Want: []any{[]int32{-2, 0, 9}}},
	} {
		s.Check(c)
	}
}

// TestCast_narrow has types that OpenVINO does not have.
func TestCast_narrow(t *testing.T) {
	s := onnxtest.NewSuite(t, elementwise.Rules())
	nan, infinity := math.NaN(), math.Inf(1)
	half := func(numbers ...float64) *ir.Tensor { return held(t, ir.F16, numbers...) }
	two := func(numbers ...float64) *ir.Tensor { return held(t, ir.I4, numbers...) }
	fnuz := map[int]proto.DataType{0: proto.Float8E4M3FNUZ}
	for _, c := range []onnxtest.Case{
		{Attributes: []any{"to", 18}, Inputs: []any{floats(1e9, -inf, 0.06, 1e-9)}, Want: []any{half(240, -240, 0.05859375, 0)}},
		{Attributes: []any{"to", 18, "saturate", 0}, Inputs: []any{floats(247, 248, -inf, 1)}, Want: []any{half(240, nan, nan, 1)}},
		{Attributes: []any{"to", 20}, Inputs: []any{[]int32{-60000, 5}}, Want: []any{half(-57344, 5)}},
		{Attributes: []any{"to", 20}, Inputs: []any{[]bool{true, false}}, Want: []any{half(1, 0)}},
		{Version: 28, Attributes: []any{"to", 27, "saturate", 0}, Inputs: []any{held(t, ir.F64, 8, nan, -0.06, 0.3)}, Want: []any{half(7.5, 0, 0, 0.25)}},
		{Version: 28, Attributes: []any{"to", 28}, Inputs: []any{half(infinity, 5.5)}, Want: []any{half(28, 6)}},
		{Attributes: []any{"to", 26}, Inputs: []any{[]int64{-3, -2, -1, 0, 1, 2, 257}}, Want: []any{two(1, -2, -1, 0, 1, -2, 1)}},
		{Attributes: []any{"to", 26}, Inputs: []any{floats(-1.9, 3.9, 0.4)}, Want: []any{two(-1, -1, 0)}},
		{Attributes: []any{"to", 26}, Inputs: []any{packed(t, ir.U2, 4, 0b11_10_01_00)}, Want: []any{two(0, 1, -2, -1)}},
		// From such a type
		{Attributes: []any{"to", 10}, Inputs: []any{half(240, nan)}, Types: fnuz, Want: []any{half(240, nan)}},
		{Attributes: []any{"to", 1}, Inputs: []any{half(240, 0.5)}, Types: fnuz, Want: []any{floats(240, 0.5)}},
		{Attributes: []any{"to", 20}, Inputs: []any{half(0.9375)}, Types: fnuz, Want: []any{half(1)}},
		{Attributes: []any{"to", 18}, Inputs: []any{half(0.9375)}, Types: fnuz, Want: []any{half(0.9375)}},
		{Attributes: []any{"to", 2}, Inputs: []any{two(-1, 1)}, Types: map[int]proto.DataType{0: proto.Int2}, Want: []any{[]uint8{255, 1}}},
		{Operator: "CastLike", Inputs: []any{floats(0.95), half(1)}, Types: map[int]proto.DataType{1: proto.Float8E4M3FNUZ}, Want: []any{half(0.9375)}},
		{Operator: "CastLike", Inputs: []any{floats(3), two(1)}, Types: map[int]proto.DataType{1: proto.Int2}, Want: []any{two(-1)}},
		{Operator: "BitCast", Version: 26, Attributes: []any{"to", 2}, Inputs: []any{half(1)}, Types: fnuz, Error: "the bits of FLOAT8E4M3FNUZ are not kept"},
		{Operator: "BitCast", Version: 26, Attributes: []any{"to", 18}, Inputs: []any{[]uint8{1}}, Error: "type FLOAT8E4M3FNUZ is not supported"},
		{Attributes: []any{"to", 14}, Inputs: []any{floats(1)}, Error: "type COMPLEX64 is not supported"},
	} {
		if c.Operator == "" {
			c.Operator = "Cast"
		}
		c.Version = max(c.Version, 25)
		s.Check(c)
	}
}

// TestCast_rounds rounds all numbers of each type of floats, those in the middle of two of them,
// and those next to these.
func TestCast_rounds(t *testing.T) {
	s := onnxtest.NewSuite(t, elementwise.Rules())
	for _, dataType := range []proto.DataType{proto.Float8E4M3FNUZ, proto.Float8E5M2FNUZ, proto.Float6E2M3, proto.Float6E3M2} {
		e := narrow.Named(dataType.String())
		codes := make([]byte, e.Bytes(1<<e.Bits))
		if e.Bits == 8 {
			for i := range codes {
				codes[i] = byte(i)
			}
		} else { // four codes, the lowest bits first, in three bytes
			for i := range len(codes) / 3 {
				codes[3*i], codes[3*i+1], codes[3*i+2] = byte(4*i|(4*i+1)<<6), byte((4*i+1)>>2|(4*i+2)<<4), byte((4*i+2)>>4|(4*i+3)<<2)
			}
		}
		all, err := e.Expand(ir.Shape{1 << e.Bits}, codes)
		require.NoError(t, err)
		at := all.Values()
		var from []float32
		var want []float64
		positive := 1 << (e.Bits - 1)
		for i := range positive - 1 {
			low, high := at(i), at(i+1)
			even := low
			if i%2 == 1 {
				even = high
			}
			middle := float32((low + high) / 2)
			from = append(from, float32(low), math.Nextafter32(middle, 0), middle, math.Nextafter32(middle, inf), float32(high))
			want = append(want, low, low, even, high, high)
		}
		for i := range from {
			from, want = append(from, -from[i]), append(want, -want[i])
		}
		s.Check(onnxtest.Case{
			Operator: "Cast", Version: 28, Attributes: []any{"to", int(dataType)}, Inputs: []any{slices.Clone(from)}, Want: []any{held(t, ir.F16, want...)},
		})
	}
}

func TestBitCast(t *testing.T) {
	s := onnxtest.NewSuite(t, elementwise.Rules())
	for _, c := range []onnxtest.Case{
		{Attributes: []any{"to", 6}, Inputs: []any{floats(1, -inf)}, Want: []any{[]int32{0x3f800000, -0x800000}}},
		{Attributes: []any{"to", 1}, Inputs: []any{[]uint32{0x3f800000}}, Want: []any{floats(1)}},
		{Attributes: []any{"to", 7}, Inputs: []any{[]float64{1}}, Want: []any{[]int64{0x3ff << 52}}},
		{Attributes: []any{"to", 12}, Inputs: []any{[]int32{-1}}, Want: []any{[]uint32{math.MaxUint32}}},
		{Attributes: []any{"to", 3}, Inputs: []any{[]bool{true, false}}, Want: []any{[]int8{1, 0}}},
		{Attributes: []any{"to", 9}, Inputs: []any{[]int8{-128, 0}}, Want: []any{[]bool{true, false}}},
		{Attributes: []any{"to", 21}, Inputs: []any{packed(t, ir.I4, 2, 0x9f)}, Want: []any{packed(t, ir.U4, 2, 0x9f)}},
		{Attributes: []any{"to", 1}, Inputs: []any{floats(1)}, Want: []any{floats(1)}},
		{Attributes: []any{"to", 7}, Inputs: []any{floats(1)}, Error: "f32 has 32 bits, and i64 has 64"},
		{Attributes: []any{"to", 8}, Inputs: []any{floats(1)}, Error: "f32 has 32 bits, and string has 0"},
		{Inputs: []any{floats(1)}, Error: "attribute to is missing"},
	} {
		c.Operator, c.Version = "BitCast", 26
		s.Check(c)
	}
}
