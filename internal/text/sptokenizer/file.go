package sptokenizer

import (
	"encoding/json"
	"slices"
	"sort"
	"strconv"

	"github.com/vinoir/vinoir/internal/faults"
)

// Files are the contents of the files of a folder; nil for one that is not there.
type Files struct {
	// Model is the SentencePiece model. Target is the one that texts are decoded with, if there is
	// another one.
	Model, Target []byte
	// Vocabulary is vocab.json.
	Vocabulary []byte
	// TokenizerConfig, SpecialTokensMap, AddedTokens and Config are the files of those names.
	TokenizerConfig, SpecialTokensMap, AddedTokens, Config []byte
}

// maxAdded is the largest number of added tokens, and maxID the largest id. maxPiece is the largest
// number of bytes of a piece or an added token: a unigram model looks for pieces of all lengths at
// each position of a text. Models of people have at most a few hundred.
const (
	maxAdded = 1 << 20
	maxID    = 1<<24 - 1
	maxPiece = 1 << 12
)

// token is an added token: a string in a file, or an object.
type token struct {
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // only if spaces are beside it
	LStrip     bool   `json:"lstrip"`      // takes the white space before it
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
	Special    bool   `json:"special"`
	plain      bool   // the file has the text only
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *token) UnmarshalJSON(data []byte) error {
	if t.plain = json.Unmarshal(data, &t.Content) == nil; t.plain {
		return nil
	}
	type object token
	return json.Unmarshal(data, (*object)(t))
}

// addedToken is a token with its id.
type addedToken struct {
	id int32
	*token
}

// settings are what files and the class say.
type settings struct {
	class *class
	// fields are the fields of tokenizer_config.json, and those of special_tokens_map.json, which
	// replace them.
	fields map[string]json.RawMessage
	// more are additional special tokens of special_tokens_map.json; nil if there are none.
	more json.RawMessage
	// named are the tokens of attributes; nil if there is none.
	named [attributes]*token
	// additional are the additional special tokens, and added the tokens with their ids, in their
	// order.
	additional []*token
	added      []addedToken
}

// readSettings reads the files.
func readSettings(f *Files) (*settings, error) {
	s := &settings{fields: map[string]json.RawMessage{}}
	if err := unmarshal("tokenizer_config.json", f.TokenizerConfig, &s.fields); err != nil {
		return nil, err
	}
	name, err := s.className(f.Config)
	if err != nil {
		return nil, err
	}
	if s.class, err = classOf(name); err != nil {
		return nil, err
	}
	decoder, hasDecoder := s.fields["added_tokens_decoder"]
	if hasDecoder {
		err = s.readDecoder(decoder)
	} else {
		err = s.readOldFiles(f)
	}
	if err != nil {
		return nil, err
	}
	if err := s.readNamed(hasDecoder); err != nil {
		return nil, err
	}
	if n := len(s.added) + len(s.additional); n > maxAdded {
		return nil, faults.Errorf("%d added tokens, expected at most %d", n, maxAdded)
	}
	return s, nil
}

// unmarshal reads a file, if there is one.
func unmarshal(name string, data []byte, to any) error {
	if data == nil {
		return nil
	}
	if err := json.Unmarshal(data, to); err != nil {
		return faults.Errorf("%s: %w", name, err)
	}
	return nil
}

// className returns the name of the class: that of tokenizer_config.json, or config.json, or of the
// type of the model.
func (s *settings) className(config []byte) (string, error) {
	name := ""
	if raw := s.fields["tokenizer_class"]; raw != nil {
		if err := unmarshal("tokenizer_config.json: tokenizer_class", raw, &name); err != nil {
			return "", err
		}
	}
	if name != "" {
		return name, nil
	}
	var c struct {
		Class string `json:"tokenizer_class"`
		Type  string `json:"model_type"`
	}
	if err := unmarshal("config.json", config, &c); err != nil {
		return "", err
	}
	if c.Class != "" {
		return c.Class, nil
	}
	return classOfModel[c.Type], nil
}

// readDecoder reads added_tokens_decoder, which maps ids to tokens.
func (s *settings) readDecoder(raw json.RawMessage) error {
	tokens := map[string]*token{}
	if err := unmarshal("tokenizer_config.json: added_tokens_decoder", raw, &tokens); err != nil {
		return err
	}
	for text, token := range tokens {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || token == nil {
			return faults.Errorf("tokenizer_config.json: added_tokens_decoder: %.100q is no id of a token", text)
		}
		if err := s.add(id, token); err != nil {
			return faults.Errorf("tokenizer_config.json: added_tokens_decoder: %w", err)
		}
	}
	s.sort()
	return nil
}

