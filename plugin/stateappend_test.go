package plugin

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
)

// textModel is the part of a text model that has states: an attention of 4 heads to keys and values
// of 2 heads, which are appended to those of the inferences before.
type textModel struct {
	network
	order, query, keys, values, initial port

	attention port
	columns   int // of queries, keys and values
}

// newTextModel adds the inputs, and the attention with the given states. Each state is made of the
// rows of an inference.
func newTextModel(state func(m *textModel, id string, rows port) port) *textModel {
	return textModelOf(3, func(m *textModel, id string, rows port) port { return m.repeated(state(m, id, rows)) })
}

// textModelOf is newTextModel for states whose heads are repeated, and for any number of columns.
func textModelOf(columns int, repeated func(m *textModel, id string, rows port) port) *textModel {
	m := &textModel{columns: columns}
	m.order = m.typed("i32", "?")
	heads := func(n int) port { return m.input(fmt.Sprintf("?,%d,?,%d", n, columns)) }
	m.query, m.keys, m.values = heads(4), heads(2), heads(2)
	batch := m.op(`Gather opset8 batch_dims="0"`, m.shapeOf(m.query), m.ints(0), m.ints(0))
	m.initial = m.op(`Broadcast opset3 mode="numpy"`, m.scalar(0), m.op(`Concat opset1 axis="0"`, batch, m.ints(2), m.ints(0), m.ints(int64(columns))))
	m.attention = m.op(`ScaledDotProductAttention opset13 causal="false"`, m.query, repeated(m, "k", m.keys), repeated(m, "v", m.values))
	m.result(m.attention)
	return m
}

func (m *textModel) shapeOf(x port) port { return m.op(`ShapeOf opset3 output_type="i64"`, x) }

// read adds the ReadValue of a state.
func (m *textModel) read(id string) port {
	return m.op(fmt.Sprintf(`ReadValue opset6 variable_id="%s" variable_type="f32" variable_shape="?,2,?,%d"`, id, m.columns), m.initial)
}

// reordered adds the Gather of a beam search.
func (m *textModel) reordered(x port) port {
	return m.op(`Gather opset8 batch_dims="0"`, x, m.order, m.ints(0))
}

// joined appends rows.
func (m *textModel) joined(x, rows port) port { return m.op(`Concat opset1 axis="-2"`, x, rows) }

// assign adds the Assign of a state.
func (m *textModel) assign(id string, x port) {
	m.layer("Assign", "opset6", fmt.Sprintf(`variable_id="%s"`, id), 1, x)
}

// state adds a state as converters write it.
func (m *textModel) state(id string, rows port) port {
	x := m.joined(m.reordered(m.read(id)), rows)
	m.assign(id, x)
	return x
}

// repeated repeats each head of a state for two heads of the query.
func (m *textModel) repeated(state port) port {
	apart := m.op("Unsqueeze", state, m.ints(2))
	target := m.op(`Concat opset1 axis="0"`, m.op(`Gather opset8 batch_dims="0"`, m.shapeOf(state), m.ints(0, 1), m.ints(0)), m.ints(2),
		m.op(`Gather opset8 batch_dims="0"`, m.shapeOf(state), m.ints(2, 3), m.ints(0)))
	return m.op(`Reshape opset1 special_zero="true"`, m.op(`Broadcast opset3 mode="bidirectional"`, apart, target), m.ints(0, 4, -1, int64(m.columns)))
}

// textRun is a request of a textModel.
type textRun struct {
	*InferRequest
	t       *testing.T
	columns int
}

func runText(t *testing.T, m *textModel, options Options, disable ...Optimization) *textRun {
	t.Helper()
	return runTextWith(t, m, options, CompileOptions{InferenceNumThreads: 2, Disable: disable})
}

func runTextWith(t *testing.T, m *textModel, options Options, how CompileOptions) *textRun {
	t.Helper()
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	compiled, err := NewCore(registry, options).CompileModel(background, m.model(t), how)
	require.NoError(t, err)
	t.Cleanup(compiled.Close)
	return &textRun{compiled.NewInferRequest(), t, m.columns}
}

