package vinoir

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// remembering is a model that appends its input x, f32[?], to a variable, and returns all of it.
func remembering(t *testing.T) *Model {
	t.Helper()
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	b := edit.NewBuilder(context.Background(), registry, "remembering")
	variable := edit.Attributes("variable_id", "past", "variable_type", "f32", "variable_shape", "?")
	x := b.Parameter("x", ir.F32, ir.ShapeOf(ir.AnyDim))
	past := b.Layer("ReadValue", 6, variable, b.ConstantOf([]float32{}, 0))
	all := b.Layer("Concat", 1, edit.Attributes("axis", "0"), past, x)
	b.Layer("Assign", 6, variable[:1], all)
	b.Result("all", all)
	built, err := b.Model()
	require.NoError(t, err)
	model, err := Compile(built)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, model.Close()) })
	return model
}

// appended infers x and returns what the model remembers.
func appended(t *testing.T, s *Session, x ...float32) []float32 {
	t.Helper()
	tensor, err := ir.TensorFrom(x)
	require.NoError(t, err)
	outputs, err := s.Infer(context.Background(), Tensors{"x": tensor})
	require.NoError(t, err)
	return ir.Data[float32](outputs["all"])
}

func TestSession(t *testing.T) {
	model := remembering(t)
	s, other := model.NewSession(), model.NewSession()
	assert.Equal(t, []float32{1}, appended(t, s, 1))
	assert.Equal(t, []float32{1, 2, 3}, appended(t, s, 2, 3))
	assert.Equal(t, []float32{9}, appended(t, other, 9), "a session of its own")

	fork, err := s.Fork()
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 2, 3, 4}, appended(t, s, 4))
	assert.Equal(t, []float32{1, 2, 3, 5}, appended(t, fork, 5), "the fork does not see what came after it")

	require.NoError(t, s.Truncate(0, 2))
	assert.Equal(t, []float32{1, 2, 6}, appended(t, s, 6))
	assert.EqualError(t, s.Truncate(0, 4), `variable "past": f32[3] does not have 4 rows along axis 0`)

	require.NoError(t, s.Reset())
	fork, err = s.Fork()
	require.NoError(t, err, "without a value")
	assert.Equal(t, []float32{7}, appended(t, fork, 7))
	assert.Equal(t, []float32{8}, appended(t, s, 8))

	x, err := ir.TensorFrom([]float32{1, 2})
	require.NoError(t, err)
	for range 2 {
		outputs, err := model.Infer(context.Background(), Tensors{"x": x})
		require.NoError(t, err)
		assert.Equal(t, []float32{1, 2}, ir.Data[float32](outputs["all"]), "Model.Infer starts anew")
	}
}

// TestSession_concurrent has goroutines that share a Session: each number is remembered once.
func TestSession_concurrent(t *testing.T) {
	s := remembering(t).NewSession()
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() { appended(t, s, float32(i)) })
	}
	group.Wait()
	assert.ElementsMatch(t, []float32{0, 1, 2, 3, 4, 5, 6, 7, 8}, appended(t, s, 8))
}

func TestSession_closed(t *testing.T) {
	model := remembering(t)
	s := model.NewSession()
	require.NoError(t, model.Close())
	_, err := s.Infer(context.Background(), nil)
	require.ErrorIs(t, err, ErrClosed)
	_, err = s.Fork()
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, s.Reset(), ErrClosed)
	require.ErrorIs(t, s.Truncate(0, 0), ErrClosed)
}
