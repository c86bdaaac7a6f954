package hf

import (
	"encoding/json"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/text/ragged"
)

// Bounds of what a file can ask for.
const (
	// MaxFile is the largest number of bytes of a file.
	MaxFile = 256 << 20
	maxID   = 1<<24 - 1
	// maxAdded is the largest number of added tokens, and maxComponents that of normalizers and the
	// like.
	maxAdded      = 1 << 20
	maxComponents = 1000
)

// File is a tokenizer.json.
type File struct {
	AddedTokens   []AddedToken
	Normalizer    *Component
	PreTokenizer  *Component
	PostProcessor *Component
	Decoder       *Component
	Truncation    *Truncation
	Padding       *Padding
	Model         Model
	// Template is the JSON of PostProcessor.
	Template json.RawMessage
}

// AddedToken is a token that is found in the text itself.
type AddedToken struct {
	ID         int32  `json:"id"` // ignored by the library, which counts
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // only if no word goes on beside it
	LStrip     bool   `json:"lstrip"`      // takes the white space before it
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"` // is found in the normalized text
	Special    bool   `json:"special"`
}

// Truncation and Padding are what encoding does by itself in the library, unless it is told not to.
type (
	Truncation struct {
		Direction string `json:"direction"` // Left or Right
		MaxLength int    `json:"max_length"`
		Strategy  string `json:"strategy"`
		Stride    int    `json:"stride"`
	}
	Padding struct {
		Direction string          `json:"direction"`
		Strategy  json.RawMessage `json:"strategy"` // "BatchLongest" or {"Fixed": length}
		PadID     int32           `json:"pad_id"`
		PadTypeID int32           `json:"pad_type_id"`
		PadToken  string          `json:"pad_token"`
	}
)

// Component is a normalizer, pre-tokenizer, post-processor or decoder. It has the fields of all of
// them.
type Component struct {
	Type          string       `json:"type"`
	Normalizers   []*Component `json:"normalizers"`
	PreTokenizers []*Component `json:"pretokenizers"`
	Processors    []*Component `json:"processors"`
	Decoders      []*Component `json:"decoders"`

	Pattern        *Pattern        `json:"pattern"`
	Content        *string         `json:"content"`
	Prepend        string          `json:"prepend"`
	Behavior       string          `json:"behavior"`
	Invert         bool            `json:"invert"`
	AddPrefixSpace *bool           `json:"add_prefix_space"`
	UseRegex       *bool           `json:"use_regex"`
	TrimOffsets    *bool           `json:"trim_offsets"`
	Replacement    string          `json:"replacement"`
	PrependScheme  *string         `json:"prepend_scheme"`
	Split          *bool           `json:"split"`
	Digits         bool            `json:"individual_digits"`
	StripLeft      bool            `json:"strip_left"`
	StripRight     bool            `json:"strip_right"`
	CleanText      *bool           `json:"clean_text"`
	Chinese        *bool           `json:"handle_chinese_chars"`
	StripAccents   *bool           `json:"strip_accents"`
	Lowercase      *bool           `json:"lowercase"`
	CharsMap       []byte          `json:"precompiled_charsmap"` // base64
	Delimiter      string          `json:"delimiter"`
	Length         int             `json:"length"`
	Prefix         *string         `json:"prefix"`
	Suffix         *string         `json:"suffix"`
	Cleanup        *bool           `json:"cleanup"`
	Start          int             `json:"start"`
	Stop           int             `json:"stop"`
	PadToken       *string         `json:"pad_token"`
	WordDelimiter  *string         `json:"word_delimiter_token"`
	Single         []TemplatePiece `json:"single"`
	Pair           []TemplatePiece `json:"pair"`
	SpecialTokens  map[string]struct {
		IDs []int32 `json:"ids"`
	} `json:"special_tokens"`
	CLS *NamedToken `json:"cls"`
	SEP *NamedToken `json:"sep"`
}

// Pattern is what a component looks for: one of the two.
type Pattern struct {
	String *string `json:"String"`
	Regex  *string `json:"Regex"`
}

// TemplatePiece is a part of a template: one of the two.
type TemplatePiece struct {
	SpecialToken *TemplatePart `json:"SpecialToken"`
	Sequence     *TemplatePart `json:"Sequence"`
}

// TemplatePart names a token, or text "A" or "B".
type TemplatePart struct {
	ID     string `json:"id"`
	TypeID int32  `json:"type_id"`
}

// NamedToken is a token and its id, an array of two.
type NamedToken struct {
	Text string
	ID   int32
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *NamedToken) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&t.Text, &t.ID})
}

// Model is the model of any type.
type Model struct {
	Type string
	// Words are the words of the vocabulary, in the order of the file, and IDs their ids. Scores
	// are those of a Unigram model.
	Words  ragged.Strings
	IDs    []int32
	Scores []float64
	// Left and Right are the parts of the merges of a BPE model.
	Left, Right ragged.Strings

	Unknown      string // unk_token
	HasUnknown   bool
	UnknownID    int32 // of a Unigram model; -1 if it has none
	FuseUnknown  bool
	ByteFallback bool
	IgnoreMerges bool
	Dropout      bool
	Prefix       string // continuing_subword_prefix
	HasPrefix    bool
	Suffix       string // end_of_word_suffix
	MaxWord      int    // max_input_chars_per_word
}

