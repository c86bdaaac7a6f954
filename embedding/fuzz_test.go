package embedding

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tinyFiles returns the files of testdata/tiny as those of a folder "model".
func tinyFiles(t testing.TB) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	for _, name := range []string{modelFile, "openvino_model.bin", "openvino_tokenizer.xml", "openvino_tokenizer.bin"} {
		data, err := fs.ReadFile(os.DirFS("testdata/tiny"), name)
		require.NoError(t, err)
		files["model/"+name] = &fstest.MapFile{Data: data}
	}
	return files
}

// insideFS fails a test that opens something other than the folder "model" or a file in it.
type insideFS struct {
	fs.FS
	t *testing.T
}

func (f insideFS) Open(name string) (fs.File, error) {
	assert.True(f.t, fs.ValidPath(name) && strings.HasPrefix(name+"/", "model/"), name)
	return f.FS.Open(name)
}

// FuzzReadConfig reads any files of sentence-transformers. What they state is a Config that is
// valid.
func FuzzReadConfig(f *testing.F) {
	const pooling = `{"pooling_mode_mean_tokens": true, "include_prompt": false}`
	f.Add([]byte(`[{"path":"1_Pooling","type":"a.Pooling"},{"path":"2","type":"a.Normalize"}]`), []byte(pooling),
		[]byte(`{"prompts":{"query":"q: ","corpus":"c: "},"default_prompt_name":"query"}`), []byte(`{"max_seq_length":256}`))
	f.Add([]byte(`[{"path":"../1_Pooling","type":"Pooling"}]`), []byte(`{"pooling_mode":"lasttoken"}`), []byte(`{"prompts":{"query":null}}`), []byte(`{"max_seq_length":1e99}`))
	f.Add([]byte(`[{"path":"/","type":"Pooling"}]`), []byte(`{"pooling_mode_":1}`), []byte(`[]`), []byte(`{"max_seq_length":-1}`))
	f.Add([]byte(`[null]`), []byte(`null`), []byte(`{"prompts":[]}`), []byte(`"`))
	f.Fuzz(func(t *testing.T, modules, pooling, prompts, length []byte) {
		files := fstest.MapFS{}
		for name, data := range map[string][]byte{modulesFile: modules, poolingFile: pooling, configFile: pooling, promptsFile: prompts, lengthFile: length} {
			files[path.Join("model", name)] = &fstest.MapFile{Data: data}
		}
		config, err := ReadConfig(insideFS{files, t}, "model")
		if err != nil {
			assert.Equal(t, Config{}, config)
			assert.NotContains(t, err.Error(), "BUG")
			return
		}
		require.NoError(t, config.Validate())
		assert.LessOrEqual(t, max(len(config.QueryInstruction), len(config.DocumentInstruction)), maxPromptBytes)
	})
}

// FuzzOpenFS opens a folder of which one file of JSON is anything. If that is no error, the
// Pipeline computes vectors.
func FuzzOpenFS(f *testing.F) {
	names := []string{
		modulesFile, poolingFile, promptsFile, lengthFile, configFile,
		"tokenizer_config.json", "special_tokens_map.json", "processor_config.json", "chat_template.json",
	}
	for i, data := range []string{
		`[{"type":"Normalize"}]`, `{"pooling_mode":"mean"}`, `{"prompts":{"query":"cat "}}`, `{"max_seq_length":3}`, `{"max_position_embeddings":3,"pad_token_id":-7}`,
		`{"added_tokens_decoder":{"-1":{"content":"x"}},"pad_token":"x"}`, `{"pad_token":{"content":1}}`, `{"chat_template":[{}]}`, `{"chat_template":"{%"}`,
	} {
		f.Add(byte(i), []byte(data))
	}
	files, o := tinyFiles(f), withBuiltin()
	f.Fuzz(func(t *testing.T, file byte, data []byte) {
		name := names[int(file)%len(names)]
		all := fstest.MapFS{path.Join("model", name): &fstest.MapFile{Data: data}}
		for name, file := range files {
			all[name] = file
		}
		p, err := o.OpenFS(insideFS{all, t}, "model")
		if err != nil {
			assert.NotContains(t, err.Error(), "BUG")
			return
		}
		defer func() { require.NoError(t, p.Close()) }()
		vectors, err := p.EmbedDocuments(t.Context(), []string{"", "cats like warm milk"})
		if err != nil {
			assert.NotContains(t, err.Error(), "BUG")
			return
		}
		require.Len(t, vectors.Data, 2*p.Width())
		assert.False(t, slices.ContainsFunc(vectors.Data, func(v float32) bool { return v != v }))
	})
}
