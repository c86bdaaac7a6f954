package bpetokenizer

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/test/texttest"
	"github.com/vinoir/vinoir/internal/text/bpe"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
)

// inputs returns the inputs of a layer: all words, merges and added tokens.
func inputs(t testing.TB, rows [][]string, words, merges []string, added ...string) []*ir.Tensor {
	all := slices.Concat(texttest.RaggedTensors(t, rows...), texttest.StringTensors(t, words...), texttest.StringTensors(t, merges...))
	if len(added) > 0 {
		ids := make([]int32, len(added))
		for i := range ids {
			ids[i] = int32(100 + i)
		}
		all = append(append(all, texttest.StringTensors(t, added...)...), texttest.Vector(t, ids...))
	}
	return all
}

func run(t testing.TB, attributes layertest.Attributes, in []*ir.Tensor) ([][]int32, error) {
	out, err := layertest.RunOutputs(&Ops[0], attributes, 1, 3, in...)
	if err != nil {
		return nil, err
	}
	return texttest.Rows(t, out), nil
}

var letters = []string{"a", "b", "c", "ab", "bc", "abc", "<unk>", "<0x78>"}

func TestKernel(t *testing.T) {
	rows := [][]string{{"abc", "b"}, {}, {"axxb", ""}}
	in := inputs(t, rows, letters, []string{"a b", "b c", "ab c"})
	for _, c := range []struct {
		attributes layertest.Attributes
		want       [][]int32
	}{
		{nil, [][]int32{{5, 1}, {}, {3}}},
		{layertest.Attributes{"unk_token", "<unk>", "fuse_unk", "true", "cache_capacity", "1"}, [][]int32{{5, 1}, {}, {0, 6, 6, 1}}},
		{layertest.Attributes{"unk_token", "<unk>", "byte_fallback", "true", "cache_capacity", "-1"}, [][]int32{{5, 1}, {}, {0, 7, 7, 1}}},
		{layertest.Attributes{"cache_capacity", "9223372036854775807"}, [][]int32{{5, 1}, {}, {3}}},
	} {
		got, err := run(t, c.attributes, in)
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
	got, err := run(t, layertest.Attributes{"end_suffix", "c"}, in)
	require.NoError(t, err)
	assert.Equal(t, [][]int32{{5, 2, 4}, {}, {5, 2}}, got)

	got, err = run(t, nil, inputs(t, rows, letters, []string{"a b"}, "x", "abc"))
	require.NoError(t, err)
	assert.Equal(t, [][]int32{{5, 1}, {}, {0, 100, 100, 1}}, got)

	right := slices.Concat(inputs(t, rows, letters, []string{"a"}), texttest.StringTensors(t, "b"))
	got, err = run(t, nil, right)
	require.NoError(t, err)
	assert.Equal(t, [][]int32{{5, 1}, {}, {3}}, got)
	got, err = run(t, nil, slices.Concat(right, texttest.StringTensors(t, "x"), []*ir.Tensor{texttest.Vector(t, int32(-7))}))
	require.NoError(t, err)
	assert.Equal(t, [][]int32{{5, 1}, {}, {0, -7, -7, 1}}, got)
}

func TestKernel_errors(t *testing.T) {
	rows := [][]string{{"abc", "b"}}
	for want, change := range map[string]func(in []*ir.Tensor){
		"input 2, begins, has shape [1], input 3, ends, has shape [2]": func(in []*ir.Tensor) { in[2] = texttest.Vector(t, int32(0)) },
		"strings: string 1 is from 3 to 5, of 4 bytes":                 func(in []*ir.Tensor) { ir.Data[int32](in[3])[1] = 5 },
		"rows: row 0 is from 0 to 3, of 2 items":                       func(in []*ir.Tensor) { ir.Data[int32](in[1])[0] = 3 },
		"vocabulary: string 2 is from -1 to 3, of 21 bytes":            func(in []*ir.Tensor) { ir.Data[int32](in[5])[2] = -1 },
		"merges: string 0 is from 0 to 99, of 3 bytes":                 func(in []*ir.Tensor) { ir.Data[int32](in[9])[0] = 99 },
		"added tokens: string 0 is from 0 to 2, of 1 bytes":            func(in []*ir.Tensor) { ir.Data[int32](in[12])[0] = 2 },
		`merge 0: "z" is not in the vocabulary`:                        func(in []*ir.Tensor) { in[10].Bytes()[0] = 'z' },
	} {
		in := inputs(t, rows, letters[:6], []string{"a b"}, "x")
		if strings.Contains(want, "of 21") {
			in = inputs(t, rows, letters, []string{"a b"}, "x")
		}
		change(in)
		_, err := run(t, layertest.Attributes{"end_suffix", "c"}, in)
		assert.EqualError(t, err, want)
	}
	in := inputs(t, [][]string{{"a", "b"}}, letters, nil)
	in[0], in[1] = texttest.Vector(t, int32(0), 1, 0), texttest.Vector(t, int32(2), 2, 2)
	_, err := run(t, nil, in)
	assert.EqualError(t, err, "string 1: more ids than the 2 characters of all strings")
}

// TestKernel_suffixes has suffixes that are more ids than the strings have characters.
func TestKernel_suffixes(t *testing.T) {
	got, err := run(t, layertest.Attributes{"end_suffix", "bc"}, inputs(t, [][]string{{"a", ""}, {"a"}}, letters[:3], nil))
	require.NoError(t, err)
	assert.Equal(t, [][]int32{{0, 1, 2, 1, 2}, {0, 1, 2}}, got)
	in := inputs(t, [][]string{{"a"}}, letters[:3], nil)
	in[0], in[1] = texttest.Vector(t, int32(0), 0), texttest.Vector(t, int32(1), 1)
	_, err = run(t, layertest.Attributes{"end_suffix", "bc"}, in)
	assert.EqualError(t, err, "string 0: more ids than the 3 characters of all strings")
}

func TestLimits(t *testing.T) {
	in := inputs(t, [][]string{{strings.Repeat("a", 4000)}}, []string{"a", "aa"}, []string{"a a"})
	kernel, r, err := layertest.PrepareOutputs(&Ops[0], nil, 1, 3, in...)
	require.NoError(t, err)
	defer r.Pool.Close()
	full := errors.New("full")
	r.Charge = func(int64) error { return full }
	require.ErrorIs(t, kernel(r), full)
	asked := int64(0)
	r.Charge = func(bytes int64) error { asked += bytes; return nil }
	done := make(chan struct{})
	close(done)
	r.Stop = done
	require.Equal(t, parallel.ErrStopped, kernel(r))
	r.Stop = nil
	require.NoError(t, kernel(r))
	assert.Equal(t, 2000, r.Outputs[2].Len())
	assert.Greater(t, asked, int64(4000*28))
}

func TestAllocations(t *testing.T) {
	in := inputs(t, [][]string{{"abc", "b"}, {strings.Repeat("ab", 200)}}, letters, []string{"a b", "b c"})
	kernel, r, err := layertest.PrepareOutputs(&Ops[0], nil, 1, 3, in...)
	require.NoError(t, err)
	defer r.Pool.Close()
	require.NoError(t, kernel(r))
	require.Zero(t, testing.AllocsPerRun(10, func() {
		// the output of the previous run has the right shape
		r.Resize = func(int, ir.Shape) error { return nil }
		err = kernel(r)
	}))
	require.NoError(t, err)
}

// checkRandom compares rows of random strings with the tokens of each string.
func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	random := func(n int) string {
		text := make([]byte, n)
		for i := range text {
			text[i] = "abcx"[rng.IntN(4)]
		}
		return string(text)
	}
	v := &bpe.Vocabulary{Pairs: true}
	for _, word := range letters {
		v.Words.Append([]byte(word))
	}
	merges := []string{"a b", "b c", "ab c", "a bc"}
	rng.Shuffle(len(merges), func(i, j int) { merges[i], merges[j] = merges[j], merges[i] })
	merges = merges[:rng.IntN(5)]
	for _, merge := range merges {
		v.Left.Append([]byte(merge))
	}
	tokenizer, err := bpe.New(v, nil, nil)
	require.NoError(t, err)
	var rows [][]string
	want := [][]int32{}
	for range rng.IntN(5) {
		var row []string
		ids := []int32{}
		for range rng.IntN(5) {
			row = append(row, random(rng.IntN(50)))
			ids, err = tokenizer.Append(ids, []byte(row[len(row)-1]), new(bpe.Scratch))
			require.NoError(t, err)
		}
		rows, want = append(rows, row), append(want, ids)
	}
	got, err := run(t, nil, inputs(t, rows, letters, merges))
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestRandom(t *testing.T) {
	for seed := range uint64(100) {
		checkRandom(t, seed)
	}
}

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

// FuzzRanges has any ranges.
func FuzzRanges(f *testing.F) {
	f.Add(int32(0), int32(2), int32(1), int32(3), "abc")
	f.Add(int32(-1), int32(1), int32(5), int32(3), "")
	f.Fuzz(func(t *testing.T, rowBegin, rowEnd, begin, end int32, text string) {
		in := inputs(t, [][]string{{text, text}}, letters, []string{"a b"})
		ir.Data[int32](in[0])[0], ir.Data[int32](in[1])[0] = rowBegin, rowEnd
		ir.Data[int32](in[2])[0], ir.Data[int32](in[3])[0] = begin, end
		words := ragged.Strings{Begins: []int32{begin}, Ends: []int32{end}, Chars: in[4].Bytes()}
		rows := ragged.Rows{Begins: []int32{rowBegin}, Ends: []int32{rowEnd}}
		_, err := run(t, nil, in)
		if words.Check("") != nil || rows.Check("", 2) != nil {
			require.Error(t, err)
		} else if err != nil {
			require.ErrorContains(t, err, "more ids than")
		}
	})
}
