package textcorpus_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conformance/textcorpus"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func TestReadTokenizer(t *testing.T) {
	file, err := textcorpus.ReadTokenizer(write(t, "genai.json", `{"pad":[0,"<pad>"],"bos":[-1,""],"cases":[`+
		`{"texts":["a",{"hex":"ff"}],"input_ids":[[1],[2]],"add_special_tokens":false},{"ids":[1,2],"chunks":["x"],"chunks_after_token":[0,1]}]}`))
	require.NoError(t, err)
	assert.Equal(t, textcorpus.Special{ID: 0, Text: "<pad>"}, file.Pad)
	assert.Equal(t, textcorpus.Special{ID: -1}, file.BOS)
	assert.Equal(t, []string{"a", "\xff"}, textcorpus.Strings(file.Cases[0].Texts))
	assert.Equal(t, [][]int32{{1}, {2}}, file.Cases[0].InputIDs)
	assert.False(t, *file.Cases[0].AddSpecialTokens)
	assert.Nil(t, file.Cases[1].SkipSpecialTokens)
	assert.Equal(t, []int{0, 1}, file.Cases[1].ChunksAfterToken)
	for text, want := range map[string]string{
		"{": "encode.json: ", `{"cases":[{"text":{"hex":"f"}}]}`: "odd length", `{"cases":[{"text":1}]}`: "cannot unmarshal",
	} {
		_, err := textcorpus.ReadTokenizer(write(t, "encode.json", text))
		assert.ErrorContains(t, err, want)
	}
}

func TestReadTemplate(t *testing.T) {
	path := write(t, "a.json", `{"template":"a.jinja","eos_token":"</s>","made":"2026-01-02","cases":[{"case":"user","messages":[],"hf":""},{"hf_error":"no"}]}`)
	_, err := textcorpus.ReadTemplate(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "a.jinja"), []byte("{{ x }}"), 0o644))
	file, err := textcorpus.ReadTemplate(path)
	require.NoError(t, err)
	assert.Equal(t, "{{ x }}", file.Source)
	assert.Equal(t, map[string]string{"eos_token": "</s>"}, file.Tokens())
	assert.Empty(t, *file.Cases[0].HF)
	assert.Nil(t, file.Cases[1].HF)
	_, err = textcorpus.ReadTemplate(write(t, "b.json", `{"template":"../a.jinja"}`))
	assert.ErrorContains(t, err, `template "../a.jinja" is not beside it`)
	_, err = textcorpus.ReadTemplate(write(t, "b.json", `[`))
	assert.ErrorContains(t, err, "b.json: ")
}

func TestReadAnswers(t *testing.T) {
	file, err := textcorpus.ReadAnswers(write(t, "generate.json", `{"cases":[{"config":"beam","num_beams":2,"tokens":[[1,2],[3]]},{"tokens":[4],"turns":[["a","b"]]}]}`))
	require.NoError(t, err)
	assert.Equal(t, textcorpus.Rows{{1, 2}, {3}}, file.Cases[0].Tokens)
	assert.Contains(t, string(file.Cases[0].Settings), `"num_beams":2`)
	assert.Equal(t, textcorpus.Rows{{4}}, file.Cases[1].Tokens)
	assert.Equal(t, [][2]string{{"a", "b"}}, file.Cases[1].Turns)
	_, err = textcorpus.ReadAnswers(write(t, "generate.json", `{"cases":[{"tokens":["a"]}]}`))
	assert.ErrorContains(t, err, "cannot unmarshal")
}

func TestReadLogits(t *testing.T) {
	file, err := textcorpus.ReadLogits(write(t, "logits.json", `{"cases":[{"ids":[1],"logits_of_last":[0.5]}]}`))
	require.NoError(t, err)
	assert.Equal(t, []float32{0.5}, file.Cases[0].Logits)
}

func TestReadEmbeddings(t *testing.T) {
	file, err := textcorpus.ReadEmbeddings(write(t, "embed.json", `{"atol":0.1,"cases":[`+
		`{"config":{"pooling_type":"MEAN","normalize":false},"embed_query":[1.5]},{"rerank":[[2,0.5]]}]}`))
	require.NoError(t, err)
	assert.Equal(t, 0.1, file.ATol)
	assert.Equal(t, "MEAN", file.Cases[0].Config.Pooling)
	assert.False(t, *file.Cases[0].Config.Normalize)
	assert.Equal(t, []float32{1.5}, file.Cases[0].EmbedQuery)
	assert.Equal(t, []textcorpus.Match{{Index: 2, Score: 0.5}}, file.Cases[1].Rerank)
}

func TestReadVectors(t *testing.T) {
	v, err := textcorpus.ReadVectors(write(t, "case.json", `{"model":"zoo/a/model.xml (a remark)","tokenizer":"tokenizers/b with max_length 256","texts":["x"],"max_rel":0.1}`))
	require.NoError(t, err)
	assert.Equal(t, &textcorpus.Vectors{Model: "zoo/a/model.xml", Tokenizer: "tokenizers/b", MaxLength: 256, Texts: []string{"x"}, MaxRel: 0.1}, v)
	for text, want := range map[string]string{"{": "case.json: ", `{"tokenizer":"b"}`: `case.json: tokenizer "b": `} {
		_, err := textcorpus.ReadVectors(write(t, "case.json", text))
		assert.ErrorContains(t, err, want)
	}
}
