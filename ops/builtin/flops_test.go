package builtin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// TestFlops checks that kernels whose work is not linear in the size of their tensors state it: the
// limit of constant folding depends on it.
func TestFlops(t *testing.T) {
	lrn := layertest.Attributes{"alpha", "1", "beta", "0.75", "bias", "1", "size", "5"}
	windows3 := layertest.Attributes{"strides", "1,1", "dilations", "1,1", "pads_begin", "0,0", "pads_end", "0,0"}
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	for _, c := range []struct {
		layerType, opset string
		attributes       layertest.Attributes
		want             float64
		inputs           []string
	}{
		{"AvgPool", "opset1", pools("3,2"), 2 * 8 * 9 * 6, []string{"f32[1,2,10,10]"}},
		{"AvgPool", "opset1", pools("3,2"), 2 * 8 * 9 * 6, []string{"f16[1,2,10,10]"}},
		{"MaxPool", "opset8", poolsOf("3,2"), 2 * 8 * 9 * 6, []string{"i8[1,2,10,10]"}},
		{"AdaptiveAvgPool", "opset8", nil, 2 * 10 * 13, []string{"f32[1,2,10,10]", "i64[2]=5,3"}},
		{"AdaptiveMaxPool", "opset8", layertest.Attributes{"index_element_type", "i64"}, 2 * 10 * 13, []string{"u8[1,2,10,10]", "i64[2]=5,3"}},
		{"LRN", "opset1", lrn, 200 * (4 + 5), []string{"f64[1,2,10,10]", "i64[1]=2"}},
		{"GroupedMatMul", "opset17", nil, 2 * 2 * 3 * 4 * 5, []string{"f32[2,3,5]", "f32[2,4,5]"}},
		{"Einsum", "opset7", layertest.Attributes{"equation", "ab,bc->ac"}, 2 * 4 * 5 * 6, []string{"f32[4,5]", "f32[5,6]"}},
		{"Inverse", "opset14", nil, 3 * 2 * 8 * 8 * 8, []string{"f32[3,8,8]"}},
		{"DFT", "opset7", nil, 3 * 5 * 16 * 4, []string{"f32[3,16,2]", "i64[1]=1"}},
		{"TopK", "opset11", layertest.Attributes{"axis", "0", "mode", "max", "sort", "value"}, 64 * 5, []string{"f32[64]", "i64[]=8"}},
		{"BinaryConvolution", "opset1", append(layertest.Attributes{"mode", "xnor-popcount", "pad_value", "0"}, windows3...), 2 * 5 * 16 * 2 * 9, []string{"f32[1,2,6,6]", "u1[5,2,3,3]"}},
		{"Interpolate", "opset11", interpolations("linear_onnx"), 2 * 2 * 2 * (20*10 + 20*20), []string{"f64[1,2,10,10]", "i64[2]=20,20", "i64[2]=2,3"}},
	} {
		g := layertest.NewGraph(t)
		in := &ops.Inference{Outputs: make([]ir.Fact, 1)}
		for _, text := range c.inputs {
			fact := layertest.Fact(t, text)
			if fact.Values != nil {
				fact.Tensor = g.Constant(text).Constant
			}
			in.Inputs = append(in.Inputs, fact)
		}
		in.Layer = g.Add(c.layerType, c.opset, c.attributes)
		in.Layer.Inputs = make([]ir.Input, len(c.inputs))
		n := max(outputCounts[c.layerType], 1)
		in.Layer.Outputs, in.Outputs = make([]ir.Output, n), make([]ir.Fact, n)
		op, err := registry.Op(in.Layer)
		require.NoError(t, err)
		single, err := ops.NewSingle(op, in, ops.SingleOptions{MaxScratchBytes: 1 << 30})
		require.NoError(t, err, c.layerType)
		assert.Equal(t, c.want, single.Prepared.Flops, "%s of %v", c.layerType, c.inputs)
	}
}
