package control_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/activation"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/control"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/elementwise"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/movement"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/reduce"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// rules returns the rules that the bodies need.
func rules() []convert.Rule {
	return slices.Concat(control.Rules(), activation.Rules(), elementwise.Rules(), movement.Rules(), reduce.Rules())
}

// body returns a graph with inputs and outputs, names that spaces separate, and nodes.
func body(inputs, outputs string, nodes ...*proto.Node) *proto.Graph {
	names := onnxtest.Node("", inputs, outputs)
	g := &proto.Graph{Nodes: nodes}
	for _, name := range names.Inputs {
		g.Inputs = append(g.Inputs, &proto.ValueInfo{Name: name})
	}
	for _, name := range names.Outputs {
		g.Outputs = append(g.Outputs, &proto.ValueInfo{Name: name})
	}
	return g
}

// sum is the body of a Loop that adds the number of the trip to its state, and gives the sum.
func sum() *proto.Graph {
	return body("i c s", "c z z", onnxtest.Node("Cast", "i", "f", onnxtest.Attribute("to", 1)), onnxtest.Node("Add", "s f", "z"))
}

// TestIf_unknown tests conditions that depend on data, in the body of a Loop: branches with outputs
// of different shapes and ranks, nested ones, and names of all graphs around them.
func TestIf_unknown(t *testing.T) {
	s := onnxtest.NewSuite(t, rules())
	ifNode := func(then, otherwise *proto.Node) *proto.Node {
		return onnxtest.Node("If", "first", "z", onnxtest.Attributes("then_branch", branch(then), "else_branch", branch(otherwise))...)
	}
	loop := func(node *proto.Node) *proto.Graph {
		isFirst := onnxtest.Node("Cast", "i", "later", onnxtest.Attribute("to", 9))
		return body("i c s", "c z", isFirst, onnxtest.Node("Not", "later", "first"), node)
	}
	join := onnxtest.Node("Concat", "s x2", "z", onnxtest.Attribute("axis", 0))
	scalar := onnxtest.Node("ReduceSum", "s", "z", onnxtest.Attribute("keepdims", 0))
	row := onnxtest.Node("Unsqueeze", "s", "z", onnxtest.Attribute("axes", []int{0}))
	for _, c := range []onnxtest.Case{
		{Attributes: []any{"body", loop(ifNode(onnxtest.Node("Neg", "s", "z"), join))}, Want: []any{[]float32{-1, -2, 1, 2}}},
		{Attributes: []any{"body", loop(ifNode(join, ifNode(onnxtest.Node("Neg", "s", "z"), row)))}, Want: []any{[][]float32{{1, 2, 1, 2}}}},
		{Attributes: []any{"body", loop(ifNode(join, scalar))}, Want: []any{float32(6)}},
		{Attributes: []any{"body", loop(ifNode(scalar, onnxtest.Node("ReduceSum", "s", "z")))}, Want: []any{[]float32{3}}, Static: true},
		{Attributes: []any{"body", loop(ifNode(join, onnxtest.Node("Unknown", "s", "z")))}, Error: "an operator is not supported: Unknown"},
		{Attributes: []any{"body", loop(ifNode(join, onnxtest.Node("Neg", "nothing", "z")))}, Error: `nothing defines the value "nothing"`},
		{Attributes: []any{"body", loop(ifNode(join, onnxtest.Node("Cast", "s", "z", onnxtest.Attribute("to", 7))))}, Error: "output 0 is f32 in then_body, i64 in else_body"},
		{Attributes: []any{"body", loop(onnxtest.Node("Cast", "s", "z", onnxtest.Attribute("to", 7)))}, Error: "value 0 is f32 before the first trip, and i64 after it"},
	} {
		c.Operator, c.Version, c.Inputs = "Loop", 11, []any{int64(2), true, []float32{1, 2}}
		s.Check(c)
	}
}

func TestLoop(t *testing.T) {
	s := onnxtest.NewSuite(t, rules())
	grow := body("i c s", "c z", onnxtest.Node("Concat", "s s", "z", onnxtest.Attribute("axis", 0)))
	start := []float32{1, 2}
	for _, c := range []onnxtest.Case{
		{Attributes: []any{"body", sum()}, Inputs: []any{int64(3), true, start}, Want: []any{[]float32{4, 5}, [][]float32{{1, 2}, {2, 3}, {4, 5}}}},
		{Attributes: []any{"body", sum()}, Inputs: []any{int64(3), nil, start}, Want: []any{nil, [][]float32{{1, 2}, {2, 3}, {4, 5}}}},
		{Attributes: []any{"body", sum()}, Inputs: []any{int64(3), nil, start}, Want: []any{[]float32{4, 5}, nil}},
		{Attributes: []any{"body", sum()}, Inputs: []any{int64(3), false, start}, Want: []any{start, empty(t, ir.F32, 0, 2)}, Static: true},
		{Attributes: []any{"body", sum()}, Inputs: []any{int64(-3), true, start}, Want: []any{start, nil}},
		{Attributes: []any{"body", sum()}, Inputs: []any{int64(0), true, start}, Want: []any{start, empty(t, ir.F32, 0, 2)}, Static: true},
		{Attributes: []any{"body", grow}, Inputs: []any{int64(2), true, start}, Want: []any{[]float32{1, 2, 1, 2, 1, 2, 1, 2}}},
		{Attributes: []any{"body", sum()}, Inputs: []any{int64(3), true}, Want: []any{nil}, Error: "attribute body: the graph has 3 inputs and 3 outputs, expected 2 and 2"},
		{Attributes: []any{"body", sum()}, Inputs: []any{int64(3), true, nil, start}, Want: []any{nil, nil}, Error: "input 2 is absent, and Loop requires it"},
		{Attributes: []any{"body", sum()}, Inputs: []any{int64(3), float32(1), start}, Want: []any{nil, nil}, Error: "the condition is f32, expected boolean"},
		{Attributes: []any{"body", sum()}, Inputs: []any{int64(3), true, start, start}, Want: []any{nil}, Error: "the node has 1 outputs, and 2 values are carried"},
	} {
		c.Operator, c.Version = "Loop", 16
		s.Check(c)
	}
}

