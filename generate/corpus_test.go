package generate

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// models are the folders of language models in the corpus.
func models(t testing.TB) []string {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(corpus(t, "llm"), "*"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	return folders
}

// TestCorpus_rows opens the models. Only the last tokens' rows of the product with the vocabulary
// are computed.
func TestCorpus_rows(t *testing.T) {
	for _, folder := range models(t) {
		assert.GreaterOrEqual(t, openCorpus(t, folder).rows, 0, folder)
	}
}

// openCorpus opens a model as it was opened for the expected values.
func openCorpus(t testing.TB, folder string) *Model {
	t.Helper()
	exact := plugin.CompileOptions{KVCachePrecision: ir.F32, DynamicQuantizationGroupSize: -1}
	m, err := Options{Ops: builtin.Ops(), CompileOptions: exact}.Open(folder)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

// TestCorpus_sequences draws several answers. The tokens are those of GenAI 2026.4.1 with its paged
// attention, f32.
func TestCorpus_sequences(t *testing.T) {
	m := openCorpus(t, corpus(t, "llm", "llama"))
	config := limited(m, 12)
	config.DoSample, config.NumReturnSequences, config.Temperature, config.RNGSeed = true, 3, 1.5, 3
	config.TopK = 20
	penalties := config
	penalties.MaxNewTokens, penalties.TopK, penalties.RepetitionPenalty, penalties.FrequencyPenalty = 8, 0, 1.5, 0.5
	search := beams(m, 4, 16)
	search.NumBeamGroups, search.DiversityPenalty, search.LengthPenalty = 2, 0.5, 0.7
	search.StopTokenIDs = []int32{439, 461}
	for _, c := range []struct {
		config Config
		scores []float32
		tokens [][]int32
	}{
		{config, []float32{-17.59557, -28.31227, -34.33786}, [][]int32{
			{255, 209, 193, 312, 452, 627, 87, 626, 350, 242, 454, 552},
			{611, 459, 252, 459, 317, 353, 96, 401, 209, 163, 512, 340},
			{255, 232, 459, 163, 262, 341, 627, 439, 268, 548, 79, 162},
		}},
		{penalties, []float32{-11.99355, -14.1491, -18.32567}, [][]int32{
			{255, 459, 53, 337, 194, 95, 344, 141}, {23, 322, 299, 612, 61, 154, 279, 48}, {255, 209, 317, 15, 356, 163, 580, 82},
		}},
		{search, []float32{-0.88494, -0.99075, -1.63121, -1.73699}, [][]int32{
			{255, 209, 193, 312, 675, 6, 229, 163, 23, 515, 439}, {255, 209, 193, 312, 675, 6, 229, 163, 23, 356, 461},
			{255, 209, 193, 312, 675, 6, 392, 461}, {255, 209, 193, 312, 675, 6, 229, 526, 201, 29, 610, 436, 590, 262, 53, 250},
		}},
	} {
		results, err := m.NewSession().Generate(background, [][]int32{{695, 39, 380, 78}}, c.config)
		require.NoError(t, err)
		require.Len(t, results[0].Sequences, len(c.tokens))
		for i, s := range results[0].Sequences {
			assert.Equal(t, c.tokens[i], s.Tokens)
			assert.InDelta(t, c.scores[i], s.Score, 1e-3)
		}
	}
}
