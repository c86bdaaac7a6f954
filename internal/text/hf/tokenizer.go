package hf

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/internal/text/regex"
)

// maxText is the largest number of bytes of a text, also of a normalized one.
const maxText = math.MaxInt32 - utf8.UTFMax

// Tokenizer computes the tokens of texts, and the texts of tokens. It is safe for concurrent use.
type Tokenizer struct {
	added         added
	normalizers   []normalizer
	pretokenizers []pretokenizer
	model         model
	words         words
	decoders      []decoder
	// Single and Pair are how a text, and two of them, become a row of tokens.
	Single, Pair []Segment
	// rawBytes means that a character for a byte is written as that byte: see builder.setRawBytes.
	rawBytes bool
}

// UnsupportedError lists what a file asks for that this package does not support.
type UnsupportedError struct {
	// Components has a line for each component: its JSON path and what is not supported.
	Components []string
}

// Error implements error.
func (e *UnsupportedError) Error() string {
	return "not supported: " + strings.Join(e.Components, "; ")
}

// builder makes a Tokenizer.
type builder struct {
	t          *Tokenizer
	file       *File
	reserve    func(int64) error
	stop       parallel.Stop
	components int
	unsupports UnsupportedError
	err        error // the first one
}

// New returns a Tokenizer for a file. The error is an *UnsupportedError, which lists all that is
// not supported, or says what is wrong. reserve is asked for memory; nil means no limit.
func New(f *File, reserve func(int64) error, stop parallel.Stop) (*Tokenizer, error) {
	b := builder{t: &Tokenizer{}, file: f, reserve: reserve, stop: stop}
	if f.Normalizer != nil {
		b.addNormalizer(&b.t.normalizers, f.Normalizer, "normalizer")
		b.t.normalizers = chained(b.t.normalizers)
	}
	if f.PreTokenizer != nil {
		b.addPreTokenizer(f.PreTokenizer, "pre_tokenizer")
	}
	if f.Decoder != nil {
		b.addDecoder(f.Decoder, "decoder")
	}
	b.setSegments()
	b.checkModel()
	switch {
	case len(b.unsupports.Components) > 0:
		return nil, &b.unsupports
	case b.err != nil:
		return nil, b.err
	}
	b.setRawBytes()
	if err := b.addWords(); err != nil {
		return nil, err
	}
	if err := b.setModel(); err != nil {
		return nil, faults.Errorf("model: %w", err)
	}
	if err := b.setAdded(); err != nil {
		return nil, faults.Errorf("added_tokens: %w", err)
	}
	return b.t, nil
}

// known reports whether a component is there and has a type, and counts it.
func (b *builder) known(c *Component, path string) bool {
	b.components++
	switch {
	case c == nil || c.Type == "":
		b.check(faults.Errorf("there is no type"), path)
	case b.components > maxComponents:
		b.check(faults.Errorf("more than %d components", maxComponents), path)
	default:
		return true
	}
	return false
}

// check keeps the first error.
func (b *builder) check(err error, path string) {
	if err != nil && b.err == nil {
		b.err = faults.Errorf("%s: %w", path, err)
	}
}

// unsupported adds a component that is not supported.
func (b *builder) unsupported(c *Component, path string) {
	b.unsupports.Components = append(b.unsupports.Components, fmt.Sprintf("%s: type %.100q", path, c.Type))
}

// element is the path of an element of a list.
func element(path, list string, i int) string { return fmt.Sprintf("%s.%s[%d]", path, list, i) }

// ask asks for memory.
func (b *builder) ask(bytes int64) error {
	if b.reserve == nil {
		return nil
	}
	return b.reserve(bytes)
}

// setRawBytes finds out whether the last that pre-tokenizers do is to write bytes as characters.
// Then the words of the model are written as bytes instead, and texts stay as they are.
func (b *builder) setRawBytes() {
	t := b.t
	n := len(t.pretokenizers)
	if n == 0 || b.file.Model.Type != "BPE" {
		return
	}
	last, ok := t.pretokenizers[n-1].(*rewritten)
	if !ok || last.normalizer != (byteLevel{}) || b.file.Model.Prefix+b.file.Model.Suffix != "" || b.file.Model.ByteFallback {
		return
	}
	t.rawBytes, t.pretokenizers = true, t.pretokenizers[:n-1]
}

// piece is a part of Scratch.text that becomes tokens.
type piece struct {
	begin, end int32
	id         int32 // of an added token, -1 for text
	first      bool  // starts where the text starts
}

// part returns a part of a piece.
func (p piece) part(begin, end int) piece {
	return piece{p.begin + int32(begin), p.begin + int32(end), p.id, p.first && begin == 0}
}

