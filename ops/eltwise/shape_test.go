package eltwise

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// opOf returns the layer type of a name.
func opOf(t testing.TB, name string) *ops.Op {
	t.Helper()
	for i := range Ops {
		if Ops[i].Type == name {
			return &Ops[i]
		}
	}
	t.Fatalf("no layer type %s", name)
	return nil
}

// inferred runs the parser, the shape rule and the bounds of a layer whose
// attributes are given as "name=value name=value".
func inferred(t testing.TB, op *ops.Op, data string, inputs ...ir.Fact) (*ops.Inference, error) {
	t.Helper()
	layer := &ir.Layer{Type: op.Type}
	for _, pair := range strings.Fields(data) {
		name, value, _ := strings.Cut(pair, "=")
		layer.Data = append(layer.Data, ir.Attribute{Name: name, Value: value})
	}
	attributes, err := op.Attributes(ir.AttributesOf(layer))
	if err != nil {
		return nil, err
	}
	in := &ops.Inference{Layer: layer, Attributes: attributes, Inputs: inputs, Outputs: make([]ir.Fact, 1)}
	if err := op.Infer(in); err != nil {
		return nil, err
	}
	op.Bounds(in)
	return in, nil
}

func shape(t testing.TB, text string) ir.PartialShape {
	t.Helper()
	s, err := ir.ParsePartialShape(text)
	require.NoError(t, err)
	return s
}

const (
	axis0 = "auto_broadcast=pdpd auto_broadcast.auto_broadcast_axis=0"
	axis1 = "auto_broadcast=PDPD auto_broadcast.auto_broadcast_axis=1"
	last  = "auto_broadcast=pdpd auto_broadcast.auto_broadcast_axis=-1"
)

func TestInfer_shapes(t *testing.T) {
	for _, c := range []struct{ data, a, b, want string }{
		{"", "[2,3,4]", "[4]", "[2,3,4]"},
		{"", "[2,1,4]", "[3,1]", "[2,3,4]"},
		{"", "[]", "[2,0]", "[2,0]"},
		{"", "[0,1]", "[1,3]", "[0,3]"},
		{"", "[?,3]", "[2..4,1]", "[2..4,3]"},
		{"", "[...]", "[2]", "[...]"},
		{"auto_broadcast=Numpy", "[2,3]", "[3]", "[2,3]"},
		{"", "[2,3]", "[2]", "error: input 0 is [2,3], input 1 is [2], which do not broadcast"},
		{"auto_broadcast=none", "[2,?]", "[?,3]", "[2,3]"},
		{"auto_broadcast=explicit", "[...]", "[2]", "[2]"},
		{"auto_broadcast=NONE", "[2,3]", "[3]", "error: input 0 is [2,3], input 1 is [3], which do not match"},
		{"auto_broadcast=none", "[2,3]", "[1,3]", "error: input 0 is [2,3], input 1 is [1,3], which do not match"},
		{"auto_broadcast=wide", "[2]", "[2]", `error: attribute auto_broadcast: "wide" is none of numpy, none, explicit, pdpd`},
		// A missing axis is 0, as in OpenVINO's reader.
		{"auto_broadcast=pdpd", "[2,3,4]", "[2,3]", "[2,3,4]"},
		{"auto_broadcast=pdpd", "[2,3,4]", "[3,4]", "error: input 0 is [2,3,4], input 1 is [3,4], which do not broadcast by PaddlePaddle's rule"},
		{axis0, "[2,3,4]", "[2,3,4]", "[2,3,4]"},
		{axis1, "[2,3,4]", "[3]", "[2,3,4]"},
		{axis1, "[2,3,4]", "[3,1]", "[2,3,4]"},
		{axis1, "[2,3,4]", "[]", "[2,3,4]"},
		{axis1, "[2,3,4]", "[2,3,4]", "error: input 0 is [2,3,4], input 1 is [2,3,4], which do not broadcast by PaddlePaddle's rule"},
		{axis1, "[]", "[]", "error: input 0 is [], input 1 is [], which do not broadcast by PaddlePaddle's rule"},
		{last, "[2,3,4]", "[3,4]", "[2,3,4]"},
		{last, "[2,1,4]", "[3,4]", "error: input 0 is [2,1,4], input 1 is [3,4], which do not broadcast by PaddlePaddle's rule"},
		{last, "[3]", "[2,3]", "error: input 0 is [3], input 1 is [2,3], which do not broadcast by PaddlePaddle's rule"},
		{last, "[...]", "[2,3]", "[...]"},
		{"auto_broadcast=pdpd auto_broadcast.auto_broadcast_axis=-2", "[2,3]", "[3]",
			"error: input 0 is [2,3], input 1 is [3], which do not broadcast by PaddlePaddle's rule"},
		{"auto_broadcast=pdpd auto_broadcast.auto_broadcast_axis=x", "[2]", "[2]",
			`error: attribute auto_broadcast.auto_broadcast_axis: "x" is not a 64-bit whole number`},
	} {
		in, err := inferred(t, opOf(t, "Add"), c.data, ir.Fact{Type: ir.F32, Shape: shape(t, c.a)}, ir.Fact{Type: ir.F32, Shape: shape(t, c.b)})
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = in.Outputs[0].Shape.String()
		}
		assert.Equal(t, c.want, got, "%s: %s and %s", c.data, c.a, c.b)
	}
}

