package check_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/check"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// good returns a model that the checker accepts.
func good() *proto.Model {
	m := onnxtest.Model(13, &proto.Graph{
		Name: "g", Nodes: []*proto.Node{onnxtest.Node("Relu", "x", "a"), onnxtest.Node("Add", "a w", "y")},
		Inputs: []*proto.ValueInfo{onnxtest.Value("x", ir.F32, 2)}, Outputs: []*proto.ValueInfo{onnxtest.Value("y", ir.F32, 2)},
		Initializers: []*proto.Tensor{{Name: "w", DataType: proto.Float, Dims: []int64{2}, Floats: []float32{1, 2}}},
	})
	m.IRVersion = 8
	return m
}

// add returns a change that adds a node.
func add(operator, inputs, outputs string, attributes ...*proto.Attribute) func(*proto.Model) {
	return func(m *proto.Model) {
		m.Graph.Nodes = append(m.Graph.Nodes, onnxtest.Node(operator, inputs, outputs, attributes...))
	}
}

// initializer returns a change that adds an initializer.
func initializer(t proto.Tensor) func(*proto.Model) {
	return func(m *proto.Model) { m.Graph.Initializers = append(m.Graph.Initializers, &t) }
}

// branch returns a graph for an attribute.
func branch(output string, nodes ...*proto.Node) *proto.Graph {
	return &proto.Graph{Name: "branch", Nodes: nodes, Outputs: []*proto.ValueInfo{{Name: output}}}
}

// withFunction returns a change that adds a function f of domain d, and what it imports.
func withFunction(f *proto.Function) func(*proto.Model) {
	return func(m *proto.Model) {
		f.Name, f.Domain = "f", "d"
		f.Imports = []proto.Import{{Version: 13}}
		m.Functions = append(m.Functions, f)
		m.Imports = append(m.Imports, proto.Import{Domain: "d", Version: 1})
	}
}

