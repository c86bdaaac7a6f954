package builtin_test

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// stopCase is a layer that would compute for a minute or more, or for a second if its kernel is
// linear in its tensors. Its inputs are zeros, most of which are never read, so that they take
// little memory.
type stopCase struct {
	layerType, opset string
	attributes       layertest.Attributes
	inputs           []string // in the notation of layertest.Fact; those with a value are constant
}

var stopCases = map[string]stopCase{
	"Convolution f32":         {"Convolution", "opset1", windows, []string{"f32[1,8,1023,1023]", "f32[8,8,512,512]"}},
	"Convolution f64":         {"Convolution", "opset1", windows, []string{"f64[1,8,1023,1023]", "f64[8,8,512,512]"}},
	"Convolution f16":         {"Convolution", "opset1", windows, []string{"f16[1,8,1023,1023]", "f16[8,8,512,512]"}},
	"GroupConvolution f32":    {"GroupConvolution", "opset1", windows, []string{"f32[1,64,1023,1023]", "f32[64,1,1,512,512]"}},
	"GroupConvolution f64":    {"GroupConvolution", "opset1", windows, []string{"f64[1,64,1023,1023]", "f64[64,1,1,512,512]"}},
	"ConvolutionBackprop f32": {"ConvolutionBackpropData", "opset1", windows, []string{"f32[1,8,512,512]", "f32[8,8,512,512]"}},
	"ConvolutionBackprop f64": {"ConvolutionBackpropData", "opset1", windows, []string{"f64[1,8,512,512]", "f64[8,8,512,512]"}},
	"MatMul f32":              {"MatMul", "opset1", nil, []string{"f32[16384,16384]", "f32[16384,16384]"}},
	"MatMul f64":              {"MatMul", "opset1", nil, []string{"f64[8192,8192]", "f64[8192,8192]"}},
	"MatMul f16":              {"MatMul", "opset1", nil, []string{"f16[8192,8192]", "f16[8192,8192]"}},
	"MatMul deep":             {"MatMul", "opset1", nil, []string{"i32[1000,100000]", "i32[100000,1000]"}},
	"MatMul batches":          {"MatMul", "opset1", nil, []string{"f64[64,2048,2048]", "f64[64,2048,2048]"}},
	"MatMul narrow":           {"MatMul", "opset1", nil, []string{"i64[100000,30000]", "i64[30000,3]"}},
	"MaxPool i32":             {"MaxPool", "opset8", kernel512, []string{"i32[1,8,2048,2048]"}},
	"MaxPool f32":             {"MaxPool", "opset8", kernel512, []string{"f32[1,8,2048,2048]"}},
	"AvgPool f64":             {"AvgPool", "opset1", kernel512, []string{"f64[1,8,2048,2048]"}},
	"Tan":                     {"Tan", "opset1", nil, []string{"f64[268435456]"}},
	"LogSoftmax":              {"LogSoftmax", "opset5", layertest.Attributes{"axis", "0"}, []string{"f64[268435456]"}},
	"Convert nf4":             {"Convert", "opset1", layertest.Attributes{"destination_type", "nf4"}, []string{"f32[268435456]"}},
	"AdaptiveMaxPool":         {"AdaptiveMaxPool", "opset8", layertest.Attributes{"index_element_type", "i64"}, []string{"f64[1,1,268435456]", "i64[1]=1"}},
	"LRN":                     {"LRN", "opset1", layertest.Attributes{"alpha", "1", "beta", "0.75", "bias", "1", "size", "300001"}, []string{"f64[400000]", "i64[1]=0"}},
	"Attention f32":           {"ScaledDotProductAttention", "opset13", layertest.Attributes{"causal", "false"}, []string{"f32[8,100000,64]", "f32[8,100000,64]", "f32[8,100000,64]"}},
	"Attention f64":           {"ScaledDotProductAttention", "opset13", layertest.Attributes{"causal", "false"}, []string{"f64[8,50000,64]", "f64[8,50000,64]", "f64[8,50000,64]"}},
}

