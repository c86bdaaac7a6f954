package plugin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/builtin"
)

// typed adds a Parameter of the given element type.
func (n *network) typed(elementType, shape string) port {
	return n.op(fmt.Sprintf(`Parameter opset1 shape="%s" element_type="%s"`, shape, elementType))
}

// half adds a Constant of f16 ones.
func (n *network) half(shape string, elements int) port {
	for range elements {
		n.bin = append(n.bin, 0, 0x3c)
	}
	return n.constant("f16", shape, 2*elements)
}

// to adds a Convert to the given element type.
func (n *network) to(elementType string, in port) port {
	return n.op(`Convert opset1 destination_type="`+elementType+`"`, in)
}

// computed lists the layers of m with the element types of their outputs, sorted. Parameters and
// Results are left out.
func computed(t *testing.T, registry *Registry, m *ir.Model) string {
	shapes, err := infer.Propagate(t.Context(), m, registry, nil)
	require.NoError(t, err)
	var list []string
	for _, layer := range m.Order {
		if layer.Type != "Parameter" && layer.Type != "Result" {
			list = append(list, layer.Type+" "+shapes.Outputs(layer)[0].Type.String())
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func TestComputeInF32(t *testing.T) {
	onlyF16 := ops.Op{
		Type: "OnlyF16", Version: 1, Inputs: ops.Exactly(1), Types: []ir.ElementType{ir.F16},
		Infer: func(in *ops.Inference) error {
			in.Outputs[0] = ir.Fact{Type: in.Inputs[0].Type, Shape: in.Inputs[0].Shape}
			return nil
		},
		Prepare: ops.PrepareView,
	}
	registry, err := NewRegistry(append(builtin.Ops(), onlyF16)...)
	require.NoError(t, err)
	var others []Optimization
	for _, o := range Optimizations() {
		if o != ComputeInF32 {
			others = append(others, o)
		}
	}
	for name, c := range map[string]struct {
		build func(n *network) port
		want  string
	}{
		"a network of Model Optimizer": {func(n *network) port {
			x := n.to("f16", n.input("2,3"))
			return n.to("f32", n.op("Relu", n.op("Multiply", n.op("Add", x, n.half("2,3", 6)), n.half("1", 1))))
		}, "Add f32, Constant f16, Constant f16, Convert f32, Convert f32, Convert f32, Convert f32, Multiply f32, Relu f32"},
		"inputs and outputs of f16": {func(n *network) port { return n.op("Relu", n.op("Sqrt", n.typed("f16", "2,3"))) },
			"Convert f16, Convert f32, Relu f32, Sqrt f32"},
		"bf16": {func(n *network) port { return n.op("Exp", n.typed("bf16", "2,3")) },
			"Convert bf16, Convert f32, Exp f32"},
		"one type to the other": {func(n *network) port { return n.op("Exp", n.to("bf16", n.op("Exp", n.typed("f16", "2,3")))) },
			"Convert bf16, Convert f32, Convert f32, Exp f32, Exp f32"},
		"data that is only moved": {func(n *network) port {
			x := n.typed("f16", "2,3")
			return n.op(`Transpose opset1`, n.op(`Concat opset1 axis="0"`, x, n.half("1,3", 3)), n.ints(1, 0))
		}, "Concat f16, Constant f16, Constant i64, Transpose f16"},
		"weights in f16": {func(n *network) port { return n.op("Add", n.input("2,3"), n.to("f32", n.half("3", 3))) },
			"Add f32, Constant f16, Convert f32"},
		"moved between layers that compute": {func(n *network) port {
			return n.op("Relu", n.op(`Transpose opset1`, n.op("Relu", n.typed("f16", "2,3")), n.ints(1, 0)))
		}, "Constant i64, Convert f16, Convert f32, Relu f32, Relu f32, Transpose f32"},
		"moved twice before a layer that computes": {func(n *network) port {
			x := n.op(`Transpose opset1`, n.typed("f16", "2,3"), n.ints(1, 0))
			return n.op("Relu", n.op(`Transpose opset1`, x, n.ints(1, 0)))
		}, "Constant i64, Constant i64, Convert f16, Convert f32, Relu f32, Transpose f32, Transpose f32"},
		"an input that is moved, and computed with": {func(n *network) port {
			x := n.typed("f16", "2,3")
			n.result(n.op(`Transpose opset1`, x, n.ints(1, 0)))
			return n.op("Relu", x)
		}, "Constant i64, Convert f16, Convert f32, Relu f32, Transpose f16"},
		"an attribute": {func(n *network) port {
			return n.op("Relu", n.op(`Range opset4 output_type="f16"`, n.ints32(0), n.typed("i32", ""), n.ints32(1)))
		}, "Constant i32, Constant i32, Convert f16, Range f32, Relu f32"},
		"values that are known": {func(n *network) port {
			return n.op("Relu", n.op(`Range opset4 output_type="f16"`, n.ints32(0), n.ints32(5), n.ints32(1)))
		}, "Constant i32, Constant i32, Constant i32, Convert f16, Convert f32, Range f16, Relu f32"},
		"a variable": {func(n *network) port {
			v := n.op(`ReadValue opset6 variable_id="v" variable_type="f16" variable_shape="2,3"`)
			sum := n.op("Add", v, n.typed("f16", "2,3"))
			n.layer("Assign", "opset6", `variable_id="v"`, 1, sum)
			return sum
		}, "Add f32, Assign f16, Convert f16, Convert f32, Convert f32, ReadValue f16"},
		"a kernel that refuses": {func(n *network) port {
			return n.op("Relu", n.op("OnlyF16", n.op("Relu", n.typed("f16", "2,3"))))
		}, "Convert f16, Convert f16, Convert f32, Convert f32, OnlyF16 f16, Relu f32, Relu f32"},
		"a condition of f16": {func(n *network) port {
			x := n.typed("f16", "2,3")
			return n.op("Select", n.op("Greater", x, n.half("", 1)), x, n.half("", 1))
		}, "Constant f16, Constant f16, Convert f32, Convert f32, Greater boolean, Select f16"},
	} {
		t.Run(name, func(t *testing.T) {
			n := &network{}
			n.result(c.build(n))
			compiled, err := NewCore(registry, Options{}).CompileModel(background, n.model(t), CompileOptions{Disable: others})
			require.NoError(t, err)
			assert.Equal(t, c.want, computed(t, registry, compiled.program.Model))
			all, err := NewCore(registry, Options{}).CompileModel(background, n.model(t), CompileOptions{})
			require.NoError(t, err)
			for i, port := range all.Outputs() {
				assert.Equal(t, compiled.Outputs()[i].Type, port.Type)
			}
		})
	}
}

// ints32 adds a scalar Constant of i32.
func (n *network) ints32(v int32) port {
	n.bin = append(n.bin, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	return n.constant("i32", "", 4)
}

// TestComputeInF32_nearer runs a chain of f16 layers with and without ComputeInF32. With it, the
// result is nearer to the result of f32 layers.
func TestComputeInF32_nearer(t *testing.T) {
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(5, 5))
	x := make([]float32, 64*64)
	for i := range x {
		x[i] = rng.Float32() - 0.5
	}
	data, err := ir.TensorOf(ir.F32, ir.Shape{64, 64}, x)
	require.NoError(t, err)
	// run returns the outputs of the chain and their distance from want.
	run := func(elementType string, want []float32, disable ...Optimization) ([]float32, float64) {
		n := &network{}
		y := n.to(elementType, n.input("64,64"))
		for range 6 {
			y = n.op("Tanh", n.op(`MatMul opset1 transpose_b="true"`, y, y))
		}
		n.result(n.to("f32", y))
		compiled, err := NewCore(registry, Options{}).CompileModel(background, n.model(t), CompileOptions{InferenceNumThreads: 1, Disable: disable})
		require.NoError(t, err)
		got := ir.Data[float32](inferred(t, compiled.NewInferRequest(), data))
		sum := 0.0
		for i, v := range want {
			sum += math.Pow(float64(v-got[i]), 2)
		}
		return got, math.Sqrt(sum)
	}
	want, _ := run("f32", nil)
	_, f32 := run("f16", want)
	_, f16 := run("f16", want, ComputeInF32)
	assert.Zero(t, f32, "only the borders are rounded, and here they are f32")
	assert.Greater(t, f16, 1e-3)
}

// TestComputeInF32_shapes computes a length in f16. Its rounding decides the shape of the output,
// which must be the same with and without optimizations.
func TestComputeInF32_shapes(t *testing.T) {
	n := &network{}
	x := n.input("1,2051")
	length := n.op("Gather opset8", n.op(`ShapeOf opset3 output_type="i64"`, x), n.ints(1), n.ints(0))
	half := n.op("Multiply", n.to("f16", length), n.to("f16", n.floats("1", 0.5)))
	end := n.to("i64", half)
	n.result(n.op("Relu", n.op("Slice opset8", x, n.ints(0), end, n.ints(1), n.ints(1))))
	data, err := ir.NewTensor(ir.F32, 1, 2051)
	require.NoError(t, err)
	for _, disable := range [][]Optimization{nil, {FoldConstants}, {ComputeInF32}, Optimizations()} {
		got := inferred(t, compileNetwork(t, n, disable...).NewInferRequest(), data)
		assert.Equal(t, ir.Shape{1, 1026}, got.Shape(), "2051 is 2052 in f16, without %v", disable)
	}
}

// TestComputeInF32_noBorders has no f16 outside of the layers that compute in f32.
func TestComputeInF32_noBorders(t *testing.T) {
	n := &network{}
	x := n.op(`Range opset4 output_type="f16"`, n.ints32(0), n.typed("i32", ""), n.ints32(1))
	n.result(n.to("f32", n.op("Sqrt", x)))
	got := inferred(t, compileNetwork(t, n).NewInferRequest(), i32(t, ir.Shape{}, 4))
	assert.Equal(t, []float32{0, 1, math.Sqrt2, float32(math.Sqrt(3))}, ir.Data[float32](got), "not rounded to f16")
}