// empty returns a tensor without elements.
func empty(t *testing.T, e ir.ElementType, shape ...int) *ir.Tensor {
	tensor, err := ir.NewTensor(e, shape...)
	require.NoError(t, err)
	return tensor
}

func TestScan(t *testing.T) {
	s := onnxtest.NewSuite(t, rules())
	// The body adds a slice to the state, and gives the sum.
	sum := func() *proto.Graph { return body("s x", "z z", onnxtest.Node("Add", "s x", "z")) }
	x := [][]float32{{1, 2}, {3, 4}, {5, 6}}
	for _, c := range []onnxtest.Case{
		{Version: 9, Attributes: []any{"body", sum(), "num_scan_inputs", 1}, Inputs: []any{[]float32{0, 0}, x}, Want: []any{[]float32{9, 12}, [][]float32{{1, 2}, {4, 6}, {9, 12}}}},
		{
			Version: 11, Attributes: []any{"body", sum(), "num_scan_inputs", 1, "scan_input_axes", []int{-1}, "scan_output_axes", []int{-1}},
			Inputs: []any{[]float32{0, 0, 0}, x}, Want: []any{[]float32{3, 7, 11}, [][]float32{{1, 3}, {3, 7}, {5, 11}}},
		},
		{
			Version: 11, Attributes: []any{"body", sum(), "num_scan_inputs", 1, "scan_input_directions", []int{1}, "scan_output_directions", []int{1}},
			Inputs: []any{[]float32{0, 0}, x}, Want: []any{[]float32{9, 12}, [][]float32{{9, 12}, {8, 10}, {5, 6}}},
		},
		{
			Version: 8, Attributes: []any{"body", sum(), "num_scan_inputs", 1}, Inputs: []any{nil, [][]float32{{0}, {10}}, [][][]float32{{{1}, {2}}, {{3}, {4}}}},
			Want: []any{[][]float32{{3}, {17}}, [][][]float32{{{1}, {3}}, {{13}, {17}}}},
		},
		{
			Version: 8, Attributes: []any{"body", sum(), "num_scan_inputs", 1}, Inputs: []any{[]int64{1, 2}, [][]float32{{0}, {10}}, [][][]float32{{{1}, {2}}, {{3}, {4}}}},
			Want: []any{[][]float32{{1}, {17}}, [][][]float32{{{1}, {0}}, {{13}, {17}}}}, Static: true,
		},
		{
			Version: 8, Attributes: []any{"body", sum(), "num_scan_inputs", 1, "directions", []int{1}},
			Inputs: []any{[]int64{1, 2}, [][]float32{{0}, {10}}, [][][]float32{{{1}, {2}}, {{3}, {4}}}},
			Want:   []any{[][]float32{{1}, {17}}, [][][]float32{{{1}, {0}}, {{14}, {17}}}}, Static: true,
		},
		{Version: 9, Attributes: []any{"body", sum()}, Inputs: []any{[]float32{0}, x}, Error: "attribute num_scan_inputs is missing"},
		{Version: 9, Attributes: []any{"body", sum(), "num_scan_inputs", 3}, Inputs: []any{[]float32{0}, x}, Error: "attribute num_scan_inputs is 3, the node has 2 inputs and 1 outputs"},
		{Version: 9, Attributes: []any{"body", sum(), "num_scan_inputs", 1, "scan_input_axes", []int{0, 1}}, Inputs: []any{[]float32{0}, x}, Error: "attribute scan_input_axes has 2 numbers, expected 1"},
		{Version: 9, Attributes: []any{"body", sum(), "num_scan_inputs", 1, "scan_input_directions", []int{2}}, Inputs: []any{[]float32{0}, x}, Error: "has the direction 2, expected 0 or 1"},
		{Version: 9, Attributes: []any{"body", sum(), "num_scan_inputs", 2}, Inputs: []any{[]float32{0}, x}, Error: "values of length 1 and 3 are scanned"},
		{Version: 9, Attributes: []any{"body", sum(), "num_scan_inputs", 1}, Inputs: []any{float32(0), float32(1)}, Error: "axis 0 of rank 0 is out of range"},
		{Version: 8, Attributes: []any{"body", sum(), "num_scan_inputs", 1}, Inputs: []any{nil, float32(0), float32(1)}, Error: "axis 0 of rank 0 is out of range"},
	} {
		c.Operator = "Scan"
		s.Check(c)
	}
}
