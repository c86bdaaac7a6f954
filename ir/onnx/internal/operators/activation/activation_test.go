package activation_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/activation"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

func TestElement(t *testing.T) {
	s := onnxtest.NewSuite(t, activation.Rules())
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for _, c := range []struct {
		operator   string
		version    int
		attributes []any
		of         func(float64) float64
	}{
		{"Celu", 12, []any{"alpha", 2.0}, func(x float64) float64 { return max(0, x) + min(0, 2*(math.Exp(x/2)-1)) }},
		{"Elu", 6, []any{"alpha", 2.0}, func(x float64) float64 { return max(0, x) + min(0, 2*(math.Exp(x)-1)) }},
		{"Elu", 22, nil, func(x float64) float64 { return max(0, x) + min(0, math.Exp(x)-1) }},
		{"Gelu", 20, nil, func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }},
		{"Gelu", 20, []any{"approximate", "tanh"}, func(x float64) float64 { return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x))) }},
		{"HardSigmoid", 6, nil, func(x float64) float64 { return max(0, min(1, 0.2*x+0.5)) }},
		{"HardSwish", 14, nil, func(x float64) float64 { return x * max(0, min(1, x/6+0.5)) }},
		{"LeakyRelu", 6, nil, func(x float64) float64 { return max(0, x) + 0.01*min(0, x) }},
		{"Mish", 18, nil, func(x float64) float64 { return x * math.Tanh(math.Log1p(math.Exp(x))) }},
		{"Relu", 6, nil, func(x float64) float64 { return max(0, x) }},
		{"Selu", 1, nil, func(x float64) float64 { return 1.0507 * (max(0, x) + min(0, 1.6732*(math.Exp(x)-1))) }},
		{"Selu", 6, []any{"alpha", 2.0, "gamma", 3.0}, func(x float64) float64 { return 3 * (max(0, x) + min(0, 2*(math.Exp(x)-1))) }},
		{"Shrink", 9, []any{"lambd", 1.5, "bias", 0.25}, func(x float64) float64 {
			return map[float64]float64{-3: -2.75, -0.5: 0, 0: 0, 1: 0, 2.5: 2.25}[x]
		}},
		{"Sigmoid", 13, nil, sigmoid}, {"Softplus", 1, nil, func(x float64) float64 { return math.Log1p(math.Exp(x)) }},
		{"Softsign", 1, nil, func(x float64) float64 { return x / (1 + math.Abs(x)) }},
		{"Swish", 24, []any{"alpha", 2.0}, func(x float64) float64 { return x * sigmoid(2*x) }}, {"Tanh", 6, nil, math.Tanh},
		{"ThresholdedRelu", 10, []any{"alpha", 1.0}, func(x float64) float64 { return map[float64]float64{2.5: 2.5}[x] }},
	} {
		x := []float32{-3, -0.5, 0, 1, 2.5}
		want := make([]float32, len(x))
		for i, v := range x {
			want[i] = float32(c.of(float64(v)))
		}
		s.Check(onnxtest.Case{Operator: c.operator, Version: c.version, Attributes: c.attributes, Inputs: []any{x}, Want: []any{want}, MaxRel: 1e-6})
	}
}

func TestPRelu(t *testing.T) {
	s := onnxtest.NewSuite(t, activation.Rules())
	x := [][]float32{{-1, 2}, {3, -4}}
	// The second axis is that of the channels, and the last one.
	for _, version := range []int{6, 7} {
		s.Check(onnxtest.Case{Operator: "PRelu", Version: version, Inputs: []any{x, []float32{0.5, 2}}, Want: []any{[][]float32{{-0.5, 2}, {3, -8}}}})
	}
	s.Check(onnxtest.Case{Operator: "PRelu", Version: 9, Inputs: []any{x, [][]float32{{0.5}, {2}}}, Want: []any{[][]float32{{-0.5, 2}, {3, -8}}}})
	channels := [][][]float32{{{-1, -1}, {-1, -1}}}
	s.Check(onnxtest.Case{Operator: "PRelu", Version: 6, Inputs: []any{channels, []float32{2, 3}}, Want: []any{[][][]float32{{{-2, -2}, {-3, -3}}}}})
	s.Check(onnxtest.Case{Operator: "PRelu", Version: 16, Inputs: []any{channels, []float32{2, 3}}, Want: []any{[][][]float32{{{-2, -3}, {-2, -3}}}}})
}

