package text

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/irxml"
)

// chain is a tokenizer as converters write it.
type chain struct {
	// first stands before the rows, normalizers behind the special tokens.
	first, specials bool
	normalizers     []string
	splits          [][2]string // patterns and behaviours
	tokenizer       string
	suffix          string // of a BPETokenizer
	// scores says how those of a UnigramTokenizer are kept.
	scores string
	// start is the first number of rows.
	start int32
}

// bytesOf returns a constant text.
func bytesOf(b *edit.Builder, text string) edit.Source { return b.ConstantOf([]byte(text), len(text)) }

// wordsOf returns constant strings.
func wordsOf(b *edit.Builder, words ...string) []edit.Source {
	var s ragged.Strings
	for _, word := range words {
		s.Append([]byte(word))
	}
	return []edit.Source{b.ConstantOf(s.Begins, s.Len()), b.ConstantOf(s.Ends, s.Len()), b.ConstantOf(s.Chars, len(s.Chars))}
}

func outputs(s edit.Source, n int) []edit.Source {
	var all []edit.Source
	for i := range n {
		all = append(all, output(s, i))
	}
	return all
}

// add adds the layers.
func (c *chain) add(b *edit.Builder, texts edit.Source) edit.Source {
	strings := outputs(b.Layer("StringTensorUnpack", 15, nil, texts), 3)
	normalize := func(kind string, skips []edit.Source) (edit.Source, int) {
		in := append(slices.Clone(strings), skips...)
		switch kind {
		case "digits":
			in = append(in, bytesOf(b, `\d`), bytesOf(b, "00"))
			return b.Extension("RegexNormalization", "extension", edit.Attributes("global_replace", "true"), in...), len(skips)
		case "nfd":
			return b.Extension("NormalizeUnicode", "extension", edit.Attributes("normalization_form", "NFD"), in...), len(skips)
		case "fold":
			return b.Extension("CaseFold", "extension", edit.Attributes("encoding", "utf-8"), in...), len(skips)
		case "ascii":
			return b.Extension("CaseFold", "extension", edit.Attributes("encoding", ""), in...), len(skips)
		}
		return b.Extension("CharsMapNormalization", "extension", edit.Attributes("normalization_form", "nfkc", "remove_extra_whitespaces", "false"), in...), len(skips)
	}
	if c.first {
		s, _ := normalize("digits", nil)
		strings = outputs(s, 3)
	}
	n := b.Layer("Gather", 8, nil, b.Layer("ShapeOf", 3, edit.Attributes("output_type", "i64"), strings[0]), scalar64(b, 0), scalar64(b, 0))
	count := edit.Attributes("output_type", "i32")
	rows := []edit.Source{
		b.Layer("Range", 4, count, scalar(b, c.start), n, scalar(b, 1)),
		b.Layer("Range", 4, count, scalar(b, 1), b.Layer("Add", 1, nil, n, scalar64(b, 1)), scalar(b, 1)),
	}
	var skips []edit.Source
	if c.specials {
		s := b.Extension("SpecialTokensSplit", "extension", nil, append(append(slices.Clone(rows), strings...), bytesOf(b, `(<1A>)|(?:\s*)(<s>)`))...)
		rows, strings, skips = outputs(s, 2), outputs(s, 5)[2:], outputs(s, 6)[5:]
	}
	for _, kind := range c.normalizers {
		s, flags := normalize(kind, skips)
		strings = outputs(s, 3)
		if flags > 0 {
			skips = outputs(s, 4)[3:]
		}
	}
	for _, split := range c.splits {
		in := append(append(append(slices.Clone(rows), strings...), skips...), bytesOf(b, split[0]))
		s := b.Extension("RegexSplit", "extension", edit.Attributes("behaviour", split[1], "invert", "false", "max_splits", "-1"), in...)
		rows, strings = outputs(s, 2), outputs(s, 5)[2:]
		if skips != nil {
			skips = outputs(s, 6)[5:]
		}
	}
	in := append(slices.Clone(rows), strings...)
	words := []string{"<unk>", "<1A>", "<s>", "a", "b", "ab", "abab", " ", "0", "00", "é", "1", "##b", "##0", "c"}
	in = append(in, wordsOf(b, words...)...)
	switch c.tokenizer {
	case "BPETokenizer":
		in = append(append(in, wordsOf(b, "a", "ab", "0")...), wordsOf(b, "b", "ab", "0")...)
		return b.Extension(c.tokenizer, "extension", edit.Attributes("unk_token", "<unk>", "end_suffix", c.suffix), in...)
	case "WordpieceTokenizer":
		return b.Extension(c.tokenizer, "extension", nil, append(in, scalar(b, 0))...)
	case "UnigramTokenizer":
		scores := make([]float32, len(words))
		for i := range scores {
			scores[i] = -float32(i % 5)
		}
		constant := b.ConstantOf(scores, len(scores))
		switch c.scores {
		case "f16":
			halves := make([]uint16, len(scores))
			half.F32sToF16s(halves, scores)
			tensor, err := ir.NewTensor(ir.F16, len(halves))
			if err != nil {
				panic(err)
			}
			copy(ir.Data[uint16](tensor), halves)
			constant = b.Layer("Convert", 1, edit.Attributes("destination_type", "f32"), b.Constant(tensor))
		case "computed":
			constant = b.Layer("Multiply", 1, edit.Attributes("auto_broadcast", "numpy"), constant, b.ConstantOf([]float32{2}, 1))
		}
		return b.Extension(c.tokenizer, "extension", nil, append(in, constant)...)
	}
	keys := append(in[2:5:5], wordsOf(b, words...)...)
	values := make([]int32, len(words))
	for i := range values {
		values[i] = int32(i)
	}
	ids := b.Extension("VocabEncoder", "extension", nil, append(keys, b.ConstantOf(values, len(values)), scalar(b, 0))...)
	return b.Layer("Identity", 16, nil, ids)
}

