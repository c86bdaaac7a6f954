package arithmetic_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
)

// rule returns a rule of three inputs for a function.
func rule(name string, f func(n *convert.Node, a, b, c convert.Value) convert.Value) convert.Rule {
	return convert.Rule{
		Operator: name, Versions: []int{1}, Inputs: infer.Arity{Min: 3, Max: 3}, Outputs: infer.Arity{Min: 1, Max: 1},
		Convert: func(n *convert.Node) []convert.Value {
			return []convert.Value{f(n, n.Input(0), n.Input(1), n.Input(2))}
		},
	}
}

func TestLayers(t *testing.T) {
	s := onnxtest.NewSuite(t, []convert.Rule{
		rule("Clamp", arithmetic.Clamp),
		rule("Halves", func(n *convert.Node, a, b, c convert.Value) convert.Value {
			return arithmetic.Times(n, arithmetic.Sum(n, a, convert.Value{}, b), 0.5)
		}),
		rule("Lengths", func(n *convert.Node, a, b, _ convert.Value) convert.Value {
			return arithmetic.Lengths(n, arithmetic.MatMul(n, a, b, true, false), -1, 0)
		}),
		rule("Combination", func(n *convert.Node, a, b, c convert.Value) convert.Value {
			return arithmetic.Subtract(n, arithmetic.Multiply(n, a, b), arithmetic.Divide(n, arithmetic.Add(n, a, c), b))
		}),
		rule("Linear", func(n *convert.Node, a, _, _ convert.Value) convert.Value {
			return arithmetic.Plus(n, arithmetic.Times(n, arithmetic.Plus(n, arithmetic.Times(n, a, 1), 0), 3), 2)
		}),
		rule("Select", arithmetic.Select),
		rule("Shapes", func(n *convert.Node, a, _, c convert.Value) convert.Value {
			count := arithmetic.Range(n, arithmetic.Length(n, a, -1), ir.F32)
			return arithmetic.Broadcast(n, arithmetic.Scalar(n, arithmetic.Scalar(n, arithmetic.Gather(n, count, c, 0))), n.ShapeOf(a))
		}),
	})
	a, b, c := []int64{1, 5, 9}, int64(3), int64(6)
	for _, test := range []onnxtest.Case{
		{Operator: "Clamp", Inputs: []any{a, b, c}, Want: []any{[]int64{3, 5, 6}}},
		{Operator: "Combination", Inputs: []any{a, b, c}, Want: []any{[]int64{3 - 2, 15 - 3, 27 - 5}}},
		{Operator: "Linear", Inputs: []any{a, b, c}, Want: []any{[]int64{5, 17, 29}}},
		{Operator: "Halves", Inputs: []any{a, b, c}, Want: []any{[]int64{2, 4, 6}}},
		{Operator: "Lengths", Inputs: []any{[][]int64{{1, 2}}, [][]int64{{1, 2, 3}}, c}, Want: []any{[]int64{3, 2}}},
		{Operator: "Select", Inputs: []any{[]bool{true, false, true}, a, c}, Want: []any{[]int64{1, 6, 9}}},
		{Operator: "Shapes", Inputs: []any{a, b, []int64{2}}, Want: []any{[]float32{2, 2, 2}}},
	} {
		test.Version = 1
		s.Check(test)
	}
}

// TestIsZero checks constants of which one has another element than 0.
func TestIsZero(t *testing.T) {
	s := onnxtest.NewSuite(t, []convert.Rule{
		rule("IsZero", func(n *convert.Node, a, b, c convert.Value) convert.Value {
			return arithmetic.Select(n, a, n.ValueOf(arithmetic.IsZero(n, b)), n.ValueOf(arithmetic.IsZero(n, c)))
		}),
	})
	s.Check(onnxtest.Case{
		Operator: "IsZero", Version: 1, Inputs: []any{[]bool{true, false}, []float32{0, 1}, []float32{0, 0}}, Constants: []int{1, 2}, Want: []any{[]bool{false, true}},
	})
}
