package generate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// The sizes of the tiny model. Its tokens are bytes, and endOfText.
const (
	tinyVocabulary = 257
	endOfText      = 256
	tinyWidth      = 16
	tinyHeads      = 2
	tinyPositions  = 512
)

// tiny says what a language model is like that is built for a test: one attention of random
// weights.
type tiny struct {
	noBeams, noPositions bool
	halves               bool // the logits are f16
	capped               bool // the logits are limited, as Gemma's are
	hidden               bool // the product with the vocabulary cannot be found
	fixed                bool // the state is not one that grows
	extra                bool // there is an input of another name
	window               int  // a token sees this many at most, if it is not 0
	slopes               bool // scores are lower the farther a token is, as in MPT
	ramps                bool // the same, with numbers that grow with the tokens, as in BLOOM
	curved               bool // the same, but not in proportion
	sink                 bool // the softmax has a further term
	scaled               bool // positions are divided by the greatest one
	seed                 uint64
}

// tinyBuilder builds a tiny model.
type tinyBuilder struct {
	*edit.Builder
	rng *rand.Rand
}

func (b *tinyBuilder) weights(rows, columns int) edit.Source {
	return b.ConstantOf(normal(b.rng, rows, columns), rows, columns)
}

// positionTable returns the weights of positions. Those of a second half, which few texts reach,
// are not of b.rng, so that the other weights of the model do not depend on their number.
func (b *tinyBuilder) positionTable() edit.Source {
	first := normal(b.rng, tinyPositions/2, tinyWidth)
	second := normal(rand.New(rand.NewPCG(3, 4)), tinyPositions/2, tinyWidth)
	return b.ConstantOf(append(first, second...), tinyPositions, tinyWidth)
}

// normal returns random weights.
func normal(rng *rand.Rand, rows, columns int) []float32 {
	values := make([]float32, rows*columns)
	for i := range values {
		values[i] = float32(rng.NormFloat64() * 1.5 / math.Sqrt(float64(columns)))
	}
	return values
}

func (b *tinyBuilder) ints(values ...int64) edit.Source { return b.ConstantOf(values, len(values)) }

func (b *tinyBuilder) op(layerType string, opset int, attributes []string, inputs ...edit.Source) edit.Source {
	return b.Layer(layerType, opset, edit.Attributes(attributes...), inputs...)
}

// product multiplies the rows of x by new weights.
func (b *tinyBuilder) product(x edit.Source, rows, columns int) edit.Source {
	return b.op("MatMul", 1, []string{"transpose_a", "false", "transpose_b", "true"}, x, b.weights(rows, columns))
}

// heads makes heads of rows: [batch, positions, width] becomes [batch, heads, positions, columns].
func (b *tinyBuilder) heads(x edit.Source) edit.Source {
	x = b.op("Reshape", 1, []string{"special_zero", "true"}, x, b.ints(0, 0, tinyHeads, tinyWidth/tinyHeads))
	return b.op("Transpose", 1, nil, x, b.ints(0, 2, 1, 3))
}

// length returns the length of an axis, as i64[1].
func (b *tinyBuilder) length(x edit.Source, axis int64) edit.Source {
	shape := b.op("ShapeOf", 3, []string{"output_type", "i64"}, x)
	return b.op("Gather", 8, []string{"batch_dims", "0"}, shape, b.ints(axis), b.ConstantOf([]int64{0}, 1))
}

// scalar makes a scalar of i64[1].
func (b *tinyBuilder) scalar(x edit.Source) edit.Source { return b.op("Squeeze", 1, nil, x, b.ints(0)) }

// state appends rows to a variable.
func (b *tinyBuilder) state(id string, rows, beams edit.Source) edit.Source {
	variable := []string{"variable_id", id, "variable_type", "f32", "variable_shape", "?,2,?,8"}
	initial := b.op("Broadcast", 3, []string{"mode", "numpy"}, b.ConstantOf([]float32{0}, 1),
		b.op("Concat", 1, []string{"axis", "0"}, b.length(rows, 0), b.ints(tinyHeads, 0, tinyWidth/tinyHeads)))
	x := b.op("ReadValue", 6, variable, initial)
	if beams.Layer != nil {
		x = b.op("Gather", 8, []string{"batch_dims", "0"}, x, beams, b.ConstantOf([]int64{0}, 1))
	}
	x = b.op("Concat", 1, []string{"axis", "-2"}, x, rows)
	b.op("Assign", 6, []string{"variable_id", id}, x)
	return x
}

