package models_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/models"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// second is a time for tests to wait for what must happen.
const second = time.Second

// addCase is the folder of a model with one input and one output, both a number of f64.
const addCase = "../../../testdata/ir/Add-1/f64"

func TestServer(t *testing.T) {
	s := start(t, models.Options{Models: []models.Model{{Name: "add", Path: addCase}}})
	require.True(t, s.Ready())
	require.Equal(t, []string{"add"}, s.Models())
	metadata, err := s.ModelMetadata("add", "")
	require.NoError(t, err)
	require.Equal(t, &oip.ModelMetadata{
		Name: "add", Versions: []string{"1"}, Platform: "openvino",
		Inputs:  []oip.Port{{Name: "in0", Datatype: "FP64", Shape: []int64{}}},
		Outputs: []oip.Port{{Name: "out0", Datatype: "FP64", Shape: []int64{}}},
	}, metadata)

	response, err := s.Infer(t.Context(), &oip.InferRequest{Model: "add", ID: "7", Inputs: []oip.Input{{Name: "in0", Tensor: tensorOf(t, 1.0)}}})
	require.NoError(t, err)
	defer response.Release()
	require.Equal(t, "7", response.ID)
	require.Equal(t, "out0", response.Outputs[0].Name)
	require.Equal(t, ir.F64, response.Outputs[0].Tensor.ElementType())
}

// tensorOf returns a tensor of Go values, as ir.TensorFrom does.
func tensorOf(t testing.TB, data any, shape ...int) *ir.Tensor {
	t.Helper()
	tensor, err := ir.TensorFrom(data, shape...)
	require.NoError(t, err)
	return tensor
}

// start returns a server that has loaded its models. The test closes it.
func start(t testing.TB, options models.Options) *models.Server {
	t.Helper()
	s, err := models.New(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	require.NoError(t, s.WaitStarted(t.Context()))
	return s
}
