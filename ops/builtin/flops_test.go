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

// TestFlops checks that kernels whose work is not linear in the size of their tensors state it: the limit
// of constant folding depends on it.
func TestFlops(t *testing.T) {
	lrn := layertest.Attributes{"alpha", "1", "beta", "0.75", "bias", "1", "size", "5"}
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
		if c.layerType == "MaxPool" || c.layerType == "AdaptiveMaxPool" {
			in.Layer.Outputs, in.Outputs = make([]ir.Output, 2), make([]ir.Fact, 2)
		}
		op, err := registry.Op(in.Layer)
		require.NoError(t, err)
		single, err := ops.NewSingle(op, in, ops.SingleOptions{MaxScratchBytes: 1 << 30})
		require.NoError(t, err, c.layerType)
		assert.Equal(t, c.want, single.Prepared.Flops, "%s of %v", c.layerType, c.inputs)
	}
}
