// Package charsmap normalizes text as SentencePiece does: by a map from sequences of characters to
// others, and by rules for spaces.
//
// At each position, the longest key of the map that starts there is replaced by its value. Where no
// key starts, one character is kept, or one byte that is not UTF-8 is replaced by U+FFFD. Parse
// reads a map from the precompiled form of SentencePiece models, and Builtin makes those that
// OpenVINO Tokenizers has.
//
// The built-in maps are not the normalization forms of Unicode. Their keys are single characters
// and, for NFC and NFKC, full canonical decompositions, whose characters may each be given by
// another that decomposes to it alone. So combining characters keep their order, and text that is
// partly composed is not composed further.
package charsmap

import (
	"bytes"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/align"
	"github.com/vinoir/vinoir/internal/text/limits"
)

// Map is a map from sequences of characters to others. It is not changed after it was made, and can
// be used by many goroutines.
type Map struct {
	built *builtin // nil in a Map that was parsed
	trie  doubleArray
}

// Matcher finds texts that are kept as they are, whatever the map has for them.
type Matcher interface {
	// Longest returns the length of the longest such text that starts in front of text; 0 if none
	// does.
	Longest(text []byte) int
	// Starts reports whether such a text starts with b.
	Starts(b byte) bool
}

// Options are the rules of a Normalizer for spaces: U+0020, also where it is the value of a key.
type Options struct {
	// AddDummyPrefix puts a space before a text that is not empty, or behind it, if
	// WhitespaceAsSuffix is set.
	AddDummyPrefix, WhitespaceAsSuffix bool
	// RemoveExtraWhitespaces removes spaces at both ends, and keeps one of several in a row.
	RemoveExtraWhitespaces bool
	// EscapeWhitespaces writes U+2581 for a space.
	EscapeWhitespaces bool
	// Kept, if not nil, finds texts that the map does not change.
	Kept Matcher
}

// Normalizer applies a Map and Options. It can be used by many goroutines.
type Normalizer struct {
	chars   *Map
	options Options
	space   string // how a space is written
	// simple means that no text is kept, and that the map changes only characters with a cell.
	simple  bool
	classes [256]class
	// replaced has the bytes that replace those of the classes plain and first. translates means
	// that some of them are others.
	replaced   [256]byte
	translates bool
}

// class says what a byte at the start of a character needs.
type class uint8

const (
	// plain is an ASCII character that is replaced by one byte, whatever follows.
	plain class = iota
	// first is one that is replaced by one byte, unless a character outside of ASCII follows.
	first
	// blank is a space that the map does not change.
	blank
	// special is any other byte.
	special
)

// New returns a Normalizer. A nil Map has no keys.
func New(m *Map, options Options) *Normalizer {
	if m == nil {
		m = &Map{}
	}
	n := &Normalizer{chars: m, options: options, space: " "}
	n.simple = options.Kept == nil && m.built != nil && !m.built.decomposes
	if options.EscapeWhitespaces {
		n.space = "\u2581"
	}
	for b := range 256 {
		n.classes[b], n.replaced[b] = special, byte(b)
		if b >= utf8.RuneSelf || options.Kept != nil && options.Kept.Starts(byte(b)) {
			continue
		}
		value, class := m.byteAlone(byte(b))
		// Only a space that is kept or removed like any other character can be plain.
		if value == ' ' && (b != ' ' || options.RemoveExtraWhitespaces || options.EscapeWhitespaces) {
			if b == ' ' && class == plain {
				class = blank
			} else {
				class = special
			}
		}
		if n.classes[b] = class; class <= first {
			n.replaced[b] = value
			n.translates = n.translates || value != byte(b)
		}
	}
	return n
}

