package subgraph

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// body is a body in Go.
type body func(inputs []*ir.Tensor) []*ir.Tensor

func (f body) Infer(inputs, outputs []*ir.Tensor) ([]*ir.Tensor, error) {
	results := f(inputs)
	for i, t := range results {
		if out := outputs[i]; out != nil && out.ElementType() == t.ElementType() && slices.Equal(out.Shape(), t.Shape()) {
			copy(out.Bytes(), t.Bytes())
			results[i] = out
		}
	}
	return results, nil
}

// iterated is a layer whose body has Parameters and Results of the given numbers.
type iterated struct {
	layer               ir.Layer
	parameters, results []*ir.Layer
	inputs              []*ir.Tensor
	outputs             []ir.Fact
}

func newIterated(parameters, results int) *iterated {
	l := &iterated{}
	model := &ir.Model{}
	for range parameters {
		l.parameters = append(l.parameters, &ir.Layer{Type: "Parameter", Opset: "opset1"})
	}
	for range results {
		l.results = append(l.results, &ir.Layer{Type: "Result", Opset: "opset1"})
	}
	model.Parameters, model.Results = l.parameters, l.results
	l.layer.Bodies = []ir.Body{{Model: model}}
	return l
}

func (l *iterated) body() *ir.Body { return &l.layer.Bodies[0] }

// input adds an input that feeds a Parameter.
func (l *iterated) input(t *ir.Tensor, parameter int, port ir.BodyPort) {
	port.External, port.Internal = len(l.inputs), l.parameters[parameter]
	l.inputs, l.body().Inputs = append(l.inputs, t), append(l.body().Inputs, port)
}

// output adds an output that a Result gives.
func (l *iterated) output(t testing.TB, fact string, result int, port ir.BodyPort) {
	port.External, port.Internal = len(l.outputs), l.results[result]
	l.outputs, l.body().Outputs = append(l.outputs, layertest.Fact(t, fact)), append(l.body().Outputs, port)
}

func (l *iterated) state(from, to int) {
	l.body().BackEdges = append(l.body().BackEdges, ir.BackEdge{From: l.results[from], To: l.parameters[to]})
}

// run runs the layer twice, since the second run uses the memory of the first.
func (l *iterated) run(t testing.TB, f body, trips int64, stop parallel.Stop) ([]*ir.Tensor, error) {
	t.Helper()
	p := &ops.Preparation{Layer: &l.layer, Outputs: l.outputs}
	for _, in := range l.inputs {
		p.Inputs = append(p.Inputs, ir.Fact{Type: in.ElementType(), Shape: in.Shape().Partial()})
	}
	it, err := NewIteration(p)
	if err != nil {
		return nil, err
	}
	r := &ops.Run{Inputs: l.inputs, Outputs: make([]*ir.Tensor, len(l.outputs)), Bodies: []ops.Body{f}, Stop: stop}
	r.Resize = func(output int, shape ir.Shape) error {
		if shape.Elements() > 1000 {
			return errors.New("over the limit")
		}
		var err error
		r.Outputs[output], err = ir.NewTensor(l.outputs[output].Type, shape...)
		return err
	}
	for range 2 {
		for i, f := range l.outputs {
			shape, err := f.Shape.Static()
			if err != nil {
				shape = ir.Shape{0}
			}
			r.Outputs[i], err = ir.NewTensor(f.Type, shape...)
			require.NoError(t, err)
		}
		if err = it.Run(r, trips); err != nil {
			return nil, err
		}
	}
	return r.Outputs, nil
}

func floats(t testing.TB, shape ir.Shape, values ...float64) *ir.Tensor {
	return layertest.Numbers(t, ir.F32, shape, values...)
}

