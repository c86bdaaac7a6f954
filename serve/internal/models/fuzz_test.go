package models_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/models"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// FuzzServer_Infer checks that a request of any names, types, shapes and parameters is computed or
// refused: an answer has the rows of the request, and an error is not a fault of the server.
func FuzzServer_Infer(f *testing.F) {
	f.Add([]byte{0, 8, 2, 1, 2}, "x", "y", "timeout", int64(0))
	f.Add([]byte{0, 8, 2, 3, 2, 1, 0, 0}, "x", "", "priority", int64(1))
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, "other", "z", "timeout", int64(-1))
	s := start(f, models.Options{Models: []models.Model{{
		Name: "m", FS: multiplied(f, 2), Config: []byte(`{"max_batch_size": 4, "dynamic_batching": {"priority_levels": 2}}`),
	}}})
	types := []ir.ElementType{ir.F32, ir.F16, ir.I64, ir.Boolean, ir.String, ir.U8, ir.I4}
	f.Fuzz(func(t *testing.T, data []byte, input, output, parameter string, value int64) {
		r := &oip.InferRequest{Model: "m", Parameters: map[string]any{parameter: value}}
		if output != "" {
			r.Outputs = []oip.RequestedOutput{{Name: output}}
		}
		for len(data) > 0 && len(r.Inputs) < 4 {
			elementType := types[int(data[0])%len(types)]
			data = data[1:]
			var shape ir.Shape
			for n := 2; n > 0 && len(data) > 0; n-- {
				shape = append(shape, int(data[0])%6)
				data = data[1:]
			}
			tensor, err := ir.NewTensor(elementType, shape...)
			require.NoError(t, err)
			r.Inputs = append(r.Inputs, oip.Input{Name: input, Tensor: tensor})
		}
		response, err := s.Infer(t.Context(), r)
		if err != nil {
			var e *oip.Error
			require.True(t, errors.As(err, &e))
			require.NotEqual(t, oip.Internal, e.Code, e.Text)
			return
		}
		defer response.Release()
		require.Equal(t, r.Inputs[0].Tensor.Shape(), response.Outputs[0].Tensor.Shape())
	})
}