// TestShrink_integers has a bias and a bound that are no integers.
func TestShrink_integers(t *testing.T) {
	s := onnxtest.NewSuite(t, activation.Rules())
	s.Check(onnxtest.Case{Operator: "Shrink", Version: 9, Attributes: []any{"lambd", 1.5, "bias", 0.5}, Inputs: []any{[]uint8{0, 1, 2, 255}}, Want: []any{[]uint8{0, 0, 1, 254}}})
	s.Check(onnxtest.Case{Operator: "Shrink", Version: 9, Attributes: []any{"bias", 0.5}, Inputs: []any{[]int8{-70, 0, 90}}, Want: []any{[]int8{-69, 0, 89}}})
}

func TestSwiGLU(t *testing.T) {
	s := onnxtest.NewSuite(t, activation.Rules())
	a, b := []float32{-3, 0, 2}, []float32{2, 1, -1}
	want := []float32{-6 / (1 + float32(math.Exp(1.5))), 0, -2 / (1 + float32(math.Exp(-1)))}
	s.Check(onnxtest.Case{Operator: "SwiGLU", Version: 28, Attributes: []any{"alpha", 0.5}, Inputs: []any{a, b}, Want: []any{want}, MaxRel: 1e-6})
	s.Check(onnxtest.Case{Operator: "SwiGLU", Version: 28, Inputs: []any{a, []float32{1}}, Error: "Multiply"})
}

func TestAxis(t *testing.T) {
	s := onnxtest.NewSuite(t, activation.Rules())
	ln2 := float32(math.Ln2)
	x := [][][]float32{{{0, ln2}, {0, 0}}, {{ln2, 0}, {ln2, ln2}}}
	third := float32(1.0 / 3)
	last := [][][]float32{{{third, 2 * third}, {0.5, 0.5}}, {{2 * third, third}, {0.5, 0.5}}}
	from1 := [][][]float32{{{0.2, 0.4}, {0.2, 0.2}}, {{2.0 / 7, 1.0 / 7}, {2.0 / 7, 2.0 / 7}}}
	for _, c := range []struct {
		version    int
		attributes []any
		want       [][][]float32
	}{
		{13, nil, last}, {13, []any{"axis", 2}, last}, {1, nil, from1}, {11, []any{"axis", 1}, from1}, {11, []any{"axis", -1}, last}, {11, []any{"axis", -2}, from1},
	} {
		var logs [][][]float32
		for _, a := range c.want {
			var rows [][]float32
			for _, b := range a {
				rows = append(rows, []float32{float32(math.Log(float64(b[0]))), float32(math.Log(float64(b[1])))})
			}
			logs = append(logs, rows)
		}
		static := c.attributes != nil && c.attributes[1] == -2
		s.Check(onnxtest.Case{Operator: "Softmax", Version: c.version, Attributes: c.attributes, Inputs: []any{x}, Want: []any{c.want}, MaxRel: 1e-6, Static: static})
		s.Check(onnxtest.Case{Operator: "LogSoftmax", Version: c.version, Attributes: c.attributes, Inputs: []any{x}, Want: []any{logs}, MaxRel: 1e-6, Static: static})
	}
	y := [][]float32{{1, 3, 3}, {5, 4, 2}}
	for _, c := range []onnxtest.Case{
		{Operator: "Hardmax", Version: 13, Inputs: []any{y}, Want: []any{[][]float32{{0, 1, 0}, {1, 0, 0}}}},
		{Operator: "Hardmax", Version: 13, Attributes: []any{"axis", 0}, Inputs: []any{y}, Want: []any{[][]float32{{0, 0, 1}, {1, 1, 0}}}, Static: true},
		{Operator: "Hardmax", Version: 11, Inputs: []any{x}, Want: []any{[][][]float32{{{0, 1}, {0, 0}}, {{1, 0}, {0, 0}}}}},
		{Operator: "Hardmax", Version: 11, Attributes: []any{"axis", 5}, Inputs: []any{y}, Error: "axis 5 of rank 2 is out of range"},
		{Operator: "Hardmax", Version: 13, Attributes: []any{"axis", -1000000}, Inputs: []any{y}, Error: "xis"},
	} {
		s.Check(c)
	}
}

// TestHardmax_unknown has an axis that no value has, whatever its rank.
func TestHardmax_unknown(t *testing.T) {
	x := onnxtest.Value("x", ir.F32)
	x.Type.Shape = nil
	_, err := onnxtest.NewSuite(t, activation.Rules()).Convert(t, onnxtest.Model(13, &proto.Graph{
		Nodes:  []*proto.Node{onnxtest.Node("Hardmax", "x", "y", onnxtest.Attribute("axis", math.MinInt32))},
		Inputs: []*proto.ValueInfo{x}, Outputs: []*proto.ValueInfo{{Name: "y"}},
	}))
	require.ErrorContains(t, err, "axis -2147483648 of rank 64 is out of range")
}