// TestModel has what onnx.checker.check_model of onnx 1.23.2 refuses, with one problem each, and
// what it accepts.
func TestModel(t *testing.T) {
	call := onnxtest.Node("f", "x", "z")
	call.Domain = "d"
	condition := func(m *proto.Model) { m.Graph.Inputs = append(m.Graph.Inputs, onnxtest.Value("c", ir.Boolean)) }
	ml := func(m *proto.Model) { m.Imports = append(m.Imports, proto.Import{Domain: "ai.onnx.ml", Version: 3}) }
	for _, c := range []struct {
		name, want string // "" if there is no problem
		kind       check.Kind
		changes    []func(m *proto.Model)
	}{
		{"good", "", 0, nil},
		{"no IR version", "the file has no ir_version", check.KindVersion, []func(*proto.Model){func(m *proto.Model) { m.IRVersion = 0 }}},
		{"newer IR version", "IR version 99, the newest that is known is 14", check.KindVersion, []func(*proto.Model){func(m *proto.Model) { m.IRVersion = 99 }}},
		{"no import", "imports no version of the operators", check.KindVersion, []func(*proto.Model){func(m *proto.Model) { m.Imports, m.Graph.Nodes[1].Operator = nil, "Sum" }}},
		{"imports in an old file", "which IR version 2 does not have", check.KindVersion, []func(*proto.Model){
			func(m *proto.Model) {
				m.IRVersion = 2
				m.Graph.Inputs = append(m.Graph.Inputs, onnxtest.Value("w", ir.F32, 2))
			}}},
		{"ai.onnx", "", 0, []func(*proto.Model){func(m *proto.Model) { m.Imports[0].Domain, m.Graph.Nodes[0].Domain = "ai.onnx", "ai.onnx" }}},
		{"ai.onnx is not imported", `the domain "ai.onnx" is not imported`, check.KindVersion, []func(*proto.Model){func(m *proto.Model) { m.Graph.Nodes[0].Domain = "ai.onnx" }}},
		{"imported as ai.onnx", "", 0, []func(*proto.Model){func(m *proto.Model) { m.Imports[0].Domain = "ai.onnx" }}},
		{"metadata twice", `two entries of the key "k"`, check.KindField, []func(*proto.Model){func(m *proto.Model) { m.Metadata = []proto.Entry{{Key: "k"}, {Key: "k"}} }}},
		{"no graph name", "the graph has no name", check.KindField, []func(*proto.Model){func(m *proto.Model) { m.Graph.Name = "" }}},
		{"input without a type", `input "x" has no type`, check.KindField, []func(*proto.Model){func(m *proto.Model) { m.Graph.Inputs[0].Type = nil }}},
		{"input without an element type", `input "x" has no element type`, check.KindField, []func(*proto.Model){func(m *proto.Model) { m.Graph.Inputs[0].Type.ElementType = 0 }}},
		{"output without a shape", `output "y" has no shape`, check.KindField, []func(*proto.Model){func(m *proto.Model) { m.Graph.Outputs[0].Type.Shape = nil }}},
		{"input without a name", "an input has no name", check.KindField, []func(*proto.Model){func(m *proto.Model) { m.Graph.Inputs = append(m.Graph.Inputs, onnxtest.Value("", ir.F32, 2)) }}},
		{"input twice", `two inputs called "x"`, check.KindGraph, []func(*proto.Model){func(m *proto.Model) { m.Graph.Inputs = append(m.Graph.Inputs, onnxtest.Value("x", ir.F32, 2)) }}},
		{"undefined output", `nothing defines the output "u"`, check.KindGraph, []func(*proto.Model){func(m *proto.Model) { m.Graph.Outputs = append(m.Graph.Outputs, onnxtest.Value("u", ir.F32, 2)) }}},
		{"initializer twice", `two initializers called "w"`, check.KindGraph, []func(*proto.Model){initializer(proto.Tensor{Name: "w", DataType: proto.Float, Dims: []int64{0}})}},
		{"initializer without a name", "an initializer has no name", check.KindField, []func(*proto.Model){initializer(proto.Tensor{DataType: proto.Float, Dims: []int64{0}})}},
		{"initializer that is no input", `initializer "w" is not an input, which IR version 3 demands`, check.KindGraph, []func(*proto.Model){func(m *proto.Model) { m.IRVersion = 3 }}},
		{"sparse", "", 0, []func(*proto.Model){func(m *proto.Model) { m.Graph.SparseInitializers = []*proto.SparseTensor{sparse()} }}},
		{"sparse without values", "a sparse initializer has no values", check.KindField, []func(*proto.Model){func(m *proto.Model) { m.Graph.SparseInitializers = []*proto.SparseTensor{{}} }}},
		{"sparse without indices", `sparse tensor "s" has no indices`, check.KindField, []func(*proto.Model){
			func(m *proto.Model) {
				m.Graph.SparseInitializers = []*proto.SparseTensor{sparse()}
				m.Graph.SparseInitializers[0].Indices = nil
			}}},
		{"sparse with other indices", "has indices of INT32, expected INT64", check.KindField, []func(*proto.Model){
			func(m *proto.Model) {
				m.Graph.SparseInitializers = []*proto.SparseTensor{sparse()}
				m.Graph.SparseInitializers[0].Indices.DataType = proto.Int32
			}}},
		{"sparse with axes", "has values of 2 axes, expected 1", check.KindField, []func(*proto.Model){
			func(m *proto.Model) {
				m.Graph.SparseInitializers = []*proto.SparseTensor{sparse()}
				m.Graph.SparseInitializers[0].Values.Dims = []int64{1, 1}
			}}},
		{"sparse without dims", "has no dims", check.KindField, []func(*proto.Model){
			func(m *proto.Model) {
				m.Graph.SparseInitializers = []*proto.SparseTensor{sparse()}
				m.Graph.SparseInitializers[0].Dims = nil
			}}},

		{"order", `the node of "y" (Add): 1 of 2 nodes stand before one that they need, the first of them before that of "a"`, check.KindGraph, []func(*proto.Model){
			func(m *proto.Model) { m.Graph.Nodes[0], m.Graph.Nodes[1] = m.Graph.Nodes[1], m.Graph.Nodes[0] }}},
		{"value twice", `output 0 is "y", a name that stands for another value already`, check.KindGraph, []func(*proto.Model){add("Relu", "x", "y")}},
		{"no operator", "the node has no operator", check.KindField, []func(*proto.Model){add("", "x", "z")}},
		{"nothing", "the node has no inputs and no outputs", check.KindField, []func(*proto.Model){add("Concat", "", "", onnxtest.Attribute("axis", 1)), removeParameters}},
		{"unknown operator", "there is no such operator in version 13", check.KindNode, []func(*proto.Model){add("Foo", "x", "z")}},
		{"newer operator", "(Gelu): there is no such operator in version 13", check.KindNode, []func(*proto.Model){add("Gelu", "x", "z")}},
		{"removed operator", "the operator has been removed in version 11", check.KindNode, []func(*proto.Model){add("Scatter", "x x x", "z")}},
		{"experimental operator", "", 0, []func(*proto.Model){add("Affine", "x", "z")}},
		{"domain", `the domain "d" is not imported`, check.KindVersion, []func(*proto.Model){func(m *proto.Model) { m.Graph.Nodes = append(m.Graph.Nodes, call) }}},
		{"foreign operator", "", 0, []func(*proto.Model){func(m *proto.Model) {
			m.Graph.Nodes, m.Imports = append(m.Graph.Nodes, call), append(m.Imports, proto.Import{Domain: "d", Version: 1})
		}}},
		{"operator of ml", "", 0, []func(*proto.Model){ml, addML("Binarizer", onnxtest.Attribute("threshold", 1.0))}},
		{"unknown operator of ml", "ai.onnx.ml:Foo): there is no such operator in version 3", check.KindNode, []func(*proto.Model){ml, addML("Foo")}},
		{"few inputs", "the node has 1 inputs, expected 2", check.KindNode, []func(*proto.Model){add("Add", "x", "z")}},
		{"many inputs", "the node has 4 inputs, expected 1 to 3", check.KindNode, []func(*proto.Model){add("Clip", "x x x x", "z")}},
		{"no inputs", "the node has 0 inputs, expected at least 1", check.KindNode, []func(*proto.Model){add("Concat", "", "z", onnxtest.Attribute("axis", 1))}},
		{"many outputs", "the node has 2 outputs, expected 1", check.KindNode, []func(*proto.Model){add("Relu", "x", "z v")}},
		{"absent input", "input 1 is absent, and the operator requires it", check.KindNode, []func(*proto.Model){add("Gather", "x -", "z")}},
		{"absent optional input", "", 0, []func(*proto.Model){add("Clip", "x - x", "z")}},
		{"unknown attribute", `attribute "foo" is not one of the operator`, check.KindNode, []func(*proto.Model){add("Relu", "x", "z", onnxtest.Attribute("foo", 1))}},
		{"attribute of a newer version", `attribute "axes" is not one of the operator`, check.KindNode, []func(*proto.Model){add("Squeeze", "x", "z", onnxtest.Attribute("axes", []int{0}))}},
		{"type of an attribute", `attribute "axis" is a float, expected an integer`, check.KindNode, []func(*proto.Model){add("Softmax", "x", "z", onnxtest.Attribute("axis", 1.0))}},
		{"missing attribute", `attribute "to" is missing, and the operator requires it`, check.KindNode, []func(*proto.Model){add("Cast", "x", "z")}},
		{"attribute twice", `there are two attributes called "axis"`, check.KindField, []func(*proto.Model){add("Softmax", "x", "z", onnxtest.Attribute("axis", 0), onnxtest.Attribute("axis", 0))}},
		{"attribute without a name", "an attribute has no name", check.KindField, []func(*proto.Model){addForeign(onnxtest.Attribute("", 1))}},
		{"value of another type", `attribute "a" has the type of a float, and its value is an integer`, check.KindField, []func(*proto.Model){
			addForeign(&proto.Attribute{Name: "a", Type: proto.AttributeFloat, Int: 1})}},

		{"branches", "", 0, []func(*proto.Model){condition, add("If", "c", "z", onnxtest.Attribute("then_branch", branch("p", onnxtest.Node("Relu", "x", "p"))), onnxtest.Attribute("else_branch", branch("q", onnxtest.Node("Relu", "x", "q"))))}},
		{"output of a branch", `nothing defines the output "x"`, check.KindGraph, []func(*proto.Model){condition,
			add("If", "c", "z", onnxtest.Attribute("then_branch", branch("p", onnxtest.Node("Relu", "x", "p"))), onnxtest.Attribute("else_branch", branch("x")))}},
		{"in a branch", `input 0 is "r", which nothing defines`, check.KindGraph, []func(*proto.Model){condition,
			add("If", "c", "z", onnxtest.Attribute("then_branch", branch("p", onnxtest.Node("Relu", "x", "p"))), onnxtest.Attribute("else_branch", branch("q", onnxtest.Node("Relu", "r", "q"))))}},
		{"function", "", 0, []func(*proto.Model){withFunction(&proto.Function{Inputs: []string{"p"}, Outputs: []string{"q"}, Nodes: []*proto.Node{onnxtest.Node("Relu", "p", "q")}}),
			func(m *proto.Model) { m.Graph.Nodes = append(m.Graph.Nodes, call) }}},
		{"in a function", `input 0 is "x", which nothing defines`, check.KindGraph, []func(*proto.Model){
			withFunction(&proto.Function{Outputs: []string{"q"}, Nodes: []*proto.Node{onnxtest.Node("Relu", "x", "q")}})}},
		{"recursion", `function "f" calls itself`, check.KindGraph, []func(*proto.Model){withFunction(&proto.Function{Inputs: []string{"x"}, Outputs: []string{"z"}, Nodes: []*proto.Node{call}})}},
		{"inputs of a function", `function "f" has two inputs called "p"`, check.KindGraph, []func(*proto.Model){withFunction(&proto.Function{Inputs: []string{"p", "p"}})}},
		{"attributes of a function", `function "f" has two attributes called "p"`, check.KindField, []func(*proto.Model){withFunction(&proto.Function{Attributes: []string{"p", "p"}})}},
		{"defaults of a function", `function "f" has two attributes called "p"`, check.KindField, []func(*proto.Model){
			withFunction(&proto.Function{Attributes: []string{"p"}, Defaults: []*proto.Attribute{onnxtest.Attribute("p", 1)}})}},
		{"function without a name", "a function has no name", check.KindField, []func(*proto.Model){withFunction(&proto.Function{}), func(m *proto.Model) { m.Functions[0].Name = "" }}},
		{"function without a domain", `function "f" has no domain`, check.KindField, []func(*proto.Model){withFunction(&proto.Function{}), func(m *proto.Model) { m.Functions[0].Domain = "" }}},
		{"function twice", `function "f" of domain "d" is there twice`, check.KindGraph, []func(*proto.Model){withFunction(&proto.Function{}), withFunction(&proto.Function{})}},

		{"tensor without a type", `tensor "t" has no element type`, check.KindField, []func(*proto.Model){initializer(proto.Tensor{Name: "t"})}},
		{"tensor elsewhere", "", 0, []func(*proto.Model){initializer(inFile("a/../t.bin"))}},
		{"tensor in no file", `tensor "t" is in a file without a name`, check.KindField, []func(*proto.Model){initializer(inFile(""))}},
		{"tensor outside", `is in file "a/../../t.bin", which is not below the folder`, check.KindField, []func(*proto.Model){initializer(inFile("a/../../t.bin"))}},
		{"tensor at the root", "which is not below the folder", check.KindField, []func(*proto.Model){initializer(inFile("/t.bin"))}},
		{"tensor without a location", "no location says in which", check.KindField, []func(*proto.Model){initializer(proto.Tensor{Name: "t", DataType: proto.Float, External: true})}},
		{"tensor here and elsewhere", "has elements, and they are said to be in a file", check.KindField, []func(*proto.Model){
			initializer(proto.Tensor{Name: "t", DataType: proto.Float, External: true, Floats: []float32{1}})}},
		{"negative dim", "has dims [-1], which no tensor can have", check.KindField, []func(*proto.Model){initializer(proto.Tensor{Name: "t", DataType: proto.Float, Dims: []int64{-1}})}},
		{"overflow", "which no tensor can have", check.KindField, []func(*proto.Model){initializer(proto.Tensor{Name: "t", DataType: proto.Float, Dims: []int64{1 << 40, 1 << 40}})}},
		{"two fields", "has elements in 2 fields", check.KindField, []func(*proto.Model){initializer(proto.Tensor{Name: "t", DataType: proto.Float, Floats: []float32{1}, Raw: []byte{1, 2, 3, 4}})}},
		{"no elements", "has no elements, and dims [2] demand 2", check.KindField, []func(*proto.Model){initializer(proto.Tensor{Name: "t", DataType: proto.Float, Dims: []int64{2}})}},
		{"an empty tensor with elements", "has elements, and dims [0] demand none", check.KindField, []func(*proto.Model){initializer(proto.Tensor{Name: "t", DataType: proto.Float, Dims: []int64{0}, Floats: []float32{1}})}},
		{"few complex numbers", "has 1 elements, and dims [2] demand 2", check.KindField, []func(*proto.Model){initializer(proto.Tensor{Name: "t", DataType: proto.Complex64, Dims: []int64{2}, Floats: []float32{1, 2}})}},
		{"few bytes", "has 3 bytes, and dims [] of FLOAT demand more", check.KindField, []func(*proto.Model){initializer(proto.Tensor{Name: "t", DataType: proto.Float, Raw: []byte{1, 2, 3}})}},
		{"strings in bytes", "has strings in raw_data", check.KindField, []func(*proto.Model){initializer(proto.Tensor{Name: "t", DataType: proto.String, Raw: []byte{1}})}},
		{"another field", "of FLOAT has its elements in the field of another type", check.KindField, []func(*proto.Model){initializer(proto.Tensor{Name: "t", DataType: proto.Float, Int64s: []int64{1}})}},
		{"few packed", "has 2 elements, and dims [3] demand 3", check.KindField, []func(*proto.Model){initializer(proto.Tensor{Name: "t", DataType: proto.Int4, Dims: []int64{3}, Int32s: []int32{1}})}},
		{"few strings", "has 1 elements, and dims [2] demand 2", check.KindField, []func(*proto.Model){initializer(proto.Tensor{Name: "t", DataType: proto.String, Dims: []int64{2}, Strings: [][]byte{{}}})}},
		{"few doubles", "has 1 elements", check.KindField, []func(*proto.Model){initializer(proto.Tensor{Name: "t", DataType: proto.Double, Dims: []int64{2}, Doubles: []float64{1}})}},
		{"few integers", "has 1 elements", check.KindField, []func(*proto.Model){initializer(proto.Tensor{Name: "t", DataType: proto.Int64, Dims: []int64{2}, Int64s: []int64{1}})}},
		{"few unsigned integers", "has 1 elements", check.KindField, []func(*proto.Model){initializer(proto.Tensor{Name: "t", DataType: proto.Uint32, Dims: []int64{2}, Uint64s: []uint64{1}})}},
	} {
		m := good()
		for _, change := range c.changes {
			change(m)
		}
		problems, more, err := check.Model(t.Context(), m)
		require.NoError(t, err, c.name)
		assert.Zero(t, more)
		if c.want == "" {
			assert.Empty(t, problems, c.name)
			continue
		}
		if assert.Len(t, problems, 1, c.name) {
			assert.Contains(t, problems[0].Message, c.want, c.name)
			assert.Equal(t, c.kind, problems[0].Kind, c.name)
		}
	}
}

