package main

import (
	"math/rand/v2"
	"unicode"
	"unicode/utf8"
)

// pieces are what texts of people have and random characters do not: contractions, spaces and ends
// of lines in a row, marks, sequences of emoji, parts of Hangul, and what looks like a token.
var pieces = []string{
	"the", "The", "ing", "tion", "don't", "I'll", "WE'VE", "'s", "’s", "'S", "ſ's", "n't", " a", " an", "int main(", "://", "www.", "...", "—", "!!", "?!",
	" ", "  ", "   ", "\n", "\n\n", "\r\n", "\t", "\t\t", " \n", "\n ", "\u00a0", "\u3000", "\u2028", "\u0085", "\u180e", "\u200b", "\ufeff", "\u00ad",
	"0", "1", "12", "123", "1234", "12345", "3.14", "1,000", "٣٤", "½", "²", "Ⅷ",
	"\u0301", "\u0323", "\u0302\u0301", "é", "e\u0301", "ü\u0304", "İ", "ı", "ß", "ẞ", "ς", "Σ", "ﬁ", "ŉ", "ﷺ", "Å", "Ω",
	"한", "\u1112\u1161\u11ab", "하\u11ab", "中文", "日本", "カ", "ｶﾞ", "ア", "ไทย", "न्", "क्ष", "العربية", "עברית",
	"😀", "👨\u200d👩\u200d👧", "🏳️\u200d🌈", "👍🏽", "🇩🇪", "1️⃣", "\ufe0f", "\u200d",
	"<s>", "</s>", "<unk>", "<pad>", "[CLS]", "[SEP]", "[MASK]", "[UNK]", "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|begin_of_text|>", "<mask>", "<0x41>", "▁", "▁▁", "Ġ", "##ing", "</w>",
	"_", "snake_case", "camelCase", "a-b", "#", "@", "\\", "\"", "`", "{", "}", "[", "]", "(", ")", ";", "==", "->",
}

// scripts are the ranges that random letters are from.
var scripts = []*unicode.RangeTable{
	unicode.Latin, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana, unicode.Arabic,
	unicode.Hebrew, unicode.Thai, unicode.Devanagari, unicode.Bengali, unicode.Tamil, unicode.Georgian, unicode.Armenian, unicode.Ethiopic, unicode.Cherokee,
	unicode.Mn, unicode.Mc, unicode.Nd, unicode.No, unicode.Punct, unicode.Symbol, unicode.Cf, unicode.Co, unicode.Zs,
}

// randomText returns a text of at most the given number of parts. It has no NUL, which arrays of
// NumPy drop at the end.
func randomText(r *rand.Rand, parts int) string {
	var text []byte
	script := scripts[r.IntN(len(scripts))]
	for range r.IntN(parts + 1) {
		switch k := r.IntN(16); {
		case k < 5:
			text = append(text, pieces[r.IntN(len(pieces))]...)
		case k < 8:
			text = append(text, ' ')
			fallthrough
		case k < 10:
			for range 1 + r.IntN(9) {
				text = append(text, byte('a'+r.IntN(26)))
			}
		case k < 13:
			for range 1 + r.IntN(5) {
				text = utf8.AppendRune(text, randomOf(r, script))
			}
		case k == 13:
			script = scripts[r.IntN(len(scripts))]
			text = utf8.AppendRune(text, randomOf(r, script))
		case k == 14:
			text = append(text, byte(1+r.IntN(127)))
		default:
			text = utf8.AppendRune(text, randomRune(r))
		}
	}
	return string(text)
}

// randomOf returns a character of a range.
func randomOf(r *rand.Rand, table *unicode.RangeTable) rune {
	i := r.IntN(len(table.R16) + len(table.R32))
	if i >= len(table.R16) {
		of := table.R32[i-len(table.R16)]
		return rune(of.Lo + r.Uint32N((of.Hi-of.Lo)/of.Stride+1)*of.Stride)
	}
	of := table.R16[i]
	return rune(of.Lo) + rune(r.IntN(int((of.Hi-of.Lo)/of.Stride)+1)*int(of.Stride))
}

// randomRune returns any character but NUL and the surrogates.
func randomRune(r *rand.Rand) rune {
	for {
		c := rune(1 + r.IntN(unicode.MaxRune))
		if r.IntN(2) == 0 {
			c &= 0xFFFF
		}
		if c != 0 && utf8.ValidRune(c) {
			return c
		}
	}
}
