// Package textcorpus reads the files of corpus/text that have texts and what OpenVINO Tokenizers,
// OpenVINO GenAI and Hugging Face make of them. The conformance command and the tests of the
// packages that make texts share it. It imports none of those packages.
package textcorpus

import (
	"encoding/hex"
	"encoding/json"
	"path/filepath"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/regular"
)

// maxFile is the size in bytes of the largest file.
const maxFile = 64 << 20

// String is a byte string: a JSON string, or the field "hex" of an object.
type String string

// UnmarshalJSON implements json.Unmarshaler.
func (s *String) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, (*string)(s))
	}
	var object struct{ Hex string }
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	decoded, err := hex.DecodeString(object.Hex)
	*s = String(decoded)
	return err
}

// Strings returns list as strings.
func Strings(list []String) []string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = string(s)
	}
	return texts
}

// Tokenizer is the content of encode.json, decode.json, genai.json or stream.json in the folder of
// a tokenizer.
type Tokenizer struct {
	// WrittenBy is the release of the extension that wrote the model, if it is an old one.
	WrittenBy string `json:"written_by"`
	// Pad, BOS and EOS are special tokens, in genai.json.
	Pad, BOS, EOS Special
	Cases         []TokenizerCase
}

// Special is a special token: its id and its text. The id is -1 if there is none.
type Special struct {
	ID   int32
	Text string
}

// UnmarshalJSON implements json.Unmarshaler: a Special is a list of its fields.
func (s *Special) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&s.ID, &s.Text})
}

// TokenizerCase is a text and its ids in either direction, a batch of ids and their texts, texts
// and options of an encoding, or ids and the pieces of their text.
type TokenizerCase struct {
	Text  String
	IDs   []int32
	Batch [][]int32
	// Texts are those of Batch; in genai.json, those to encode, each with one of Pairs.
	Texts, Pairs []String
	// Decoded is the text of IDs, in the encode.json of an old release. OwnRelease has the ids that
	// the old release gave, where they are not IDs.
	Decoded    *String
	OwnRelease []int32 `json:"own_release"`

	// InputIDs and AttentionMask are the rows of the encoding of Texts. Error is GenAI's error.
	InputIDs      [][]int32 `json:"input_ids"`
	AttentionMask [][]uint8 `json:"attention_mask"`
	Error         string
	// The options of an encoding or, SkipSpecialTokens, a decoding. Nil is the default, true.
	AddSpecialTokens  *bool `json:"add_special_tokens"`
	SkipSpecialTokens *bool `json:"skip_special_tokens"`
	MaxLength         int   `json:"max_length"`
	Truncation        bool
	PadToMaxLength    bool   `json:"pad_to_max_length"`
	PaddingSide       string `json:"padding_side"`

	// Chunks are the pieces of the text, of which the first ChunksAfterToken[i] are known with
	// token i.
	Chunks           []String
	ChunksAfterToken []int `json:"chunks_after_token"`
}

// ReadTokenizer reads a file of the folder of a tokenizer.
func ReadTokenizer(path string) (*Tokenizer, error) { return read[Tokenizer](path) }

// Template is the content of a file in the folder templates.
type Template struct {
	// Source is the text of the template.
	Source string `json:"-"`
	// File is the name of the file with the template.
	File string `json:"template"`
	// BOS, EOS and Pad are special tokens, nil if there is none.
	BOS *string `json:"bos_token"`
	EOS *string `json:"eos_token"`
	Pad *string `json:"pad_token"`
	// Made is the day that templates see.
	Made  string
	Cases []TemplateCase
}

// TemplateCase is a chat.
type TemplateCase struct {
	Case string
	// Messages, Tools and Extra are what the template is given.
	Messages json.RawMessage
	Tools    []json.RawMessage
	Extra    json.RawMessage
	Prompt   bool `json:"add_generation_prompt"`
	// HF is the text that Hugging Face renders, nil if it refuses the chat for the reason HFError.
	HF      *string
	HFError string `json:"hf_error"`
}

// Tokens returns the special tokens by the names that templates know them by.
func (t *Template) Tokens() map[string]string {
	tokens := make(map[string]string)
	for name, token := range map[string]*string{"bos_token": t.BOS, "eos_token": t.EOS, "pad_token": t.Pad} {
		if token != nil {
			tokens[name] = *token
		}
	}
	return tokens
}

// ReadTemplate reads a file of the folder templates, and the template.
func ReadTemplate(path string) (*Template, error) {
	t, err := read[Template](path)
	if err != nil {
		return nil, err
	}
	if !filepath.IsLocal(t.File) {
		return nil, faults.Errorf("%s: template %q is not beside it", path, t.File)
	}
	source, err := regular.ReadFile(filepath.Join(filepath.Dir(path), t.File), maxFile)
	t.Source = string(source)
	return t, err
}

// Answers is the content of generate.json in the folder of a language model.
type Answers struct{ Cases []AnswerCase }

// AnswerCase is one call of GenAI's LLMPipeline, or a chat.
type AnswerCase struct {
	// Config names the kind of the case.
	Config string
	// Settings has all fields of the case, those of GenAI's GenerationConfig among them.
	Settings json.RawMessage `json:"-"`

	// Prompt has the tokens PromptIDs. Prompts are a batch, with Texts.
	Prompt    *string
	PromptIDs []int32 `json:"prompt_ids"`
	Prompts   []string
	// Messages are a chat that is rendered as Rendered.
	Messages json.RawMessage
	Rendered string
	// System begins a chat of Turns: messages and their answers.
	System string
	Turns  [][2]string

	// Tokens, Scores, Finish and Texts are those of each sequence. Streamed are the pieces of the
	// text of the only one, and Text is it.
	Tokens   Rows
	Scores   []float32
	Finish   []string
	Texts    []string
	Streamed []string
	Text     string
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *AnswerCase) UnmarshalJSON(data []byte) error {
	type plain AnswerCase
	if err := json.Unmarshal(data, (*plain)(c)); err != nil {
		return err
	}
	c.Settings = append(json.RawMessage(nil), data...)
	return nil
}

// Rows are the tokens of several sequences, or of a single one.
type Rows [][]int32

// UnmarshalJSON implements json.Unmarshaler.
func (r *Rows) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*[][]int32)(r)) == nil {
		return nil
	}
	*r = make(Rows, 1)
	return json.Unmarshal(data, &(*r)[0])
}

// ReadAnswers reads generate.json.
func ReadAnswers(path string) (*Answers, error) { return read[Answers](path) }

// Logits is the content of logits.json in the folder of a language model: those of the last token
// of each prompt.
type Logits struct {
	Cases []struct {
		IDs    []int32
		Logits []float32 `json:"logits_of_last"`
	}
}

// ReadLogits reads logits.json.
func ReadLogits(path string) (*Logits, error) { return read[Logits](path) }

// read reads a file of JSON.
func read[T any](path string) (*T, error) {
	data, err := regular.ReadFile(path, maxFile)
	if err != nil {
		return nil, err
	}
	file := new(T)
	if err := json.Unmarshal(data, file); err != nil {
		return nil, faults.Errorf("%s: %w", filepath.Base(path), err)
	}
	return file, nil
}