// TestIteration_slices cuts an input forwards and another backwards, in parts of two, and joins the
// outputs in both directions.
func TestIteration_slices(t *testing.T) {
	for fact, outside := range map[string]string{
		"f32[2,6]": "iteration 0: part 3 of shape [2,2] does not fit an output of shape [2,6]",
		"f32[2,?]": "iteration 3: input 0: the part from 6 on of 2 elements is outside axis 1 of [2,6]",
	} {
		l := newIterated(2, 1)
		x := floats(t, ir.Shape{2, 6}, 0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15)
		l.input(x, 0, ir.BodyPort{Sliced: true, Axis: 1, End: -1, Stride: 2, PartSize: 2})
		l.input(x, 1, ir.BodyPort{Sliced: true, Axis: -1, Start: -1, Stride: -2, PartSize: 2})
		l.output(t, fact, 0, ir.BodyPort{Sliced: true, Axis: 1, Stride: 2, PartSize: 2})
		l.output(t, fact, 0, ir.BodyPort{Sliced: true, Axis: 1, Stride: -2, PartSize: 2})
		sum := func(in []*ir.Tensor) []*ir.Tensor {
			out := floats(t, ir.Shape{2, 2}, 0, 0, 0, 0)
			for i := range 4 {
				ir.Data[float32](out)[i] = 100*ir.Data[float32](in[0])[i] + ir.Data[float32](in[1])[i]
			}
			return []*ir.Tensor{out}
		}
		got, err := l.run(t, sum, 3, nil)
		require.NoError(t, err)
		assert.Equal(t, []float32{4, 105, 202, 303, 400, 501, 1014, 1115, 1212, 1313, 1410, 1511}, ir.Data[float32](got[0]), fact)
		assert.Equal(t, []float32{400, 501, 202, 303, 4, 105, 1410, 1511, 1212, 1313, 1014, 1115}, ir.Data[float32](got[1]), fact)
		_, err = l.run(t, sum, 4, nil)
		assert.EqualError(t, err, outside)
	}
}

// FuzzIteration has port maps of any numbers: the result is an output or an error.
func FuzzIteration(f *testing.F) {
	f.Add(int64(1), int64(0), int64(2), int64(2), int64(-2), int64(3), true)
	f.Fuzz(func(t *testing.T, axis, start, stride, size, back, trips int64, static bool) {
		l := newIterated(1, 1)
		x := layertest.Counted(t, ir.F32, 2, 6)
		l.input(x, 0, ir.BodyPort{Sliced: true, Axis: axis, Start: start, Stride: stride, PartSize: size})
		fact := "f32[2,?]"
		if static {
			fact = "f32[2,6]"
		}
		l.output(t, fact, 0, ir.BodyPort{Sliced: true, Axis: axis, Stride: back, PartSize: size})
		// without a limit, the loop may be endless
		_, _ = l.run(t, func(in []*ir.Tensor) []*ir.Tensor { return []*ir.Tensor{in[0]} }, max(trips%100, 0), nil)
	})
}

// TestIteration_states swaps two states, adds the number of the iteration to a third one, and ends
// by the condition.
func TestIteration_states(t *testing.T) {
	l := newIterated(4, 4)
	for i := range 3 {
		l.input(floats(t, ir.Shape{1}, float64(i+1)), i, ir.BodyPort{})
	}
	l.body().Inputs = append(l.body().Inputs, ir.BodyPort{External: -1, Internal: l.parameters[3], Purpose: "current_iteration"})
	l.body().Outputs = append(l.body().Outputs, ir.BodyPort{External: -1, Internal: l.results[3], Purpose: "execution_condition"})
	l.state(0, 0)
	l.state(1, 1)
	l.state(2, 2)
	for i := range 3 {
		l.output(t, "f32[1]", i, ir.BodyPort{})
	}
	swap := func(in []*ir.Tensor) []*ir.Tensor {
		n := ir.Data[int64](in[3])[0]
		goesOn, err := ir.NewTensor(ir.Boolean)
		require.NoError(t, err)
		if n < 4 {
			goesOn.Bytes()[0] = 1
		}
		return []*ir.Tensor{in[1], in[0], floats(t, ir.Shape{1}, float64(ir.Data[float32](in[2])[0]+float32(n))), goesOn}
	}
	for trips, want := range map[int64][]float32{-1: {2, 1, 13}, 9: {2, 1, 13}, 2: {1, 2, 4}, 1: {2, 1, 3}, 0: {1, 2, 3}} {
		got, err := l.run(t, swap, trips, nil)
		require.NoError(t, err)
		for i, v := range want {
			assert.Equal(t, []float32{v}, ir.Data[float32](got[i]), "%d trips, output %d", trips, i)
		}
	}
}

// TestIteration_endless ends by a stop, or by the limit of memory for the joined output.
func TestIteration_endless(t *testing.T) {
	one := func([]*ir.Tensor) []*ir.Tensor { return []*ir.Tensor{floats(t, ir.Shape{1}, 1)} }
	l := newIterated(0, 1)
	l.output(t, "f32[?]", 0, ir.BodyPort{Sliced: true, Stride: 1, PartSize: 1})
	_, err := l.run(t, one, -1, nil)
	assert.ErrorContains(t, err, "over the limit")

	l = newIterated(0, 1)
	l.output(t, "f32[1]", 0, ir.BodyPort{})
	stop, n := make(chan struct{}), 0
	_, err = l.run(t, func(in []*ir.Tensor) []*ir.Tensor {
		if n++; n == 100 {
			close(stop)
		}
		return one(in)
	}, -1, stop)
	assert.ErrorIs(t, err, parallel.ErrStopped)
	assert.Equal(t, 100, n)
}

