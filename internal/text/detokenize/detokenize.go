// Package detokenize has what detokenizers do with the bytes of tokens: byte tokens become bytes,
// and text that is not UTF-8 is repaired.
package detokenize

import (
	"bytes"
	"unicode/utf8"
)

// byteToken is the length of a byte token, "<0x41>".
const byteToken = 6

// notByte is what a token becomes that is in angle brackets, has the length of a byte token and is
// none.
const notByte = 0xff

// AppendBytes appends a token, or the byte that it stands for if it is a byte token. As in OpenVINO
// Tokenizers, any other six bytes in angle brackets become the byte 0xFF, unless there is a second
// opening bracket.
func AppendBytes(dst, token []byte) []byte {
	if !isBracketed(token) {
		return append(dst, token...)
	}
	if token[1] != '0' || token[2] != 'x' {
		return append(dst, notByte)
	}
	high, low := digit(token[3]), digit(token[4])
	if high < 0 || low < 0 {
		return append(dst, notByte)
	}
	return append(dst, byte(high<<4|low))
}

// BytesLen returns the number of bytes that AppendBytes appends for a token.
func BytesLen(token []byte) int {
	if isBracketed(token) {
		return 1
	}
	return len(token)
}

// isBracketed reports whether a token has the length and the brackets of a byte token, and no
// second opening bracket.
func isBracketed(token []byte) bool {
	return len(token) == byteToken && token[byteToken-1] == '>' && bytes.LastIndexByte(token, '<') == 0
}

// digit returns the value of an upper-case hexadecimal digit, or -1.
func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// replacement is U+FFFD.
const replacement = "\uFFFD"

// lowest are the lowest code points of sequences of 1 to 4 bytes.
var lowest = [5]rune{1: 0, 2: 0x80, 3: 0x800, 4: 0x10000}

// AppendValid appends text without what is not UTF-8 or, if replace is set, with U+FFFD in its
// place: one for a byte that starts no sequence, one for a sequence that ends early, and one for
// each byte of an overlong sequence. As in OpenVINO Tokenizers, surrogates and sequences beyond
// U+10FFFF count as UTF-8.
func AppendValid(dst, text []byte, replace bool) []byte {
	for len(text) > 0 {
		n := validLen(text)
		dst = append(dst, text[:n]...)
		if text = text[n:]; len(text) == 0 {
			break
		}
		n, marks := invalid(text)
		if replace {
			for range marks {
				dst = append(dst, replacement...)
			}
		}
		text = text[n:]
	}
	return dst
}

// IsValid reports whether AppendValid appends text as it is.
func IsValid(text []byte) bool { return validLen(text) == len(text) }

// ValidLen returns the number of bytes that AppendValid appends.
func ValidLen(text []byte, replace bool) int {
	total := 0
	for len(text) > 0 {
		n := validLen(text)
		total += n
		if text = text[n:]; len(text) == 0 {
			break
		}
		n, marks := invalid(text)
		if replace {
			total += marks * len(replacement)
		}
		text = text[n:]
	}
	return total
}

// validLen returns the number of bytes up to the first that is not in a valid sequence.
func validLen(text []byte) int {
	n := 0
	for n < len(text) {
		if text[n] < utf8.RuneSelf {
			n++
			continue
		}
		size, valid := sequence(text[n:])
		if !valid {
			break
		}
		n += size
	}
	return n
}

// invalid returns the number of bytes of the sequence at the start of text, which is not valid, and
// how many U+FFFD stand for it.
func invalid(text []byte) (size, marks int) {
	size, _ = sequence(text)
	if _, length := lead(text[0]); size == length {
		return size, size // overlong
	}
	return size, 1
}

// sequence returns the number of bytes of the sequence that text starts with, and whether it is
// valid. A sequence ends before a byte that does not continue it.
func sequence(text []byte) (size int, valid bool) {
	r, length := lead(text[0])
	if length < 2 {
		return 1, length == 1
	}
	for i := 1; i < length; i++ {
		if i == len(text) || text[i]>>6 != 0b10 {
			return i, false
		}
		r = r<<6 | rune(text[i]&0b111111)
	}
	return length, r >= lowest[length]
}

// lead returns the bits of the first byte of a sequence, and the length of the sequence; 0 if no
// sequence starts with it.
func lead(c byte) (bits rune, length int) {
	switch {
	case c < utf8.RuneSelf:
		return rune(c), 1
	case c>>5 == 0b110:
		return rune(c & 0b11111), 2
	case c>>4 == 0b1110:
		return rune(c & 0b1111), 3
	case c>>3 == 0b11110:
		return rune(c & 0b111), 4
	}
	return 0, 0
}
