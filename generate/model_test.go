package generate

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// exampleTiny is the model in testdata/tiny.
var exampleTiny = tiny{seed: 5}

// TestTestdata compares testdata/tiny with what is built. VINOIR_UPDATE=1 writes it.
func TestTestdata(t *testing.T) {
	model := exampleTiny.build(t)
	to := filepath.Join("testdata", "tiny", modelFile)
	if os.Getenv("VINOIR_UPDATE") == "" {
		to = filepath.Join(t.TempDir(), modelFile)
	}
	require.NoError(t, irxml.WriteFile(background, to, model, irxml.WriteOptions{}))
	for _, extension := range []string{"xml", "bin"} {
		want, err := os.ReadFile(filepath.Join("testdata", "tiny", "openvino_model."+extension))
		require.NoError(t, err)
		got, err := os.ReadFile(to[:len(to)-3] + extension)
		require.NoError(t, err)
		assert.True(t, string(want) == string(got), "testdata/tiny/openvino_model.%s is not what the test builds", extension)
	}
}

// TestOpen opens the same model in all ways.
func TestOpen(t *testing.T) {
	want := reference(t, exampleTiny.open(t), []int32{1, 2, 3})
	dir := filepath.Join("testdata", "tiny")
	mapped := Options{Ops: builtin.Ops()}
	mapped.Reading.MMap = true
	for _, open := range []func() (*Model, error){
		func() (*Model, error) { return Open(dir) },
		func() (*Model, error) { return mapped.Open(dir) },
		func() (*Model, error) { return Options{Ops: builtin.Ops()}.OpenFS(os.DirFS("testdata"), "tiny") },
	} {
		m, err := open()
		require.NoError(t, err)
		assert.InDeltaSlice(t, want, reference(t, m, []int32{1, 2, 3}), 1e-4)
		config := m.Config()
		assert.Equal(t, []int32{endOfText}, config.StopTokenIDs)
		assert.Equal(t, 40, config.MaxNewTokens)
		config.StopTokenIDs[0] = 1
		assert.Equal(t, []int32{endOfText}, m.Config().StopTokenIDs, "it is a copy")
		assert.Len(t, m.Compiled().Inputs(), 5)
		require.NoError(t, m.Close())
	}
}

func TestOpen_errors(t *testing.T) {
	_, err := Open(filepath.Join("testdata", "nothing"))
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = Options{}.Open(filepath.Join("testdata", "tiny"))
	assert.EqualError(t, err, `language model "tiny": Options.Ops lists no layer types, as builtin.Ops does`)
	_, err = Options{Ops: builtin.Ops()}.OpenFS(fstest.MapFS{"m/config.json": {Data: []byte("x")}}, "m")
	assert.ErrorContains(t, err, "m/config.json: invalid character 'x'")
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	for want, build := range map[string]func(b *edit.Builder){
		`input "x" is none of input_ids, attention_mask, position_ids and beam_idx`: func(b *edit.Builder) {
			b.Result("logits", b.Parameter("x", ir.F32, ir.StaticShape(1, 2, 3)))
		},
		`input "input_ids" is f32, not i64`: func(b *edit.Builder) {
			b.Result("logits", b.Parameter("input_ids", ir.F32, ir.StaticShape(1, 2, 3)))
		},
		"it has no input input_ids": func(b *edit.Builder) {
			b.Result("logits", b.Parameter("attention_mask", ir.I64, ir.StaticShape(1, 2, 3)))
		},
		`output "Convert`: func(b *edit.Builder) {
			b.Result("logits", b.Parameter("input_ids", ir.I64, ir.ShapeOf(ir.AnyDim, ir.AnyDim)))
		},
	} {
		b := edit.NewBuilder(background, registry, "m")
		build(b)
		model, err := b.Model()
		require.NoError(t, err)
		_, err = Options{Ops: builtin.Ops()}.New(background, model, DefaultConfig())
		assert.ErrorContains(t, err, `language model "m": `+want)
	}
	_, err = Options{Ops: builtin.Ops()}.New(background, tiny{extra: true}.build(t), DefaultConfig())
	assert.ErrorContains(t, err, `input "token_type_ids" is none of`)
	_, err = Options{Ops: builtin.Ops()}.New(background, &ir.Model{Name: "e"}, DefaultConfig())
	assert.EqualError(t, err, `language model "e": it has no output`)
	some := Options{Ops: builtin.Ops()[:3]}
	_, err = some.New(background, tiny{}.build(t), DefaultConfig())
	assert.Error(t, err)
}
