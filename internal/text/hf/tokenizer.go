package hf

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/align"
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
	// follows means that tokens depend on where pieces are in the text: see builder.setFollows.
	follows bool
	trims   []trim
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
	behind     [2]bool // see trim
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
	b.setFollows()
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
//
// It is not inlined: the code of the command would be 4 KiB larger.
//
//go:noinline
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

// setFollows finds out whether a character is put before the first piece only, and pieces can start
// with characters that are not those of the text, so that the first piece must be followed.
func (b *builder) setFollows() {
	adds := len(b.t.normalizers) > 0
	for _, p := range b.t.pretokenizers {
		switch p := p.(type) {
		case *prefixed:
			b.t.follows = b.t.follows || p.first && adds
			adds = true
		case *rewritten:
			adds = adds || !p.keeps
		}
	}
}

// piece is a part of Scratch.text that becomes tokens.
type piece struct {
	begin, end int32
	id         int32 // of an added token, -1 for text
	// start is where the text that the piece was cut from starts in the whole one. If bytes are not
	// followed, all that is right is whether it is 0.
	start int32
}

// part returns a part of a piece.
func (s *Scratch) part(p piece, begin, end int) piece {
	start := max(p.start, int32(begin))
	if s.sources != nil && begin < end {
		start = s.places[int(p.begin)+begin].Begin
	}
	return piece{p.begin + int32(begin), p.begin + int32(end), p.id, start}
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

	sources *align.Sources // nil unless the bytes of texts are followed
	own     align.Sources
	places  []align.Span // of the bytes of text
	moved   [2][]align.Span
	changes []change
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

// addText adds a piece whose text becomes another one, which s.sources have recorded.
func (s *Scratch) addText(p piece, text []byte) error {
	var places []align.Span
	if s.sources != nil {
		var err error
		if places, err = s.move(s.places[p.begin:p.end], p.start); err != nil {
			return err
		}
	}
	p, err := s.put(p, text, places)
	if err != nil {
		return err
	}
	return s.add(p)
}

// put appends a text with its places to s.text, and returns the piece p with it.
func (s *Scratch) put(p piece, text []byte, places []align.Span) (_ piece, err error) {
	if s.sources != nil {
		if s.places, err = limits.Grow(&s.Limits, s.places, len(s.places)+len(places)); err != nil {
			return p, err
		}
		s.places = append(s.places, places...)
	}
	p.begin = int32(len(s.text))
	s.text, err = appendText(s.text, text, s)
	p.end = int32(len(s.text))
	return p, err
}

// move returns the places of what s.sources have recorded. places are those of the input, which
// starts at start. The result is valid until move is called twice more.
func (s *Scratch) move(places []align.Span, start int32) ([]align.Span, error) {
	s.moved[0], s.moved[1] = s.moved[1], s.moved[0]
	out, err := s.sources.Append(s.moved[0][:0], places, start)
	s.moved[0] = out
	return out, err
}

// Append appends the tokens of a text to dst, without those that a post-processor adds. The errors
// are those of s.Reserve, parallel.ErrStopped, and that the model has no token for what is unknown.
func (t *Tokenizer) Append(dst []int32, text string, s *Scratch) ([]int32, error) {
	s.follow(t.follows)
	if err := t.cut(text, s); err != nil {
		return dst, err
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

// cut sets the pieces of a text: those of start, cut into words.
func (t *Tokenizer) cut(text string, s *Scratch) error {
	if err := t.start(text, s); err != nil {
		return err
	}
	for _, p := range t.pretokenizers {
		var err error
		// Most words have more bytes than this: there is no need to copy the pieces as they grow.
		if s.next, err = limits.Grow(&s.Limits, s.next[:0], len(s.pieces)+len(text)/pieceBytes); err != nil {
			return err
		}
		for _, piece := range s.pieces {
			if piece.id >= 0 {
				err = s.add(piece)
			} else {
				err = p.cut(piece, s)
			}
			if err != nil {
				return err
			}
		}
		s.pieces, s.next = s.next, s.pieces
	}
	return nil
}

// start sets the pieces of a text: added tokens, and the normalized text between them.
func (t *Tokenizer) start(text string, s *Scratch) (err error) {
	s.pieces, s.next, s.text = s.pieces[:0], s.next[:0], s.text[:0]
	if s.text, err = grow(s.text, len(text), s); err != nil {
		return err
	}
	s.text = append(s.text, text...)
	if s.sources != nil {
		if s.places, err = align.AppendText(s.places[:0], text, &s.Limits); err != nil {
			return err
		}
	}
	if !utf8.Valid(s.text) {
		if err := s.repair(); err != nil {
			return err
		}
	}
	if err := t.added.raw.cut(piece{0, int32(len(s.text)), -1, 0}, s); err != nil {
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

// repair writes U+FFFD for each byte of the text that is not UTF-8.
func (s *Scratch) repair() (err error) {
	s.other = append(s.other[:0], s.text...)
	s.sources.Reset()
	if s.text, err = repaired().append(s.text[:0], s.other, s); err != nil || s.sources == nil {
		return err
	}
	places, err := s.move(s.places, 0)
	s.places, s.moved[0] = places, s.places
	return err
}

// normalize normalizes a piece, and adds the pieces of the result.
func (t *Tokenizer) normalize(p piece, s *Scratch) error {
	if len(t.normalizers) > 0 {
		var places []align.Span
		if s.sources != nil {
			places = s.places[p.begin:p.end]
		}
		text, places, err := normalized(t.normalizers, s.text[p.begin:p.end], places, p.start, s)
		if err != nil {
			return err
		}
		if p, err = s.put(p, text, places); err != nil {
			return err
		}
		p = s.part(p, 0, int(p.end-p.begin)) // which can start later
	}
	return t.added.normalized.cut(p, s)
}

// normalized returns what normalizers make of a text, in memory of s that is valid until it is
// called again. places are those of its bytes, start is where it starts.
func normalized(list []normalizer, text []byte, places []align.Span, start int32, s *Scratch) ([]byte, []align.Span, error) {
	for _, n := range list {
		var err error
		if c, ok := n.(*chain); ok && s.sources != nil { // its parts would have places in the parts
			if text, places, err = normalized(c.list, text, places, start, s); err != nil {
				return nil, nil, err
			}
			continue
		}
		s.sources.Reset()
		out := s.other[:0]
		if out, err = n.append(out, text, s); err != nil {
			return nil, nil, err
		}
		if s.sources != nil {
			if places, err = s.move(places, start); err != nil {
				return nil, nil, err
			}
		}
		text, s.other, s.tokens.Chars = out, s.tokens.Chars, out
	}
	return text, places, nil
}