// set sets the inputs for a number of rows and an order, to numbers that depend on seed.
func (r *textRun) set(seed uint64, rows int, order ...int32) {
	rng := rand.New(rand.NewPCG(seed, 3))
	tensor, err := ir.TensorOf(ir.I32, ir.Shape{len(order)}, order)
	require.NoError(r.t, err)
	require.NoError(r.t, r.SetInput(0, tensor))
	for i, heads := range []int{4, 2, 2} {
		values := make([]float32, len(order)*heads*rows*r.columns)
		for k := range values {
			values[k] = 4*rng.Float32() - 2
		}
		require.NoError(r.t, r.SetInput(1+i, f32(r.t, ir.Shape{len(order), heads, rows, r.columns}, values...)))
	}
}

// TestGrowStates compares texts of random batches, lengths and orders with those of copied states.
func TestGrowStates(t *testing.T) {
	m := newTextModel((*textModel).state)
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 4))
		got, want := runText(t, m, Options{}), runText(t, m, Options{}, GrowStates)
		assert.Contains(t, typesOf(got.compiled.program.Model), "AppendState AppendState Broadcast CachedAttention")
		assert.NotContains(t, typesOf(want.compiled.program.Model), "AppendState")
		batch := 0
		for step := range 40 {
			if batch == 0 || rng.IntN(15) == 0 {
				for _, r := range []*textRun{got, want} {
					for _, s := range r.QueryState() {
						require.NoError(t, s.Reset())
					}
				}
				batch = 1 + rng.IntN(3)
			}
			order := make([]int32, batch)
			for i := range order {
				order[i] = int32(i)
				if rng.IntN(4) == 0 {
					order[i] = int32(rng.IntN(2*batch) - batch)
				}
			}
			if step > 0 && rng.IntN(10) == 0 {
				order = append(order, 0)
			}
			rows := 1 + rng.IntN(3)
			if rng.IntN(3) == 0 {
				rows = rng.IntN(40)
			}
			got.set(uint64(step), rows, order...)
			want.set(uint64(step), rows, order...)
			err := got.Infer(background)
			if wantErr := want.Infer(background); wantErr != nil || err != nil {
				require.Equal(t, wantErr == nil, err == nil, "%v and %v", wantErr, err)
				continue // the initial value has the batch of the query, which an order can exceed
			}
			batch = len(order)
			for i := range got.compiled.Outputs() {
				require.Equal(t, want.Output(i).Shape(), got.Output(i).Shape())
				require.Equal(t, want.Output(i).Bytes(), got.Output(i).Bytes(), "seed %d, step %d, output %d", seed, step, i)
			}
			for i, s := range got.QueryState() {
				a, err := s.Get()
				require.NoError(t, err)
				b, err := want.QueryState()[i].Get()
				require.NoError(t, err)
				require.Equal(t, b.Shape(), a.Shape())
				require.Equal(t, b.Bytes(), a.Bytes(), "state %d", i)
				if rng.IntN(10) == 0 {
					require.NoError(t, s.Set(b))
				}
			}
		}
	}
}

// TestGrowStates_shapes reads the shapes of the state at each stage.
func TestGrowStates_shapes(t *testing.T) {
	build := func(t32 bool) *textModel {
		var shapes []port
		m := newTextModel(func(m *textModel, id string, rows port) port {
			read := m.read(id)
			reordered := m.reordered(read)
			x := m.joined(reordered, rows)
			m.assign(id, x)
			for _, p := range []port{read, reordered, x} {
				if t32 {
					shapes = append(shapes, m.op(`ShapeOf opset3 output_type="i32"`, p))
				} else {
					shapes = append(shapes, m.shapeOf(p))
				}
			}
			return x
		})
		for _, p := range shapes {
			m.result(p)
		}
		return m
	}
	for _, t32 := range []bool{false, true} {
		m := build(t32)
		got, want := runText(t, m, Options{}), runText(t, m, Options{}, Optimizations()...)
		assert.Contains(t, typesOf(got.compiled.program.Model), "AppendState AppendState")
		for step := range 5 {
			for _, r := range []*textRun{got, want} {
				order := []int32{1, 0}
				if step == 3 {
					order = []int32{1, 1, 0}
				}
				if step == 4 {
					order = []int32{2}
				}
				r.set(uint64(step), 2*step, order...)
				require.NoError(t, r.Infer(background))
			}
			for i := range got.compiled.Outputs() {
				require.Equal(t, want.Output(i).Shape(), got.Output(i).Shape())
				if i > 0 {
					require.Equal(t, want.Output(i).Bytes(), got.Output(i).Bytes(), "step %d, output %d", step, i)
				} else {
					compareFloats(t, want.Output(i), got.Output(i))
				}
			}
		}
	}
}

