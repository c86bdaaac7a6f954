package hf

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/text/ragged"
)

// decoder changes the texts of tokens. It appends the texts to out, one for each token unless it
// says otherwise.
type decoder interface {
	decode(out *ragged.Strings, tokens ragged.Strings, s *Scratch) error
}

// addDecoder adds the decoders of a component.
func (b *builder) addDecoder(c *Component, path string) {
	add := func(d decoder) { b.t.decoders = append(b.t.decoders, d) }
	if !b.known(c, path) {
		return
	}
	switch c.Type {
	case "Sequence":
		for i, one := range c.Decoders {
			b.addDecoder(one, element(path, "decoders", i))
		}
	case "ByteLevel":
		add(bytesDecoder{})
	case "Metaspace":
		r, scheme := b.metaspaceOf(c, path)
		add(metaspaceDecoder{r, scheme != "never"})
	case "WordPiece":
		add(&wordPieceDecoder{[]byte(orElse(c.Prefix, "##")), orElse(c.Cleanup, true)})
	case "BPEDecoder":
		add(suffixDecoder(orElse(c.Suffix, "</w>")))
	case "Replace":
		p, err := patternOf(c.Pattern)
		b.check(err, path)
		add(&replaceDecoder{replace{p, []byte(orElse(c.Content, ""))}})
	case "ByteFallback":
		add(fallbackDecoder{})
	case "Fuse":
		add(fuseDecoder{})
	case "Strip":
		r, n := utf8.DecodeRuneInString(orElse(c.Content, ""))
		if n == 0 || n != len(*c.Content) {
			b.check(faults.Errorf("the content is %q, expected one character", orElse(c.Content, "")), path)
		}
		add(stripDecoder{r, c.Start, c.Stop})
	case "CTC":
		add(&ctcDecoder{[]byte(orElse(c.PadToken, "<pad>")), []byte(orElse(c.WordDelimiter, "|")), orElse(c.Cleanup, true)})
	default:
		b.unsupported(c, path)
	}
}

// Decode appends the text of tokens to dst. Tokens that there are none for are left out, and so are
// special ones, unless keep is set.
func (t *Tokenizer) Decode(dst []byte, ids []int32, keep bool, s *Scratch) ([]byte, error) {
	tokens := &s.tokens
	tokens.Begins, tokens.Ends, tokens.Chars = tokens.Begins[:0], tokens.Ends[:0], tokens.Chars[:0]
	for _, id := range ids {
		text, ok := t.token(id, keep)
		if !ok {
			continue
		}
		if err := appendString(tokens, text, s); err != nil {
			return dst, err
		}
	}
	for _, d := range t.decoders {
		out := &s.others
		out.Begins, out.Ends, out.Chars = out.Begins[:0], out.Ends[:0], out.Chars[:0]
		if err := d.decode(out, s.tokens, s); err != nil {
			return dst, err
		}
		s.tokens, s.others = s.others, s.tokens
	}
	for i := range s.tokens.Len() {
		if i > 0 && len(t.decoders) == 0 {
			dst = append(dst, ' ')
		}
		var err error
		if dst, err = appendText(dst, s.tokens.At(i), s); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// token returns the text of a token; ok is false if it is left out.
func (t *Tokenizer) token(id int32, keep bool) (text []byte, ok bool) {
	text, ok = t.added.texts[id]
	if !ok {
		text = t.words.at(id)
	}
	return text, text != nil && (keep || !t.added.special[string(text)])
}

// TokenID returns the id of a token by its text, -1 if there is none.
func (t *Tokenizer) TokenID(text string) int32 {
	if id, ok := t.added.ids[text]; ok {
		return id
	}
	if id, ok := t.words.id([]byte(text)); ok {
		return id
	}
	return -1
}

// Token returns the text of a token as the file has it, "" if there is none.
func (t *Tokenizer) Token(id int32) string {
	text, _ := t.token(id, true)
	return string(text)
}

// appendString appends a string.
func appendString(to *ragged.Strings, text []byte, s *Scratch) (err error) {
	begin := len(to.Chars)
	if to.Chars, err = appendText(to.Chars, text, s); err != nil {
		return err
	}
	to.Begins = append(to.Begins, int32(begin))
	to.Ends = append(to.Ends, int32(len(to.Chars)))
	return nil
}

// each appends what f makes of each token.
func each(out *ragged.Strings, tokens ragged.Strings, s *Scratch, f func(i int, dst, token []byte) ([]byte, error)) error {
	for i := range tokens.Len() {
		begin := len(out.Chars)
		chars, err := f(i, out.Chars, tokens.At(i))
		if err != nil {
			return err
		}
		if len(chars) > maxText {
			return faults.Errorf("a text has more than %d bytes", maxText)
		}
		out.Chars = chars
		out.Begins = append(out.Begins, int32(begin))
		out.Ends = append(out.Ends, int32(len(chars)))
	}
	return nil
}

// bytesDecoder joins all tokens: the bytes that their characters stand for, or a token itself if
// one of its characters stands for none. What is not UTF-8 becomes U+FFFD.
type bytesDecoder struct{}

func (bytesDecoder) decode(out *ragged.Strings, tokens ragged.Strings, s *Scratch) error {
	s.other = s.other[:0]
	for i := range tokens.Len() {
		begin, token := len(s.other), tokens.At(i)
		text, ok := unmapBytes(s.other, token)
		if !ok {
			text = append(text[:begin], token...)
		}
		s.other = text
	}
	return appendString(out, validText(s.other), s)
}

// validText returns text with U+FFFD for each longest part that could start a character and does
// not go on as one, as Rust and Python do.
func validText(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	var out []byte
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			n = badLength(text)
		}
		out, text = utf8.AppendRune(out, r), text[n:]
	}
	return out
}