// TestModel_sparse has the indices of sparse tensors [2,3] that onnx.checker takes and refuses.
func TestModel_sparse(t *testing.T) {
	for _, c := range []struct {
		indices []int64
		dims    []int64
		want    string
	}{
		{[]int64{0, 4}, []int64{2}, ""},
		{[]int64{4, 0}, []int64{2}, "has indices that do not increase at 1"},
		{[]int64{4, 4}, []int64{2}, "has indices that do not increase at 1"},
		{[]int64{0, 6}, []int64{2}, "has index 6 at 1, expected less than 6"},
		{[]int64{-1, 2}, []int64{2}, "has index -1 at 0, expected less than 6"},
		{[]int64{0, 1, 2}, []int64{3}, "has 3 indices and 2 values"},
		{[]int64{0, 1, 1, 0}, []int64{2, 2}, ""},
		{[]int64{1, 1, 0, 2}, []int64{2, 2}, "has indices that do not increase at 1"},
		{[]int64{0, 1, 1, 3}, []int64{2, 2}, "has index 3 at 1, expected less than 3"},
		{[]int64{0, 1}, []int64{2, 1}, "has indices of 1 numbers for 2 axes"},
		{[]int64{0, 1}, []int64{2, 1, 1}, "has indices of 3 axes, expected 1 or 2"},
		{[]int64{0}, []int64{2}, "has 1 elements, and dims [2] demand 2"},
	} {
		var raw []byte
		for _, v := range c.indices {
			raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
		}
		for i, indices := range []*proto.Tensor{{DataType: proto.Int64, Dims: c.dims, Int64s: c.indices}, {DataType: proto.Int64, Dims: c.dims, Raw: raw}} {
			m := good()
			values := &proto.Tensor{Name: "s", DataType: proto.Float, Dims: []int64{2}, Floats: []float32{5, 6}}
			m.Graph.SparseInitializers = []*proto.SparseTensor{{Values: values, Indices: indices, Dims: []int64{2, 3}}}
			problems, _, err := check.Model(t.Context(), m)
			require.NoError(t, err)
			switch {
			case c.want == "":
				assert.Empty(t, problems, c.indices)
			case assert.Len(t, problems, 1, c.indices) && (i == 0 || len(c.indices) > 1):
				assert.Contains(t, problems[0].Message, c.want)
			}
		}
	}
	m := good()
	m.Graph.SparseInitializers = []*proto.SparseTensor{sparse()}
	m.Graph.SparseInitializers[0].Dims = []int64{math.MaxInt64, math.MaxInt64}
	problems, _, err := check.Model(t.Context(), m)
	require.NoError(t, err)
	assert.Empty(t, problems)
	m.Graph.SparseInitializers[0].Dims = []int64{3, 0}
	problems, _, err = check.Model(t.Context(), m)
	require.NoError(t, err)
	assert.Contains(t, problems[0].Message, "has dims [3 0], expected lengths of at least 1")
}

