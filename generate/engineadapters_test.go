package generate

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// adapted returns a tiny model with an adapter for its first product, and one for its last, that
// with the vocabulary.
func adapted(t testing.TB, c tiny) *Model {
	t.Helper()
	source := c.build(t)
	var names []string
	for _, layer := range source.Layers {
		if layer.Type == "MatMul" {
			names = append(names, layer.Name)
		}
	}
	rng := rand.New(rand.NewPCG(2, 2))
	var adapters []*Adapter
	for _, a := range []struct {
		name    string
		outputs int
	}{{names[0], tinyWidth}, {names[len(names)-1], tinyVocabulary}} {
		adapter, err := ReadAdapter(safetensors(t, map[string]stored{
			a.name + ".lora_A.weight": matrix(rng, "F32", 2, tinyWidth), a.name + ".lora_B.weight": matrix(rng, "F32", a.outputs, 2),
		}))
		require.NoError(t, err)
		adapters = append(adapters, adapter)
	}
	options := Options{Ops: builtin.Ops(), Adapters: adapters, CompileOptions: plugin.CompileOptions{InferenceNumThreads: 1}}
	m, err := options.New(background, source, DefaultConfig())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

// TestEngine_adapters has requests with different factors of the adapters at the same time. They
// get the answers of a Session, and share nothing.
func TestEngine_adapters(t *testing.T) {
	for name, c := range map[string]tiny{"rows": {}, "hidden": {hidden: true}} {
		t.Run(name, func(t *testing.T) {
			m := adapted(t, c)
			e := newEngine(t, m, nil, EngineOptions{MaxTokens: 24})
			session := m.NewSession()
			prompt := tokensOf("the quick brown fox jumps over the lazy dog, and so on, and on")
			config := limited(m, 10)
			config.IgnoreEOS = true
			var wait sync.WaitGroup
			answers := make(map[[10]int32]bool)
			for _, alphas := range [][]float64{nil, {0, 0}, {4, 0}, {0, -3}, {2, 3}} {
				config := config
				config.AdapterAlphas = alphas
				want, err := session.Generate(background, [][]int32{prompt}, config)
				require.NoError(t, err)
				answers[[10]int32(want[0].Sequences[0].Tokens)] = true
				wait.Go(func() {
					got, err := e.Generate(background, Prompt{Tokens: prompt}, config)
					assert.NoError(t, err)
					assert.Equal(t, want[0].Sequences[0].Tokens, got.Sequences[0].Tokens, "%v", alphas)
				})
			}
			wait.Wait()
			assert.Len(t, answers, 5, "the factors must make a difference")
			assert.Zero(t, e.Stats().ReusedTokens)
			_, err := e.Generate(background, Prompt{Tokens: prompt}, config)
			require.NoError(t, err)
			assert.EqualValues(t, 32, e.Stats().ReusedTokens, "of the request without factors")
			config.AdapterAlphas = []float64{1}
			_, err = e.Generate(background, Prompt{Tokens: prompt}, config)
			assert.EqualError(t, err, "AdapterAlphas has 1 factors, and the Model 2 adapters")
		})
	}
}
