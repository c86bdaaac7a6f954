package models_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// TestServer_reshape checks that clients see the shapes of the configuration, and the model its
// own.
func TestServer_reshape(t *testing.T) {
	pairs := func(b *edit.Builder) {
		x := b.Parameter("x", ir.F32, ir.ShapeOf(ir.AnyDim, ir.Dim(2), ir.AnyDim))
		b.Result("y", b.Layer("ReduceSum", 1, edit.Attributes("keep_dims", "true"), x, b.ConstantOf([]int64{1})))
	}
	for name, c := range map[string]struct {
		config     string
		shape      []int
		seen, want []int64
	}{
		"with rows": {
			`{"max_batch_size": 4, "input": [{"name": "x", "dims": [4], "reshape": {"shape": [2, 2]}}],
				"output": [{"name": "y", "dims": [2], "reshape": {"shape": [1, -1]}}]}`,
			[]int{1, 4}, []int64{-1, 4}, []int64{1, 2},
		},
		"without rows": {
			`{"input": [{"name": "x", "dims": [-1], "reshape": {"shape": [1, 2, -1]}}], "output": [{"name": "y", "dims": [-1], "reshape": {"shape": [1, 1, -1]}}]}`,
			[]int{4}, []int64{-1}, []int64{2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, pairs, c.config)
			metadata, err := s.ModelMetadata("m", "")
			require.NoError(t, err)
			require.Equal(t, c.seen, metadata.Inputs[0].Shape)
			response, err := s.Infer(t.Context(), &oip.InferRequest{Model: "m", Inputs: []oip.Input{
				{Name: "x", Tensor: tensorOf(t, []float32{1, 2, 30, 40}, c.shape...)},
			}})
			require.NoError(t, err)
			shape := response.Outputs[0].Tensor.Shape()
			require.Equal(t, c.want, int64s(shape))
			require.Equal(t, []float32{31, 42}, numbers(t, response))
		})
	}
	s := serve(t, pairs, `{"input": [{"name": "x", "dims": [-1], "reshape": {"shape": [1, 2, -1]}}]}`)
	_, err := s.Infer(t.Context(), &oip.InferRequest{Model: "m", Inputs: []oip.Input{{Name: "x", Tensor: tensorOf(t, []float32{1, 2, 3})}}})
	assertCode(t, err, oip.Malformed, "the shape [3] cannot become [1,2,?]: the numbers of elements are different")
}

func int64s(shape ir.Shape) []int64 {
	list := make([]int64, len(shape))
	for i, n := range shape {
		list[i] = int64(n)
	}
	return list
}
