package reduce

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func opNamed(t *testing.T, name string) *ops.Op {
	t.Helper()
	for i := range Ops {
		if Ops[i].Type == name {
			return &Ops[i]
		}
	}
	require.Fail(t, "no such type", name)
	return nil
}

func parse(t *testing.T, shape string) ir.PartialShape {
	t.Helper()
	s, err := ir.ParsePartialShape(shape)
	require.NoError(t, err)
	return s
}

// axesFact returns a constant with the given axes, or a vector of unknown axes if axes is nil.
func axesFact(t *testing.T, axes []int64) ir.Fact {
	t.Helper()
	if axes == nil {
		return ir.Fact{Type: ir.I64, Shape: ir.ShapeOfRank(1)}
	}
	tensor, err := ir.TensorOfInts(ir.I64, ir.Shape{len(axes)}, axes)
	require.NoError(t, err)
	return ir.Fact{Type: ir.I64, Shape: tensor.Shape().Partial(), Tensor: tensor}
}

func TestInfer(t *testing.T) {
	for _, c := range []struct {
		data string
		axes []int64
		keep bool
		want string
	}{
		{"[2,3,4]", []int64{1}, false, "[2,4]"},
		{"[2,3,4]", []int64{-1, 0}, true, "[1,3,1]"},
		{"[2,3,4]", []int64{1, 1, -2}, false, "[2,4]"},
		{"[2,3,4]", []int64{}, false, "[2,3,4]"},
		{"[?,1..3,4]", []int64{0}, false, "[1..3,4]"},
		{"[2,3]", nil, true, "[?,?]"},
		{"[2,3]", nil, false, "[...]"},
		{"[...]", []int64{0}, true, "[...]"},
		{"[]", []int64{}, false, "[]"},
		{"[]", []int64{0, -1}, false, "[]"},
	} {
		in := &ops.Inference{
			Layer: &ir.Layer{Type: "ReduceSum"}, Attributes: attributes{sum, c.keep},
			Inputs:  []ir.Fact{{Type: ir.F32, Shape: parse(t, c.data)}, axesFact(t, c.axes)},
			Outputs: make([]ir.Fact, 1),
		}
		require.NoError(t, infer(in), "%+v", c)
		assert.Equal(t, c.want, in.Outputs[0].Shape.String(), "%+v", c)
		assert.Equal(t, ir.F32, in.Outputs[0].Type)
	}
}

// TestInfer_unknownAxis has unknown axes. A single one reduces the rank by one. The number of
// different axes among several is unknown.
func TestInfer_unknownAxis(t *testing.T) {
	for _, c := range []struct{ data, axes, want string }{
		{"[2,3,4]", "[1]", "[?,?]"},
		{"[2,3,4]", "[]", "[?,?]"},
		{"[2]", "[1]", "[]"},
		{"[]", "[1]", "[...]"},
		{"[2,3,4]", "[2]", "[...]"},
		{"[2,3,4]", "[?]", "[...]"},
		{"[2,3,4]", "[...]", "[...]"},
		{"[...]", "[1]", "[...]"},
	} {
		in := &ops.Inference{
			Layer: &ir.Layer{Type: "ReduceSum"}, Attributes: attributes{sum, false},
			Inputs:  []ir.Fact{{Type: ir.F32, Shape: parse(t, c.data)}, {Type: ir.I64, Shape: parse(t, c.axes)}},
			Outputs: make([]ir.Fact, 1),
		}
		require.NoError(t, infer(in), "%+v", c)
		assert.Equal(t, c.want, in.Outputs[0].Shape.String(), "%+v", c)
	}
}

func TestInferRefuses(t *testing.T) {
	vector := ir.StaticShape(1)
	for _, c := range []struct {
		name       string
		data, axes ir.Fact
		want       string
	}{
		{"ReduceSum", ir.Fact{Type: ir.F32, Shape: ir.StaticShape(2)}, axesFact(t, []int64{1}), "axis 1 is outside [-1,0]"},
		{"ReduceSum", ir.Fact{Type: ir.Boolean, Shape: vector}, axesFact(t, nil), "data is boolean"},
		{"ReduceLogicalOr", ir.Fact{Type: ir.F32, Shape: vector}, axesFact(t, nil), "data is f32"},
		{"ReduceMax", ir.Fact{Type: ir.F32, Shape: vector}, ir.Fact{Type: ir.F32, Shape: vector}, "axes is f32"},
		{"ReduceMax", ir.Fact{Type: ir.F32, Shape: vector}, ir.Fact{Type: ir.I64, Shape: ir.StaticShape(1, 1)}, "axes has shape [1,1]"},
	} {
		op := opNamed(t, c.name)
		at, err := op.Attributes(ir.AttributesOf(&ir.Layer{}))
		require.NoError(t, err)
		in := &ops.Inference{
			Layer: &ir.Layer{Type: c.name}, Attributes: at,
			Inputs: []ir.Fact{c.data, c.axes}, Outputs: make([]ir.Fact, 1),
		}
		assert.ErrorContains(t, infer(in), c.want)
	}
}

