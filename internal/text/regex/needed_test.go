package regex

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNeeded(t *testing.T) {
	for pattern, want := range map[string]int{
		`a`: 'a', `\s*(<mask>)`: '<', `<a>|<b>`: '<', `a|b`: unneeded, `a*`: unneeded, `(?:ba)+`: 'a',
		`a|`: unneeded, `(?=a)`: unneeded, `(?i:a)`: unneeded, `[ab]`: unneeded, `(?>é)`: 0xa9,
	} {
		re, err := Compile([]byte(pattern))
		require.NoError(t, err)
		assert.Equal(t, want, re.needed, pattern)
	}
}

// TestNeeded_matches compares searches with those that do not look for the byte.
func TestNeeded_matches(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, pattern := range []string{`(<a>|<b>)|(?:\s*)(<c>)`, `\s*<`, `(?<=b)\s?<a`, `<?a<|b<`, `a\K<`} {
		re, err := Compile([]byte(pattern))
		require.NoError(t, err)
		naive := *re
		require.NotEqual(t, unneeded, naive.needed)
		naive.needed = unneeded
		for range 300 {
			text := make([]byte, rng.IntN(30))
			for i := range text {
				text[i] = "<abc> <"[rng.IntN(7)]
			}
			var bounds [2][]int
			for i, re := range []*Regexp{re, &naive} {
				var m Matcher
				m.Reset(re, text)
				for at := 0; ; {
					found, err := m.Find(at, 0)
					require.NoError(t, err)
					if !found {
						break
					}
					var begin int
					begin, at = m.Group(0)
					bounds[i] = append(bounds[i], begin, at)
				}
			}
			require.Equal(t, bounds[1], bounds[0], "%s in %q", pattern, text)
		}
	}
}

func Test_asciiLen(t *testing.T) {
	for n := range 40 {
		for at := range n + 1 {
			text := make([]byte, n)
			if at < n {
				text[at] = 0x80
			}
			require.Equal(t, at, asciiLen(text))
		}
	}
}