// TestGrowStates_inPlace appends rows one by one. The state keeps its memory while it has room, and
// the memory of the states before is given back.
func TestGrowStates_inPlace(t *testing.T) {
	r := runText(t, newTextModel((*textModel).state), Options{})
	r.set(1, 100, 0)
	require.NoError(t, r.Infer(background))
	r.set(2, 1, 0)
	values := func() (n int64) {
		for _, v := range r.variables {
			n += int64(len(v.Current.Bytes))
		}
		return n
	}
	moves, at, others := 0, &r.variables[0].Current.Bytes[0], r.shared.Budget.Used()-values()
	for range 400 {
		require.NoError(t, r.Infer(background))
		if now := &r.variables[0].Current.Bytes[0]; now != at {
			moves, at = moves+1, now
		}
	}
	assert.Equal(t, ir.Shape{1, 2, 500, 3}, r.variables[0].Shape())
	assert.LessOrEqual(t, moves, 8, "each time by a quarter")
	assert.LessOrEqual(t, values(), int64(2*500*2*3*4*5/4))
	assert.Less(t, r.shared.Budget.Used()-values()-others, int64(1<<14), "the scores of an attention, and no other value of a state")
	for _, b := range r.main.Bounds {
		for i, v := range b.Tensors {
			assert.False(t, v != nil && len(v.Bytes()) > 0 && &v.Bytes()[0] == at, "value %d refers to the memory of a state", i)
		}
	}
}

// TestGrowStates_fails has inferences that fail after the states were appended to: they stay as
// they were.
func TestGrowStates_fails(t *testing.T) {
	m := newTextModel((*textModel).state)
	got := runText(t, m, Options{})
	got.set(1, 5, 0, 1)
	require.NoError(t, got.Infer(background))
	states := func() (list []*ir.Tensor) {
		for _, s := range got.QueryState() {
			value, err := s.Get()
			require.NoError(t, err)
			list = append(list, value)
		}
		return list
	}
	before := states()
	cancelled, cancel := context.WithCancel(background)
	cancel()
	got.set(2, 1, 0, 1)
	assert.ErrorIs(t, got.Infer(cancelled), context.Canceled)
	assert.Equal(t, before, states())
	// two rows of values for one of keys
	require.NoError(t, got.SetInput(3, f32(t, ir.Shape{2, 2, 2, 3}, make([]float32, 24)...)))
	assert.ErrorContains(t, got.Infer(background), "value has shape [2,4,7,3], which does not fit query of shape [2,4,1,3] and key of shape [2,4,6,3]")
	assert.Equal(t, before, states())
	got.set(3, 1, 0, 1, 1)
	require.NoError(t, got.SetInput(0, must(ir.TensorOf(ir.I32, ir.Shape{2}, []int32{0, 1}))))
	assert.ErrorContains(t, got.Infer(background), "axis 0 of the rows that are appended has length 3, that of the value 2")
	assert.Equal(t, before, states())
	got.set(4, 1, 1, 0)
	require.NoError(t, got.Infer(background))
	assert.NotEqual(t, before, states())
}

