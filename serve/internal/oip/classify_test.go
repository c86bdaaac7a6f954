package oip_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// configured is a service with a model that has the given configuration.
type configured struct {
	oip.Service
	config *oip.ModelConfig
}

func (c configured) ModelConfig(string, string) (*oip.ModelConfig, error) {
	if c.config == nil {
		return nil, oip.Errorf(oip.NotFound, "gone")
	}
	return c.config, nil
}

// classify asks for classes of the output y, which is data.
func classify(count any, rows bool, data *ir.Tensor) (*ir.Tensor, error) {
	service := configured{config: new(oip.ModelConfig)}
	if rows {
		service.config.MaxBatchSize = 8
	}
	request := &oip.InferRequest{Outputs: []oip.RequestedOutput{
		{Name: "x"}, {Name: "y", Parameters: map[string]any{oip.ParameterClassification: count}},
	}}
	outputs := []oip.Output{{Name: "x", Tensor: data}, {Name: "y", Tensor: data}}
	response := &oip.InferResponse{Outputs: outputs}
	err := oip.Classify(service, request, response)
	if response.Outputs[0].Tensor != data || outputs[1].Tensor != data {
		panic("changed what was not asked for")
	}
	return response.Outputs[1].Tensor, err
}

func TestClassify(t *testing.T) {
	data, err := ir.TensorFrom([]float32{0.5, 3, -1, 7, 7, 0.25}, 2, 3)
	require.NoError(t, err)
	for _, c := range []struct {
		count int64
		rows  bool
		shape ir.Shape
		want  []string
	}{
		{2, false, ir.Shape{2}, []string{"7.000000:3", "7.000000:4"}},
		{2, true, ir.Shape{2, 2}, []string{"3.000000:1", "0.500000:0", "7.000000:0", "7.000000:1"}},
		{1 << 40, true, ir.Shape{2, 3}, []string{"3.000000:1", "0.500000:0", "-1.000000:2", "7.000000:0", "7.000000:1", "0.250000:2"}},
	} {
		got, err := classify(c.count, c.rows, data)
		require.NoError(t, err)
		require.Equal(t, c.shape, got.Shape())
		require.Equal(t, c.want, got.Strings())
	}
	scalar, err := ir.TensorOf(ir.I32, ir.Shape{}, []int32{4})
	require.NoError(t, err)
	got, err := classify(int64(3), true, scalar)
	require.NoError(t, err)
	require.Equal(t, []string{"4.000000:0"}, got.Strings())
	empty, err := ir.NewTensor(ir.F32, 0, 3)
	require.NoError(t, err)
	got, err = classify(int64(3), true, empty)
	require.NoError(t, err)
	require.Equal(t, ir.Shape{0, 3}, got.Shape())
}

func TestClassify_errors(t *testing.T) {
	data, err := ir.TensorFrom([]float32{1})
	require.NoError(t, err)
	for _, count := range []any{int64(0), "1", true} {
		_, err = classify(count, false, data)
		require.ErrorContains(t, err, `output "y": the parameter classification is`)
		require.Equal(t, oip.Malformed, code(err))
	}
	request := &oip.InferRequest{Outputs: []oip.RequestedOutput{{Name: "y"}}}
	require.NoError(t, oip.Classify(configured{}, request, new(oip.InferResponse)))
	request.Outputs[0].Parameters = map[string]any{oip.ParameterClassification: int64(1)}
	require.EqualError(t, oip.Classify(configured{}, request, new(oip.InferResponse)), "gone")
	texts, err := ir.StringTensor(ir.Shape{1}, []string{"a"})
	require.NoError(t, err)
	_, err = classify(int64(1), false, texts)
	require.ErrorContains(t, err, `output "y": texts have no classes`)
}