var (
	windows = layertest.Attributes{
		"strides", "1,1", "dilations", "1,1", "pads_begin", "0,0", "pads_end", "0,0", "auto_pad", "explicit",
	}
	kernel512 = layertest.Attributes{
		"strides", "1,1", "dilations", "1,1", "kernel", "512,512", "pads_begin", "0,0", "pads_end", "0,0", "auto_pad", "explicit",
		"rounding_type", "floor", "exclude-pad", "true", "index_element_type", "i64", "axis", "0",
	}
)

// TestStop checks that Infer ends soon after its deadline in the middle of a layer, and that the
// request can be used again.
func TestStop(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	worst := time.Duration(0)
	for name, c := range stopCases {
		for threads := 1; threads <= 2; threads++ {
			t.Run(fmt.Sprint(name, "/", threads), func(t *testing.T) {
				t.Cleanup(debug.FreeOSMemory) // the tensors of one case take up to some GiB
				request := c.request(t, threads)
				for run := range 2 {
					after := inferUntil(t, request, 20*time.Millisecond, name)
					require.Less(t, after, 20*time.Second)
					if run == 0 {
						continue // it allocates the memory of the request
					}
					if worst = max(worst, after); after > 50*time.Millisecond {
						t.Logf("%v after the deadline", after)
					}
				}
			})
		}
	}
	t.Logf("longest time after a deadline: %v", worst)
}

// request returns a request for a model of the layer alone, with inputs of zeros.
func (c *stopCase) request(t *testing.T, threads int) *plugin.InferRequest {
	t.Helper()
	g := c.graph(t)
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	core := plugin.NewCore(registry, plugin.Options{})
	compiled, err := core.CompileModel(context.Background(), &g.Model, plugin.CompileOptions{InferenceNumThreads: threads})
	require.NoError(t, err)
	t.Cleanup(compiled.Close)
	request := compiled.NewInferRequest()
	for i, port := range compiled.Inputs() {
		shape, err := port.Shape.Static()
		require.NoError(t, err)
		tensor, err := ir.NewTensor(port.Type, shape...)
		require.NoError(t, err)
		require.NoError(t, request.SetInput(i, tensor))
	}
	return request
}

// graph returns a model of the layer alone.
func (c *stopCase) graph(t testing.TB) *layertest.Graph {
	t.Helper()
	g := layertest.NewGraph(t)
	var from []*ir.Layer
	for _, text := range c.inputs {
		if strings.Contains(text, "=") {
			from = append(from, g.Constant(text))
		} else {
			from = append(from, g.Parameter(text))
		}
	}
	layer := g.Add(c.layerType, c.opset, c.attributes, from...)
	layer.Outputs = make([]ir.Output, max(outputCounts[c.layerType], 1))
	g.Add("Result", "opset1", nil, layer)
	return g
}

// inferUntil runs Infer until its deadline and returns the time that it took after it.
func inferUntil(t *testing.T, request *plugin.InferRequest, timeout time.Duration, name string) time.Duration {
	t.Helper()
	deadline := time.Now().Add(timeout)
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()
	err := request.Infer(ctx)
	assert.Equal(t, context.DeadlineExceeded, err, name)
	return time.Since(deadline)
}

func pools(kernel string) layertest.Attributes {
	return layertest.Attributes{
		"strides", "1,1", "kernel", kernel, "pads_begin", "0,0", "pads_end", "0,0", "auto_pad", "explicit",
		"rounding_type", "floor", "exclude-pad", "true",
	}
}

func poolsOf(kernel string) layertest.Attributes {
	return append(pools(kernel), "dilations", "1,1", "index_element_type", "i64", "axis", "0")
}

func interpolations(mode string) layertest.Attributes {
	return layertest.Attributes{"mode", mode, "shape_calculation_mode", "sizes"}
}
