package unigramtokenizer

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/test/texttest"
	"github.com/vinoir/vinoir/internal/text/unigram"
	"github.com/vinoir/vinoir/ir"
)

var (
	pieces = []string{"<unk>", "a", "b", "ab", "bb"}
	values = []float32{0, -2, -2, -3, -5}
)

func inputs(t testing.TB, rows ...[]string) []*ir.Tensor {
	return append(append(texttest.RaggedTensors(t, rows...), texttest.StringTensors(t, pieces...)...), texttest.Vector(t, values...))
}

func run(t testing.TB, attributes layertest.Attributes, in []*ir.Tensor) ([][]int32, error) {
	out, err := layertest.RunOutputs(&Ops[0], attributes, 1, 3, in...)
	if err != nil {
		return nil, err
	}
	return texttest.Rows(t, out), nil
}

func TestKernel(t *testing.T) {
	in := inputs(t, []string{"abb", "x"}, []string{}, []string{"", "xyab"})
	got, err := run(t, nil, in)
	require.NoError(t, err)
	assert.Equal(t, [][]int32{{3, 2, 0}, {}, {0, 3}}, got)
	got, err = run(t, layertest.Attributes{"unk_token_id", "7", "byte_fallback", "true", "fuse_unk", "true", "min_score", "inf"}, in)
	require.NoError(t, err)
	assert.Equal(t, [][]int32{{3, 2, 7}, {}, {7, 3}}, got)
}

func TestKernel_errors(t *testing.T) {
	in := inputs(t, []string{"a"})
	in[8] = texttest.Vector(t, values[:2]...)
	_, err := run(t, nil, in)
	assert.EqualError(t, err, "5 pieces and 2 scores")
	ir.Data[int32](in[5])[0] = -1
	_, err = run(t, nil, in)
	assert.EqualError(t, err, "vocabulary: string 0 is from -1 to 5, of 11 bytes")
	in = inputs(t, []string{"a"})
	in[3] = texttest.Vector(t, int32(2))
	_, err = run(t, nil, in)
	assert.EqualError(t, err, "strings: string 0 is from 0 to 2, of 1 bytes")
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	v := &unigram.Vocabulary{Scores: values}
	for _, piece := range pieces {
		v.Pieces.Append([]byte(piece))
	}
	tokenizer, err := unigram.New(v, nil, nil)
	require.NoError(t, err)
	var rows [][]string
	want := [][]int32{}
	for range rng.IntN(5) {
		var row []string
		ids := []int32{}
		for range rng.IntN(5) {
			word := make([]byte, rng.IntN(90))
			for i := range word {
				word[i] = "abc"[rng.IntN(3)]
			}
			row = append(row, string(word))
			ids, err = tokenizer.Append(ids, word, new(unigram.Scratch))
			require.NoError(t, err)
		}
		rows, want = append(rows, row), append(want, ids)
	}
	got, err := run(t, nil, inputs(t, rows...))
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestRandom(t *testing.T) {
	for seed := range uint64(50) {
		checkRandom(t, seed)
	}
}

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}