// TestGrowStates_outside has orders with indices that are out of range: those texts are zeros, as
// Gather-8 makes them, whether states grow or not.
func TestGrowStates_outside(t *testing.T) {
	m := newTextModel((*textModel).state)
	got, want := runText(t, m, Options{}), runText(t, m, Options{}, GrowStates)
	assert.Contains(t, got.compiled.LayerTypes(), "AppendState")
	for seed, order := range [][]int32{{0, 1}, {0, 2}, {-2, -3}, {1, 1 << 30}} {
		for _, r := range []*textRun{got, want} {
			r.set(uint64(seed), 2, order...)
			require.NoError(t, r.Infer(background))
		}
		for i := range got.compiled.Outputs() {
			assert.Equal(t, want.Output(i).Shape(), got.Output(i).Shape())
			assert.InDeltaSlice(t, ir.Data[float32](want.Output(i)), ir.Data[float32](got.Output(i)), 1e-5, "order %v", order)
		}
	}
}

func must(t *ir.Tensor, err error) *ir.Tensor {
	if err != nil {
		panic(err)
	}
	return t
}

// TestGrowStates_limit appends until the memory of the request is used up: first the room is left
// out.
func TestGrowStates_limit(t *testing.T) {
	const limit = 1 << 16
	r := runText(t, newTextModel((*textModel).state), Options{MaxTotalBytes: limit})
	r.set(1, 64, 0)
	var err error
	for err == nil {
		err = r.Infer(background)
		require.LessOrEqual(t, r.shared.Budget.Used(), int64(limit))
	}
	assert.ErrorContains(t, err, "more than MaxTotalBytes, 65536")
	for _, s := range r.QueryState() {
		require.NoError(t, s.Reset())
	}
	require.NoError(t, r.Infer(background))
}

// TestGrowStates_near has models that are nearly, but not quite, what the pass changes.
func TestGrowStates_near(t *testing.T) {
	for name, state := range map[string]func(m *textModel, id string, rows port) port{
		"the state is an output": func(m *textModel, id string, rows port) port {
			x := m.state(id, rows)
			m.result(x)
			return x
		},
		"the old state is an output": func(m *textModel, id string, rows port) port {
			read := m.read(id)
			m.result(read)
			x := m.joined(m.reordered(read), rows)
			m.assign(id, x)
			return x
		},
		"the reordered state is an output": func(m *textModel, id string, rows port) port {
			reordered := m.reordered(m.read(id))
			m.result(reordered)
			x := m.joined(reordered, rows)
			m.assign(id, x)
			return x
		},
		"rows come first": func(m *textModel, id string, rows port) port {
			x := m.joined(rows, m.reordered(m.read(id)))
			m.assign(id, x)
			return x
		},
		"something else is assigned": func(m *textModel, id string, rows port) port {
			x := m.joined(m.reordered(m.read(id)), rows)
			m.assign(id, m.op("Relu", x))
			return x
		},
		"the state is read twice": func(m *textModel, id string, rows port) port {
			m.result(m.op("Relu", m.read(id)))
			return m.state(id, rows)
		},
		"heads are reordered": func(m *textModel, id string, rows port) port {
			x := m.joined(m.op(`Gather opset8 batch_dims="0"`, m.read(id), m.ints(1, 0), m.ints(1)), rows)
			m.assign(id, x)
			return x
		},
		"three parts": func(m *textModel, id string, rows port) port {
			x := m.op(`Concat opset1 axis="2"`, m.reordered(m.read(id)), rows, rows)
			m.assign(id, x)
			return x
		},
		"nothing is assigned": func(m *textModel, id string, rows port) port {
			return m.joined(m.reordered(m.read(id)), rows)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, changed := range []string{"k", "v", "kv"} {
				if len(changed) == 1 && (name == "three parts" || name == "nothing is assigned") {
					continue // keys and values would have other lengths
				}
				m := newTextModel(func(m *textModel, id string, rows port) port {
					if strings.Contains(changed, id) {
						return state(m, id, rows)
					}
					return m.state(id, rows)
				})
				got, want := runText(t, m, Options{}), runText(t, m, Options{}, Optimizations()...)
				assert.NotContains(t, typesOf(got.compiled.program.Model), "AppendState")
				for range 2 {
					for _, r := range []*textRun{got, want} {
						r.set(1, 2, 0, 1)
						require.NoError(t, r.Infer(background))
					}
					compareFloats(t, want.Output(0), got.Output(0))
				}
			}
		})
	}
}