// TestIteration_grows has a state that grows, which an output of any shape takes and one of a fixed
// shape refuses.
func TestIteration_grows(t *testing.T) {
	grow := func(in []*ir.Tensor) []*ir.Tensor {
		return []*ir.Tensor{floats(t, ir.Shape{in[0].Len() + 1}, make([]float64, in[0].Len()+1)...)}
	}
	for fact, want := range map[string]string{"f32[?]": "", "f32[1]": "output 0 has shape [3] after the last iteration, inference found [1]"} {
		l := newIterated(1, 1)
		l.input(floats(t, ir.Shape{0}), 0, ir.BodyPort{})
		l.state(0, 0)
		l.output(t, fact, 0, ir.BodyPort{})
		got, err := l.run(t, grow, 3, nil)
		if want != "" {
			assert.EqualError(t, err, want)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, ir.Shape{3}, got[0].Shape())
	}
	l := newIterated(1, 1)
	l.input(floats(t, ir.Shape{0}), 0, ir.BodyPort{})
	l.state(0, 0)
	l.output(t, "f32[?]", 0, ir.BodyPort{Sliced: true, Stride: 1, PartSize: 1})
	_, err := l.run(t, grow, 3, nil)
	assert.EqualError(t, err, "iteration 1: the part for output 0 has shape [2], in the iterations before [1]")
}

// TestIteration_never has no iteration.
func TestIteration_never(t *testing.T) {
	one := func([]*ir.Tensor) []*ir.Tensor { return []*ir.Tensor{floats(t, ir.Shape{1}, 1)} }
	l := newIterated(0, 1)
	l.output(t, "f32[?]", 0, ir.BodyPort{Sliced: true, Stride: 1, PartSize: 1})
	got, err := l.run(t, one, 0, nil)
	require.NoError(t, err)
	assert.Zero(t, got[0].Len())
	l.output(t, "f32[1]", 0, ir.BodyPort{})
	_, err = l.run(t, one, 0, nil)
	assert.EqualError(t, err, "output 1 has no value, since the body did not run")

	// Outputs are as long as inference knows, and 0 otherwise; those of states have the initial
	// value.
	l = newIterated(1, 2)
	l.input(floats(t, ir.Shape{1, 2}, 3, 4), 0, ir.BodyPort{})
	l.state(0, 0)
	for i, fact := range []string{"f32[?,2]", "f32[?,?]", "f32[3,?]", "f32[...]"} {
		l.output(t, fact, i%2, ir.BodyPort{Sliced: i > 1, Axis: -1, Stride: 1, PartSize: 1})
	}
	got, err = l.run(t, one, 0, nil)
	require.NoError(t, err)
	assert.Equal(t, []float32{3, 4}, ir.Data[float32](got[0]))
	for i, want := range []ir.Shape{{1, 2}, {0, 0}, {3, 0}, {0}} {
		assert.Equal(t, want, got[i].Shape())
	}
}

// TestIteration_types has a state whose type is not the one that inference found.
func TestIteration_types(t *testing.T) {
	l := newIterated(0, 1)
	l.output(t, "f16[?]", 0, ir.BodyPort{})
	_, err := l.run(t, func([]*ir.Tensor) []*ir.Tensor { return []*ir.Tensor{floats(t, ir.Shape{1}, 1)} }, 1, nil)
	assert.EqualError(t, err, "output 0 has type f32 after the last iteration, inference found f16")
}

// TestNewIteration_refuses has port maps that lack something.
func TestNewIteration_refuses(t *testing.T) {
	l := newIterated(1, 1)
	_, err := l.run(t, nil, 1, nil)
	assert.ErrorContains(t, err, "no input of the layer feeds")
	l = newIterated(0, 1)
	l.outputs = append(l.outputs, layertest.Fact(t, "f32[1]"))
	_, err = l.run(t, nil, 1, nil)
	assert.EqualError(t, err, "no Result gives output 0 of the layer")
	l = newIterated(0, 0)
	l.body().BackEdges = []ir.BackEdge{{From: &ir.Layer{}, To: &ir.Layer{}}}
	_, err = l.run(t, nil, 1, nil)
	assert.ErrorContains(t, err, "which is no Result of the body")
	l = newIterated(0, 0)
	l.layer.Bodies = nil
	_, err = l.run(t, nil, 1, nil)
	assert.EqualError(t, err, "the layer has no body")
}
