package xmlscan

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// toUTF8 returns doc as UTF-8 without a byte order mark, and the name of its encoding if that is
// not UTF-8. It detects the encoding as pugixml does: by the byte order mark, by the zero bytes
// around the first '<', or by a declaration of Latin-1. Any other document is taken for UTF-8; its
// bytes are not checked.
func toUTF8(doc []byte) (text []byte, encoding string) {
	if len(doc) < 4 {
		return doc, ""
	}
	big, little := binary.ByteOrder(binary.BigEndian), binary.ByteOrder(binary.LittleEndian)
	first, half := big.Uint32(doc), big.Uint16(doc)
	switch {
	case first == 0x0000feff || first == 0x0000003c:
		return fromUTF32(doc, big), "UTF-32"
	case first == 0xfffe0000 || first == 0x3c000000:
		return fromUTF32(doc, little), "UTF-32"
	case half == 0xfeff || half == 0x003c:
		return fromUTF16(doc, big), "UTF-16"
	case half == 0xfffe || half == 0x3c00:
		return fromUTF16(doc, little), "UTF-16"
	case bytes.HasPrefix(doc, []byte("\xef\xbb\xbf")):
		return doc[3:], ""
	case declaresLatin1(doc):
		return fromLatin1(doc), "Latin-1"
	}
	return doc, ""
}

// fromUTF32 returns doc as UTF-8, without byte order marks.
func fromUTF32(doc []byte, order binary.ByteOrder) []byte {
	out := make([]byte, 0, len(doc)/4)
	for ; len(doc) >= 4; doc = doc[4:] {
		if char := order.Uint32(doc); char != 0xfeff {
			out = utf8.AppendRune(out, rune(min(char, utf8.MaxRune+1)))
		}
	}
	return out
}

// fromUTF16 returns doc as UTF-8, without byte order marks.
func fromUTF16(doc []byte, order binary.ByteOrder) []byte {
	out := make([]byte, 0, len(doc)/2)
	for ; len(doc) >= 2; doc = doc[2:] {
		char := rune(order.Uint16(doc))
		if utf16.IsSurrogate(char) && len(doc) >= 4 {
			if pair := utf16.DecodeRune(char, rune(order.Uint16(doc[2:]))); pair != utf8.RuneError {
				char, doc = pair, doc[2:]
			}
		}
		if char != 0xfeff {
			out = utf8.AppendRune(out, char)
		}
	}
	return out
}

// fromLatin1 returns doc as UTF-8.
func fromLatin1(doc []byte) []byte {
	out := make([]byte, 0, len(doc)+len(doc)/8)
	for _, c := range doc {
		out = utf8.AppendRune(out, rune(c))
	}
	return out
}

// declaresLatin1 reports whether the XML declaration names Latin-1.
func declaresLatin1(doc []byte) bool {
	if len(doc) < 6 || string(doc[:5]) != "<?xml" || classes[doc[5]]&space == 0 {
		return false
	}
	declaration := doc[6:]
	if i := bytes.IndexByte(declaration, '?'); i >= 0 {
		declaration = declaration[:i]
	}
	_, value, ok := bytes.Cut(declaration, []byte("encoding"))
	if !ok {
		return false
	}
	value = bytes.TrimLeft(value, " \t\r\n")
	if len(value) == 0 || value[0] != '=' {
		return false
	}
	value = bytes.TrimLeft(value[1:], " \t\r\n")
	if len(value) == 0 || value[0] != '"' && value[0] != '\'' {
		return false
	}
	name, _, ok := bytes.Cut(value[1:], value[:1])
	return ok && (bytes.EqualFold(name, []byte("iso-8859-1")) || bytes.EqualFold(name, []byte("latin1")))
}