// Scratch is the memory of one caller, who can use it again. The zero value is ready.
type Scratch struct {
	limits.Limits

	matcher      regex.Matcher
	text, other  []byte
	links        [2][]byte // of a chain
	pieces, next []piece
	chars        []classed
	model        modelScratch
	tokens       ragged.Strings
	others       ragged.Strings
}

// pieceBytes is the number of bytes of a text for which there is room for a piece at first.
const pieceBytes = 6

// add adds a piece to s.next, unless it is empty.
func (s *Scratch) add(p piece) (err error) {
	if p.begin == p.end && p.id < 0 {
		return nil
	}
	if len(s.next) == cap(s.next) {
		if s.next, err = limits.Grow(&s.Limits, s.next, len(s.next)+1); err != nil {
			return err
		}
	}
	s.next = append(s.next, p)
	return nil
}

// addText adds a piece whose text becomes another one.
func (s *Scratch) addText(p piece, text []byte) (err error) {
	p.begin = int32(len(s.text))
	if s.text, err = appendText(s.text, text, s); err != nil {
		return err
	}
	p.end = int32(len(s.text))
	return s.add(p)
}

// Append appends the tokens of a text to dst, without those that a post-processor adds. The errors
// are those of s.Reserve, parallel.ErrStopped, and that the model has no token for what is unknown.
func (t *Tokenizer) Append(dst []int32, text string, s *Scratch) ([]int32, error) {
	if err := t.start(text, s); err != nil {
		return dst, err
	}
	for _, p := range t.pretokenizers {
		var err error
		// Most words have more bytes than this: there is no need to copy the pieces as they grow.
		if s.next, err = limits.Grow(&s.Limits, s.next[:0], len(s.pieces)+len(text)/pieceBytes); err != nil {
			return dst, err
		}
		for _, piece := range s.pieces {
			if piece.id >= 0 {
				err = s.add(piece)
			} else {
				err = p.cut(piece, s)
			}
			if err != nil {
				return dst, err
			}
		}
		s.pieces, s.next = s.next, s.pieces
	}
	meter := s.Stop.Meter()
	s.model.Limits = s.Limits
	for _, p := range s.pieces {
		var err error
		if dst, err = limits.Grow(&s.Limits, dst, len(dst)+1); err != nil {
			return dst, err
		}
		if meter.Spent(8) {
			return dst, parallel.ErrStopped
		}
		if p.id >= 0 {
			dst = append(dst, p.id)
		} else if dst, err = t.model.append(dst, s.text[p.begin:p.end], &s.model); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// start sets the pieces of a text: added tokens, and the normalized text between them.
func (t *Tokenizer) start(text string, s *Scratch) (err error) {
	s.pieces, s.next, s.text = s.pieces[:0], s.next[:0], s.text[:0]
	if s.text, err = grow(s.text, len(text), s); err != nil {
		return err
	}
	s.text = append(s.text, text...)
	if !utf8.Valid(s.text) {
		s.other = append(s.other[:0], s.text...)
		if s.text, err = repaired().append(s.text[:0], s.other, s); err != nil {
			return err
		}
	}
	if err := t.added.raw.cut(piece{0, int32(len(s.text)), -1, true}, s); err != nil {
		return err
	}
	s.pieces, s.next = s.next, s.pieces
	if len(t.normalizers) == 0 && t.added.normalized.none() {
		return nil
	}
	s.next = s.next[:0]
	for _, p := range s.pieces {
		if p.id >= 0 {
			err = s.add(p)
		} else {
			err = t.normalize(p, s)
		}
		if err != nil {
			return err
		}
	}
	s.pieces, s.next = s.next, s.pieces
	return nil
}

// normalize normalizes a piece, and adds the pieces of the result.
func (t *Tokenizer) normalize(p piece, s *Scratch) error {
	if len(t.normalizers) > 0 {
		text, err := normalized(t.normalizers, s.text[p.begin:p.end], s)
		if err != nil {
			return err
		}
		p.begin = int32(len(s.text))
		if s.text, err = appendText(s.text, text, s); err != nil {
			return err
		}
		p.end = int32(len(s.text))
	}
	return t.added.normalized.cut(p, s)
}

// normalized returns what normalizers make of a text, in memory of s that is valid until it is
// called again.
func normalized(list []normalizer, text []byte, s *Scratch) ([]byte, error) {
	out, other := s.other, s.tokens.Chars
	for _, n := range list {
		var err error
		if out, err = n.append(out[:0], text, s); err != nil {
			return nil, err
		}
		text, out, other = out, other, out
	}
	s.other, s.tokens.Chars = out, other
	return text, nil
}