// ASCII returns a Normalizer that makes the ASCII letters lower or upper, and keeps all other
// bytes, also those that are not UTF-8.
func ASCII(lower bool) *Normalizer {
	n := &Normalizer{chars: &Map{}, space: " ", translates: true} // all bytes are plain
	for i := range n.replaced {
		b := byte(i)
		switch {
		case lower && 'A' <= b && b <= 'Z':
			b += 'a' - 'A'
		case !lower && 'a' <= b && b <= 'z':
			b -= 'a' - 'A'
		}
		n.replaced[i] = b
	}
	return n
}

// byteAlone returns the byte that replaces b, which is ASCII, and its class. The byte is undefined
// if the class is special.
func (m *Map) byteAlone(b byte) (byte, class) {
	size, value, follow := 0, []byte(nil), plain
	if m.built != nil {
		size, value, follow = m.built.byteAlone(b)
	} else {
		size, value, follow = m.trie.byteAlone(b)
	}
	switch {
	case size == 0:
		return b, follow
	case len(value) == 1:
		return value[0], follow
	}
	return 0, special
}

// Work is what a call of Append needs beside the text: its limits and memory. The zero value can be
// used, and has no limits. Calls at the same time need a Work each.
type Work struct {
	limits.Limits
	// Sources, if not nil, records where the bytes that Append writes come from.
	Sources *align.Sources
	value   [12]byte // a value that is computed
}

// room returns dst with room for n more bytes. It is inlined where there is enough.
func (w *Work) room(dst []byte, n int) ([]byte, error) {
	if cap(dst)-len(dst) >= n {
		return dst, nil
	}
	return limits.Grow(&w.Limits, dst, len(dst)+n)
}

// replacement is the value of a byte that is not UTF-8.
var replacement = []byte("\uFFFD")

// Append appends the normalized text to dst. It returns parallel.ErrStopped if it was stopped, and
// an error of w.Reserve; the bytes that it has appended then are undefined.
func (n *Normalizer) Append(dst, text []byte, w *Work) ([]byte, error) {
	base, meter := len(dst), w.Stop.Meter()
	from := 0 // where text starts in the text of the caller
	for n.options.RemoveExtraWhitespaces && len(text) > 0 {
		size, value := n.piece(text, w)
		if len(value) != 1 || value[0] != ' ' {
			break
		}
		if meter.Spent(size) {
			return dst, parallel.ErrStopped
		}
		text = text[size:]
		from += size
	}
	if len(text) == 0 {
		return dst, nil
	}
	var err error
	if n.options.AddDummyPrefix && !n.options.WhitespaceAsSuffix {
		if dst, err = n.appendSpace(dst, w); err != nil {
			return dst, err
		}
		w.Sources.Put(len(n.space), from, from)
	}
	// the last character was a space that is not repeated
	spaced := n.options.RemoveExtraWhitespaces
	for at := 0; at < len(text); {
		end, size, value := n.next(text, at, w)
		if meter.Spent(end - at + size + len(value)) {
			return dst, parallel.ErrStopped
		}
		if dst, err = w.room(dst, end-at+len(n.space)); err != nil {
			return dst, err
		}
		if end > at {
			dst = n.appendKept(dst, text[at:end])
			w.Sources.Copy(end-at, from+at)
			spaced = false
		}
		at = end + size
		if len(value) == 1 && value[0] == ' ' {
			if !spaced {
				dst, spaced = append(dst, n.space...), n.options.RemoveExtraWhitespaces
				w.Sources.Put(len(n.space), from+end, from+at)
			}
			continue
		}
		if spaced {
			value = bytes.TrimLeft(value, " ")
		}
		if len(value) > 0 {
			before := len(dst)
			if dst, err = n.appendValue(dst, value, w); err != nil {
				return dst, err
			}
			w.Sources.Put(len(dst)-before, from+end, from+at)
			spaced = n.options.RemoveExtraWhitespaces && value[len(value)-1] == ' '
		}
	}
	if n.options.RemoveExtraWhitespaces {
		for len(dst)-base >= len(n.space) && string(dst[len(dst)-len(n.space):]) == n.space {
			dst = dst[:len(dst)-len(n.space)]
		}
		w.Sources.Cut(len(dst) - base)
	}
	if n.options.AddDummyPrefix && n.options.WhitespaceAsSuffix {
		w.Sources.Put(len(n.space), from+len(text), from+len(text))
		return n.appendSpace(dst, w)
	}
	return dst, nil
}

