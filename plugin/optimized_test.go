package plugin_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// Weights that are stored as f16 become f32, and a scale becomes part of them.
func ExampleCore_Optimize() {
	ctx := context.Background()
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		log.Fatal(err)
	}
	b := edit.NewBuilder(ctx, registry, "dense")
	x := b.Parameter("x", ir.F32, ir.StaticShape(1, 2))
	half, err := ir.NewTensor(ir.F16, 2, 2)
	if err != nil {
		log.Fatal(err)
	}
	for i := range 4 {
		half.SetValue(i, float64(i))
	}
	weights := b.Layer("Convert", 1, edit.Attributes("destination_type", "f32"), b.Constant(half))
	product := b.Layer("MatMul", 1, edit.Attributes("transpose_a", "false", "transpose_b", "false"), x, weights)
	b.Result("y", b.Layer("Multiply", 1, edit.Attributes("auto_broadcast", "numpy"), product, b.ConstantOf(float32(2))))
	model, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}

	core := plugin.NewCore(registry, plugin.Options{})
	for _, options := range []plugin.CompileOptions{
		{Disable: plugin.AllBut(plugin.FoldConstants)},
		{Disable: plugin.PrivateOptimizations()}, // OpenVINO can read the result
	} {
		optimized, err := core.Optimize(ctx, model, options)
		if err != nil {
			log.Fatal(err)
		}
		var types []string
		for _, layer := range optimized.Order {
			types = append(types, layer.Type)
		}
		fmt.Println(types)
	}
	fmt.Println(len(model.Order))
	// Output:
	// [Parameter Constant MatMul Constant Multiply Result]
	// [Parameter Constant MatMul Result]
	// 7
}

func ExampleAllBut() {
	fmt.Println(len(plugin.Optimizations())-len(plugin.AllBut(plugin.FoldConstants)), slices.Contains(plugin.AllBut(plugin.FoldConstants), plugin.MergeEqual))
	// Output: 1 true
}

func ExamplePrivateOptimizations() {
	fmt.Println(plugin.PrivateOptimizations())
	// Output: [ComputeInIntegers KeepCompressed GrowStates]
}

// TestOptimize optimizes models, and compares what they compute.
func TestOptimize(t *testing.T) {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	core := plugin.NewCore(registry, plugin.Options{})
	var paths []string
	for _, pattern := range []string{"../examples/*/model.xml", "../testdata/ir/*/*/model.xml", "../ir/edit/testdata/preprocess/*.xml"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		paths = append(paths, found...)
	}
	if corpus := os.Getenv("VINOIR_CORPUS"); corpus != "" {
		found, err := filepath.Glob(filepath.Join(corpus, "zoo", "*", "model.xml"))
		require.NoError(t, err)
		paths = append(paths, found...)
	}
	compared := 0
	for _, path := range paths {
		m, err := irxml.ReadFile(path, irxml.ReadOptions{})
		if err != nil {
			continue
		}
		for _, disabled := range [][]plugin.Optimization{nil, plugin.PrivateOptimizations(), plugin.AllBut(plugin.FoldConstants)} {
			options := plugin.CompileOptions{Disable: disabled, InferenceNumThreads: 1}
			optimized, err := core.Optimize(t.Context(), m, options)
			if err != nil {
				_, compileErr := core.CompileModel(t.Context(), m, options)
				require.Error(t, compileErr, path)
				break
			}
			compared++
			require.NoError(t, edit.Check(optimized), path)
			require.Len(t, optimized.Layers, len(optimized.Order))
			checkPorts(t, path, optimized, disabled != nil)
			if disabled == nil || strings.Contains(path, "Random") || strings.Contains(path, "Multinomial") {
				continue
			}
			want, wantErr := fill(t, core, m)
			got, gotErr := fill(t, core, optimized)
			require.Equal(t, wantErr == nil, gotErr == nil, "%s: %v %v", path, wantErr, gotErr)
			for i := range want {
				requireNear(t, want[i], got[i], path)
			}
		}
	}
	assert.Greater(t, compared, 100)
}

// checkPorts checks that all ports of m have a type and a shape, and that private layers are only
// in it if they may be.
func checkPorts(t *testing.T, path string, m *ir.Model, public bool) {
	for layer := range m.AllLayers() {
		if public {
			assert.NotEqual(t, "vinoir", layer.Opset, "%s: %v", path, layer)
		}
		if layer.Owner != nil {
			continue
		}
		for _, in := range layer.Inputs {
			require.Equal(t, in.Source.Outputs[in.SourceIndex].DeclaredType, in.DeclaredType, "%s: %v", path, layer)
		}
		if layer.Constant != nil {
			require.Equal(t, layer.Constant.Shape().Partial().String(), layer.Outputs[0].Declared.String())
			require.Len(t, layer.Constant.Bytes(), byteSize(t, layer.Constant))
		}
	}
	for _, r := range m.Results {
		if r.Inputs[0].Source.Type == "Parameter" {
			continue
		}
		require.Subset(t, r.Inputs[0].Source.Outputs[r.Inputs[0].SourceIndex].Names, r.OutputNames, path)
	}
}

func byteSize(t *testing.T, tensor *ir.Tensor) int {
	if tensor.ElementType() == ir.String {
		return len(tensor.Bytes())
	}
	n, err := ir.ByteSize(tensor.ElementType(), tensor.Shape())
	require.NoError(t, err)
	return n
}

// fill runs m on numbers from 0 to 1, or ones for integers, with 1 for unknown lengths.
func fill(t *testing.T, core *plugin.Core, m *ir.Model) ([]*ir.Tensor, error) {
	compiled, err := core.CompileModel(t.Context(), m, plugin.CompileOptions{InferenceNumThreads: 1})
	if err != nil {
		return nil, err
	}
	defer compiled.Close()
	request := compiled.NewInferRequest()
	for i, port := range compiled.Inputs() {
		var shape ir.Shape
		for _, d := range port.Shape.Dims() {
			shape = append(shape, int(max(d.Min, 1)))
		}
		tensor, err := ir.NewTensor(port.Type, shape...)
		require.NoError(t, err)
		for k := range tensor.Len() {
			if port.Type.IsFloat() {
				tensor.SetValue(k, float64(k%13)/13)
			} else if port.Type != ir.String {
				tensor.SetValue(k, 1)
			}
		}
		if err := request.SetInput(i, tensor); err != nil {
			return nil, err
		}
	}
	if err := request.Infer(t.Context()); err != nil {
		return nil, err
	}
	var outputs []*ir.Tensor
	for i := range compiled.Outputs() {
		output, err := request.Output(i).Clone()
		require.NoError(t, err)
		outputs = append(outputs, output)
	}
	return outputs, nil
}

// requireNear compares two outputs.
func requireNear(t *testing.T, want, got *ir.Tensor, path string) {
	require.Equal(t, want.ElementType(), got.ElementType(), path)
	require.Equal(t, want.Shape(), got.Shape(), path)
	if want.ElementType() == ir.String {
		require.Equal(t, want.Strings(), got.Strings(), path)
		return
	}
	a, b := want.Values(), got.Values()
	for i := range want.Len() {
		if x, y := a(i), b(i); x == x && y == y { // else NaN
			require.InDelta(t, x, y, 1e-3+1e-3*max(x, -x), "%s: element %d", path, i)
		}
	}
}