// scalar64 returns a constant of one i64.
func scalar64(b *edit.Builder, value int64) edit.Source {
	tensor, err := ir.NewTensor(ir.I64)
	if err != nil {
		panic(err)
	}
	ir.Data[int64](tensor)[0] = value
	return b.Constant(tensor)
}

var words = [][2]string{{`\s+`, "remove"}, {`[a-z]`, "isolate"}}

// TestPipeline compares with the graph.
func TestPipeline(t *testing.T) {
	for name, c := range map[string]struct {
		chain
		direct bool
	}{
		"BPE":           {chain{specials: true, normalizers: []string{"nfkc"}, splits: words[1:], tokenizer: "BPETokenizer"}, true},
		"BPE, no split": {chain{specials: true, normalizers: []string{"digits", "digits"}, tokenizer: "BPETokenizer"}, true},
		"BPE, suffix":   {chain{specials: true, splits: words, tokenizer: "BPETokenizer", suffix: "c1c"}, true},
		"WordPiece":     {chain{specials: true, normalizers: []string{"digits", "nfd", "fold"}, splits: words, tokenizer: "WordpieceTokenizer"}, true},
		"ASCII":         {chain{specials: true, normalizers: []string{"ascii"}, splits: words, tokenizer: "WordpieceTokenizer"}, true},
		"Unigram":       {chain{first: true, specials: true, splits: words, tokenizer: "UnigramTokenizer"}, true},
		"f16":           {chain{specials: true, splits: words, tokenizer: "UnigramTokenizer", scores: "f16"}, true},
		"computed":      {chain{specials: true, splits: words, tokenizer: "UnigramTokenizer", scores: "computed"}, false},
		"old":           {chain{normalizers: []string{"digits", "fold"}, splits: words, tokenizer: "WordpieceTokenizer"}, true},
		"other rows":    {chain{start: 2, splits: words, tokenizer: "WordpieceTokenizer"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := usual
			f.tokens = c.add
			all := files(t, f)
			tokenizer := open(t, all)
			require.Equal(t, c.direct, tokenizer.encoder.direct != nil)
			if !c.direct {
				return
			}
			graph := graphOf(t, tokenizer, all)
			rng := rand.New(rand.NewPCG(1, 2))
			for range 60 {
				texts := make([]string, rng.IntN(4))
				for i := range texts {
					texts[i] = randomText(rng)
				}
				want, wantErr := graph.encode(t.Context(), texts, &EncodeOptions{})
				got, err := tokenizer.encoder.encode(t.Context(), texts, &EncodeOptions{})
				require.Equal(t, wantErr == nil, err == nil, "%q: %v, %v", texts, wantErr, err)
				require.Equal(t, want, got, "%q", texts)
				for i, text := range texts {
					one, err := tokenizer.AppendEncode(t.Context(), []int32{7}, text, i%2 == 0)
					require.NoError(t, err)
					rows, err := tokenizer.Encode(t.Context(), texts[i:i+1], EncodeOptions{NoSpecialTokens: i%2 > 0})
					require.NoError(t, err)
					require.Equal(t, append([]int32{7}, rows.IDs...), one)
				}
			}
		})
	}
}