// inFile returns a tensor whose elements are in a file.
func inFile(location string) proto.Tensor {
	return proto.Tensor{Name: "t", DataType: proto.Float, Dims: []int64{9}, External: true, Location: []proto.Entry{{Key: "offset", Value: "0"}, {Key: "location", Value: location}}}
}

// sparse returns a sparse tensor of length 3.
func sparse() *proto.SparseTensor {
	return &proto.SparseTensor{
		Values:  &proto.Tensor{Name: "s", DataType: proto.Float, Dims: []int64{1}, Floats: []float32{5}},
		Indices: &proto.Tensor{DataType: proto.Int64, Dims: []int64{1}, Int64s: []int64{2}}, Dims: []int64{3},
	}
}

// removeParameters is a change that removes the inputs and outputs of the last node, whose operator
// becomes one of a domain without schemas.
func removeParameters(m *proto.Model) {
	node := m.Graph.Nodes[len(m.Graph.Nodes)-1]
	node.Inputs, node.Outputs, node.Domain = nil, nil, "d"
	m.Imports = append(m.Imports, proto.Import{Domain: "d", Version: 1})
}

// addML returns a change that adds a node of ai.onnx.ml.
func addML(operator string, attributes ...*proto.Attribute) func(*proto.Model) {
	return func(m *proto.Model) {
		node := onnxtest.Node(operator, "x", "z", attributes...)
		node.Domain = "ai.onnx.ml"
		m.Graph.Nodes = append(m.Graph.Nodes, node)
	}
}

