package split_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/text/split"
)

// TestReplacer_class compares a pattern of one character with an alternation that matches the same,
// which is searched.
func TestReplacer_class(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, pattern := range []string{`\s`, `(\p{Han})`, `[^a]`, `(?:([a-cé]))`, `\p{Mn}`, `[\x00-\x08]`} {
		for _, with := range []string{"", " ", "▁", "<$0>", "$_", "$`", strings.Repeat("$0", 9)} {
			fast, err := split.NewReplacer([]byte(pattern), []byte(with), split.ReplaceOptions{})
			require.NoError(t, err)
			naive, err := split.NewReplacer([]byte(pattern+`|(?!)`), []byte(with), split.ReplaceOptions{})
			require.NoError(t, err)
			var scratch split.Scratch
			for range 100 {
				var text []byte
				for range rng.IntN(12) {
					text = append(text, []string{"a", "b", " ", "é", "\u0301", "漢", "\xff", "\xe2\x96", "\x01", "😀"}[rng.IntN(10)]...)
				}
				if rng.IntN(10) == 0 { // more than one block
					text = []byte(strings.Repeat(string(text), 1000))
				}
				want, err := naive.Append([]byte("x"), text, &scratch)
				require.NoError(t, err)
				got, err := fast.Append([]byte("x"), text, &scratch)
				require.NoError(t, err)
				require.Equal(t, string(want), string(got), "%s by %q in %q", pattern, with, text)
			}
		}
	}
}
