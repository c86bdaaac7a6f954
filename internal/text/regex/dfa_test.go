package regex

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDFA checks which patterns have a dfa: the patterns of tokenizers must, and what it cannot
// match must not.
func TestDFA(t *testing.T) {
	for _, pattern := range []string{
		`'s|'t| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
		`'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s`,
		`[\p{Lu}\p{M}]*[\p{Ll}\p{M}]+(?i:'s|'t)?`, `^a|b$|c\z`, `(a|b)*?c(?=[de])`, `a++b`, `a{2,5}?`, `(*F)|a`,
	} {
		re, err := CompileWords([]byte(pattern))
		require.NoError(t, err)
		assert.NotNil(t, re.dfa, pattern)
	}
	for _, pattern := range []string{
		`(a)\1`, `(?<=a)b`, `\bab`, `(?>a|ab)c`, `a++ab`, `a?+.`, `.++\n?a`, `(?:ab)++c`, `(?=ab)a`, `(?:a?)*b`, `(?:a?){2,3}b`, `(?m)^a`, `\X|\G`,
		strings.Repeat("[ab]?", 2000), `[ab]*a[ab]{12}`, "abc",
	} {
		re, err := CompileWords([]byte(pattern))
		require.NoError(t, err)
		assert.Nil(t, re.dfa, pattern)
	}
}
