package sequence_test

import (
	"slices"
	"testing"

	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/activation"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/constant"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/sequence"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// rules returns the rules that the programs need.
func rules() []convert.Rule {
	return slices.Concat(sequence.Rules(), constant.Rules(), activation.Rules())
}

var node = onnxtest.Node

// attribute returns an attribute.
func attribute(name string, value any) *proto.Attribute { return onnxtest.Attribute(name, value) }

// Values of the programs.
var (
	one, two, three = []float32{1, 2}, []float32{3, 4}, []float32{5, 6}
	rows            = [][]float32{{1, 2, 3}, {4, 5, 6}}
)

func TestSequence(t *testing.T) {
	construct := node("SequenceConstruct", "x0 x1 x2", "s")
	for name, p := range map[string]onnxtest.Program{
		"construct": {Nodes: []*proto.Node{construct}, Outputs: "s", Want: []any{one, two, three}},
		"insert at the end": {
			Nodes: []*proto.Node{node("SequenceEmpty", "", "e"), node("SequenceInsert", "e x0", "a"), node("SequenceInsert", "a x1", "b")},
			Want:  []any{one, two, one}, Outputs: "b a",
		},
		"insert twice": {
			Nodes: []*proto.Node{node("SequenceConstruct", "x0", "s"), node("SequenceInsert", "s x1", "a"), node("SequenceInsert", "s x2", "b")},
			Want:  []any{one, two, one, three}, Outputs: "a b",
		},
		"insert": {
			Nodes: []*proto.Node{node("SequenceConstruct", "x0 x1", "s"), node("SequenceInsert", "s x2 x3", "y")}, Outputs: "y",
			Inputs: []any{one, two, three, int64(-1)}, Want: []any{one, three, two},
		},
		"insert behind the last": {
			Nodes: []*proto.Node{node("SequenceConstruct", "x0 x1", "s"), node("SequenceInsert", "s x2 x3", "y")}, Outputs: "y",
			Inputs: []any{one, two, three, int32(2)}, Want: []any{one, two, three},
		},
		"insert before the first": {
			Nodes: []*proto.Node{node("SequenceConstruct", "x0 x1", "s"), node("SequenceInsert", "s x2 x3", "y")}, Outputs: "y",
			Inputs: []any{one, two, three, int64(-2)}, Want: []any{three, one, two},
		},
		"insert out of range": {
			Nodes: []*proto.Node{node("SequenceConstruct", "x0 x1", "s"), node("SequenceInsert", "s x2 x3", "y")}, Outputs: "y",
			Inputs: []any{one, two, three, int64(3)}, Error: "position 3 is out of range in a sequence of 2 tensors",
		},
		"erase": {
			Nodes: []*proto.Node{construct, node("SequenceErase", "s x3", "y")}, Outputs: "y",
			Inputs: []any{one, two, three, int64(1)}, Want: []any{one, three},
		},
		"erase the last": {
			Nodes: []*proto.Node{construct, node("SequenceErase", "s", "e"), node("SequenceInsert", "e x0", "y")}, Outputs: "y s",
			Want: []any{one, two, one, one, two, three},
		},
		"erase out of range": {
			Nodes: []*proto.Node{construct, node("SequenceErase", "s x3", "y")}, Outputs: "y",
			Inputs: []any{one, two, three, int64(-4)}, Error: "position -4 is out of range in a sequence of 3 tensors",
		},
		"at": {
			Nodes: []*proto.Node{construct, node("SequenceAt", "s x3", "y")}, Outputs: "y",
			Inputs: []any{one, two, three, []int64{-1}}, Want: []any{three},
		},
		"at out of range": {
			Nodes: []*proto.Node{construct, node("SequenceAt", "s x3", "y")}, Outputs: "y",
			Inputs: []any{one, two, three, int64(3)}, Error: "position 3 is out of range in a sequence of 3 tensors",
		},
		"at several": {
			Nodes: []*proto.Node{construct, node("SequenceAt", "s x3", "y")}, Outputs: "y",
			Inputs: []any{one, two, three, []int64{1, 2}}, Error: "the position has 2 elements, expected 1",
		},
		"length": {
			Nodes: []*proto.Node{construct, node("SequenceLength", "s", "y"), node("SequenceEmpty", "", "e"), node("SequenceLength", "e", "z")},
			Want:  []any{int64(3), int64(0)}, Outputs: "y z",
		},
		"types": {Nodes: []*proto.Node{construct}, Outputs: "s", Inputs: []any{one, one, int64(1)}, Error: "tensor 2 of the sequence is i64, expected f32"},
		"type of an empty one": {
			Nodes: []*proto.Node{node("SequenceEmpty", "", "e", attribute("dtype", 7)), node("SequenceInsert", "e x0", "y")}, Outputs: "y",
			Error: "the tensor is f32, and the sequence has i64",
		},
		"concat": {
			Nodes: []*proto.Node{construct, node("ConcatFromSequence", "s", "y", attribute("axis", -1))}, Outputs: "y",
			Want: []any{[]float32{1, 2, 3, 4, 5, 6}},
		},
		"stack": {
			Nodes: []*proto.Node{construct, node("ConcatFromSequence", "s", "y", attribute("axis", -1), attribute("new_axis", 1))}, Outputs: "y",
			Want: []any{[][]float32{{1, 3, 5}, {2, 4, 6}}},
		},
		"concat nothing": {
			Nodes: []*proto.Node{node("SequenceEmpty", "", "e"), node("ConcatFromSequence", "e", "y", attribute("axis", 0))}, Outputs: "y",
			Error: "the sequence has no tensors",
		},
		"concat without an axis": {
			Nodes: []*proto.Node{construct, node("ConcatFromSequence", "s", "y")}, Outputs: "y", Error: "attribute axis is missing",
		},
		"a tensor": {
			Nodes: []*proto.Node{node("SequenceLength", "x0", "y")}, Outputs: "y", Error: "input 0 is a tensor, expected a sequence",
		},
		"a sequence": {
			Nodes: []*proto.Node{construct, node("Relu", "s", "y")}, Outputs: "y", Error: `(Relu-14): input 0 ("s") is a sequence, expected a tensor`,
		},
		"a sequence in a sequence": {
			Nodes: []*proto.Node{construct, node("SequenceConstruct", "s", "y")}, Outputs: "y", Error: "a value is a sequence, expected a tensor",
		},
	} {
		p.Version = 18
		if p.Inputs == nil {
			p.Inputs = []any{one, two, three}
		}
		if len(p.Inputs) == 4 {
			p.Constants = []int{3}
		}
		onnxtest.NewSuite(t, rules()).CheckProgram(name, p)
	}
}

// TestSequence_unknown tests positions that are known only when the model runs.
func TestSequence_unknown(t *testing.T) {
	construct := node("SequenceConstruct", "x0 x1 x2", "s")
	for name, p := range map[string]onnxtest.Program{
		"at":                 {Nodes: []*proto.Node{construct, node("SequenceAt", "s x3", "y")}, Inputs: []any{one, two, three, int64(1)}, Want: []any{two}},
		"at the last":        {Nodes: []*proto.Node{construct, node("SequenceAt", "s x3", "y")}, Inputs: []any{one, two, three, int32(-1)}, Want: []any{three}},
		"at the first":       {Nodes: []*proto.Node{construct, node("SequenceAt", "s x3", "y")}, Inputs: []any{one, two, three, []int64{-3}}, Want: []any{one}},
		"at out of range":    {Nodes: []*proto.Node{construct, node("SequenceAt", "s x3", "y")}, Inputs: []any{one, two, three, int64(3)}, Error: "Squeeze"},
		"at far below":       {Nodes: []*proto.Node{construct, node("SequenceAt", "s x3", "y")}, Inputs: []any{one, two, three, int64(-4)}, Error: "Squeeze"},
		"at other ranks":     {Nodes: []*proto.Node{construct, node("SequenceAt", "s x3", "y")}, Inputs: []any{one, rows, three, int64(-4)}, Error: "tensors 0 and 1 have rank 1 and 2"},
		"at other lengths":   {Nodes: []*proto.Node{construct, node("SequenceAt", "s x3", "y")}, Inputs: []any{one, two, []float32{1}, int64(-4)}, Error: "Concat"},
		"at in an empty one": {Nodes: []*proto.Node{node("SequenceEmpty", "", "s"), node("SequenceAt", "s x3", "y")}, Inputs: []any{one, two, three, int64(0)}, Error: "the sequence has no tensors"},
		"erase":              {Nodes: []*proto.Node{construct, node("SequenceErase", "s x3", "y")}, Inputs: []any{one, two, three, int64(1)}, Error: "a sequence whose length depends on data: it changes"},
		"insert":             {Nodes: []*proto.Node{construct, node("SequenceInsert", "s x0 x3", "y")}, Inputs: []any{one, two, three, int64(1)}, Error: "a sequence whose length depends on data: it changes"},
	} {
		p.Version, p.Outputs = 11, "y"
		onnxtest.NewSuite(t, rules()).CheckProgram(name, p)
	}
}

func TestSplit(t *testing.T) {
	axis, drop := attribute("axis", 1), attribute("keepdims", 0)
	for name, p := range map[string]onnxtest.Program{
		"by one":           {Nodes: []*proto.Node{node("SplitToSequence", "x0", "y")}, Inputs: []any{rows}, Want: []any{[][]float32{{1, 2, 3}}, [][]float32{{4, 5, 6}}}},
		"without the axis": {Nodes: []*proto.Node{node("SplitToSequence", "x0", "y", axis, drop)}, Inputs: []any{rows}, Want: []any{[]float32{1, 4}, []float32{2, 5}, []float32{3, 6}}},
		"a shorter last": {
			Nodes:  []*proto.Node{node("SplitToSequence", "x0 x1", "y", attribute("axis", -1), drop)},
			Inputs: []any{rows, int64(2)}, Want: []any{[][]float32{{1, 2}, {4, 5}}, [][]float32{{3}, {6}}},
		},
		"lengths":            {Nodes: []*proto.Node{node("SplitToSequence", "x0 x1", "y", axis)}, Inputs: []any{rows, []int32{1, 2}}, Want: []any{[][]float32{{1}, {4}}, [][]float32{{2, 3}, {5, 6}}}},
		"another sum":        {Nodes: []*proto.Node{node("SplitToSequence", "x0 x1", "y", axis)}, Inputs: []any{rows, []int64{1, 1}}, Error: "the lengths in split have the sum 2, and axis 1 has length 3"},
		"a negative length":  {Nodes: []*proto.Node{node("SplitToSequence", "x0 x1", "y", axis)}, Inputs: []any{rows, []int64{4, -1}}, Error: "split has the length -1"},
		"zero":               {Nodes: []*proto.Node{node("SplitToSequence", "x0 x1", "y", axis)}, Inputs: []any{rows, int64(0)}, Error: "split is 0, expected a positive number"},
		"an axis too many":   {Nodes: []*proto.Node{node("SplitToSequence", "x0", "y", axis)}, Inputs: []any{one}, Error: "axis 1 of rank 1 is out of range"},
		"too many":           {Nodes: []*proto.Node{node("SplitToSequence", "x0", "y")}, Inputs: []any{make([]bool, 10_001)}, Error: "the model has more than 10000 nodes"},
		"a matrix of splits": {Nodes: []*proto.Node{node("SplitToSequence", "x0 x1", "y")}, Inputs: []any{rows, [][]int64{{1}}}, Error: "split has rank 2, expected 0 or 1"},
	} {
		for _, version := range []int{11, 24} {
			p.Version, p.Constants, p.Outputs, p.Static = version, []int{1}, "y", true
			onnxtest.NewSuite(t, rules()).CheckProgram(name, p)
		}
	}
}

// TestSplit_unknown tests what can be done with the parts of an axis of unknown length.
func TestSplit_unknown(t *testing.T) {
	axis, drop, added := attribute("axis", 1), attribute("keepdims", 0), attribute("new_axis", 1)
	split := node("SplitToSequence", "x0", "s", axis, drop)
	more := []*proto.Node{split, node("SequenceAt", "s x1", "a"), node("SequenceInsert", "s a", "t")}
	for name, p := range map[string]onnxtest.Program{
		"at":            {Nodes: []*proto.Node{split, node("SequenceAt", "s x1", "y")}, Inputs: []any{rows, int64(-2)}, Want: []any{[]float32{2, 5}}},
		"length":        {Nodes: append(more, node("SequenceLength", "t", "y")), Inputs: []any{rows, int64(0)}, Want: []any{int64(4)}},
		"joined":        {Nodes: append(more, node("ConcatFromSequence", "t", "y", attribute("axis", 0))), Inputs: []any{rows, int64(0)}, Want: []any{[]float32{1, 4, 2, 5, 3, 6, 1, 4}}},
		"stacked":       {Nodes: append(more, node("ConcatFromSequence", "t", "y", axis, added)), Inputs: []any{rows, int64(0)}, Want: []any{[][]float32{{1, 2, 3, 1}, {4, 5, 6, 4}}}},
		"stacked first": {Nodes: []*proto.Node{split, node("ConcatFromSequence", "s", "y", attribute("axis", 0), added)}, Inputs: []any{rows}, Want: []any{[][]float32{{1, 4}, {2, 5}, {3, 6}}}},
		"with the axis": {Nodes: []*proto.Node{node("SplitToSequence", "x0", "s", axis), node("ConcatFromSequence", "s", "y", axis)}, Inputs: []any{rows}, Want: []any{rows}},
		"erase the last": {
			Nodes: append(more, node("SequenceErase", "t", "e"), node("ConcatFromSequence", "e", "y", attribute("axis", -1), added)), Inputs: []any{rows, int64(0)}, Want: []any{rows},
		},
		"lengths": {
			Nodes:  []*proto.Node{node("SplitToSequence", "x0 x1", "s"), node("SequenceConstruct", "x1", "u"), node("SequenceAt", "s x2", "y")},
			Inputs: []any{one, []int64{2}, int64(0)}, Want: []any{one},
		},
	} {
		p.Version, p.Outputs = 13, "y"
		if name == "lengths" {
			p.Constants = []int{1, 2}
		}
		onnxtest.NewSuite(t, rules()).CheckProgram(name, p)
	}
}

func TestOptional(t *testing.T) {
	kind := &proto.Attribute{Name: "type", Type: proto.AttributeTypeProto, TypeValue: onnxtest.TensorType(1, 2)}
	for name, p := range map[string]onnxtest.Program{
		"given":        {Nodes: []*proto.Node{node("Optional", "x0", "o"), node("OptionalHasElement", "o", "y"), node("OptionalGetElement", "o", "z")}, Want: []any{true, one}},
		"missing":      {Nodes: []*proto.Node{node("Optional", "", "o", kind), node("OptionalHasElement", "o", "y"), node("Identity", "x0", "z")}, Want: []any{false, one}},
		"no input":     {Nodes: []*proto.Node{node("OptionalHasElement", "", "y"), node("OptionalHasElement", "-", "z")}, Want: []any{false, false}},
		"no output":    {Nodes: []*proto.Node{node("Optional", "", "o", kind), node("Identity", "o", "y"), node("Identity", "x0", "z")}, Want: []any{one}},
		"a sequence":   {Nodes: []*proto.Node{node("SequenceConstruct", "x0", "s"), node("Optional", "s", "o"), node("OptionalGetElement", "o", "y"), node("OptionalHasElement", "s", "z")}, Want: []any{one, true}},
		"no value":     {Nodes: []*proto.Node{node("Optional", "", "o", kind), node("OptionalGetElement", "o", "y"), node("Identity", "x0", "z")}, Error: "the optional has no value"},
		"without type": {Nodes: []*proto.Node{node("Optional", "", "y"), node("Identity", "x0", "z")}, Error: "attribute type is missing"},
		"read":         {Nodes: []*proto.Node{node("Optional", "", "o", kind), node("Relu", "o", "y"), node("Identity", "x0", "z")}, Error: "is an optional without a value, expected a tensor"},
	} {
		p.Version, p.Outputs, p.Inputs = 18, "y z", []any{one}
		onnxtest.NewSuite(t, rules()).CheckProgram(name, p)
	}
}