// addForeign returns a change that adds a node of a domain without schemas.
func addForeign(attributes ...*proto.Attribute) func(*proto.Model) {
	return func(m *proto.Model) {
		add("f", "x", "z", attributes...)(m)
		m.Graph.Nodes[2].Domain = "d"
		m.Imports = append(m.Imports, proto.Import{Domain: "d", Version: 1})
	}
}

// TestModel_many tests the limit, and the end of a context.
func TestModel_many(t *testing.T) {
	m := good()
	for i := range 10_010 {
		add("Relu", "x", fmt.Sprintf("v%d", i), onnxtest.Attribute("foo", 1))(m)
	}
	problems, more, err := check.Model(t.Context(), m)
	require.NoError(t, err)
	assert.Len(t, problems, 10_000)
	assert.Equal(t, 10, more)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = check.Model(ctx, m)
	assert.ErrorIs(t, err, context.Canceled)
}

func FuzzModel(f *testing.F) {
	f.Add([]byte(onnxtest.Encode(good())))
	m := good()
	m.Graph.SparseInitializers = []*proto.SparseTensor{sparse()}
	withFunction(&proto.Function{Inputs: []string{"p"}, Outputs: []string{"q"}, Nodes: []*proto.Node{onnxtest.Node("Relu", "p", "q")}})(m)
	f.Add([]byte(onnxtest.Encode(m)))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := proto.Parse(data, onnxtest.Limits)
		if err != nil {
			return
		}
		problems, more, err := check.Model(t.Context(), m)
		require.NoError(t, err)
		assert.False(t, more > 0 && len(problems) < 10_000)
		for _, p := range problems {
			assert.NotEmpty(t, p.Message)
		}
	})
}
