package spectrum_test

import (
	"math"
	"testing"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/spectrum"
)

// tensor returns a tensor of f32.
func tensor(shape []int, data ...float32) *ir.Tensor { return tensorOf(shape, data) }

// tensorOf returns a tensor of the type of data.
func tensorOf(shape []int, data any) *ir.Tensor {
	t, err := ir.TensorFrom(data, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

// scalar returns an i64.
func scalar(v int64) *ir.Tensor { return tensorOf([]int{}, []int64{v}) }

func TestDFT(t *testing.T) {
	s := onnxtest.NewSuite(t, spectrum.Rules())
	x := tensor([]int{1, 4, 1}, 1, 2, 3, 4)
	whole := tensor([]int{1, 4, 2}, 10, 0, -2, 2, -2, 0, -2, -2)
	half := tensor([]int{1, 3, 2}, 10, 0, -2, 2, -2, 0)
	for _, c := range []onnxtest.Case{
		{Operator: "DFT", Version: 17, Inputs: []any{x}, Want: []any{whole}},
		{Operator: "DFT", Version: 17, Attributes: []any{"axis", 0}, Inputs: []any{tensor([]int{2, 2, 1}, 1, 2, 3, 5)}, Want: []any{tensor([]int{2, 2, 2}, 4, 0, 7, 0, -2, 0, -3, 0)}},
		{Operator: "DFT", Version: 17, Attributes: []any{"axis", -2, "onesided", 1}, Inputs: []any{x}, Want: []any{half}},
		{Operator: "DFT", Version: 20, Attributes: []any{"onesided", 1}, Inputs: []any{x, nil, scalar(1)}, Want: []any{half}},
		{Operator: "DFT", Version: 20, Attributes: []any{"onesided", 1}, Inputs: []any{x, nil, scalar(-2)}, Want: []any{half}, Constants: []int{2}},
		{Operator: "DFT", Version: 20, Attributes: []any{"onesided", 1}, Inputs: []any{x, nil, scalar(-2)}, Want: []any{half}},
		{Operator: "DFT", Version: 20, Inputs: []any{x, scalar(2)}, Want: []any{tensor([]int{1, 2, 2}, 3, 0, -1, 0)}},
		{Operator: "DFT", Version: 20, Inputs: []any{tensor([]int{1, 2, 1}, 1, 2), scalar(4)}, Want: []any{tensor([]int{1, 4, 2}, 3, 0, 1, -2, -1, 0, 1, 2)}, MaxRel: 1e-6},
		{Operator: "DFT", Version: 20, Attributes: []any{"inverse", 1}, Inputs: []any{whole}, Want: []any{tensor([]int{1, 4, 2}, 1, 0, 2, 0, 3, 0, 4, 0)}, MaxRel: 1e-6},
		{Operator: "DFT", Version: 20, Attributes: []any{"inverse", 1, "onesided", 1}, Inputs: []any{half}, Want: []any{x}, MaxRel: 1e-6},
		{Operator: "DFT", Version: 20, Attributes: []any{"onesided", 1}, Inputs: []any{tensorOf([]int{1, 2, 1}, []float64{1, 2})}, Want: []any{tensorOf([]int{1, 2, 2}, []float64{3, 0, -1, 0})}},
		{Operator: "DFT", Version: 17, Attributes: []any{"axis", -1}, Inputs: []any{x}, Error: "axis -1 is that of the real and imaginary parts"},
		{Operator: "DFT", Version: 20, Inputs: []any{x, nil, scalar(-1)}, Constants: []int{2}, Error: "axis -1 is that of the real and imaginary parts"},
	} {
		s.Check(c)
	}
}

func TestSTFT(t *testing.T) {
	s := onnxtest.NewSuite(t, spectrum.Rules())
	x, window := tensor([]int{1, 5, 1}, 1, 2, 3, 4, 5), []float32{1, 2}
	for _, c := range []onnxtest.Case{
		{Operator: "STFT", Version: 17, Inputs: []any{x, scalar(2), window}, Want: []any{tensor([]int{1, 2, 2, 2}, 5, 0, -3, 0, 11, 0, -5, 0)}},
		{Operator: "STFT", Version: 17, Inputs: []any{x, scalar(3), nil, scalar(2)}, Want: []any{tensor([]int{1, 2, 2, 2}, 3, 0, -1, 0, 9, 0, -1, 0)}},
		{Operator: "STFT", Version: 17, Inputs: []any{tensor([]int{1, 5}, 1, 2, 3, 4, 5), scalar(3), window, scalar(2)}, Want: []any{tensor([]int{1, 2, 2, 2}, 5, 0, -3, 0, 14, 0, -6, 0)}, Static: true},
		{Operator: "STFT", Version: 17, Attributes: []any{"onesided", 0}, Inputs: []any{tensor([]int{1, 4, 1}, 1, 2, 3, 4), scalar(1)}, MaxRel: 1e-6,
			Want: []any{tensor([]int{1, 1, 4, 2}, 10, 0, -2, 2, -2, 0, -2, -2)}},
		{Operator: "STFT", Version: 17, Attributes: []any{"onesided", 0}, Inputs: []any{tensor([]int{1, 2, 2}, 1, 1, 2, 3), scalar(1)}, Want: []any{tensor([]int{1, 1, 2, 2}, 3, 4, -1, -2)}},
		{Operator: "STFT", Version: 17, Attributes: []any{"onesided", 0}, Inputs: []any{x, scalar(-1), window}, Constants: []int{1}, Error: "frame_step is -1, expected at least 1"},
		{Operator: "STFT", Version: 17, Attributes: []any{"onesided", 0}, Inputs: []any{x, scalar(1), nil, scalar(9)}, Constants: []int{3}, Error: "frame_length is 9, and the signal has length 5"},
		{Operator: "STFT", Version: 17, Inputs: []any{x, scalar(0), window}, Constants: []int{1}, Error: "frame_step is 0"},
		{Operator: "STFT", Version: 17, Inputs: []any{[]float32{1, 2}, scalar(1), nil, scalar(1)}, Constants: []int{1, 3}, Error: "axis 1 is outside [-1,0] for rank 1"},
	} {
		s.Check(c)
	}
}

func TestWindows(t *testing.T) {
	s := onnxtest.NewSuite(t, spectrum.Rules())
	const a = 25.0 / 46
	for _, c := range []onnxtest.Case{
		{Operator: "HannWindow", Version: 17, Inputs: []any{scalar(4)}, Want: []any{[]float32{0, 0.5, 1, 0.5}}, MaxRel: 1e-7},
		{Operator: "HannWindow", Version: 17, Attributes: []any{"periodic", 0, "output_datatype", 11}, Inputs: []any{scalar(3)}, Want: []any{[]float64{0, 1, 0}}, MaxRel: 1e-15},
		{Operator: "HammingWindow", Version: 17, Inputs: []any{scalar(4)}, Want: []any{[]float32{2*a - 1, a, 1, a}}, MaxRel: 1e-7},
		{Operator: "BlackmanWindow", Version: 17, Inputs: []any{scalar(4)}, Want: []any{[]float32{0, 0.34, 1, 0.34}}, MaxRel: 1e-7},
		{Operator: "HannWindow", Version: 17, Attributes: []any{"output_datatype", 99}, Inputs: []any{scalar(4)}, Error: "attribute output_datatype"},
	} {
		s.Check(c)
	}
}

func TestMelWeights(t *testing.T) {
	s := onnxtest.NewSuite(t, spectrum.Rules())
	// 700·(2ᵏ-1) is at equal distances on the mel scale. The corners are elements 0, 1, 3 and 7.
	top := tensor([]int{}, float32(700*(math.Exp2(4)-1)))
	low := tensor([]int{}, 0)
	s.Check(onnxtest.Case{
		Operator: "MelWeightMatrix", Version: 17, Inputs: []any{scalar(2), scalar(15), scalar(11000), low, top}, MaxRel: 1e-7,
		Want: []any{tensor([]int{8, 2}, 0, 0, 1, 0, 0.5, 0.5, 0, 1, 0, 0.75, 0, 0.5, 0, 0.25, 0, 0)},
	})
	// All corners are element 0: triangles without a width.
	s.Check(onnxtest.Case{
		Operator: "MelWeightMatrix", Version: 17, Attributes: []any{"output_datatype", 7}, Inputs: []any{scalar(1), scalar(4), scalar(16000), low, low},
		Want: []any{tensorOf([]int{3, 1}, []int64{1, 0, 0})},
	})
}