// Parse reads a tokenizer.json. The File refers to data. An error says at which byte it is wrong.
func Parse(data []byte) (*File, error) {
	if len(data) > MaxFile {
		return nil, faults.Errorf("the file has %d bytes, expected at most %d", len(data), MaxFile)
	}
	f := &File{}
	s := &scanner{data: data}
	hasModel := false
	s.object(func(key []byte) {
		into := map[string]any{
			"added_tokens": &f.AddedTokens, "normalizer": &f.Normalizer, "pre_tokenizer": &f.PreTokenizer,
			"post_processor": &f.PostProcessor, "decoder": &f.Decoder, "truncation": &f.Truncation, "padding": &f.Padding,
		}[string(key)]
		switch {
		case string(key) == "model":
			hasModel = true
			s.model(&f.Model)
		case into == nil:
			s.raw()
		default:
			name, raw := string(key), s.raw()
			if s.err == nil {
				if err := json.Unmarshal(raw, into); err != nil {
					s.err = faults.Errorf("%s: %w", name, err)
				}
				if name == "post_processor" {
					f.Template = raw
				}
			}
		}
	})
	if s.next() != 0 || s.err == nil && s.at < len(s.data) {
		s.fail("more data after the tokenizer")
	}
	switch {
	case s.err != nil:
		return nil, s.err
	case !hasModel:
		return nil, faults.Errorf("the file has no model")
	case len(f.AddedTokens) > maxAdded:
		return nil, faults.Errorf("%d added tokens, expected at most %d", len(f.AddedTokens), maxAdded)
	}
	return f, nil
}

// model reads the model.
func (s *scanner) model(m *Model) {
	m.UnknownID, m.MaxWord = -1, 100
	m.Words.Chars = make([]byte, 0, len(s.data)/4)
	hasMerges, hasScores, hasLimit := false, false, false
	s.object(func(key []byte) {
		switch string(key) {
		case "type":
			m.Type, _ = s.textOrNull()
		case "vocab":
			if hasScores = s.next() == '['; hasScores {
				s.scoredVocabulary(m)
			} else {
				s.vocabulary(m)
			}
		case "merges":
			hasMerges = true
			s.merges(m)
		case "unk_token":
			m.Unknown, m.HasUnknown = s.textOrNull()
		case "unk_id":
			if !s.word("null") {
				m.UnknownID = s.id()
			}
		case "fuse_unk":
			m.FuseUnknown = s.bool()
		case "byte_fallback":
			m.ByteFallback = s.bool()
		case "ignore_merges":
			m.IgnoreMerges = s.bool()
		case "dropout":
			m.Dropout = !s.word("null") && s.float() > 0
		case "continuing_subword_prefix":
			m.Prefix, m.HasPrefix = s.textOrNull()
		case "end_of_word_suffix":
			m.Suffix, _ = s.textOrNull()
		case "max_input_chars_per_word":
			m.MaxWord, hasLimit = int(min(s.float(), 1<<31-1)), true
		default:
			s.raw()
		}
	})
	if m.Type != "" {
		return
	}
	switch { // files of old releases do not say it
	case hasMerges:
		m.Type = "BPE"
	case hasScores:
		m.Type = "Unigram"
	case hasLimit:
		m.Type = "WordPiece"
	default:
		m.Type = "WordLevel"
	}
}

// vocabulary reads words and their ids.
func (s *scanner) vocabulary(m *Model) {
	s.object(func(key []byte) {
		m.Words.Append(key)
		m.IDs = append(m.IDs, s.id())
	})
}

// scoredVocabulary reads words and their scores, whose ids count from 0.
func (s *scanner) scoredVocabulary(m *Model) {
	s.array(func() {
		s.take('[')
		word := s.text()
		s.take(',')
		score := s.float()
		s.take(']')
		if len(m.IDs) > maxID {
			s.fail("more than %d words", maxID)
		}
		if s.err == nil {
			m.Words.Append(word)
			m.IDs = append(m.IDs, int32(len(m.IDs)))
			m.Scores = append(m.Scores, score)
		}
	})
}

// merges reads merges: "left right", or ["left", "right"].
func (s *scanner) merges(m *Model) {
	s.array(func() {
		var left, right []byte
		if s.skips('[') {
			left = s.text()
			s.take(',')
			right = s.text()
			s.take(']')
		} else {
			pair := s.text()
			i := indexSpace(pair)
			if i < 0 {
				s.fail("the merge %q has not two parts", pair)
				return
			}
			left, right = pair[:i], pair[i+1:]
		}
		m.Left.Append(left)
		m.Right.Append(right)
	})
}

// indexSpace returns the position of the only space, -1 if there is not exactly one.
func indexSpace(text []byte) int {
	at := -1
	for i, c := range text {
		if c == ' ' {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}
