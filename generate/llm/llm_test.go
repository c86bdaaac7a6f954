package llm

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/generate"
	"github.com/vinoir/vinoir/text"
	"github.com/vinoir/vinoir/text/chat"
)

var background = context.Background()

// files returns the files of testdata/tiny, which a test may change.
func files(t testing.TB) fstest.MapFS {
	t.Helper()
	dir := os.DirFS("../testdata/tiny")
	entries, err := fs.ReadDir(dir, ".")
	require.NoError(t, err)
	all := fstest.MapFS{}
	for _, e := range entries {
		data, err := fs.ReadFile(dir, e.Name())
		require.NoError(t, err)
		all["tiny/"+e.Name()] = &fstest.MapFile{Data: data}
	}
	return all
}

// TestOpen compares what a directory and a file system have with what is opened piece by piece.
func TestOpen(t *testing.T) {
	p, err := Open("../testdata/tiny")
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	assert.Nil(t, p.Draft())
	assert.Equal(t, []int32{256}, p.Config().StopTokenIDs)
	want, err := p.Generate(background, "Hello!", p.Config())
	require.NoError(t, err)

	session := p.Model().NewSession()
	tokens, err := p.Tokenizer().AppendEncode(background, nil, "user: Hello!<|end|>\nassistant: ", false)
	require.NoError(t, err)
	results, err := session.Generate(background, [][]int32{tokens}, p.Config())
	require.NoError(t, err)
	assert.Equal(t, want.Sequences[0].Tokens, results[0].Sequences[0].Tokens)

	q, err := OpenFS(files(t), "tiny")
	require.NoError(t, err)
	defer func() { require.NoError(t, q.Close()) }()
	got, err := q.Generate(background, "Hello!", q.Config())
	require.NoError(t, err)
	assert.Equal(t, want.Sequences[0].Text, got.Sequences[0].Text)
}

// TestOptions_template has templates that get tokens and variables, and none.
func TestOptions_template(t *testing.T) {
	tokenizer, err := text.OpenFS(files(t), "tiny")
	require.NoError(t, err)
	defer func() { require.NoError(t, tokenizer.Close()) }()
	messages := []chat.Message{{Role: "user", Content: "Hi"}}
	for _, c := range []struct {
		options Options
		want    string
	}{
		{Options{}, "user: Hi<|end|>\nassistant: "},
		{Options{Template: "{{ eos_token }}{{ bos_token is defined }}"}, "<|end|>False"},
		{Options{Template: "{{ eos_token }}{{ x }}", Chat: chat.Input{Tokens: map[string]string{"eos_token": "E"}, Variables: map[string]any{"x": 1}}}, "E1"},
	} {
		template, err := c.options.template(tokenizer)
		require.NoError(t, err)
		got, err := template(background, messages)
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
	none, err := (&Options{NoTemplate: true}).template(tokenizer)
	require.NoError(t, err)
	assert.Nil(t, none)
}

// TestOpen_draft compares the answers with a draft model to those without.
func TestOpen_draft(t *testing.T) {
	o := all()
	o.Draft = "tiny"
	p, err := o.OpenFS(files(t), "tiny")
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	require.NotNil(t, p.Draft())
	got, err := p.Generate(background, "Hello!", p.Config())
	require.NoError(t, err)
	alone, err := generate.NewPipeline(p.Model(), p.Tokenizer(), generate.PipelineOptions{})
	require.NoError(t, err)
	want, err := alone.Generate(background, "user: Hello!<|end|>\nassistant: ", p.Config())
	require.NoError(t, err)
	assert.Equal(t, want.Sequences[0].Tokens, got.Sequences[0].Tokens)
}

// TestOpen_fails takes a file away, or breaks it.
func TestOpen_fails(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       string
	}{
		{"openvino_model.xml", "", "openvino_model.xml"},
		{"openvino_tokenizer.xml", "", "openvino_tokenizer.xml"},
		{"openvino_detokenizer.xml", "", "there is no openvino_detokenizer.xml"},
		{"openvino_model.xml", "<net", "openvino_model.xml"},
		{"chat_template.jinja", "{% if %}", "chat template: "},
		{"generation_config.json", "{", "generation_config.json: "},
	} {
		all := files(t)
		delete(all, "tiny/"+c.name)
		if c.data != "" {
			all["tiny/"+c.name] = &fstest.MapFile{Data: []byte(c.data)}
		}
		_, err := OpenFS(all, "tiny")
		assert.ErrorContains(t, err, c.want, c.name)
	}
	o := all()
	o.Draft = "nothere"
	_, err := o.OpenFS(files(t), "tiny")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = Options{}.OpenFS(files(t), "tiny")
	assert.ErrorContains(t, err, "Options.Ops lists no layer types")
	_, err = Open(filepath.Join(t.TempDir(), "nothere"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
}
