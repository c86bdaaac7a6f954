package jsonscan

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// Text reads the string that begins at data[pos]. It returns its bytes and the offset behind it.
// The bytes are shared with data, or, if something was escaped, are memory with what was appended.
// A string that is no UTF-8, or has half of a surrogate pair, is an error: neither could be given
// back as it came.
func Text(data []byte, pos int, memory []byte) (text []byte, end int, escaped bool, err error) {
	if pos >= len(data) || data[pos] != '"' {
		return nil, pos, false, Broken(data, pos, "expected a string")
	}
	pos++
	from := pos
	if pos = plain(data, pos); pos < len(data) && data[pos] == '"' {
		text = data[from:pos:pos]
	} else {
		escaped = true
		text = append(memory, data[from:pos]...)
		for {
			if pos >= len(data) || data[pos] < ' ' {
				return nil, pos, false, Broken(data, pos, "expected the end of a string")
			}
			if data[pos] == '"' {
				break
			}
			if text, pos, err = unescape(text, data, pos); err != nil {
				return nil, pos, false, err
			}
			from = pos
			pos = plain(data, pos)
			text = append(text, data[from:pos]...)
		}
	}
	if !utf8.Valid(text) {
		return nil, pos, false, Broken(data, from, "expected UTF-8 in the string that begins here")
	}
	return text, pos + 1, escaped, nil
}

// plain returns the offset of the first byte from pos that ends a string, begins an escape, or must
// not be in a string.
func plain(data []byte, pos int) int {
	for ; pos+8 <= len(data); pos += 8 {
		word := binary.LittleEndian.Uint64(data[pos:])
		if marks := hasByte(word, '"') | hasByte(word, '\\') | hasByteBelow(word, ' '); marks != 0 {
			return pos + firstByte(marks)
		}
	}
	for pos < len(data) && data[pos] != '"' && data[pos] != '\\' && data[pos] >= ' ' {
		pos++
	}
	return pos
}

// unescape appends what the escape at data[pos] stands for.
func unescape(text, data []byte, pos int) ([]byte, int, error) {
	if pos+1 >= len(data) {
		return nil, pos, Broken(data, pos+1, "expected the rest of an escape")
	}
	c := data[pos+1]
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		return unescapeRune(text, data, pos)
	default:
		return nil, pos, Broken(data, pos+1, "expected an escape that JSON has")
	}
	return append(text, c), pos + 2, nil
}

// unescapeRune appends the rune of the escape \uXXXX, or of two that are a surrogate pair.
func unescapeRune(text, data []byte, pos int) ([]byte, int, error) {
	r, ok := hexadecimal(data, pos)
	if !ok {
		return nil, pos, Broken(data, pos, "expected \\u and four hexadecimal digits")
	}
	pos += 6
	if utf16.IsSurrogate(r) {
		low, ok := hexadecimal(data, pos)
		if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
			return nil, pos, Broken(data, pos, "expected the second half of a surrogate pair")
		}
		pos += 6
	}
	return utf8.AppendRune(text, r), pos, nil
}

// hexadecimal returns the number of the escape \uXXXX at data[pos]; false if there is none.
func hexadecimal(data []byte, pos int) (rune, bool) {
	if pos+6 > len(data) || data[pos] != '\\' || data[pos+1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range data[pos+2 : pos+6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// AppendText appends text as a string of JSON. It returns false if text is no UTF-8.
func AppendText(b []byte, text string) ([]byte, bool) {
	const digits = "0123456789abcdef"
	if !utf8.ValidString(text) {
		return b, false
	}
	b = append(b, '"')
	from := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, text[from:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		case '\r':
			b = append(b, '\\', 'r')
		default:
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
		from = i + 1
	}
	b = append(b, text[from:]...)
	return append(b, '"'), true
}