// badLength returns the number of bytes at the start of text that could start a character.
func badLength(text []byte) int {
	c := text[0]
	lo, hi, size := byte(0x80), byte(0xbf), 0
	switch {
	case c >= 0xc2 && c <= 0xdf:
		size = 2
	case c >= 0xe0 && c <= 0xef:
		size = 3
		if c == 0xe0 {
			lo = 0xa0
		} else if c == 0xed {
			hi = 0x9f
		}
	case c >= 0xf0 && c <= 0xf4:
		size = 4
		if c == 0xf0 {
			lo = 0x90
		} else if c == 0xf4 {
			hi = 0x8f
		}
	}
	n := 1
	for n < size && n < len(text) && text[n] >= lo && text[n] <= hi {
		n++
		lo, hi = 0x80, 0xbf
	}
	return n
}

// metaspaceDecoder makes spaces of a character, and deletes it in the first token if prefixed is
// set.
type metaspaceDecoder struct {
	replacement rune
	prefixed    bool
}

func (d metaspaceDecoder) decode(out *ragged.Strings, tokens ragged.Strings, s *Scratch) error {
	old, blank := []byte(string(d.replacement)), []byte(" ")
	return each(out, tokens, s, func(i int, dst, token []byte) ([]byte, error) {
		if i == 0 && d.prefixed {
			return appendReplaced(dst, token, old, nil), nil
		}
		return appendReplaced(dst, token, old, blank), nil
	})
}

// appendReplaced appends text with other text for each old.
func appendReplaced(dst, text, old, other []byte) []byte {
	if len(old) == 0 {
		return append(dst, bytes.ReplaceAll(text, old, other)...)
	}
	for {
		i := bytes.Index(text, old)
		if i < 0 {
			return append(dst, text...)
		}
		dst, text = append(append(dst, text[:i]...), other...), text[i+len(old):]
	}
}

// wordPieceDecoder puts a space before each token that does not go on with a word.
type wordPieceDecoder struct {
	prefix  []byte
	cleanup bool
}

func (d *wordPieceDecoder) decode(out *ragged.Strings, tokens ragged.Strings, s *Scratch) error {
	return each(out, tokens, s, func(i int, dst, token []byte) ([]byte, error) {
		begin := len(dst)
		if rest, ok := bytes.CutPrefix(token, d.prefix); i > 0 && ok {
			dst = append(dst, rest...)
		} else if i > 0 {
			dst = append(append(dst, ' '), token...)
		} else {
			dst = append(dst, token...)
		}
		if d.cleanup {
			dst = append(dst[:begin], Cleanup(string(dst[begin:]))...)
		}
		return dst, nil
	})
}