// run reduces data along axes with keep_dims.
func run(t *testing.T, name string, data *ir.Tensor, axes []int64) *ir.Tensor {
	t.Helper()
	out, err := layertest.Run(opNamed(t, name), keepDims, 1, data, layertest.Ints(t, ir.I64, ir.Shape{len(axes)}, axes...))
	require.NoError(t, err)
	return out
}

var keepDims = layertest.Attributes{"keep_dims", "true"}

// reference reduces element by element, by the coordinates of each.
func reference(name string, data []float64, shape ir.Shape, set []bool) []float64 {
	outShape := make(ir.Shape, len(shape))
	for i, n := range shape {
		outShape[i] = n
		if set[i] {
			outShape[i] = 1
		}
	}
	groups := make([][]float64, outShape.Elements())
	for i, v := range data {
		rest, target, stride := i, 0, 1
		for axis := len(shape) - 1; axis >= 0; axis-- {
			if at := rest % shape[axis]; !set[axis] {
				target += at * stride
			}
			rest /= shape[axis]
			stride *= outShape[axis]
		}
		groups[target] = append(groups[target], v)
	}
	out := make([]float64, len(groups))
	for i, group := range groups {
		out[i] = referenceOf(name, group)
	}
	return out
}

func referenceOf(name string, group []float64) float64 {
	total, product, low, high, abs, squares := 0.0, 1.0, math.Inf(1), math.Inf(-1), 0.0, 0.0
	for _, v := range group {
		total, product, low, high = total+v, product*v, math.Min(low, v), math.Max(high, v)
		abs, squares = abs+math.Abs(v), squares+v*v
	}
	return map[string]float64{
		"ReduceSum": total, "ReduceMean": total / float64(len(group)), "ReduceProd": product,
		"ReduceMin": low, "ReduceMax": high, "ReduceL1": abs, "ReduceL2": math.Sqrt(squares),
	}[name]
}

func TestKernelAgainstReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		shape := make(ir.Shape, rng.IntN(5))
		set := make([]bool, len(shape))
		axes := []int64{}
		outShape := make(ir.Shape, len(shape))
		for i := range shape {
			shape[i] = rng.IntN(4)
			outShape[i] = shape[i]
			if set[i] = rng.IntN(2) == 0; set[i] {
				outShape[i] = 1
				axes = append(axes, int64(i-rng.IntN(2)*len(shape)))
			}
		}
		data := make([]float64, shape.Elements())
		for i := range data {
			data[i] = float64(rng.IntN(9) - 4)
		}
		for i := range Ops {
			name := Ops[i].Type
			if Ops[i].Types[0] == ir.Boolean {
				continue
			}
			want := reference(name, data, shape, set)
			layertest.CheckNear(t, &Ops[i], keepDims, outShape, want, 1e-9,
				layertest.Numbers(t, ir.F64, shape, data...), layertest.Ints(t, ir.I64, ir.Shape{len(axes)}, axes...))
		}
	}
}

func TestIntegers(t *testing.T) {
	data, err := ir.TensorOfInts(ir.I8, ir.Shape{4}, []int64{-3, -4, 100, 100})
	require.NoError(t, err)
	for name, want := range map[string]int64{
		"ReduceSum": 193 - 256, "ReduceMean": 48, "ReduceProd": -64, // 120000 modulo 256
		"ReduceMax": 100, "ReduceMin": -4, "ReduceL1": 207 - 256,
	} {
		got, err := run(t, name, data, []int64{0}).Ints()
		require.NoError(t, err)
		assert.Equal(t, []int64{want}, got, name)
	}
	negative, err := ir.TensorOfInts(ir.I32, ir.Shape{2}, []int64{-3, -4})
	require.NoError(t, err)
	got, err := run(t, "ReduceMean", negative, []int64{0}).Ints()
	require.NoError(t, err)
	assert.Equal(t, []int64{-3}, got, "rounded towards zero")
}

func TestEmpty(t *testing.T) {
	data, err := ir.NewTensor(ir.I16, 0, 2)
	require.NoError(t, err)
	for name, want := range map[string]int64{
		"ReduceSum": 0, "ReduceMean": 0, "ReduceProd": 1, "ReduceMax": math.MinInt16, "ReduceMin": math.MaxInt16,
	} {
		got, err := run(t, name, data, []int64{0}).Ints()
		require.NoError(t, err)
		assert.Equal(t, []int64{want, want}, got, name)
	}
}

func TestLogical(t *testing.T) {
	data, err := ir.TensorOfInts(ir.Boolean, ir.Shape{2, 2}, []int64{1, 0, 1, 1})
	require.NoError(t, err)
	for name, want := range map[string][]int64{"ReduceLogicalAnd": {0, 1}, "ReduceLogicalOr": {1, 1}} {
		got, err := run(t, name, data, []int64{1}).Ints()
		require.NoError(t, err)
		assert.Equal(t, want, got, name)
	}
}