// graphOf returns the encoder of a tokenizer as one that runs the graph in all.
func graphOf(t *testing.T, tokenizer *Tokenizer, all fs.FS) *encoder {
	t.Helper()
	model, err := irxml.ReadFS(all, tokenizerXML, irxml.ReadOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = model.Close() })
	graph := *tokenizer.encoder
	graph.direct = nil
	_, rows := tailOf(model)
	graph.main, err = tokenizer.compileRows(t.Context(), model, rows)
	require.NoError(t, err)
	return &graph
}

// randomText returns a few parts, some of which are special tokens.
func randomText(rng *rand.Rand) string {
	var text strings.Builder
	for range rng.IntN(8) {
		text.WriteString([]string{"a", "b", "AB", "abab", " ", "  ", "\t", "0", "12", "e\u0301", "é", "<1A>", " <s>", "<", "\xff", "ﬁ", "Ω", "c"}[rng.IntN(18)])
	}
	return text.String()
}

func bpeFiles(t testing.TB) fstest.MapFS {
	f := usual
	f.tokens = (&chain{specials: true, normalizers: []string{"nfkc"}, splits: words[1:], tokenizer: "BPETokenizer"}).add
	return files(t, f)
}

func TestPipeline_limits(t *testing.T) {
	o := options()
	o.Limits.MaxTotalBytes = 8 << 20
	tokenizer, err := o.OpenFS(bpeFiles(t), ".")
	require.NoError(t, err)
	defer tokenizer.Close()
	_, err = tokenizer.AppendEncode(t.Context(), nil, strings.Repeat("ab ", 1<<20), true)
	assert.EqualError(t, err, "the texts need more than the limit of 8388608 bytes")
	_, err = tokenizer.Encode(t.Context(), []string{"a", strings.Repeat("ab ", 1<<20)}, EncodeOptions{})
	assert.EqualError(t, err, "text 1: the texts need more than the limit of 8388608 bytes")
	ids, err := tokenizer.AppendEncode(t.Context(), nil, "ab", true)
	require.NoError(t, err)
	assert.Len(t, ids, 4)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = tokenizer.AppendEncode(ctx, nil, "ab", true)
	assert.ErrorIs(t, err, context.Canceled)
	o.Limits.MaxTotalBytes = 1 << 10
	_, err = o.OpenFS(bpeFiles(t), ".")
	assert.ErrorContains(t, err, "1024")
}

// TestPipeline_allocations has a text of a length that came before.
func TestPipeline_allocations(t *testing.T) {
	tokenizer := open(t, bpeFiles(t))
	var ids []int32
	encode := func() {
		var err error
		ids, err = tokenizer.AppendEncode(t.Context(), ids[:0], "abab <s> 12 ab", true)
		require.NoError(t, err)
	}
	encode()
	assert.LessOrEqual(t, testing.AllocsPerRun(100, encode), 1.0, "the closure of a call")
}

func BenchmarkPipeline(b *testing.B) {
	tokenizer := open(b, bpeFiles(b))
	var ids []int32
	for b.Loop() {
		var err error
		if ids, err = tokenizer.AppendEncode(b.Context(), ids[:0], "abab <s> 12 ab", true); err != nil {
			b.Fatal(err)
		}
	}
}
