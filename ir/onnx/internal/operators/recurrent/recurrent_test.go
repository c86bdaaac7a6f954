package recurrent_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/recurrent"
)

// tensor returns a tensor of f32.
func tensor(shape []int, data ...float32) *ir.Tensor {
	t, err := ir.TensorFrom(data, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

// bytes returns a tensor of i8.
func bytes(shape []int, data ...int8) *ir.Tensor {
	t, err := ir.TensorFrom(data, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

// TestRecurrent compares with ONNX Runtime.
func TestRecurrent(t *testing.T) {
	s := onnxtest.NewSuite(t, recurrent.Rules())
	for _, c := range []onnxtest.Case{
		{Operator: "RNN", Version: 1, Attributes: []any{"hidden_size", 1, "activations", []string{"Relu"}},
			Inputs: []any{tensor([]int{3, 1, 1}, 1, 2, 3), tensor([]int{1, 1, 1}, 1), tensor([]int{1, 1, 1}, 1)},
			Want:   []any{tensor([]int{3, 1, 1, 1}, 1, 3, 6), tensor([]int{1, 1, 1}, 6)}, MaxRel: 1e-5},
		{Operator: "RNN", Version: 7, Attributes: []any{"hidden_size", 1, "activations", []string{"Relu"}, "direction", "reverse"},
			Inputs: []any{tensor([]int{3, 2, 1}, 1, 2, 3, 4, 5, 6), tensor([]int{1, 1, 1}, 1), tensor([]int{1, 1, 1}, 2), tensor([]int{1, 2}, 1, 0.5), []int32{2, 3}, tensor([]int{1, 2, 1}, 1, -1)},
			Want:   []any{tensor([]int{3, 1, 2, 1}, 15.5, 36.5, 6.5, 16.5, 0, 5.5), tensor([]int{1, 2, 1}, 15.5, 36.5)}, MaxRel: 1e-5},
		{Operator: "RNN", Version: 14, Attributes: []any{"hidden_size", 1, "activations", []string{"Relu", "Tanh"}, "direction", "bidirectional"},
			Inputs: []any{tensor([]int{2, 1, 1}, 1, 2), tensor([]int{2, 1, 1}, 1, 0.5), tensor([]int{2, 1, 1}, 1, 1)},
			Want:   []any{tensor([]int{2, 2, 1, 1}, 1, 0.851503, 3, 0.761594), tensor([]int{2, 1, 1}, 3, 0.851503)}, MaxRel: 1e-5},
		{Operator: "RNN", Version: 22, Attributes: []any{"hidden_size", 1, "activations", []string{"LeakyRelu", "Affine"}, "activation_alpha", []float64{0.5, 2.0}, "activation_beta", []float64{1.0}, "direction", "bidirectional", "clip", 3.0},
			Inputs: []any{tensor([]int{3, 2, 1}, 1, -2, 3, 4, 5, 6), tensor([]int{2, 1, 1}, 1, 1), tensor([]int{2, 1, 1}, 1, 1), nil, []int32{2, 3}},
			Want:   []any{tensor([]int{3, 2, 2, 1}, 1, -1, 7, 7, 3, 3, 7, 7, 0, 3, 0, 7), tensor([]int{2, 2, 1}, 3, 3, 7, 7)}, MaxRel: 1e-5},
		{Operator: "GRU", Version: 3, Attributes: []any{"hidden_size", 1, "activations", []string{"HardSigmoid", "Relu"}, "activation_alpha", []float64{0.25}, "activation_beta", []float64{0.5}, "linear_before_reset", 1},
			Inputs: []any{tensor([]int{2, 1, 1}, 1, 2), tensor([]int{1, 3, 1}, 1, 0, 2), tensor([]int{1, 3, 1}, 0, 1, 1), tensor([]int{1, 6}, 0, 0, 1, 1, 0, 2)},
			Want:   []any{tensor([]int{2, 1, 1, 1}, 0, 0), tensor([]int{1, 1, 1}, 0)}, MaxRel: 1e-5},
		{Operator: "GRU", Version: 7, Attributes: []any{"hidden_size", 1, "activations", []string{"HardSigmoid", "Relu"}, "activation_alpha", []float64{0.25}, "activation_beta", []float64{0.5}},
			Inputs: []any{tensor([]int{2, 1, 1}, 1, 2), tensor([]int{1, 3, 1}, 1, 0, 2), tensor([]int{1, 3, 1}, 0, 1, 1), nil, nil, tensor([]int{1, 1, 1}, 2)},
			Want:   []any{tensor([]int{2, 1, 1, 1}, 2.5, 2.5), tensor([]int{1, 1, 1}, 2.5)}, MaxRel: 1e-5},
		{Operator: "GRU", Version: 14, Attributes: []any{"hidden_size", 1, "activations", []string{"HardSigmoid", "Elu"}, "activation_alpha", []float64{0.25, 1.0}, "activation_beta", []float64{0.5}, "linear_before_reset", 1},
			Inputs: []any{tensor([]int{2, 1, 1}, 1, 2), tensor([]int{1, 3, 1}, 1, 0, 2), tensor([]int{1, 3, 1}, 0, 1, 1), tensor([]int{1, 6}, 0, 0, 1, 1, 0, 2)},
			Want:   []any{tensor([]int{2, 1, 1, 1}, 0, 0), tensor([]int{1, 1, 1}, 0)}, MaxRel: 1e-5},
		{Operator: "GRU", Version: 22, Attributes: []any{"hidden_size", 1, "activations", []string{"HardSigmoid", "Elu"}, "activation_alpha", []float64{0.25, 1.0}, "activation_beta", []float64{0.5}},
			Inputs: []any{tensor([]int{2, 1, 1}, 1, 2), tensor([]int{1, 3, 1}, 1, 0, 2), tensor([]int{1, 3, 1}, 0, 1, 1), nil, nil, tensor([]int{1, 1, 1}, 2)},
			Want:   []any{tensor([]int{2, 1, 1, 1}, 2.5, 2.5), tensor([]int{1, 1, 1}, 2.5)}, MaxRel: 1e-5},
		{Operator: "LSTM", Version: 1, Attributes: []any{"hidden_size", 1, "activations", []string{"HardSigmoid", "Relu", "Relu"}, "activation_alpha", []float64{0.25}, "activation_beta", []float64{0.25}},
			Inputs: []any{tensor([]int{3, 1, 1}, 1, 2, 1), tensor([]int{1, 4, 1}, 1, -1, 0.5, 2), tensor([]int{1, 4, 1}, 0.5, 1, 0, 1)},
			Want:   []any{tensor([]int{3, 1, 1, 1}, 0, 0, 0), tensor([]int{1, 1, 1}, 0), tensor([]int{1, 1, 1}, 2.3125)}, MaxRel: 1e-5},
		{Operator: "LSTM", Version: 7, Attributes: []any{"hidden_size", 1, "activations", []string{"HardSigmoid", "Relu", "Relu"}, "activation_alpha", []float64{0.25}, "activation_beta", []float64{0.25}, "direction", "reverse", "clip", 1.5},
			Inputs: []any{tensor([]int{3, 1, 1}, 1, 2, 1), tensor([]int{1, 4, 1}, 1, -1, 0.5, 2), tensor([]int{1, 4, 1}, 0.5, 1, 0, 1), tensor([]int{1, 8}, 0.25, 0.5, 0, 0, 0, -0.25, 0.25, 1), []int32{2}, tensor([]int{1, 1, 1}, 1), tensor([]int{1, 1, 1}, 2)},
			Want:   []any{tensor([]int{3, 1, 1, 1}, 0.167691, 0.128906, 0), tensor([]int{1, 1, 1}, 0.167691), tensor([]int{1, 1, 1}, 1.770264)}, MaxRel: 1e-5},
		{Operator: "LSTM", Version: 14, Attributes: []any{"hidden_size", 1, "activations", []string{"HardSigmoid", "Relu", "Relu"}, "activation_alpha", []float64{0.25}, "activation_beta", []float64{0.25}},
			Inputs: []any{tensor([]int{2, 2, 1}, 1, 2, 1, -1), tensor([]int{1, 4, 1}, 1, -1, 0.5, 2), tensor([]int{1, 4, 1}, 0.5, 1, 0, 1), nil, []int32{1, 2}, nil, tensor([]int{1, 2, 1}, 1, 2), tensor([]int{1, 3}, 0.5, -1, 1)},
			Want:   []any{tensor([]int{2, 1, 2, 1}, 0, 0, 0, 0), tensor([]int{1, 2, 1}, 0, 0), tensor([]int{1, 2, 1}, 1.875, 6)}, MaxRel: 1e-5},
		{Operator: "LSTM", Version: 22, Attributes: []any{"hidden_size", 1, "activations", []string{"HardSigmoid", "Relu", "Relu"}, "activation_alpha", []float64{0.25}, "activation_beta", []float64{0.25}, "input_forget", 1, "clip", 1.5},
			Inputs: []any{tensor([]int{3, 1, 1}, 1, 2, 1), tensor([]int{1, 4, 1}, 1, -1, 0.5, 2), tensor([]int{1, 4, 1}, 0.5, 1, 0, 1), nil, nil, nil, tensor([]int{1, 1, 1}, 4)},
			Want:   []any{tensor([]int{3, 1, 1, 1}, 0, 0, 0), tensor([]int{1, 1, 1}, 0), tensor([]int{1, 1, 1}, 1.734375)}, MaxRel: 1e-5},
		{Operator: "RNN", Version: 14, Attributes: []any{"hidden_size", 1, "activations", []string{"Affine"}, "activation_alpha", []float64{2.0}, "activation_beta", []float64{0.5}},
			Inputs: []any{tensor([]int{3, 1, 1}, -1, 0.5, 2), tensor([]int{1, 1, 1}, 1), tensor([]int{1, 1, 1}, 0)},
			Want:   []any{tensor([]int{3, 1, 1, 1}, -1.5, 1.5, 4.5), tensor([]int{1, 1, 1}, 4.5)}, MaxRel: 1e-5},
		{Operator: "RNN", Version: 14, Attributes: []any{"hidden_size", 1, "activations", []string{"LeakyRelu"}, "activation_alpha", []float64{0.25}},
			Inputs: []any{tensor([]int{3, 1, 1}, -1, 0.5, 2), tensor([]int{1, 1, 1}, 1), tensor([]int{1, 1, 1}, 0)},
			Want:   []any{tensor([]int{3, 1, 1, 1}, -0.25, 0.5, 2), tensor([]int{1, 1, 1}, 2)}, MaxRel: 1e-5},
		{Operator: "RNN", Version: 14, Attributes: []any{"hidden_size", 1, "activations", []string{"ThresholdedRelu"}, "activation_alpha", []float64{1.0}},
			Inputs: []any{tensor([]int{3, 1, 1}, -1, 0.5, 2), tensor([]int{1, 1, 1}, 1), tensor([]int{1, 1, 1}, 0)},
			Want:   []any{tensor([]int{3, 1, 1, 1}, 0, 0, 2), tensor([]int{1, 1, 1}, 2)}, MaxRel: 1e-5},
		{Operator: "RNN", Version: 14, Attributes: []any{"hidden_size", 1, "activations", []string{"ScaledTanh"}, "activation_alpha", []float64{2.0}, "activation_beta", []float64{0.5}},
			Inputs: []any{tensor([]int{3, 1, 1}, -1, 0.5, 2), tensor([]int{1, 1, 1}, 1), tensor([]int{1, 1, 1}, 0)},
			Want:   []any{tensor([]int{3, 1, 1, 1}, -0.924234, 0.489837, 1.523188), tensor([]int{1, 1, 1}, 1.523188)}, MaxRel: 1e-5},
		{Operator: "RNN", Version: 14, Attributes: []any{"hidden_size", 1, "activations", []string{"HardSigmoid"}, "activation_alpha", []float64{0.25}, "activation_beta", []float64{0.5}},
			Inputs: []any{tensor([]int{3, 1, 1}, -1, 0.5, 2), tensor([]int{1, 1, 1}, 1), tensor([]int{1, 1, 1}, 0)},
			Want:   []any{tensor([]int{3, 1, 1, 1}, 0.25, 0.625, 1), tensor([]int{1, 1, 1}, 1)}, MaxRel: 1e-5},
		{Operator: "RNN", Version: 14, Attributes: []any{"hidden_size", 1, "activations", []string{"Elu"}, "activation_alpha", []float64{0.5}},
			Inputs: []any{tensor([]int{3, 1, 1}, -1, 0.5, 2), tensor([]int{1, 1, 1}, 1), tensor([]int{1, 1, 1}, 0)},
			Want:   []any{tensor([]int{3, 1, 1, 1}, -0.31606, 0.5, 2), tensor([]int{1, 1, 1}, 2)}, MaxRel: 1e-5},
		{Operator: "RNN", Version: 14, Attributes: []any{"hidden_size", 1, "activations", []string{"Softsign"}},
			Inputs: []any{tensor([]int{3, 1, 1}, -1, 0.5, 2), tensor([]int{1, 1, 1}, 1), tensor([]int{1, 1, 1}, 0)},
			Want:   []any{tensor([]int{3, 1, 1, 1}, -0.5, 0.333333, 0.666667), tensor([]int{1, 1, 1}, 0.666667)}, MaxRel: 1e-5},
		{Operator: "RNN", Version: 14, Attributes: []any{"hidden_size", 1, "activations", []string{"Softplus"}},
			Inputs: []any{tensor([]int{3, 1, 1}, -1, 0.5, 2), tensor([]int{1, 1, 1}, 1), tensor([]int{1, 1, 1}, 0)},
			Want:   []any{tensor([]int{3, 1, 1, 1}, 0.313262, 0.974077, 2.126928), tensor([]int{1, 1, 1}, 2.126928)}, MaxRel: 1e-5},
	} {
		s.Check(c)
	}
}

// TestEmpty has an empty sequence, after which the state is 0.
func TestEmpty(t *testing.T) {
	s := onnxtest.NewSuite(t, recurrent.Rules())
	for _, name := range []string{"Relu", "LeakyRelu"} { // in a layer and in a loop
		s.Check(onnxtest.Case{
			Operator: "RNN", Version: 14, Attributes: []any{"hidden_size", 1, "activations", []string{name}},
			Inputs: []any{tensor([]int{1, 2, 1}, 1, 2), tensor([]int{1, 1, 1}, 1), tensor([]int{1, 1, 1}, 1), nil, []int32{0, 1}, tensor([]int{1, 2, 1}, 5, 6)},
			Want:   []any{tensor([]int{1, 1, 2, 1}, 0, 8), tensor([]int{1, 2, 1}, 0, 8)},
		})
	}
}

// TestTypes has types that ONNX Runtime computes in no or not all recurrences.
func TestTypes(t *testing.T) {
	s := onnxtest.NewSuite(t, recurrent.Rules())
	for _, name := range []string{"Relu", "LeakyRelu"} {
		doubles := onnxtest.Case{Inputs: []any{[][][]float64{{{1}}, {{2}}}, [][][]float64{{{3}}}, [][][]float64{{{1}}}}, Want: []any{[][][][]float64{{{{3}}}, {{{9}}}}}}
		halves := onnxtest.Case{}
		for _, v := range doubles.Inputs {
			halves.Inputs = append(halves.Inputs, half(v))
		}
		halves.Want = []any{half(doubles.Want[0])}
		for _, c := range []onnxtest.Case{doubles, halves} {
			c.Operator, c.Version, c.Attributes = "RNN", 22, []any{"hidden_size", 1, "activations", []string{name}}
			s.Check(c)
		}
	}
}

// half returns a tensor of f64 in f16.
func half(v any) *ir.Tensor {
	from, err := ir.TensorFrom(v)
	if err != nil {
		panic(err)
	}
	to, err := ir.NewTensor(ir.F16, from.Shape()...)
	if err != nil {
		panic(err)
	}
	for i, x := range ir.Data[float64](from) {
		to.SetValue(i, x)
	}
	return to
}

// TestLayout has the batch as the first axis, which ONNX Runtime does not support.
func TestLayout(t *testing.T) {
	s := onnxtest.NewSuite(t, recurrent.Rules())
	for _, c := range []onnxtest.Case{
		{Operator: "RNN", Version: 14, Attributes: []any{"hidden_size", 1, "layout", 1, "activations", []string{"Relu", "Relu"}, "direction", "bidirectional"},
			Inputs: []any{tensor([]int{2, 3, 1}, 1, 2, 3, 4, 5, 6), tensor([]int{2, 1, 1}, 1, 1), tensor([]int{2, 1, 1}, 1, 1), nil, nil,
				tensor([]int{2, 2, 1}, 10, 20, 30, 40)},
			Want: []any{tensor([]int{2, 3, 2, 1}, 11, 26, 13, 25, 16, 23, 34, 55, 39, 51, 45, 46), tensor([]int{2, 2, 1}, 16, 26, 45, 55)}},
		{Operator: "LSTM", Version: 14, Attributes: []any{"hidden_size", 1, "layout", 1, "input_forget", 1, "activations", []string{"Affine", "Affine", "Affine"},
			"activation_alpha", []float64{1, 1, 1}, "activation_beta", []float64{0, 0, 0}},
			Inputs: []any{tensor([]int{2, 1, 1}, 2, 3), tensor([]int{1, 4, 1}, 1, 1, 1, 1), tensor([]int{1, 4, 1}, 0, 0, 0, 0), nil, nil, nil, tensor([]int{2, 1, 1}, 1, 1)},
			Want:   []any{tensor([]int{2, 1, 1, 1}, 6, 21), tensor([]int{2, 1, 1}, 6, 21), tensor([]int{2, 1, 1}, 3, 7)}},
	} {
		s.Check(c)
	}
}

func TestMicrosoft(t *testing.T) {
	s := onnxtest.NewSuite(t, recurrent.Rules())
	x, one := tensor([]int{2, 1, 1}, 1, 2), []float32{1.0 / 64}
	outputs := func(first, last, cell float32) []any {
		return []any{tensor([]int{2, 1, 1, 1}, first, last), tensor([]int{1, 1, 1}, last), tensor([]int{1, 1, 1}, cell)}
	}
	weights, recurrence := bytes([]int{1, 1, 4}, 64, -64, 32, 127), bytes([]int{1, 1, 4}, 32, 64, 0, 64)
	scales := tensor([]int{1, 4}, 1.0/64, 1.0/64, 1.0/64, 127.0/64/63)
	for _, c := range []onnxtest.Case{
		{Operator: "DynamicQuantizeLSTM", Domain: "com.microsoft", Version: 1, Attributes: []any{"hidden_size", 1},
			Inputs: []any{x, weights, recurrence, nil, nil, nil, nil, nil, one, []int8{0}, one, []int8{0}}, Want: outputs(0.163481265, 0.121775657, 1.40243232), MaxRel: 1e-6},
		{Operator: "DynamicQuantizeLSTM", Domain: "com.microsoft", Version: 1, Attributes: []any{"hidden_size", 1},
			Inputs: []any{x, bytes([]int{1, 1, 4}, 66, -62, 34, 65), bytes([]int{1, 1, 4}, 31, 63, -1, 63), tensor([]int{1, 8}, 0, 0, 0, 0, 0, 0, 0, 0), []int32{2},
				tensor([]int{1, 1, 1}, 0), tensor([]int{1, 1, 1}, 0), nil, scales, []int8{2}, one, []int8{-1}}, Want: outputs(0.163481265, 0.121775657, 1.40243232), MaxRel: 1e-6},
		// Peepholes of zero: not rounded, as an LSTM is computed
		{Operator: "DynamicQuantizeLSTM", Domain: "com.microsoft", Version: 1, Attributes: []any{"hidden_size", 1},
			Inputs: []any{x, weights, recurrence, nil, nil, nil, nil, tensor([]int{1, 3}, 0, 0, 0), one, []int8{0}, one}, Want: outputs(0.1632107, 0.1217719, 1.4032667), MaxRel: 1e-6},
		{Operator: "DynamicQuantizeLSTM", Domain: "com.microsoft", Version: 1, Attributes: []any{"hidden_size", 1}, Inputs: []any{x, weights, recurrence}, Error: "inputs 8 and 10, the scales, are missing"},
	} {
		s.Check(c)
	}
}

// TestAttending compares with ONNX Runtime.
func TestAttending(t *testing.T) {
	s := onnxtest.NewSuite(t, recurrent.Rules())
	x, w, r := tensor([]int{2, 1, 1}, 1, 2), tensor([]int{1, 4, 2}, 1, 0.5, -1, 1, 0.5, -0.5, 2, 1), tensor([]int{1, 4, 1}, 0.5, 1, 0, 1)
	query, keys, vector, memory := tensor([]int{1, 1, 1}, 2), tensor([]int{1, 1, 1}, 0.5), tensor([]int{1, 1}, 3), tensor([]int{1, 3, 1}, 1, -2, 4)
	both := []any{
		tensor([]int{2, 2, 1}, 1, 2, -1, 0.5), tensor([]int{2, 4, 2}, 1, 0.5, -1, 1, 0.5, -0.5, 2, 1, -1, 0.5, 1, 1, 0.5, 0.5, 1, -2),
		tensor([]int{2, 4, 1}, 0.5, 1, 0, 1, 1, 0.5, -1, 2), nil, []int32{2, 1}, nil, nil, nil, tensor([]int{2, 1, 1}, 2, -1), tensor([]int{2, 1, 1}, 0.5, 1),
		tensor([]int{2, 1}, 3, 2), tensor([]int{2, 2, 1}, 1, -2, 4, 3), []int32{2, 1}, tensor([]int{2, 2, 1}, 1, 0.5, -1, 2),
	}
	for _, c := range []onnxtest.Case{
		{Inputs: []any{x, w, r, nil, nil, nil, nil, nil, query, keys, vector, memory}, Want: []any{tensor([]int{2, 1, 1, 1}, 0.16335, 0.65791), tensor([]int{1, 1, 1}, 0.65791), tensor([]int{1, 1, 1}, 1.231752)}},
		{Attributes: []any{"direction", "bidirectional"}, Inputs: both, Want: []any{
			tensor([]int{2, 2, 2, 1}, 0.16335, 0.08422, -0.690157, 0.100773, -0.067823, 0, -0.135971, 0), tensor([]int{2, 2, 1}, -0.067823, 0.08422, -0.690157, 0.100773), tensor([]int{2, 2, 1}, -0.079269, 0.880206, -0.924939, 0.114915)}},
		{Inputs: []any{x, w, r, nil, nil, nil, nil, nil, query, keys, vector}, Error: "input 11 is absent"},
	} {
		c.Operator, c.Domain, c.Version, c.MaxRel = "AttnLSTM", "com.microsoft", 1, 1e-5
		c.Attributes = append(c.Attributes, "hidden_size", 1)
		s.Check(c)
	}
}

func TestErrors(t *testing.T) {
	s := onnxtest.NewSuite(t, recurrent.Rules())
	x, one := tensor([]int{2, 1, 1}, 1, 2), tensor([]int{1, 1, 1}, 1)
	for _, c := range []onnxtest.Case{
		{Operator: "RNN", Version: 14, Attributes: []any{"direction", "backward"}, Inputs: []any{x, one, one}, Error: `attribute direction is "backward"`},
		{Operator: "RNN", Version: 14, Attributes: []any{"activations", []string{"Exp"}}, Inputs: []any{x, one, one}, Error: `activation "Exp" is not known`},
		{Operator: "GRU", Version: 14, Attributes: []any{"activations", []string{"Tanh"}}, Inputs: []any{x, one, one}, Error: "attribute activations has 1 names, expected 2"},
		{Operator: "RNN", Version: 14, Attributes: []any{"hidden_size", 0}, Inputs: []any{x, one, one}, Error: "the state has length 0, expected at least 1"},
		{Operator: "RNN", Version: 14, Attributes: []any{"direction", "bidirectional"}, Inputs: []any{x, one, one}, Error: "direction bidirectional has 2"},
	} {
		s.Check(c)
	}
}
