package convert

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/text/hf"
	"github.com/vinoir/vinoir/ir/edit"
)

// model is the layer that makes ids of strings.
type model struct {
	layer      string
	attributes []string
	// words is the vocabulary by id. It is set by the layers of the tokenizer, so that a
	// detokenizer has the same.
	words [][]byte
	// constants adds the inputs of the layer behind the vocabulary.
	constants func(g graph) ([]edit.Source, error)
}

// add adds the layer, and returns the rows of ids: begins, ends and data.
func (m *model) add(g graph, f *flow) ([]edit.Source, error) {
	words, err := g.words(m.words)
	if err != nil {
		return nil, err
	}
	constants, err := m.constants(g)
	if err != nil {
		return nil, err
	}
	if m.layer == "VocabEncoder" { // one id for each string
		return append(f.rows, g.extension(m.layer, m.attributes, slices.Concat(f.strings, words, constants)...)), nil
	}
	return outputs(g.extension(m.layer, m.attributes, slices.Concat(f.rows, f.strings, words, constants)...), 3), nil
}

// setWords lists the words of the model by id. An id without a word has an empty one.
func (c *converter) setWords() {
	m := &c.file.Model
	for i, id := range m.IDs {
		if n := int(id) + 1; n > len(c.words) {
			c.words = append(c.words, make([][]byte, n-len(c.words))...)
		}
		c.words[id] = m.Words.At(i)
	}
}

// model returns the layer of the model; nil if there is none.
func (c *converter) model() *model {
	if len(c.words) == 0 {
		c.refuse("model.vocab", "there are no words")
		return nil
	}
	switch c.file.Model.Type {
	case "BPE":
		return c.bpe()
	case "WordPiece":
		return c.wordPiece()
	case "Unigram":
		return c.unigram()
	}
	return c.wordLevel()
}

// find returns the first id of a word, -1 if there is none.
func (c *converter) find(word string) int32 {
	return int32(slices.IndexFunc(c.words, func(w []byte) bool { return string(w) == word }))
}

func (c *converter) wordLevel() *model {
	m := &model{layer: "VocabEncoder", words: c.words}
	m.constants = func(g graph) ([]edit.Source, error) {
		ids := make([]int32, len(c.words))
		for i := range ids {
			ids[i] = int32(i)
		}
		return []edit.Source{g.integers(ids), g.integer(c.find(c.file.Model.Unknown))}, nil
	}
	return m
}

func (c *converter) wordPiece() *model {
	unknown := c.find(c.file.Model.Unknown)
	if unknown < 0 {
		c.refuse("model.unk_token", "%.100q is not in the vocabulary", c.file.Model.Unknown)
	}
	return &model{
		layer: "WordpieceTokenizer", words: c.words, attributes: []string{"suffix_indicator", c.file.Model.Prefix, "max_bytes_per_word", "100"},
		constants: func(g graph) ([]edit.Source, error) { return []edit.Source{g.long(int64(unknown))}, nil },
	}
}

// unigram gives added tokens a score that is larger than that of any words with the same text.
func (c *converter) unigram() *model {
	file := &c.file.Model
	if file.UnknownID < 0 {
		c.refuse("model.unk_id", "there is none")
	}
	words, scores := slices.Clone(c.words), slices.Clone(file.Scores)
	largest, smallest := slices.Max(scores), slices.Min(scores)
	for _, token := range c.added {
		for int(token.id) >= len(words) {
			words, scores = append(words, nil), append(scores, smallest)
		}
		words[token.id] = []byte(token.Content)
		scores[token.id] = max(scores[token.id], largest*float64(utf8.RuneCountInString(token.Content))-0.1)
	}
	return &model{
		layer: "UnigramTokenizer", words: words,
		attributes: []string{"byte_fallback", yesNo(file.ByteFallback), "unk_token_id", strconv.Itoa(int(file.UnknownID)), "fuse_unk", "true", "min_score", "inf"},
		constants: func(g graph) ([]edit.Source, error) {
			list := make([]float32, len(scores))
			for i, score := range scores {
				list[i] = float32(score)
			}
			return []edit.Source{g.ConstantOf(list, len(list))}, nil
		},
	}
}

// The converter gives the cache of a model room for a fifth of the words, and at least minCache.
const minCache = 20000

func (c *converter) bpe() *model {
	file := &c.file.Model
	if file.Prefix != "" {
		c.refuse("model.continuing_subword_prefix", "%.100q", file.Prefix)
	}
	m := &model{layer: "BPETokenizer", words: slices.Clone(c.words), attributes: []string{
		"unk_token", file.Unknown, "fuse_unk", yesNo(file.FuseUnknown), "suffix_indicator", "", "end_suffix", file.Suffix,
		"byte_fallback", yesNo(file.ByteFallback), "cache_capacity", strconv.Itoa(max(len(c.words)/5, minCache)),
	}}
	if c.byteLevel {
		for i, word := range m.words {
			m.words[i], _ = hf.ByteWord(word)
		}
	}
	for _, token := range c.added {
		for int(token.id) >= len(m.words) {
			m.words = append(m.words, nil)
		}
		m.words[token.id] = c.wordOf(token)
	}
	m.constants = c.merges
	return m
}

// merges adds the merges, and the added tokens with their ids.
func (c *converter) merges(g graph) ([]edit.Source, error) {
	file := &c.file.Model
	var inputs []edit.Source
	sides := [2][][]byte{make([][]byte, file.Left.Len()), make([][]byte, file.Left.Len())}
	for i := range sides[0] {
		for k, word := range [2][]byte{file.Left.At(i), file.Right.At(i)} {
			if c.byteLevel {
				word, _ = hf.ByteWord(word)
			}
			sides[k][i] = word
		}
	}
	for k, words := range sides {
		if k > 0 && len(words) == 0 {
			break // no merges are one input, as text with spaces
		}
		list, err := g.words(words)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, list...)
	}
	if len(c.added) == 0 {
		return inputs, nil
	}
	var words [][]byte
	var ids []int32
	for _, token := range c.added {
		words, ids = append(words, []byte(token.Content)), append(ids, token.id)
	}
	list, err := g.words(words)
	if err != nil {
		return nil, err
	}
	return append(append(inputs, list...), g.integers(ids)), nil
}

// wordOf returns the text of an added token as a word of the model.
func (c *converter) wordOf(token addedToken) []byte {
	if c.byteLevel {
		if word, ok := hf.ByteWord([]byte(token.Content)); ok {
			return word
		}
	}
	return []byte(token.Content)
}