// build returns the model.
func (c tiny) build(t testing.TB) *ir.Model {
	t.Helper()
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	b := &tinyBuilder{edit.NewBuilder(background, registry, "tiny"), rand.New(rand.NewPCG(c.seed, 1))}
	text := ir.ShapeOf(ir.AnyDim, ir.AnyDim)
	ids, mask := b.Parameter("input_ids", ir.I64, text), b.Parameter("attention_mask", ir.I64, text)
	var beams edit.Source
	zero := b.ConstantOf([]int64{0}, 1)
	x := b.op("Gather", 8, []string{"batch_dims", "0"}, b.weights(tinyVocabulary, tinyWidth), ids, zero)
	if !c.noPositions {
		positions := b.Parameter("position_ids", ir.I64, text)
		if c.scaled {
			most := b.op("ReduceMax", 1, []string{"keep_dims", "false"}, positions, b.ints(0, 1))
			positions = b.op("Minimum", 1, nil, positions, most)
		}
		x = b.op("Add", 1, []string{"auto_broadcast", "numpy"}, x, b.op("Gather", 8, []string{"batch_dims", "0"}, b.positionTable(), positions, zero))
	}
	if !c.noBeams {
		beams = b.Parameter("beam_idx", ir.I32, ir.ShapeOf(ir.AnyDim))
	}
	if c.extra {
		x = b.op("Add", 1, []string{"auto_broadcast", "numpy"}, x, b.Parameter("token_type_ids", ir.F32, ir.StaticShape(1)))
	}
	query := b.heads(b.product(x, tinyWidth, tinyWidth))
	keys := b.state("k", b.heads(b.product(x, tinyWidth, tinyWidth)), beams)
	values := b.state("v", b.heads(b.product(x, tinyWidth, tinyWidth)), beams)
	// A token sees those before it, and no padding.
	total, one := b.length(mask, 1), b.ConstantOf(int64(1))
	begin := b.op("Subtract", 1, nil, b.scalar(total), b.scalar(b.length(ids, 1)))
	columns := b.op("Range", 4, []string{"output_type", "i64"}, b.ConstantOf(int64(0)), b.scalar(total), one)
	rows := b.op("Range", 4, []string{"output_type", "i64"}, begin, b.scalar(total), one)
	rows = b.op("Unsqueeze", 1, nil, rows, b.ints(1))
	causal := b.op("LessEqual", 1, nil, columns, rows)
	if c.window > 0 {
		causal = b.op("LogicalAnd", 1, nil, causal, b.op("Greater", 1, nil, columns, b.op("Subtract", 1, nil, rows, b.ConstantOf(int64(c.window)))))
	}
	real := b.op("Unsqueeze", 1, nil, b.op("Convert", 1, []string{"destination_type", "boolean"}, mask), b.ints(1, 2))
	sees := b.op("LogicalAnd", 1, nil, causal, real)
	if c.slopes || c.ramps || c.curved {
		distance := columns
		if !c.ramps {
			distance = b.op("Subtract", 1, nil, columns, rows)
		}
		distance = b.op("Convert", 1, []string{"destination_type", "f32"}, distance)
		if c.curved {
			distance = b.op("Multiply", 1, nil, distance, distance)
		}
		distance = b.op("Multiply", 1, nil, distance, b.ConstantOf([]float32{0.5, 0.0625}, 1, tinyHeads, 1, 1))
		sees = b.op("Select", 1, nil, sees, distance, b.ConstantOf(float32(math.Inf(-1))))
	}
	inputs := []edit.Source{query, keys, values, sees}
	if c.sink {
		inputs = append(inputs, b.ConstantOf(float32(0.3)), b.ConstantOf([]float32{1, -2}, 1, tinyHeads, 1, 1))
	}
	y := b.op("ScaledDotProductAttention", 13, []string{"causal", "false"}, inputs...)
	y = b.op("Reshape", 1, []string{"special_zero", "true"}, b.op("Transpose", 1, nil, y, b.ints(0, 2, 1, 3)), b.ints(0, 0, tinyWidth))
	x = b.op("Add", 1, nil, x, b.product(y, tinyWidth, tinyWidth))
	x = b.op("Add", 1, nil, x, b.product(b.op("Swish", 4, nil, b.product(x, 2*tinyWidth, tinyWidth)), tinyWidth, 2*tinyWidth))
	x = b.product(x, tinyVocabulary, tinyWidth)
	if c.capped {
		x = b.op("Multiply", 1, nil, b.op("Tanh", 1, nil, b.op("Divide", 1, nil, x, b.ConstantOf([]float32{30}, 1, 1, 1))), b.ConstantOf([]float32{30}, 1, 1, 1))
	}
	if c.hidden {
		x = b.op("Reshape", 1, []string{"special_zero", "true"}, x, b.ints(0, 0, tinyVocabulary))
	}
	if c.fixed {
		variable := []string{"variable_id", "last", "variable_type", "f32", "variable_shape", "?,?,257"}
		last := b.op("ReadValue", 6, variable, x)
		b.op("Assign", 6, []string{"variable_id", "last"}, x)
		first := b.op("Gather", 8, []string{"batch_dims", "0"}, last, b.ints(0), b.ConstantOf([]int64{1}, 1))
		x = b.op("Add", 1, nil, x, b.op("Multiply", 1, nil, first, b.ConstantOf([]float32{0}, 1)))
	}
	if c.halves {
		x = b.op("Convert", 1, []string{"destination_type", "f16"}, x)
	}
	b.Result("logits", x)
	model, err := b.Model()
	require.NoError(t, err)
	return model
}

// open returns the model, with a Config that byte 256 ends.
func (c tiny) open(t testing.TB) *Model {
	t.Helper()
	config := DefaultConfig()
	config.StopTokenIDs = []int32{endOfText}
	m, err := Options{Ops: builtin.Ops(), CompileOptions: plugin.CompileOptions{InferenceNumThreads: 1}}.New(background, c.build(t), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

// reference returns the logits of the last position of tokens, from a model without any state: each
// call begins anew.
func reference(t testing.TB, m *Model, tokens []int32) []float32 {
	t.Helper()
	steps := newSteps(m)
	require.NoError(t, steps.reset([]int{0}))
	logits, err := steps.run(background, tokens, []int32{0}, 1)
	require.NoError(t, err)
	return append([]float32(nil), logits...)
}

// greedy continues tokens by the definition of a greedy search.
func greedy(t testing.TB, m *Model, prompt []int32, n int) []int32 {
	t.Helper()
	tokens := append([]int32(nil), prompt...)
	for range n {
		next := argmax(reference(t, m, tokens))
		tokens = append(tokens, next)
		if next == endOfText {
			break
		}
	}
	return tokens[len(prompt):]
}