// suffixDecoder makes spaces of the ends of words.
type suffixDecoder string

func (d suffixDecoder) decode(out *ragged.Strings, tokens ragged.Strings, s *Scratch) error {
	return each(out, tokens, s, func(i int, dst, token []byte) ([]byte, error) {
		blank := []byte(" ")
		if i == tokens.Len()-1 {
			blank = nil
		}
		return appendReplaced(dst, token, []byte(d), blank), nil
	})
}

// replaceDecoder replaces the matches of a pattern in each token.
type replaceDecoder struct{ replace }

func (d *replaceDecoder) decode(out *ragged.Strings, tokens ragged.Strings, s *Scratch) error {
	return each(out, tokens, s, func(_ int, dst, token []byte) ([]byte, error) { return d.append(dst, token, s) })
}

// fallbackDecoder makes bytes of tokens such as "<0x0A>". Neighbors that are not UTF-8 together
// become U+FFFD each.
type fallbackDecoder struct{}

func (fallbackDecoder) decode(out *ragged.Strings, tokens ragged.Strings, s *Scratch) error {
	s.other = s.other[:0]
	flush := func() error {
		text := s.other
		if !utf8.Valid(text) {
			text = bytes.Repeat([]byte("\ufffd"), len(text))
		}
		s.other = s.other[:0]
		if len(text) == 0 {
			return nil
		}
		return appendString(out, text, s)
	}
	for i := range tokens.Len() {
		token := tokens.At(i)
		if len(token) == 6 && bytes.HasPrefix(token, []byte("<0x")) && token[5] == '>' {
			if n, err := strconv.ParseUint(string(bytes.TrimPrefix(token[3:5], []byte("+"))), 16, 8); err == nil {
				s.other = append(s.other, byte(n))
				continue
			}
		}
		if err := flush(); err != nil {
			return err
		}
		if err := appendString(out, token, s); err != nil {
			return err
		}
	}
	return flush()
}

// fuseDecoder joins all tokens.
type fuseDecoder struct{}

func (fuseDecoder) decode(out *ragged.Strings, tokens ragged.Strings, s *Scratch) error {
	return appendString(out, tokens.Chars, s) // has the tokens one after the other
}

// stripDecoder removes up to start and stop times a character at the ends of tokens.
type stripDecoder struct {
	content     rune
	start, stop int
}

func (d stripDecoder) decode(out *ragged.Strings, tokens ragged.Strings, s *Scratch) error {
	content := []byte(string(d.content))
	return each(out, tokens, s, func(_ int, dst, token []byte) ([]byte, error) {
		for range d.start {
			rest, ok := bytes.CutPrefix(token, content)
			if !ok {
				break
			}
			token = rest
		}
		for range d.stop {
			rest, ok := bytes.CutSuffix(token, content)
			if !ok {
				break
			}
			token = rest
		}
		return append(dst, token...), nil
	})
}

// ctcDecoder joins equal neighbors, and makes spaces of the ends of words.
type ctcDecoder struct {
	pad, delimiter []byte
	cleanup        bool
}

func (d *ctcDecoder) decode(out *ragged.Strings, tokens ragged.Strings, s *Scratch) error {
	var last []byte
	for i := range tokens.Len() {
		token := tokens.At(i)
		if i > 0 && bytes.Equal(token, last) {
			continue
		}
		last = token
		text := appendReplaced(nil, token, d.pad, nil)
		if d.cleanup {
			text = appendReplaced(nil, []byte(Cleanup(string(text))), d.delimiter, []byte(" "))
		}
		if len(text) == 0 {
			continue
		}
		if err := appendString(out, text, s); err != nil {
			return err
		}
	}
	return nil
}

// cleanups are what Cleanup replaces, one after the other.
var cleanups = [][2]string{
	{" .", "."}, {" ?", "?"}, {" !", "!"}, {" ,", ","}, {" ' ", "'"}, {" n't", "n't"}, {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"},
	{" 've", "'ve"}, {" 're", "'re"},
}

// Cleanup returns text without the spaces before punctuation marks and contractions of English.
func Cleanup(text string) string {
	data := []byte(text)
	for _, c := range cleanups {
		data = bytes.ReplaceAll(data, []byte(c[0]), []byte(c[1]))
	}
	return string(data)
}
