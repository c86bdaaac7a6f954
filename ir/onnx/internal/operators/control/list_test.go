package control_test

import (
	"slices"
	"testing"

	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/constant"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/gatherscatter"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/sequence"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// listRules returns the rules for bodies with lists.
func listRules() []convert.Rule {
	return slices.Concat(rules(), sequence.Rules(), constant.Rules(), gatherscatter.Rules())
}

var (
	node = onnxtest.Node
	rows = [][]float32{{1, 2}, {3, 4}, {5, 6}}
)

// appended is the body of a Loop that appends a row of x0 to a sequence, times the number of the
// trip.
func appended(more ...*proto.Node) *proto.Graph {
	return body("i c s", "c t", append([]*proto.Node{
		node("Gather", "x0 i", "row"), node("Cast", "i", "f", onnxtest.Attribute("to", 1)), node("Mul", "row f", "v"),
	}, more...)...)
}

func loop(g *proto.Graph) *proto.Node {
	return node("Loop", "x1 x2 e", "s", onnxtest.Attribute("body", g))
}

func concat(newAxis int) *proto.Node {
	return node("ConcatFromSequence", "s", "y", onnxtest.Attribute("axis", 0), onnxtest.Attribute("new_axis", newAxis))
}

// TestLoop_lists tests loops that append to a sequence, whose number of trips is known or not.
func TestLoop_lists(t *testing.T) {
	empty, one := node("SequenceEmpty", "", "e"), node("SequenceConstruct", "x3", "e")
	last := append([]*proto.Node(nil), node("SequenceInsert", "s v", "t"))
	both := []*proto.Node{node("SequenceInsert", "s v", "u"), node("SequenceInsert", "u row", "t")}
	first := node("Constant", "", "zero", onnxtest.Attribute("value_int", 0))
	// Whether the branch with lists of the same length is taken depends on data.
	isFirst := []*proto.Node{node("Cast", "i", "later", onnxtest.Attribute("to", 9)), node("If", "later", "t",
		onnxtest.Attribute("then_branch", branch(node("SequenceInsert", "s v", "z"))), onnxtest.Attribute("else_branch", branch(node("SequenceInsert", "s x3", "z"))))}
	sometimes := []*proto.Node{node("Cast", "i", "later", onnxtest.Attribute("to", 9)), node("If", "later", "t",
		onnxtest.Attribute("then_branch", branch(node("SequenceInsert", "s v", "z"))), onnxtest.Attribute("else_branch", branch(node("Identity", "s", "z"))))}
	for name, p := range map[string]onnxtest.Program{
		"stack":           {Nodes: []*proto.Node{empty, loop(appended(last...)), concat(1)}, Want: []any{[][]float32{{0, 0}, {3, 4}, {10, 12}}}},
		"concat":          {Nodes: []*proto.Node{empty, loop(appended(last...)), concat(0)}, Want: []any{[]float32{0, 0, 3, 4, 10, 12}}},
		"after another":   {Nodes: []*proto.Node{one, loop(appended(last...)), concat(1)}, Want: []any{[][]float32{{7, 8}, {0, 0}, {3, 4}, {10, 12}}}},
		"two each":        {Nodes: []*proto.Node{one, loop(appended(both...)), concat(0)}, Want: []any{[]float32{7, 8, 0, 0, 1, 2, 3, 4, 3, 4, 10, 12, 5, 6}}},
		"length":          {Nodes: []*proto.Node{one, loop(appended(both...)), node("SequenceLength", "s", "y")}, Want: []any{int64(7)}},
		"unchanged":       {Nodes: []*proto.Node{one, loop(appended(node("Identity", "s", "t"))), node("SequenceLength", "s", "y")}, Want: []any{int64(1)}},
		"at":              {Nodes: []*proto.Node{empty, loop(appended(last...)), first, node("SequenceAt", "s zero", "y")}, Want: []any{[]float32{0, 0}}},
		"either":          {Nodes: []*proto.Node{empty, loop(appended(isFirst...)), concat(0)}, Want: []any{[]float32{7, 8, 3, 4, 10, 12}}},
		"read in between": {Nodes: []*proto.Node{empty, loop(appended(node("SequenceInsert", "s v", "t"), node("SequenceLength", "t", "n"))), concat(0)}, Want: []any{[]float32{0, 0, 3, 4, 10, 12}}},
	} {
		p.Version, p.Outputs, p.Inputs = 16, "y", []any{rows, int64(3), true, []float32{7, 8}}
		p.Constants = []int{1, 2}
		onnxtest.NewSuite(t, listRules()).CheckProgram(name+" unrolled", p)
		p.Constants = nil
		onnxtest.NewSuite(t, listRules()).CheckProgram(name, p)
	}
	for name, p := range map[string]onnxtest.Program{
		"length in the body": {Nodes: []*proto.Node{empty, loop(appended(node("SequenceLength", "s", "n"), node("SequenceInsert", "s n", "t")))}, Error: "a sequence whose length depends on data: it is asked for in the loop"},
		"at in the body":     {Nodes: []*proto.Node{empty, loop(appended(node("SequenceAt", "s i", "n"), node("SequenceInsert", "s n", "t")))}, Error: "a sequence whose length depends on data: it is read in the loop"},
		"before":             {Nodes: []*proto.Node{empty, loop(appended(node("SequenceInsert", "s v i", "t")))}, Error: "a sequence whose length depends on data: it changes"},
		"another":            {Nodes: []*proto.Node{empty, loop(appended(node("SequenceConstruct", "v", "t")))}, Error: "value 0 is a sequence whose length depends on data: only a loop that appends"},
		"a tensor":           {Nodes: []*proto.Node{empty, loop(appended(node("Identity", "v", "t")))}, Error: "value 0 is a sequence whose length depends on data"},
		"sometimes":          {Nodes: []*proto.Node{empty, loop(appended(sometimes...))}, Error: "output 0 is a sequence whose length depends on data in then_branch"},
		"an output":          {Nodes: []*proto.Node{empty, loop(appended(last...))}, Error: `output "s": it is a sequence whose length depends on data`},
		"missing":            {Nodes: []*proto.Node{empty, loop(appended(node("Unknown", "s", "t")))}, Error: "an operator is not supported: Unknown"},
		"none": {
			Nodes: []*proto.Node{node("Optional", "", "e", &proto.Attribute{Name: "type", Type: proto.AttributeTypeProto, TypeValue: onnxtest.TensorType(1)}), loop(appended(last...))},
			Error: "an optional without a value is carried by a loop",
		},
	} {
		p.Version, p.Outputs, p.Inputs = 16, "s", []any{rows, int64(3), true, []float32{7, 8}}
		onnxtest.NewSuite(t, listRules()).CheckProgram(name, p)
	}
}

// TestLoop_joined tests loops that append tensors of different lengths, which are joined.
func TestLoop_joined(t *testing.T) {
	// In trip i, the body appends the first i rows of x0 and the number i to two sequences, and
	// adds to x3.
	grow := body("i c s u v", "c t w z f", node("Constant", "", "zero", onnxtest.Attribute("value_ints", []int{0})), node("Unsqueeze", "i zero", "end"),
		node("Slice", "x0 zero end", "first"), node("SequenceInsert", "s first", "t"), node("Cast", "end", "f", onnxtest.Attribute("to", 1)),
		node("SequenceInsert", "u f", "w"), node("Add", "v f", "z"))
	start := []*proto.Node{node("SequenceEmpty", "", "e"), node("SequenceConstruct", "x3", "u"), node("SequenceConstruct", "x0", "o")}
	join := func(input, output string, axis int) *proto.Node {
		return node("ConcatFromSequence", input, output, onnxtest.Attribute("axis", axis))
	}
	loop := func(first string) *proto.Node {
		return node("Loop", "x1 x2 "+first+" u x3", "s w z f", onnxtest.Attribute("body", grow))
	}
	joined, others := [][]float32{{1, 2}, {1, 2}, {3, 4}}, []any{[]float32{7, 0, 1, 2}, []float32{10}, [][]float32{{0}, {1}, {2}}}
	for name, p := range map[string]onnxtest.Program{
		"empty":           {Nodes: append(start, loop("e"), join("s", "y", 0), join("s", "y2", -2), join("w", "p", -1)), Want: append([]any{joined, joined}, others...)},
		"after another":   {Nodes: append(start, loop("o"), join("s", "y", 0), node("Identity", "y", "y2"), join("w", "p", 0)), Want: append([]any{append(rows, joined...), append(rows, joined...)}, others...)},
		"along two axes":  {Nodes: append(start, loop("e"), join("s", "y", 0), join("s", "y2", 1), join("w", "p", 0)), Error: "the part for output"},
		"read by others":  {Nodes: append(start, loop("e"), join("s", "y", 0), node("SequenceLength", "s", "y2"), join("w", "p", 0)), Error: "the part for output"},
		"read in a graph": {Nodes: append(start, loop("e"), join("s", "y", 0), node("If", "x2", "y2", onnxtest.Attribute("then_branch", branch(join("s", "z", 0))), onnxtest.Attribute("else_branch", branch(join("s", "z", 0)))), join("w", "p", 0)), Error: "the part for output"},
		"after several":   {Nodes: append(start, node("SplitToSequence", "x0", "r"), loop("r"), join("s", "y", 0), node("Identity", "y", "y2"), join("w", "p", 0)), Want: append([]any{append(rows, joined...), append(rows, joined...)}, others...)},
	} {
		p.Version, p.Outputs, p.Inputs = 16, "y y2 p z f", []any{rows, int64(3), true, []float32{7}}
		p.Static = name == "after several" || name == "empty"
		onnxtest.NewSuite(t, listRules()).CheckProgram(name, p)
	}
}

// TestLoop_unrolled tests what only loops with a known number of trips can do.
func TestLoop_unrolled(t *testing.T) {
	kind := &proto.Attribute{Name: "type", Type: proto.AttributeTypeProto, TypeValue: onnxtest.TensorType(1)}
	// The sequence begins as an optional without a value.
	begun := appended(node("OptionalHasElement", "s", "has"), node("If", "has", "u",
		onnxtest.Attribute("then_branch", branch(node("OptionalGetElement", "s", "z"))), onnxtest.Attribute("else_branch", branch(node("SequenceEmpty", "", "z")))),
		node("SequenceInsert", "u v", "t"))
	ended := body("i c s", "more t i", node("SequenceInsert", "s x0", "t"), node("Cast", "i", "later", onnxtest.Attribute("to", 9)), node("Not", "later", "more"))
	each := body("i c s", "c t", node("SequenceAt", "e i", "v"), node("SequenceInsert", "s v", "t"))
	for name, p := range map[string]onnxtest.Program{
		"before":    {Nodes: []*proto.Node{node("SequenceEmpty", "", "e"), loop(appended(node("SequenceInsert", "s v i", "t"))), concat(0)}, Want: []any{[]float32{0, 0, 3, 4, 10, 12}}},
		"begun":     {Nodes: []*proto.Node{node("Optional", "", "e", kind), loop(begun), concat(0)}, Want: []any{[]float32{0, 0, 3, 4, 10, 12}}},
		"captured":  {Nodes: []*proto.Node{node("SequenceConstruct", "x0 x3 x0", "e"), node("SequenceEmpty", "", "n"), node("Loop", "x1 x2 n", "y", onnxtest.Attribute("body", each))}, Want: []any{rows, []float32{7, 8}, rows}},
		"condition": {Nodes: []*proto.Node{node("SequenceEmpty", "", "e"), node("Loop", "- - e", "y v", onnxtest.Attribute("body", ended))}, Want: []any{rows, rows, []int64{0, 1}}, Outputs: "y v"},
		"no trips": {
			Nodes: []*proto.Node{node("SequenceConstruct", "x3", "e"), node("Constant", "", "k", onnxtest.Attribute("value_int", 0)), node("Loop", "k x2 e", "y v", onnxtest.Attribute("body", ended))},
			Want:  []any{[]float32{7, 8}, []int64{}}, Outputs: "y v",
		},
		"too large": {
			Nodes: []*proto.Node{node("SequenceEmpty", "", "e"), node("Constant", "", "k", onnxtest.Attribute("value_int", 1<<20)), node("Loop", "k x2 e", "s", onnxtest.Attribute("body", appended(node("SequenceInsert", "s v i", "t")))), concat(0)},
			Error: "a sequence whose length depends on data: it changes",
		},
	} {
		p.Version, p.Inputs, p.Constants = 18, []any{rows, int64(3), true, []float32{7, 8}}, []int{1, 2}
		if p.Outputs == "" {
			p.Outputs = "y"
		}
		onnxtest.NewSuite(t, listRules()).CheckProgram(name, p)
	}
}

// TestIf_lists tests branches with lists of the same length.
func TestIf_lists(t *testing.T) {
	two := func(nodes ...*proto.Node) *proto.Graph {
		return body("", "z n", append(nodes, node("SequenceLength", "z", "n"))...)
	}
	either := func(then, otherwise *proto.Graph) *proto.Node {
		return node("If", "x0", "y n", onnxtest.Attribute("then_branch", then), onnxtest.Attribute("else_branch", otherwise))
	}
	ab, ba := node("SequenceConstruct", "x1 x2", "z"), node("SequenceConstruct", "x2 x1", "z")
	for _, condition := range []bool{false, true} {
		want := []any{[]float32{1}, rows, int64(2)}
		if !condition {
			want = []any{rows, []float32{1}, int64(2)}
		}
		for name, p := range map[string]onnxtest.Program{
			"either":          {Nodes: []*proto.Node{either(two(ab), two(ba))}, Want: want},
			"empty":           {Nodes: []*proto.Node{either(two(node("SequenceEmpty", "", "z")), two(node("SequenceEmpty", "", "z")))}, Want: []any{int64(0)}},
			"another length":  {Nodes: []*proto.Node{either(two(ab), two(node("SequenceConstruct", "x1", "z")))}, Error: "output 0 is a sequence of 2 tensors in then_branch, and a sequence of 1 tensors in else_branch"},
			"another type":    {Nodes: []*proto.Node{either(two(ab), two(node("SequenceConstruct", "x0 x0", "z")))}, Error: "f32 in then_body, boolean in else_body"},
			"not a sequence":  {Nodes: []*proto.Node{either(body("", "z z", ab), body("", "x1 x1"))}, Error: "and a tensor in else_branch"},
			"of a known list": {Nodes: []*proto.Node{node("SequenceConstruct", "x1 x2", "e"), either(two(node("Identity", "e", "z")), two(ba))}, Want: want},
		} {
			p.Version, p.Outputs, p.Inputs = 16, "y n", []any{condition, []float32{1}, rows}
			p.Static = true
			onnxtest.NewSuite(t, listRules()).CheckProgram(name, p)
		}
	}
}

func TestSequenceMap(t *testing.T) {
	mapped := func(inputs string) *proto.Node {
		add := body("a b", "z n", node("Add", "a b", "z"), node("Shape", "a", "n"))
		return node("SequenceMap", inputs, "y n", onnxtest.Attribute("body", add))
	}
	split := func(input, output string) *proto.Node {
		return node("SplitToSequence", input, output, onnxtest.Attribute("keepdims", 0))
	}
	joined := []*proto.Node{node("ConcatFromSequence", "y", "p", onnxtest.Attribute("axis", 0)), node("ConcatFromSequence", "n", "q", onnxtest.Attribute("axis", 0))}
	sums, shapes := []float32{8, 10, 10, 12, 12, 14}, []int64{2, 2, 2}
	for name, p := range map[string]onnxtest.Program{
		"with a tensor":   {Nodes: append([]*proto.Node{split("x0", "s"), mapped("s x1")}, joined...), Want: []any{sums, shapes}},
		"with a sequence": {Nodes: append([]*proto.Node{split("x0", "s"), split("x0", "t"), mapped("s t")}, joined...), Want: []any{[]float32{2, 4, 6, 8, 10, 12}, shapes}},
		"another length":  {Nodes: append([]*proto.Node{split("x0", "s"), split("x1", "t"), mapped("s t")}, joined...), Error: "input 0 is a sequence of 3 tensors, and input 1 is a sequence of 2 tensors"},
		"a tensor first":  {Nodes: append([]*proto.Node{mapped("x0 x1")}, joined...), Error: "input 0 is a tensor, expected a sequence"},
		"one input":       {Nodes: append([]*proto.Node{split("x0", "s"), mapped("s")}, joined...), Error: "the graph has 2 inputs and 2 outputs, expected 1 and 2"},
		"missing":         {Nodes: append([]*proto.Node{split("x0", "s"), node("SequenceMap", "s", "y n", onnxtest.Attribute("body", body("a", "z z", node("Unknown", "a", "z"))))}, joined...), Error: "an operator is not supported: Unknown"},
	} {
		p.Version, p.Outputs, p.Inputs = 18, "p q", []any{rows, []float32{7, 8}}
		onnxtest.NewSuite(t, listRules()).CheckProgram(name, p)
	}
	outputs := onnxtest.Program{Version: 18, Outputs: "y", Inputs: []any{rows, []float32{7, 8}}, Static: true}
	outputs.Nodes = []*proto.Node{split("x0", "s"), mapped("s x1")}
	outputs.Want = []any{[]float32{8, 10}, []float32{10, 12}, []float32{12, 14}}
	onnxtest.NewSuite(t, listRules()).CheckProgram("outputs", outputs)
}
