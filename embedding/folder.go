package embedding

import (
	"encoding/json"
	"io/fs"
	"math"
	"path"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/modeldir"
	"github.com/vinoir/vinoir/text"
)

// Names of the files of a model directory.
const (
	modelFile   = "openvino_model.xml"
	configFile  = "config.json"
	modulesFile = "modules.json"
	promptsFile = "config_sentence_transformers.json"
	lengthFile  = "sentence_bert_config.json"
	tokensFile  = "tokenizer_config.json"
	poolingFile = "1_Pooling/config.json"
)

// maxPromptBytes bounds the size of an instruction, which is copied for each text.
const maxPromptBytes = 64 << 10

// ReadConfig returns the Config that the files of sentence-transformers in dir state, each of which
// may be missing: what they do not state is as in DefaultConfig.
//
// The pooling is that of 1_Pooling/config.json, or of the folder that modules.json gives instead.
// For the last token, texts are padded on the right. modules.json says whether vectors are
// normalized. The instructions are the prompts "query" and "document" (or else "passage", "corpus")
// of config_sentence_transformers.json, otherwise the one that default_prompt_name names.
// MaxLength is max_seq_length of sentence_bert_config.json; without it, the smaller one of
// max_position_embeddings of config.json and model_max_length of tokenizer_config.json.
func ReadConfig(fsys fs.FS, dir string) (Config, error) {
	c := DefaultConfig()
	pooling, err := c.readModules(fsys, dir)
	if err == nil {
		err = c.readPooling(fsys, path.Join(dir, pooling))
	}
	if err == nil {
		err = c.readPrompts(fsys, path.Join(dir, promptsFile))
	}
	if err == nil {
		err = c.readLength(fsys, dir)
	}
	if err != nil {
		return Config{}, err
	}
	return c, nil
}

// readLength reads how long texts can be. As in sentence-transformers, the model and the tokenizer
// count only if no length is stated. A tokenizer without a limit states one such as 1e30.
func (c *Config) readLength(fsys fs.FS, dir string) error {
	var stated struct {
		Length *int `json:"max_seq_length"`
	}
	var model struct {
		Positions float64 `json:"max_position_embeddings"`
	}
	var tokenizer struct {
		Length float64 `json:"model_max_length"`
	}
	for _, file := range []struct {
		name string
		to   any
	}{{lengthFile, &stated}, {configFile, &model}, {tokensFile, &tokenizer}} {
		if err := modeldir.ReadJSON(fsys, path.Join(dir, file.name), file.to); err != nil {
			return err
		}
	}
	switch {
	case stated.Length == nil:
		length := model.Positions
		if tokenizer.Length >= 1 {
			length = min(length, tokenizer.Length)
		}
		if length >= 1 && length <= math.MaxInt32 {
			c.MaxLength = int(length)
		}
	case *stated.Length <= 0:
		return faults.Errorf("%s: max_seq_length is %d", path.Join(dir, lengthFile), *stated.Length)
	default:
		c.MaxLength = *stated.Length
	}
	return nil
}

// readModules reads modules.json. It returns the path of the settings of the pooling.
func (c *Config) readModules(fsys fs.FS, dir string) (pooling string, err error) {
	var modules []struct{ Path, Type string }
	if err := modeldir.ReadJSON(fsys, path.Join(dir, modulesFile), &modules); err != nil || modules == nil {
		return poolingFile, err
	}
	c.Normalize, pooling = false, poolingFile
	for _, module := range modules {
		switch kind := module.Type[strings.LastIndexByte(module.Type, '.')+1:]; kind {
		case "Transformer":
		case "Pooling":
			pooling = path.Join(module.Path, configFile)
			if !fs.ValidPath(pooling) {
				return "", faults.Errorf("%s: path %q of a module is outside the directory", path.Join(dir, modulesFile), module.Path)
			}
		case "Normalize":
			c.Normalize = true
		default:
			c.missing = module.Type
		}
	}
	return pooling, nil
}

// readPooling reads the settings of the pooling.
func (c *Config) readPooling(fsys fs.FS, name string) error {
	var settings map[string]json.RawMessage
	if err := modeldir.ReadJSON(fsys, name, &settings); err != nil || settings == nil {
		return err
	}
	var modes []string
	for key, value := range settings {
		var isOn bool
		if mode, ok := strings.CutPrefix(key, "pooling_mode_"); ok && json.Unmarshal(value, &isOn) == nil && isOn {
			modes = append(modes, mode)
		}
	}
	var mode string // as of release 5.3
	if value, ok := settings["pooling_mode"]; ok && json.Unmarshal(value, &mode) == nil {
		modes = append(modes[:0], mode)
	}
	if string(settings["include_prompt"]) == "false" {
		c.missing = "pooling without the prompt"
	}
	if len(modes) != 1 {
		return faults.Errorf("%s: there are %d modes of pooling, not one", name, len(modes))
	}
	switch modes[0] {
	case "cls_token", "cls":
		c.Pooling = CLS
	case "mean_tokens", "mean":
		c.Pooling = Mean
	case "lasttoken":
		c.Pooling, c.PaddingSide = LastToken, text.PaddingRight
	default:
		c.missing = "pooling by " + modes[0]
	}
	return nil
}

// readPrompts reads the instructions.
func (c *Config) readPrompts(fsys fs.FS, name string) error {
	var file struct {
		Prompts map[string]string
		Default string `json:"default_prompt_name"`
	}
	if err := modeldir.ReadJSON(fsys, name, &file); err != nil {
		return err
	}
	first := func(names ...string) string {
		for _, name := range append(names, file.Default) {
			if prompt, ok := file.Prompts[name]; ok {
				return prompt
			}
		}
		return ""
	}
	c.QueryInstruction, c.DocumentInstruction = first("query"), first("document", "passage", "corpus")
	if n := max(len(c.QueryInstruction), len(c.DocumentInstruction)); n > maxPromptBytes {
		return faults.Errorf("%s: a prompt has %d bytes, more than %d", name, n, maxPromptBytes)
	}
	return nil
}
