package embedding

import (
	"context"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/text"
)

var background = context.Background()

// sentences are texts of many lengths, in no order.
func sentences(n int) []string {
	words := strings.Fields("the cat milk sofa kittens sleeping stock market fell zebra on a")
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		for k := range i * 7 % 23 {
			b.WriteString(words[(i+k*k)%len(words)] + " ")
		}
		texts[i] = b.String()
	}
	return texts
}

func openTiny(t testing.TB, kind tinyKind, config Config) *Pipeline {
	t.Helper()
	p, err := withBuiltin().OpenConfig(tinyFolder(t, t.TempDir(), kind), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// configs are one for each kind of pooling, padding and length.
func configs() []Config {
	var all []Config
	for _, pooling := range []Pooling{CLS, Mean, LastToken} {
		for _, length := range []Length{{}, {MaxLength: 8}, {PaddingSide: text.PaddingLeft}, {MaxLength: 12, PadToMaxLength: true}, {PadToMaxLength: true, PaddingSide: text.PaddingRight}} {
			if pooling == CLS && length.PaddingSide == text.PaddingLeft {
				continue // the vector of padding
			}
			all = append(all, Config{Pooling: pooling, Length: length, Normalize: length.MaxLength > 0})
		}
	}
	return all
}

// TestPipeline_batches compares the vectors of many texts with those of each text alone.
func TestPipeline_batches(t *testing.T) {
	texts := sentences(16)
	for _, kind := range []tinyKind{{}, {beams: true}, {positions: true}, {pooled: true}} {
		for i, config := range configs() {
			if kind != (tinyKind{}) && i%4 != 1 {
				continue
			}
			p := openTiny(t, kind, config)
			got, err := p.Embed(background, texts)
			require.NoError(t, err)
			require.Equal(t, []int{len(texts), tinyWidth}, []int{got.Rows, got.Columns})
			for i, text := range texts {
				want, err := p.AppendEmbed(background, []float32{42}, []string{text})
				require.NoError(t, err)
				assert.EqualValues(t, 42, want[0])
				require.InDeltaSlice(t, want[1:], got.Row(i), 1e-5, "%+v %+v: text %d", kind, config, i)
				if config.Normalize {
					require.InDelta(t, 1, length(got.Row(i)), 1e-5)
				}
			}
		}
	}
}

// TestPipeline_pooling compares pooled vectors with those of the tokens.
func TestPipeline_pooling(t *testing.T) {
	tokens := func(text string, pooling Pooling) []float32 {
		vector, err := openTiny(t, tinyKind{}, Config{Pooling: pooling}).EmbedQuery(background, text)
		require.NoError(t, err)
		return vector
	}
	first, last := tokens("cat sleep", CLS), tokens("cat sleep", LastToken)
	assert.Equal(t, tokens("monday", CLS), first, "[CLS]")
	assert.Equal(t, tokens("monday", LastToken), last, "[SEP]")
	// The mean of [CLS] word [SEP] differs by a third of what the words differ by.
	cat, cats, both := tokens("cat", Mean), tokens("cats", Mean), tokens("cat cats", Mean)
	for i := range both {
		assert.InDelta(t, (3*cat[i]+3*cats[i]-first[i]-last[i])/4, both[i], 1e-6)
	}
}

func TestPipeline_instructions(t *testing.T) {
	config := DefaultConfig()
	config.Pooling, config.QueryInstruction, config.DocumentInstruction = Mean, "like ", "milk "
	p := openTiny(t, tinyKind{}, config)
	query, err := p.EmbedQuery(background, "cat")
	require.NoError(t, err)
	documents, err := p.EmbedDocuments(background, []string{"cat"})
	require.NoError(t, err)
	want, err := p.Embed(background, []string{"like cat", "milk cat"})
	require.NoError(t, err)
	assert.InDeltaSlice(t, want.Row(0), query, 1e-6)
	assert.InDeltaSlice(t, want.Row(1), documents.Row(0), 1e-6)
}

// TestPipeline_streams computes batches on several goroutines, and in windows.
func TestPipeline_streams(t *testing.T) {
	folder := tinyFolder(t, t.TempDir(), tinyKind{})
	o := withBuiltin()
	o.CompileOptions = plugin.CompileOptions{InferenceNumThreads: 3, NumStreams: 3}
	p, err := o.Open(folder)
	require.NoError(t, err)
	defer p.Close()
	texts := sentences(windowTexts + 50)
	want, err := p.Embed(background, texts[:200])
	require.NoError(t, err)
	got, err := p.Embed(background, texts)
	require.NoError(t, err)
	assert.InDeltaSlice(t, want.Data, got.Data[:len(want.Data)], 1e-6)
	last, err := p.Embed(background, texts[windowTexts:])
	require.NoError(t, err)
	assert.InDeltaSlice(t, last.Data, got.Data[windowTexts*tinyWidth:], 1e-6)
	ctx, cancel := context.WithCancel(background)
	cancel()
	_, err = p.Embed(ctx, texts[:200])
	assert.ErrorIs(t, err, context.Canceled)
}

func TestPipeline_goroutines(t *testing.T) {
	p := openTiny(t, tinyKind{}, DefaultConfig())
	texts := sentences(40)
	want, err := p.Embed(background, texts)
	require.NoError(t, err)
	var wait sync.WaitGroup
	for i := range 6 {
		wait.Go(func() {
			got, err := p.Embed(background, texts[i:30+i])
			if assert.NoError(t, err) {
				assert.InDeltaSlice(t, want.Data[i*tinyWidth:(30+i)*tinyWidth], got.Data, 1e-6)
			}
		})
	}
	wait.Wait()
}

func TestPipeline_empty(t *testing.T) {
	p := openTiny(t, tinyKind{}, DefaultConfig())
	got, err := p.Embed(background, nil)
	require.NoError(t, err)
	assert.Equal(t, 0, got.Rows)
	assert.Empty(t, got.Data)
	assert.Equal(t, tinyWidth, p.Width())
	assert.Equal(t, 2, p.Compiled().Outputs()[0].Shape.Rank()-1)
	n, err := p.Tokenizer().CountTokens(background, "cat cats", true)
	require.NoError(t, err)
	assert.Equal(t, 4, n)
}

func TestOpen_errors(t *testing.T) {
	folder := tinyFolder(t, t.TempDir(), tinyKind{})
	_, err := Open(t.TempDir())
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = Options{}.Open(folder)
	assert.ErrorContains(t, err, "Options.Ops lists no layer types")
	o := withBuiltin()
	o.BatchTokens = -1
	_, err = o.Open(folder)
	assert.ErrorContains(t, err, "Options.BatchTokens is negative: -1")
	for want, config := range map[string]Config{
		`Pooling is "MAX", not one of CLS, MEAN and LAST_TOKEN`:  {Pooling: "MAX"},
		"MaxLength is negative: -1":                              {Pooling: CLS, Length: Length{MaxLength: -1}},
		`PaddingSide is "up", not left or right`:                 {Pooling: CLS, Length: Length{PaddingSide: "up"}},
		"module Dense of sentence-transformers is not supported": {Pooling: CLS, missing: "Dense"},
	} {
		_, err = withBuiltin().OpenConfig(folder, config)
		assert.ErrorContains(t, err, want)
	}
}

// TestReadConfig reads the files of sentence-transformers.
func TestReadConfig(t *testing.T) {
	modules := `[{"idx":0,"path":"","type":"sentence_transformers.models.Transformer"},{"idx":1,"path":"1_Pooling","type":"sentence_transformers.models.Pooling"}`
	mean := Config{Pooling: Mean, Normalize: true}
	for name, c := range map[string]struct {
		files map[string]string
		want  Config
		err   string
	}{
		"none":           {nil, DefaultConfig(), ""},
		"mean":           {map[string]string{poolingFile: `{"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false}`}, mean, ""},
		"raw":            {map[string]string{modulesFile: modules + "]"}, Config{Pooling: CLS}, ""},
		"norm":           {map[string]string{modulesFile: modules + `,{"path":"2_Normalize","type":"sentence_transformers.models.Normalize"}]`, poolingFile: `{"pooling_mode": "mean"}`}, mean, ""},
		"dense":          {map[string]string{modulesFile: modules + `,{"path":"2","type":"x.Dense"}]`}, Config{Pooling: CLS, missing: "x.Dense"}, ""},
		"last":           {map[string]string{poolingFile: `{"pooling_mode_lasttoken": true}`}, Config{Pooling: LastToken, Normalize: true, Length: Length{PaddingSide: text.PaddingRight}}, ""},
		"max":            {map[string]string{poolingFile: `{"pooling_mode_max_tokens": true}`}, Config{Pooling: CLS, Normalize: true, missing: "pooling by max_tokens"}, ""},
		"two":            {map[string]string{poolingFile: `{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}`}, Config{}, "1_Pooling/config.json: there are 2 modes of pooling, not one"},
		"outside":        {map[string]string{modulesFile: `[{"path":"../x","type":"Pooling"}]`}, Config{}, `modules.json: path "../x" of a module is outside the directory`},
		"length":         {map[string]string{lengthFile: `{"max_seq_length": 256}`}, Config{Pooling: CLS, Normalize: true, Length: Length{MaxLength: 256}}, ""},
		"positions":      {map[string]string{configFile: `{"max_position_embeddings": 514}`, tokensFile: `{"model_max_length": 1e30}`}, Config{Pooling: CLS, Normalize: true, Length: Length{MaxLength: 514}}, ""},
		"tokenizer":      {map[string]string{configFile: `{"max_position_embeddings": 514}`, tokensFile: `{"model_max_length": 512}`}, Config{Pooling: CLS, Normalize: true, Length: Length{MaxLength: 512}}, ""},
		"only tokenizer": {map[string]string{lengthFile: `{"max_seq_length": null}`, tokensFile: `{"model_max_length": 512}`}, DefaultConfig(), ""},
		"stated":         {map[string]string{lengthFile: `{"max_seq_length": 600}`, configFile: `{"max_position_embeddings": 514}`}, Config{Pooling: CLS, Normalize: true, Length: Length{MaxLength: 600}}, ""},
		"no":             {map[string]string{lengthFile: `{"max_seq_length": 0}`}, Config{}, "sentence_bert_config.json: max_seq_length is 0"},
		"prompts":        {map[string]string{promptsFile: `{"prompts": {"query": "q: ", "passage": "p: "}}`}, Config{Pooling: CLS, Normalize: true, QueryInstruction: "q: ", DocumentInstruction: "p: "}, ""},
		"default":        {map[string]string{promptsFile: `{"prompts": {"query": "q: ", "s": "s: "}, "default_prompt_name": "s"}`}, Config{Pooling: CLS, Normalize: true, QueryInstruction: "q: ", DocumentInstruction: "s: "}, ""},
		"long":           {map[string]string{promptsFile: `{"prompts": {"query": "` + strings.Repeat("q", maxPromptBytes+1) + `"}}`}, Config{}, "config_sentence_transformers.json: a prompt has 65537 bytes, more than 65536"},
		"not JSON":       {map[string]string{promptsFile: `{`}, Config{}, "config_sentence_transformers.json: unexpected end of JSON input"},
	} {
		files := fstest.MapFS{}
		for file, data := range c.files {
			files[file] = &fstest.MapFile{Data: []byte(data)}
		}
		got, err := ReadConfig(files, ".")
		if c.err != "" {
			assert.EqualError(t, err, c.err, name)
			continue
		}
		require.NoError(t, err, name)
		assert.Equal(t, c.want, got, name)
	}
}

// TestBatches checks the batches of texts of many lengths.
func TestBatches(t *testing.T) {
	lengths := []int{300, 300, 300, 130, 129, 70, 33, 32, 20, 20, 20, 20, 20, 19, 18, 5, 1, 0}
	rows := make([]row, len(lengths))
	for i, n := range lengths {
		rows[i] = row{text: i, ids: make([]int32, n)}
	}
	j := job{model: &model{batchTokens: 128}, Length: Length{MaxLength: 310}}
	next := 0
	for _, b := range j.batches(rows) {
		assert.True(t, len(b.rows) == 1 || len(b.rows)*b.length <= 128)
		assert.Zero(t, len(b.rows)&(len(b.rows)-1), "a power of two")
		assert.LessOrEqual(t, b.length, 310)
		for _, row := range b.rows {
			assert.Equal(t, next, row.text)
			assert.LessOrEqual(t, len(row.ids), b.length)
			assert.GreaterOrEqual(t, max(len(row.ids), 1), b.length-b.length/8-1)
			next++
		}
	}
	assert.Equal(t, len(lengths), next)
}

// TestReranker has models of one class, of several, and of a language model.
func TestReranker(t *testing.T) {
	documents := sentences(20)
	for _, kind := range []tinyKind{{classes: 1}, {classes: 3}, {causal: true}} {
		r, err := OpenReranker(tinyFolder(t, t.TempDir(), kind))
		require.NoError(t, err)
		all, err := r.Rerank(background, "cats sleep ", documents, RerankOptions{TopN: 100})
		require.NoError(t, err)
		require.Len(t, all, len(documents))
		for i, match := range all {
			assert.True(t, match.Score >= 0 && match.Score <= 1)
			one, err := r.Rerank(background, "cats sleep ", documents[match.Index:match.Index+1], RerankOptions{})
			require.NoError(t, err)
			assert.InDelta(t, one[0].Score, match.Score, 1e-6)
			assert.True(t, i == 0 || all[i-1].Score >= match.Score)
		}
		three, err := r.Rerank(background, "cats sleep ", documents, RerankOptions{})
		require.NoError(t, err)
		assert.Equal(t, all[:3], three)
		none, err := r.Rerank(background, "cats", nil, RerankOptions{})
		require.NoError(t, err)
		assert.Empty(t, none)
		_, err = r.Rerank(background, "cats", nil, RerankOptions{TopN: -1})
		assert.EqualError(t, err, "TopN is negative: -1")
		require.NoError(t, r.Close())
	}
}

// TestWrongKind opens models of one kind as those of another.
func TestWrongKind(t *testing.T) {
	for _, kind := range []tinyKind{{}, {pooled: true}} {
		_, err := OpenReranker(tinyFolder(t, t.TempDir(), kind))
		assert.ErrorContains(t, err, "it is a model of embeddings, which scores no pairs of texts")
	}
	for _, kind := range []tinyKind{{causal: true}, {classes: 2}} {
		_, err := Open(tinyFolder(t, t.TempDir(), kind))
		assert.ErrorContains(t, err, "it is a language model or a classifier")
	}
}

func TestScore(t *testing.T) {
	assert.InDelta(t, 0.5, score([]float32{0}), 1e-6)
	assert.InDelta(t, 0.8807971, score([]float32{2}), 1e-6)
	assert.InDelta(t, 0.8807971, score([]float32{-1, 1}), 1e-6)
	assert.InDelta(t, 1.0/3, score([]float32{7, 7, 7}), 1e-6)
	assert.Zero(t, score([]float32{1e6, 0}))
	assert.True(t, math.IsNaN(float64(score([]float32{float32(math.NaN())}))))
}