// add adds a token with its id.
func (s *settings) add(id int64, token *token) error {
	if id < 0 || id > maxID {
		return faults.Errorf("token %.100q has id %d, expected 0 to %d", token.Content, id, maxID)
	}
	s.added = append(s.added, addedToken{int32(id), token})
	return nil
}

func (s *settings) sort() {
	sort.Slice(s.added, func(i, k int) bool { return s.added[i].id < s.added[k].id })
}

// readOldFiles reads special_tokens_map.json, which replaces fields of tokenizer_config.json, and
// added_tokens.json.
func (s *settings) readOldFiles(f *Files) error {
	tokens := map[string]json.RawMessage{}
	if err := unmarshal("special_tokens_map.json", f.SpecialTokensMap, &tokens); err != nil {
		return err
	}
	for key, value := range tokens {
		if key == additionalKey {
			s.more = value
		} else {
			s.fields[key] = value
		}
	}
	ids := map[string]int64{}
	if err := unmarshal("added_tokens.json", f.AddedTokens, &ids); err != nil {
		return err
	}
	special, err := s.specialTexts()
	if err != nil {
		return err
	}
	for content, id := range ids {
		t := &token{Content: content, Special: special[content]}
		t.Normalized = !t.Special
		if err := s.add(id, t); err != nil {
			return faults.Errorf("added_tokens.json: %w", err)
		}
	}
	s.sort()
	return nil
}

// specialTexts returns the texts of the tokens that the fields name.
func (s *settings) specialTexts() (map[string]bool, error) {
	texts := map[string]bool{}
	for _, key := range keys {
		t, err := s.token(key)
		if err != nil {
			return nil, err
		}
		if t != nil {
			texts[t.Content] = true
		}
	}
	additional, err := s.additionalTokens()
	for _, t := range additional {
		texts[t.Content] = true
	}
	return texts, err
}

// token returns the token in a field; nil if there is none.
func (s *settings) token(key string) (t *token, err error) {
	if raw := s.fields[key]; raw != nil {
		err = unmarshal(key, raw, &t)
	}
	return t, err
}

// additionalKey is the field with the additional special tokens.
const additionalKey = "additional_special_tokens"

// additionalTokens returns them.
func (s *settings) additionalTokens() (list []*token, err error) {
	for _, raw := range []json.RawMessage{s.fields[additionalKey], s.more} {
		var tokens []*token
		if raw != nil {
			err = unmarshal(additionalKey, raw, &tokens)
		}
		if list = append(list, tokens...); err != nil {
			break
		}
	}
	return slices.DeleteFunc(list, func(t *token) bool { return t == nil }), err
}

// readNamed sets the tokens of attributes, and the additional ones. Where added_tokens_decoder has
// a token, its properties count.
func (s *settings) readNamed(hasDecoder bool) error {
	byText := map[string]*token{}
	if hasDecoder {
		for _, t := range s.added {
			byText[t.Content] = t.token
		}
	}
	for a, key := range keys {
		t, err := s.token(key)
		if err != nil {
			return err
		}
		if _, ok := s.fields[key]; !ok && s.class.tokens[a] != "" {
			t = &token{Content: s.class.tokens[a], plain: true}
		}
		if t != nil && t.plain && attribute(a) == mask {
			t.LStrip = s.class.maskStrips
		}
		if t != nil && byText[t.Content] != nil && s.fields[key] != nil {
			t = byText[t.Content]
		}
		s.named[a] = t
	}
	var err error
	s.additional, err = s.additionalTokens()
	return err
}

// bool returns a setting; what is null is false.
func (s *settings) bool(key string, otherwise bool) (bool, error) {
	raw, ok := s.fields[key]
	if !ok {
		return otherwise, nil
	}
	value := false
	err := unmarshal("tokenizer_config.json: "+key, raw, &value)
	return value, err
}

// int returns a setting from 0 to the number of added tokens.
func (s *settings) int(key string, otherwise int) (int, error) {
	if raw := s.fields[key]; raw != nil {
		if err := unmarshal("tokenizer_config.json: "+key, raw, &otherwise); err != nil {
			return 0, err
		}
	}
	if otherwise < 0 || otherwise > maxAdded {
		return 0, faults.Errorf("tokenizer_config.json: %s is %d, expected 0 to %d", key, otherwise, maxAdded)
	}
	return otherwise, nil
}