// kept is the number of bytes that next passes over at a time, so that the work can be stopped.
const kept = 1 << 16

// next returns the end of the characters from at on that are kept, or replaced by one byte each,
// and the value of the piece of size bytes behind them. If the size is 0, there are more characters
// to keep, or the text ends.
func (n *Normalizer) next(text []byte, at int, w *Work) (end, size int, value []byte) {
	limit := min(len(text), at+kept)
	i := at
	for i < limit {
		b := text[i]
		if n.classes[b] <= first {
			i++
			continue
		}
		if n.classes[b] == blank {
			return i, 1, text[i : i+1]
		}
		if b >= utf8.RuneSelf && i > at && n.classes[text[i-1]] == first {
			if size, value = n.match(text[i-1:], w); size > 1 {
				return i - 1, size, value
			}
		}
		if n.simple && b >= utf8.RuneSelf {
			if r, size := utf8.DecodeRune(text[i:]); size > 1 && n.chars.built.find(r) == (cell{}) {
				i += size
				continue
			}
		}
		if size, value = n.match(text[i:], w); size > 0 {
			return i, size, value
		}
		switch {
		case b == ' ':
			return i, 1, text[i : i+1]
		case b < utf8.RuneSelf:
			i++
		default:
			_, size := utf8.DecodeRune(text[i:])
			if size == 1 {
				return i, 1, replacement
			}
			i += size
		}
	}
	if i < len(text) && n.classes[text[i-1]] == first {
		i-- // whether a character outside of ASCII follows is for the next call
	}
	return i, 0, nil
}

// match returns the length of the longest text in front of text that has a value, and the value.
func (n *Normalizer) match(text []byte, w *Work) (size int, value []byte) {
	if n.options.Kept != nil {
		if size := n.options.Kept.Longest(text); size > 0 {
			return size, text[:size]
		}
	}
	if n.chars.built != nil {
		return n.chars.built.match(text, w)
	}
	return n.chars.trie.match(text)
}

// piece returns the length of the first piece of text, and its value.
func (n *Normalizer) piece(text []byte, w *Work) (size int, value []byte) {
	if size, value = n.match(text, w); size > 0 {
		return size, value
	}
	if r, size := utf8.DecodeRune(text); r != utf8.RuneError || size > 1 {
		return size, text[:size]
	}
	return 1, replacement
}

// appendKept appends characters that are kept, or replaced by one byte each. dst has room for them.
func (n *Normalizer) appendKept(dst, text []byte) []byte {
	at := len(dst)
	dst = append(dst, text...)
	if n.translates {
		written := dst[at:]
		for i, b := range written {
			written[i] = n.replaced[b]
		}
	}
	return dst
}

func (n *Normalizer) appendValue(dst, value []byte, w *Work) ([]byte, error) {
	for len(value) > 0 {
		size := len(value)
		if n.options.EscapeWhitespaces {
			if at := bytes.IndexByte(value, ' '); at >= 0 {
				size = at
			}
		}
		var err error
		if dst, err = w.room(dst, size+len(n.space)); err != nil {
			return dst, err
		}
		dst = append(dst, value[:size]...)
		if value = value[size:]; len(value) > 0 {
			dst, value = append(dst, n.space...), value[1:]
		}
	}
	return dst, nil
}

func (n *Normalizer) appendSpace(dst []byte, w *Work) ([]byte, error) {
	dst, err := w.room(dst, len(n.space))
	if err != nil {
		return dst, err
	}
	return append(dst, n.space...), nil
}
