package regex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/texttest"
	"github.com/vinoir/vinoir/internal/text/regex"
)

// shared are the patterns that the tokenizers of many models have.
var shared = []struct{ name, pattern string }{
	{"gpt2", `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`},
	{"gpt2 of 2023", `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+`},
	{"cl100k", `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`},
	{"cl100k possessive", `'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s`},
	{"o200k", `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`},
	{"qwen", `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`},
	{"deepseek words", "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},
	{"deepseek digits", `\p{N}{1,3}`},
	{"deepseek cjk", `[一-龥぀-ゟ゠-ヿ]+`},
	{"bert spaces", `\s+`},
	{"bert delimiters", "[!-/]|[:-@]|[\\[-`]|[{-~]|[\\p{P}]|[\\x{4E00}-\\x{9FFF}]|[\\x{3400}-\\x{4DBF}]|[\\x{20000}-\\x{2A6DF}]|[\\x{2A700}-\\x{2B73F}]|[\\x{2B740}-\\x{2B81F}]|[\\x{2B820}-\\x{2CEAF}]|[\\x{F900}-\\x{FAFF}]|[\\x{2F800}-\\x{2FA1F}]"},
	{"clip", `<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`},
	{"white space", `\w+|[^\w\s]+`},
	{"metaspace", `▁`},
	{"digits", `\p{Nd}|\p{Nl}|\p{No}`},
}

// BenchmarkNext finds all matches of the shared patterns in a document of 1 MB.
func BenchmarkNext(b *testing.B) {
	doc := texttest.Document(b)
	for _, c := range shared {
		re, err := regex.CompileWords([]byte(c.pattern))
		require.NoError(b, err)
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			var m regex.Matcher
			for b.Loop() {
				m.Reset(re, doc)
				for at, begin := 0, 0; ; {
					var err error
					if begin, at, err = m.Next(at); err != nil || begin == at {
						break
					}
				}
			}
		})
	}
}

// BenchmarkCompile compiles the shared patterns.
func BenchmarkCompile(b *testing.B) {
	for _, c := range shared {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				_, err := regex.CompileWords([]byte(c.pattern))
				require.NoError(b, err)
			}
		})
	}
}
