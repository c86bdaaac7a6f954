package repository_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/serve/internal/repository"
)

// write writes files with the given contents below a new folder, and returns its path.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if strings.HasSuffix(name, "/") {
			require.NoError(t, os.MkdirAll(path, 0o755))
			continue
		}
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

// empty returns files without contents.
func empty(names ...string) map[string]string {
	files := make(map[string]string)
	for _, name := range names {
		files[name] = ""
	}
	return files
}

// summary returns what was found: a line for each version, or the error of the model.
func summary(models []repository.Model) (lines []string) {
	for _, m := range models {
		if m.Err != nil {
			lines = append(lines, m.Name+": an error")
			continue
		}
		for _, v := range m.Versions {
			line := fmt.Sprintf("%s/%s: %s", m.Name, v.Name(), v.File)
			if v.Err != nil {
				line += "an error"
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func TestFind(t *testing.T) {
	for name, c := range map[string]struct {
		files []string
		want  []string
	}{
		"folder of models": {
			[]string{"b/1/model.xml", "b/1/model.bin", "a/1/x.onnx", "a/2/model.xml", "a/2/other.xml", "readme.txt", "docs/readme.txt", ".hidden/1/model.xml"},
			[]string{"a/2: model.xml", "b/1: model.xml"},
		},
		"models without version folders": {[]string{"a/model.xml", "b/1/model.xml"}, []string{"a/1: model.xml", "b/1: model.xml"}},
		"one model":                      {[]string{"1/model.xml", "3/net.xml", "20/net.onnx", "docs/readme"}, []string{"repo/20: net.onnx"}},
		"one model without versions":     {[]string{"net.xml", "net.bin"}, []string{"repo/1: net.xml"}},
		"one version that is empty":      {[]string{"1/"}, []string{"repo/1: an error"}},
		"models called by numbers":       {[]string{"7/1/model.xml", "8/2/model.xml"}, []string{"7/1: model.xml", "8/2: model.xml"}},
		"version on its way":             {[]string{"a/1/"}, []string{"a/1: an error"}},
		"several files":                  {[]string{"a/1/x.xml", "a/1/y.xml"}, []string{"a/1: an error"}},
		"no version folders":             {[]string{"a/config.pbtxt", "a/01/model.xml", "a/0/model.xml", "a/-1/model.xml", "a/v1/model.xml"}, []string{"a: an error"}},
		"only a configuration":           {[]string{"config.pbtxt"}, []string{"repo: an error"}},
	} {
		t.Run(name, func(t *testing.T) {
			models, err := repository.Find(write(t, empty(c.files...)))
			require.NoError(t, err)
			require.Equal(t, c.want, summary(models))
		})
	}
}

func TestFind_nothing(t *testing.T) {
	_, err := repository.Find(filepath.Join(t.TempDir(), "missing"))
	require.ErrorIs(t, err, os.ErrNotExist)

	dir := write(t, empty("readme.txt", "docs/readme.txt"))
	_, err = repository.Find(dir)
	require.EqualError(t, err, dir+` has no models: expected NAME/1/model.xml, 1/model.xml or model.xml, found "docs" (a folder), "readme.txt"`)

	var many []string
	for i := range 12 {
		many = append(many, fmt.Sprintf("f%02d", i))
	}
	_, err = repository.Find(write(t, empty(many...)))
	require.ErrorContains(t, err, `"f09" and 2 more`)
	_, err = repository.Find(write(t, nil))
	require.ErrorContains(t, err, "found nothing")
}

func TestFind_errors(t *testing.T) {
	for text, files := range map[string]map[string]string{
		`has no model: expected an .xml or .onnx file, found "notes" (a folder), "x.bin"`: empty("a/1/x.bin", "a/1/notes/x"),
		"has 3 models, x.xml and y.xml among them":                                        empty("a/1/x.xml", "a/1/y.xml", "a/1/z.onnx"),
		"has no model net.xml":  {"a/1/model.xml": "", "a/config.pbtxt": `default_model_filename: "net.xml"`},
		"mapping_config.json: ": {"a/1/model.xml": "", "a/1/mapping_config.json": "["},
	} {
		models, err := repository.Find(write(t, files))
		require.NoError(t, err)
		require.NoError(t, models[0].Err)
		require.ErrorContains(t, models[0].Versions[0].Err, text)
	}
	for text, files := range map[string]map[string]string{
		`has no versions: expected 1/model.xml or model.xml, found "config.pbtxt", "x" (a folder)`: empty("a/config.pbtxt", "a/x/model.bin"),
		"the version policy selects none of the versions [1 2]":                                    {"a/1/model.xml": "", "a/2/model.xml": "", "a/config.pbtxt": "version_policy { specific { versions: 3 } }"},
		"config.pbtxt: line 2: ":                      {"a/1/model.xml": "", "a/config.pbtxt": "\n}"},
		"config.pbtxt is larger than the limit of 10": {"a/1/model.xml": "", "a/config.pbtxt": strings.Repeat("#", 1<<20+1)},
	} {
		models, err := repository.Find(write(t, files))
		require.NoError(t, err)
		require.ErrorContains(t, models[0].Err, text)
		require.Empty(t, models[0].Versions)
	}
}

func TestFind_file(t *testing.T) {
	dir := write(t, empty("net.xml", "net.bin", "other.xml", "other.bin"))
	models, err := repository.Find(filepath.Join(dir, "net.xml"))
	require.NoError(t, err)
	require.Equal(t, []string{"net/1: net.xml"}, summary(models))
	require.Len(t, models[0].Versions[0].Files, 2, "the other model is not a part of it")

	m, err := repository.FindOne(filepath.Join(dir, "other.xml"), "name", []byte(`{"nireq": 3}`))
	require.NoError(t, err)
	require.Equal(t, []string{"name/1: other.xml"}, summary([]repository.Model{m}))
	require.Equal(t, 3, m.Config.Instances)
	changed := m.WithConfig([]byte(`{"maxBatchSize": 2}`))
	require.Equal(t, []string{"name/1: other.xml"}, summary([]repository.Model{changed}))
	require.Zero(t, changed.Config.Instances)
	broken := m.WithConfig([]byte(`{`))
	require.Error(t, broken.Err)

	m, err = repository.FindOne(filepath.Join(dir, "net.bin"), "name", nil)
	require.NoError(t, err)
	require.ErrorContains(t, m.Versions[0].Err, "has no model net.bin: expected an .xml or .onnx file")
	_, err = repository.FindOne(filepath.Join(dir, "missing"), "name", nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestFindModel(t *testing.T) {
	files := repository.Folder{FS: fstest.MapFS{
		"1/model.xml": {}, "3/model.xml": {}, "10/model.xml": {}, "x/1/model.xml": {},
		"1/mapping_config.json": {Data: []byte(`{"inputs": {"a": "b"}}`)},
	}}
	for policy, want := range map[string][]string{
		`{}`: {"m/10: model.xml"},
		`{"version_policy": {"latest": {"num_versions": 2}}}`:             {"m/3: model.xml", "m/10: model.xml"},
		`{"version_policy": {"latest": {"num_versions": 9}}}`:             {"m/1: model.xml", "m/3: model.xml", "m/10: model.xml"},
		`{"versionPolicy": {"all": {}}}`:                                  {"m/1: model.xml", "m/3: model.xml", "m/10: model.xml"},
		`{"model_version_policy": {"specific": {"versions": [1, 3, 4]}}}`: {"m/1: model.xml", "m/3: model.xml"},
	} {
		m := repository.FindModel(files, "m", []byte(policy))
		require.Equal(t, want, summary([]repository.Model{m}), policy)
	}
	m := repository.FindModel(files, "m", []byte(`{"version_policy": {"specific": {"versions": "1"}}}`))
	require.Equal(t, map[string]string{"a": "b"}, m.Versions[0].Mapping.Inputs)

	sub, err := files.Sub("x")
	require.NoError(t, err)
	require.Equal(t, []string{"y/1: model.xml"}, summary([]repository.Model{repository.FindModel(sub, "y", nil)}))
	require.Equal(t, "the folder", sub.String())
	models, err := repository.FindIn(sub)
	require.NoError(t, err)
	require.Equal(t, "model", models[0].Name, "a folder of a program has no name")
}

// TestSnapshot checks that each change of a file is seen, and nothing else.
func TestSnapshot(t *testing.T) {
	dir := write(t, empty("a/1/model.xml", "a/1/data/weights.bin"))
	look := func() repository.Snapshot {
		models, err := repository.Find(dir)
		require.NoError(t, err)
		return models[0].Versions[0].Files
	}
	before := look()
	require.Len(t, before, 2)
	require.True(t, before.Equal(look()))
	require.Zero(t, before.Bytes())

	path := filepath.Join(dir, "a/1/data/weights.bin")
	at := before[0].Time
	require.NoError(t, os.WriteFile(path, []byte("123"), 0o644))
	require.NoError(t, os.Chtimes(path, at, at))
	sized := look()
	require.False(t, before.Equal(sized), "the size")
	require.Equal(t, int64(3), sized.Bytes())
	require.NoError(t, os.Chtimes(path, at.Add(1), at.Add(1000)))
	timed := look()
	require.False(t, sized.Equal(timed), "the time")
	require.NoError(t, os.Rename(path, path+"2"))
	require.False(t, timed.Equal(look()), "the name")
}

func TestSnapshot_links(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right")
	}
	dir := write(t, empty("a/1/model.xml", "versions/old/model.xml", "versions/new/model.xml"))
	require.NoError(t, os.Symlink(filepath.Join(dir, "versions/old"), filepath.Join(dir, "a/2")))
	require.NoError(t, os.Symlink("..", filepath.Join(dir, "a/1/loop")))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "a/1/dangling.xml")))
	m, err := repository.FindOne(filepath.Join(dir, "a"), "a", []byte(`{"version_policy": {"all": {}}}`))
	require.NoError(t, err)
	require.Equal(t, []string{"a/1: model.xml", "a/2: model.xml"}, summary([]repository.Model{m}))
	require.Equal(t, "model.xml", filepath.Base(m.Versions[1].Files[0].Target))
	require.Equal(t, "old", filepath.Base(filepath.Dir(m.Versions[1].Files[0].Target)))
}

func TestReadList(t *testing.T) {
	dir := write(t, map[string]string{
		"models/a/1/model.xml": "", "models/a/2/model.xml": "", "models/b.xml": "",
		"config.json": `{
			"model_config_list": [
				{"config": {"name": "first", "base_path": "models/a", "model_version_policy": {"all": {}}, "nireq": 2, "unknown": 1}},
				{"config": {"name": "second", "base_path": "models/b.xml", "plugin_config": {"NUM_STREAMS": 2}}},
				{"config": {"name": "third", "base_path": "models/c"}},
				{"config": {"name": "fourth", "base_path": "models/a", "plugin_config": {"NO_PROPERTY": 2}}}
			],
			"monitoring": {"metrics": {"enable": true}},
			"mediapipe_config_list": [{"name": "x"}]
		}`,
	})
	models, warnings, err := repository.ReadList(filepath.Join(dir, "config.json"))
	require.NoError(t, err)
	require.Equal(t, []string{"first/1: model.xml", "first/2: model.xml", "second/1: b.xml", "third: an error", "fourth: an error"}, summary(models))
	require.Equal(t, []string{"mediapipe_config_list: the field is ignored"}, warnings)
	require.Equal(t, 2, models[0].Config.Instances)
	require.Equal(t, []string{"unknown: the field is ignored"}, models[0].Warnings)
	require.Equal(t, 2, *models[1].Config.Compile.NumStreams)
	require.ErrorIs(t, models[2].Err, os.ErrNotExist)
	require.EqualError(t, models[3].Err, "plugin_config: NO_PROPERTY: the property is not known")
}

func TestReadList_errors(t *testing.T) {
	for text, want := range map[string]string{
		``:                                       "unexpected EOF",
		`[]`:                                     "expected a JSON object",
		`{} {}`:                                  "something follows the JSON object",
		`{"model_config_list": [{}]}`:            "model_config_list: expected a member config, an object",
		`{"model_config_list": [1]}`:             `model_config_list: expected a message, found "1"`,
		`{"model_config_list": [{"config": 1}]}`: "config: expected a member config, an object",
		`{"model_config_list": [{"config": {"name": "x"}}]}`: `a model needs a name and a base_path, found "x" and ""`,
		`{"model_config_list": [{"config": {"name": {}}}]}`:  "name: expected a value, found a message",
	} {
		_, _, err := repository.ReadList(filepath.Join(write(t, map[string]string{"c.json": text}), "c.json"))
		require.ErrorContains(t, err, want, text)
	}
	_, _, err := repository.ReadList(filepath.Join(t.TempDir(), "c.json"))
	require.ErrorContains(t, err, "there is no such file")
}
