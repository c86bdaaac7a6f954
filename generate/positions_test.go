package generate

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// TestCountPositions has tables that are read in different ways.
func TestCountPositions(t *testing.T) {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		indices func(b *tinyBuilder, positions edit.Source) edit.Source
		axis    int64
		want    int
	}{
		"as they are": {func(_ *tinyBuilder, p edit.Source) edit.Source { return p }, 0, 20},
		"two more":    {func(b *tinyBuilder, p edit.Source) edit.Source { return b.op("Add", 1, nil, p, b.ints(2)) }, 0, 18},
		"on the left": {func(b *tinyBuilder, p edit.Source) edit.Source { return b.op("Add", 1, nil, b.ints(2), p) }, 0, 18},
		"another shape and type": {func(b *tinyBuilder, p edit.Source) edit.Source {
			p = b.op("Reshape", 1, []string{"special_zero", "false"}, p, b.ints(-1))
			return b.op("Convert", 1, []string{"destination_type", "i32"}, b.op("Unsqueeze", 1, nil, p, b.ints(0)))
		}, 0, 20},
		"all beyond":    {func(b *tinyBuilder, p edit.Source) edit.Source { return b.op("Add", 1, nil, p, b.ints(30)) }, 0, 0},
		"two of them":   {func(b *tinyBuilder, p edit.Source) edit.Source { return b.op("Add", 1, nil, p, p) }, 0, 0},
		"several added": {func(b *tinyBuilder, p edit.Source) edit.Source { return b.op("Add", 1, nil, p, b.ints(2, 3)) }, 0, 0},
		"other values":  {func(b *tinyBuilder, p edit.Source) edit.Source { return b.op("Abs", 1, nil, p) }, 0, 0},
		"another axis":  {func(_ *tinyBuilder, p edit.Source) edit.Source { return p }, 1, 0},
	} {
		b := &tinyBuilder{Builder: edit.NewBuilder(background, registry, "positions")}
		positions := b.Parameter("position_ids", ir.I64, ir.ShapeOf(ir.AnyDim, ir.AnyDim))
		for _, rows := range []int{20, 30} {
			table := b.ConstantOf(make([]float32, rows*40), rows, 40)
			b.Result("", b.op("Gather", 8, []string{"batch_dims", "0"}, table, c.indices(b, positions), b.ints(c.axis)))
		}
		m, err := b.Model()
		require.NoError(t, err, name)
		shapes, err := infer.Propagate(background, m, registry, nil)
		require.NoError(t, err)
		assert.Equal(t, c.want, countPositions(m, shapes), name)
	}
}

// TestModel_MaxPositions has prompts and answers that reach the end of the positions, or would go
// beyond it.
func TestModel_MaxPositions(t *testing.T) {
	m := tiny{}.open(t)
	require.Equal(t, tinyPositions, m.MaxPositions())
	assert.Zero(t, tiny{noPositions: true}.open(t).MaxPositions())
	prompt := make([]int32, tinyPositions)
	endless := limited(m, 1<<20)
	endless.IgnoreEOS = true
	e := newEngine(t, m, nil, EngineOptions{})
	for _, n := range []int{tinyPositions - 7, tinyPositions} {
		results, err := m.NewSession().Generate(background, [][]int32{prompt[:n]}, endless)
		require.NoError(t, err)
		got, err := e.Generate(background, Prompt{Tokens: prompt[:n]}, endless)
		require.NoError(t, err)
		guessed := endless
		guessed.NumAssistantTokens = 5
		assisted, err := m.NewAssistedSession(m).Generate(background, [][]int32{prompt[:n]}, guessed)
		require.NoError(t, err)
		for _, result := range []Result{results[0], got, assisted[0]} {
			assert.Len(t, result.Sequences[0].Tokens, tinyPositions-n+1)
			assert.Equal(t, FinishLength, result.Sequences[0].Finish)
		}
	}
	beams := limited(m, 1<<20)
	beams.NumBeams, beams.StopTokenIDs = 2, nil
	results, err := m.NewSession().Generate(background, [][]int32{prompt[:tinyPositions-3]}, beams)
	require.NoError(t, err)
	assert.Len(t, results[0].Sequences[0].Tokens, 4)
	const want = "prompt 0 has 1000000 tokens, and the model 512 positions"
	_, err = m.NewSession().Generate(background, [][]int32{make([]int32, 1_000_000)}, endless)
	require.EqualError(t, err, want)
	_, err = m.NewSession().Logits(background, make([]int32, 1_000_000))
	require.EqualError(t, err, want)
	_, err = e.Generate(background, Prompt{Tokens: make([]int32, 1_000_000)}, endless)
	assert.EqualError(t, err, want)
}
