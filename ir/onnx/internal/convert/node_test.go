package convert_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// convertBy converts a model of one node of operator Op, whose rule is f.
func convertBy(t *testing.T, f func(*convert.Node) []convert.Value, g *proto.Graph) (*ir.Model, error) {
	t.Helper()
	any := infer.Arity{Max: -1}
	return onnxtest.NewSuite(t, []convert.Rule{{Operator: "Op", Versions: []int{1, 9}, Inputs: any, Outputs: any, Convert: f}}).Convert(t, onnxtest.Model(13, g))
}

func TestNode_attributes(t *testing.T) {
	tensor, err := ir.TensorFrom([]float32{1, 2})
	require.NoError(t, err)
	sparse := &proto.Attribute{Name: "sparse", Type: proto.AttributeSparseTensor, SparseTensor: &proto.SparseTensor{
		Values:  &proto.Tensor{DataType: proto.Float, Dims: []int64{1}, Floats: []float32{5}},
		Indices: &proto.Tensor{DataType: proto.Int64, Dims: []int64{1}, Int64s: []int64{1}}, Dims: []int64{2},
	}}
	attributes := append(onnxtest.Attributes("int", 3, "float", 0.5, "text", "abc", "ints", []int{1, 2}, "floats", []float64{1, 2}, "texts", []string{"a", "b"},
		"tensor", tensor, "type", int(proto.Int32), "bad type", 99, "type name", "DOUBLE", "large type", math.MaxInt), sparse,
		&proto.Attribute{Name: "empty", Type: proto.AttributeTensor}, &proto.Attribute{Name: "empty sparse", Type: proto.AttributeSparseTensor},
		&proto.Attribute{Name: "bad", Type: proto.AttributeTensor, Tensor: &proto.Tensor{DataType: 99}},
		&proto.Attribute{Name: "bad sparse", Type: proto.AttributeSparseTensor, SparseTensor: &proto.SparseTensor{}},
		&proto.Attribute{Name: "outside", Type: proto.AttributeInt, Reference: "of a function"})
	g := graph("y", onnxtest.Node("Op", "x", "y", attributes...))
	_, err = convertBy(t, func(n *convert.Node) []convert.Value {
		assert.Equal(t, []any{int64(3), int64(7)}, []any{n.Int("int", 7), n.Int("no", 7)})
		assert.Equal(t, []bool{true, true, false}, []bool{n.Bool("int", false), n.Bool("no", true), n.HasAttribute("no")})
		assert.Equal(t, []float32{0.5, 7}, []float32{n.Float("float", 7), n.Float("no", 7)})
		assert.Equal(t, []string{"abc", "x", "abc"}, []string{n.Text("text", "x"), n.Text("no", "x"), n.Enum("text", "x", "x", "abc")})
		assert.Equal(t, []any{[]int64{1, 2}, []int64(nil)}, []any{n.IntList("ints"), n.IntList("no")})
		assert.Equal(t, []any{true, false, false}, []any{n.IsList("ints"), n.IsList("int"), n.IsList("no")})
		assert.Equal(t, []any{[]float32{1, 2}, []float32(nil)}, []any{n.FloatList("floats"), n.FloatList("no")})
		assert.Equal(t, []any{[]string{"a", "b"}, []string(nil)}, []any{n.TextList("texts"), n.TextList("no")})
		assert.Equal(t, []float32{1, 2}, ir.Data[float32](n.Tensor("tensor")))
		assert.Equal(t, []float32{0, 5}, ir.Data[float32](n.SparseTensor("sparse")))
		assert.Equal(t, []ir.ElementType{ir.I32, ir.F16}, []ir.ElementType{n.ElementType("type", ir.F16), n.ElementType("no", ir.F16)})
		assert.Equal(t, ir.F64, n.ElementType("type name", ir.F16))
		assert.Equal(t, int64(4), n.Int("outside", 4))
		assert.Nil(t, n.Tensor("no"))
		assert.Nil(t, n.SparseTensor("no"))
		n.RequireAttribute("int")
		assert.False(t, n.Failed())
		assert.Equal(t, []any{9, "Op", 1, true, false}, []any{n.Version, n.Operator(), n.Outputs(), n.Wants(0), n.Wants(1)})
		return []convert.Value{n.Input(0)}
	}, g)
	require.NoError(t, err)

	for message, use := range map[string]func(*convert.Node){
		"attribute int is an integer, expected a float":          func(n *convert.Node) { n.Float("int", 0) },
		"attribute no is missing":                                func(n *convert.Node) { n.RequireAttribute("no") },
		`attribute text is "abc", expected one of ["x"]`:         func(n *convert.Node) { n.Enum("text", "x", "x") },
		"attribute bad type: element type 99 is not":             func(n *convert.Node) { n.ElementType("bad type", 0) },
		"attribute large type: element type 9223372036854775807": func(n *convert.Node) { n.ElementType("large type", 0) },
		"attribute text: element type 0 is not":                  func(n *convert.Node) { n.ElementType("text", 0) },
		"attribute float is a float, expected an integer":        func(n *convert.Node) { n.ElementType("float", 0) },
		"attribute empty has no tensor":                          func(n *convert.Node) { n.Tensor("empty") },
		"attribute empty sparse has no tensor":                   func(n *convert.Node) { n.SparseTensor("empty sparse") },
		"attribute bad: element type 99":                         func(n *convert.Node) { n.Tensor("bad") },
		"attribute bad sparse: the sparse tensor has no values":  func(n *convert.Node) { n.SparseTensor("bad sparse") },
		"axis 2 of rank 2 is out of range":                       func(n *convert.Node) { n.Axis(2, 2) },
		"data must be known before the model runs":               func(n *convert.Node) { n.RequireInts(n.Input(0), "data") },
		"the number 1 cannot be of element type string":          func(n *convert.Node) { n.Scalar(ir.String, 1) },
		"first": func(n *convert.Node) { n.Fail("first"); n.Fail("second") },
	} {
		_, err := convertBy(t, func(n *convert.Node) []convert.Value {
			use(n)
			assert.True(t, n.Failed())
			// Nothing can be done after an error.
			assert.True(t, n.Value(tensor).Absent())
			assert.True(t, n.Like(n.Input(0), 1).Absent())
			assert.True(t, n.Layer("Relu", 1, nil, n.Input(0)).Absent())
			assert.Equal(t, -1, n.Rank(n.Input(0)))
			return nil
		}, g)
		assert.ErrorContains(t, err, message)
	}
}

