package variable

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// stored is a variable whose value Assign replaces at once.
type stored struct{ value *ir.Tensor }

func (s *stored) Value() (*ir.Tensor, error) { return s.value, nil }
func (s *stored) Shape() ir.Shape {
	if s.value == nil {
		return nil
	}
	return s.value.Shape()
}
func (s *stored) Append(parallel.Stop, ops.Append) (ops.Grown, error) {
	return ops.Grown{}, assert.AnError
}
func (s *stored) Assign(_ parallel.Stop, t *ir.Tensor) error {
	s.value = t
	return nil
}

// run prepares a layer of variable "b", the second of two, whose output has the given fact, and
// runs it.
func run(t *testing.T, name string, v *stored, fact ir.Fact, inputs ...*ir.Tensor) (*ir.Tensor, error) {
	t.Helper()
	op := layertest.FindType(t, Ops, name)
	prepared, err := op.PrepareKernel(&ops.Preparation{
		Attributes: attributes{id: "b"}, Inputs: ops.FactsOf(inputs), Outputs: []ir.Fact{fact}, Variables: map[string]int{"a": 0, "b": 1},
	}, 0)
	if err != nil {
		return nil, err
	}
	r := &ops.Run{Inputs: inputs, Outputs: make([]*ir.Tensor, 1), Variables: []ops.Variable{&stored{}, v}}
	r.Resize = func(_ int, shape ir.Shape) (err error) {
		if r.Outputs[0] != nil {
			return ops.CheckResize(r.Outputs[0], shape)
		}
		r.Outputs[0], err = ir.NewTensor(fact.Type, shape...)
		return err
	}
	if shape, err := fact.Shape.Static(); err == nil {
		require.NoError(t, r.Resize(0, shape))
	}
	return r.Outputs[0], prepared.Kernel(r)
}

func TestKernels(t *testing.T) {
	for _, elementType := range layertest.Types() {
		value, initial := layertest.Counted(t, elementType, 3, 2), layertest.Counted(t, elementType, 3, 2)
		output := ir.Fact{Type: elementType, Shape: ir.StaticShape(3, 2)}
		got, err := run(t, "ReadValue-6", &stored{value}, output, initial)
		require.NoError(t, err)
		assert.Equal(t, layertest.Elements(value), layertest.Elements(got), elementType)
		got, err = run(t, "ReadValue-3", &stored{}, output, initial)
		require.NoError(t, err)
		assert.Equal(t, layertest.Elements(initial), layertest.Elements(got), elementType)
		v := new(stored)
		got, err = run(t, "Assign-6", v, output, value)
		require.NoError(t, err)
		assert.Equal(t, layertest.Elements(value), layertest.Elements(got), elementType)
		assert.Same(t, value, v.value)
	}
}

// TestZeros reads a variable that has neither a value nor an initial value.
func TestZeros(t *testing.T) {
	for output, want := range map[string]ir.Shape{"f32[2,3]": {2, 3}, "f32[?,3]": {0, 3}, "f32[2..4]": {0}, "string[2]": {2}} {
		got, err := run(t, "ReadValue-6", &stored{}, layertest.Fact(t, output))
		require.NoError(t, err)
		assert.Equal(t, want, got.Shape(), output)
		for _, element := range layertest.Elements(got) {
			assert.Empty(t, strings.Trim(element, "\x00"))
		}
	}
}

func TestRefused(t *testing.T) {
	data := layertest.Counted(t, ir.F32, 2)
	_, err := run(t, "ReadValue-3", &stored{layertest.Counted(t, ir.F32, 3)}, layertest.Fact(t, "f32[2]"), data)
	assert.ErrorContains(t, err, "the value is f32[3], the layer returns f32[2]")
	_, err = run(t, "ReadValue-6", &stored{layertest.Counted(t, ir.I32, 2)}, layertest.Fact(t, "f32[?]"))
	assert.ErrorContains(t, err, "the value is i32[2], the layer returns f32[?]")
	_, err = layertest.Run(layertest.FindType(t, Ops, "Assign-6"), layertest.Attributes{"variable_id", "v"}, 1, data)
	assert.ErrorContains(t, err, `there is no variable "v" outside of a model`)
}
