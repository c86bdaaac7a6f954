package wordpiecetokenizer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/test/texttest"
	"github.com/vinoir/vinoir/internal/text/wordpiece"
	"github.com/vinoir/vinoir/ir"
)

var words = []string{"a", "ab", "##c", "##ab", "@c", "@"}

func inputs(t testing.TB, unknown *ir.Tensor, rows ...[]string) []*ir.Tensor {
	return append(append(texttest.RaggedTensors(t, rows...), texttest.StringTensors(t, words...)...), unknown)
}

func run(t testing.TB, attributes layertest.Attributes, in []*ir.Tensor) ([][]int32, error) {
	out, err := layertest.RunOutputs(&Ops[0], attributes, 1, 3, in...)
	if err != nil {
		return nil, err
	}
	return texttest.Rows(t, out), nil
}

func TestKernel(t *testing.T) {
	rows := [][]string{{"abc", "b"}, {}, {"aabc"}}
	got, err := run(t, nil, inputs(t, texttest.Vector(t, int32(9)), rows...))
	require.NoError(t, err)
	assert.Equal(t, [][]int32{{1, 2, 9}, {}, {0, 3, 2}}, got)
	got, err = run(t, layertest.Attributes{"suffix_indicator", "@", "max_bytes_per_word", "3"}, inputs(t, texttest.Vector(t, int64(math.MaxInt64)), rows...))
	require.NoError(t, err)
	assert.Equal(t, [][]int32{{1, 4, math.MaxInt32}, {}, {math.MaxInt32}}, got)
}

func TestKernel_errors(t *testing.T) {
	in := inputs(t, texttest.Vector(t, int32(9)), []string{""})
	_, err := run(t, nil, in)
	assert.EqualError(t, err, "string 0: more ids than the 0 characters of all strings")
	_, err = run(t, nil, inputs(t, texttest.Vector[int32](t), []string{"a"}))
	assert.EqualError(t, err, "the id of unknown strings has no elements")
	ir.Data[int32](in[5])[1] = 100
	_, err = run(t, nil, in)
	assert.EqualError(t, err, "vocabulary: string 1 is from 100 to 3, of 13 bytes")
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	v := &wordpiece.Vocabulary{SuffixIndicator: "##", Unknown: 9, MaxBytes: 100}
	for _, word := range words {
		v.Words.Append([]byte(word))
	}
	tokenizer, err := wordpiece.New(v, nil, nil)
	require.NoError(t, err)
	var rows [][]string
	want := [][]int32{}
	for range rng.IntN(5) {
		var row []string
		ids := []int32{}
		for range rng.IntN(5) {
			word := make([]byte, 1+rng.IntN(20))
			for i := range word {
				word[i] = "abc"[rng.IntN(3)]
			}
			row = append(row, string(word))
			ids, err = tokenizer.Append(ids, word, new(wordpiece.Scratch))
			require.NoError(t, err)
		}
		rows, want = append(rows, row), append(want, ids)
	}
	got, err := run(t, nil, inputs(t, texttest.Vector(t, int32(9)), rows...))
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