func TestNode_inputs(t *testing.T) {
	g := graph("y", onnxtest.Node("Op", "x - x -", "y"))
	_, err := convertBy(t, func(n *convert.Node) []convert.Value {
		assert.Equal(t, []bool{true, false, true, false, false}, []bool{n.Has(0), n.Has(1), n.Has(2), n.Has(3), n.Has(9)})
		assert.Equal(t, []any{ir.F32, "[2,3]", 2}, []any{n.Type(n.Input(0)), n.Shape(n.Input(0)).String(), n.Rank(n.Input(0))})
		assert.Equal(t, []int{1, 1}, []int{n.Axis(1, 2), n.Axis(-1, 2)})
		assert.Equal(t, 2, n.RequireRank(n.Input(0), "data"))
		assert.Len(t, n.Inputs(), 4)
		return nil
	}, g)
	assert.ErrorContains(t, err, "input 1 is absent, and Op requires it")
	g.Inputs[0].Type.Shape = nil
	_, err = convertBy(t, func(n *convert.Node) []convert.Value {
		n.RequireRank(n.Input(0), "data")
		return nil
	}, g)
	assert.ErrorContains(t, err, "the rank of data must be known")
}

// TestNode_layers checks helpers by what the model computes: arithmetic on a known shape is folded.
func TestNode_layers(t *testing.T) {
	for _, shape := range []*proto.Shape{{Dims: []proto.Dim{{Known: true, Value: 2}, {Known: true, Value: 3}}}, nil} {
		g := graph("y", onnxtest.Node("Op", "x", "y"))
		g.Inputs[0].Type.Shape = shape
		_, err := convertBy(t, func(n *convert.Node) []convert.Value {
			x := n.Input(0)
			if known, ok := n.Ints(n.Elements(x, 0, math.MaxInt64)); shape != nil {
				assert.Equal(t, []int64{6}, known)
				from, _ := n.Ints(n.Elements(x, 1, math.MaxInt64))
				assert.Equal(t, []int64{3}, from)
			} else {
				assert.False(t, ok)
			}
			axes := n.AxesFrom(x, 1)
			if known, _ := n.Ints(axes); shape != nil {
				assert.Equal(t, []int64{1}, known)
			}
			assert.Equal(t, ir.I64, n.Type(axes))
			assert.Equal(t, x, n.Convert(x, ir.F32))
			assert.Equal(t, ir.F16, n.Type(n.Convert(x, ir.F16)))
			assert.Equal(t, x, n.Unsqueeze(x))
			flat := n.Reshape(x, n.IntValues(-1), false)
			assert.Equal(t, 1, n.Rank(flat))
			assert.Equal(t, 2, n.Rank(n.Unsqueeze(flat, 0)))
			assert.Equal(t, "[1,2,3]", n.Shape(n.Squeeze(n.ValueOf(make([]float32, 6), 1, 1, 2, 3), 0)).String())
			joined := n.Concat(0, n.IntValues(1), n.IntValues(2, 3))
			known := n.RequireInts(joined, "it")
			assert.Equal(t, []int64{1, 2, 3}, known)
			assert.Equal(t, []float32{2}, ir.Data[float32](n.Constant(n.Like(x, 2))))
			assert.Equal(t, 0, n.Rank(n.IntValue(4)))
			return []convert.Value{n.Layer("Elu", 1, convert.Attributes("alpha", float32(0.25)), x)}
		}, g)
		require.NoError(t, err)
	}
}

func TestAttributes(t *testing.T) {
	got := convert.Attributes("a", "text", "b", true, "c", 1, "d", int64(-2), "e", []int64{1, 2}, "f", float32(0.1), "g", []float32{1, 2.5}, "h", ir.F16)
	var values []string
	for _, a := range got {
		values = append(values, a.Name+"="+a.Value)
	}
	assert.Equal(t, []string{"a=text", "b=true", "c=1", "d=-2", "e=1,2", "f=0.1", "g=1,2.5", "h=f16"}, values)
	assert.Panics(t, func() { convert.Attributes("a", 1.5) })
}
