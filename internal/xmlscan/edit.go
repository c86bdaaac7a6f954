package xmlscan

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// Edit replaces bytes From to To-1 of Scanner.Document by Text.
type Edit struct {
	From, To int
	Text     string
}

// Apply returns a copy of doc with the edits applied. doc is the document as it was passed to New,
// in its original encoding, which it keeps. The edits must be in the order of their positions and
// must not overlap. All other bytes stay the same. If doc is not UTF-8, characters of Text that are
// not ASCII become question marks.
func Apply(doc []byte, edits []Edit) []byte {
	out := make([]byte, 0, len(doc)+64)
	c := newCharWalker(doc)
	copied := 0
	for _, e := range edits {
		c.skipTo(e.From)
		out = append(out, doc[copied:c.at]...)
		for _, r := range e.Text {
			out = c.encode(out, r)
		}
		c.skipTo(e.To)
		copied = c.at
	}
	return append(out, doc[copied:]...)
}

// charWalker iterates over the characters of a document in any encoding, and counts the bytes that
// they have in UTF-8.
type charWalker struct {
	doc    []byte
	at     int // in doc
	offset int // in the document as UTF-8
	// width is the number of bytes of a code unit: 2 for UTF-16, 4 for UTF-32 and 1 for Latin-1. It
	// is 0 for UTF-8.
	width int
	order byteOrder
}

// byteOrder reads and appends integers.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// newCharWalker returns a walker at the first character of doc. It detects the encoding as toUTF8
// does.
func newCharWalker(doc []byte) *charWalker {
	c := &charWalker{doc: doc, order: binary.LittleEndian}
	text, encoding := toUTF8(doc)
	switch encoding {
	case "":
		c.at = len(doc) - len(text) // behind a byte order mark
	case "Latin-1":
		c.width = 1
	case "UTF-16":
		c.width = 2
	case "UTF-32":
		c.width = 4
	}
	if c.width > 1 {
		// The first character is a byte order mark or '<'.
		if last := doc[c.width-1]; last == 0xff || last == '<' {
			c.order = binary.BigEndian
		}
	}
	return c
}

// skipTo moves to an offset in the document as UTF-8.
func (c *charWalker) skipTo(offset int) {
	if c.width == 0 {
		c.at += offset - c.offset
		c.offset = offset
		return
	}
	for c.offset < offset && c.at < len(c.doc) {
		n, size := c.next()
		c.at += n
		c.offset += size
	}
}

// next returns the numbers of bytes of the next character: n in doc, and size in UTF-8.
func (c *charWalker) next() (n, size int) {
	unit := c.doc[c.at:min(c.at+4, len(c.doc))]
	if len(unit) < c.width {
		return len(unit), 0
	}
	switch c.width {
	case 1:
		return 1, utf8.RuneLen(rune(unit[0]))
	case 2:
		n = 2
		if first := rune(c.order.Uint16(unit)); len(unit) == 4 && utf16.DecodeRune(first, rune(c.order.Uint16(unit[2:]))) != utf8.RuneError {
			n = 4
		}
		return n, len(fromUTF16(unit[:n], c.order))
	}
	return 4, len(fromUTF32(unit, c.order))
}

// encode appends r to out in the encoding of doc, or a question mark if it is not ASCII and doc is
// not UTF-8.
func (c *charWalker) encode(out []byte, r rune) []byte {
	if r > 0x7f && c.width > 0 {
		r = '?'
	}
	switch c.width {
	case 1:
		return append(out, byte(r))
	case 2:
		return c.order.AppendUint16(out, uint16(r))
	case 4:
		return c.order.AppendUint32(out, uint32(r))
	}
	return utf8.AppendRune(out, r)
}