// TestGrowStates_heads has Broadcasts that do more than to repeat heads, and one whose number of
// rows is not known to be that of the state.
func TestGrowStates_heads(t *testing.T) {
	for _, c := range []struct {
		name    string
		targets func(m *textModel, state port) []port
		grows   bool
	}{
		{"constants", func(m *textModel, _ port) []port { return []port{m.ints(1, 1, 2, 1, 1)} }, true},
		{"rows computed otherwise", func(m *textModel, state port) []port {
			rows := m.op("Add", m.op(`Gather opset8 batch_dims="0"`, m.shapeOf(state), m.ints(2), m.ints(0)), m.ints(0))
			return []port{m.op(`Gather opset8 batch_dims="0"`, m.shapeOf(state), m.ints(-4), m.ints(0)), m.ints(2, 2), rows, m.ints(3)}
		}, true},
		{"batch computed otherwise", func(m *textModel, state port) []port {
			batch := m.op("Add", m.op(`Gather opset8 batch_dims="0"`, m.shapeOf(state), m.ints(0), m.ints(0)), m.ints(0))
			return []port{batch, m.ints(2, 2, 1, 3)}
		}, false},
		{"the batch of another tensor", func(m *textModel, _ port) []port {
			return []port{m.op(`Gather opset8 batch_dims="0"`, m.shapeOf(m.query), m.ints(0), m.ints(0)), m.ints(2, 2, 1, 3)}
		}, false},
		{"the rows as batch", func(m *textModel, state port) []port {
			return []port{m.op(`Gather opset8 batch_dims="0"`, m.shapeOf(state), m.ints(2), m.ints(0)), m.ints(2, 2, 1, 3)}
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := textModelOf(3, func(m *textModel, id string, rows port) port {
				state := m.state(id, rows)
				target := m.op(`Concat opset1 axis="0"`, c.targets(m, state)...)
				all := m.op(`Broadcast opset3 mode="bidirectional"`, m.op("Unsqueeze", state, m.ints(2)), target)
				return m.op(`Reshape opset1 special_zero="true"`, all, m.ints(0, 4, -1, 3))
			})
			got, want := runText(t, m, Options{}), runText(t, m, Options{}, GrowStates)
			assert.Equal(t, c.grows, strings.Contains(typesOf(got.compiled.program.Model), "CachedAttention"))
			for range 2 {
				for _, r := range []*textRun{got, want} {
					r.set(1, 1, 1, 0)
					require.NoError(t, r.Infer(background))
				}
				require.Equal(t, want.Output(0).Bytes(), got.Output(0).Bytes())
			}
		})
	}
}

// TestGrowStates_truncate removes rows, and appends others, to states that grow and to copied ones.
func TestGrowStates_truncate(t *testing.T) {
	m := newTextModel((*textModel).state)
	for _, kv := range []ir.ElementType{ir.F32, ir.F16} {
		got, want := runTextWith(t, m, Options{}, CompileOptions{InferenceNumThreads: 1, KVCachePrecision: kv}), runText(t, m, Options{}, GrowStates)
		for step := range 30 {
			for _, r := range []*textRun{got, want} {
				r.set(uint64(step), 1+step%4, 0, 1)
				require.NoError(t, r.Infer(background))
			}
			x, y := ir.Data[float32](got.Output(0)), ir.Data[float32](want.Output(0))
			assert.InDeltaSlice(t, y, x, 1e-2)
			for i, s := range got.QueryState() {
				value, err := s.Get()
				require.NoError(t, err)
				rows := value.Shape()[2] * 2 / 3
				require.NoError(t, s.Truncate(2, rows))
				require.NoError(t, want.QueryState()[i].Truncate(2, rows))
				value, err = s.Get()
				require.NoError(t, err)
				assert.Equal(t, ir.Shape{2, 2, rows, 3}, value.Shape())
			}
		}
		assert.EqualError(t, got.QueryState()[0].Truncate(2, 1000), `variable "k": f32[2,2,4,3] does not have 1000 rows along axis 2`)
	}
}