func TestInfer_types(t *testing.T) {
	for _, c := range []struct {
		op   string
		a, b ir.ElementType
		want string
	}{
		{"Add", ir.F16, ir.F16, "f16"},
		{"Add", ir.F16, ir.Dynamic, "f16"},
		{"Add", ir.Dynamic, ir.Dynamic, "dynamic"},
		{"Add", ir.U4, ir.U4, "u4"},
		{"Add", ir.F32, ir.I64, "input 0 is f32, input 1 is i64"},
		{"Maximum", ir.Boolean, ir.Boolean, "inputs are boolean, which has no arithmetic"},
		{"Add", ir.String, ir.String, "inputs are string, which has no arithmetic"},
		{"Less", ir.Boolean, ir.Boolean, "boolean"},
		{"Equal", ir.I8, ir.I8, "boolean"},
		{"Equal", ir.I8, ir.U8, "input 0 is i8, input 1 is u8"},
		{"LogicalAnd", ir.Boolean, ir.Dynamic, "boolean"},
		{"LogicalXor", ir.F32, ir.F32, "inputs are f32, expected boolean"},
		{"Xor", ir.U8, ir.U8, "inputs are u8, expected boolean"},
		{"BitwiseOr", ir.Boolean, ir.Boolean, "boolean"},
		{"BitwiseXor", ir.F32, ir.F32, "inputs are f32, expected integers or booleans"},
		{"BitwiseLeftShift", ir.I16, ir.I16, "i16"},
		{"BitwiseRightShift", ir.Boolean, ir.Boolean, "inputs are boolean, expected integers"},
	} {
		in, err := inferred(t, opOf(t, c.op), "", ir.Fact{Type: c.a}, ir.Fact{Type: c.b})
		if err != nil {
			assert.Equal(t, c.want, err.Error(), c.op)
		} else {
			assert.Equal(t, c.want, in.Outputs[0].Type.String(), c.op)
		}
	}
}

func TestRevisions(t *testing.T) {
	versions := map[string]int{"BitwiseAnd": 13, "BitwiseOr": 13, "BitwiseXor": 13, "BitwiseLeftShift": 15, "BitwiseRightShift": 15}
	for _, op := range Ops {
		want := 1
		if v, ok := versions[op.Type]; ok {
			want = v
		}
		assert.Equal(t, want, op.Version, op.Type)
	}
}
