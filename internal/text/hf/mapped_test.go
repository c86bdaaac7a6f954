package hf

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// randomText returns a text of characters that normalizers change, and of others between them.
func randomText(r *rand.Rand) string {
	pools := [][]rune{[]rune("aeioE \t\r\n\x00\x7f"), []rune("éÅİßǆﬁ½Ⅳ①"), []rune("한글ᄒ\u1161\u11a8가"), []rune("中文字\uf900\U0002f800")}
	var text strings.Builder
	for range r.IntN(24) {
		switch k := r.IntN(8); {
		case k < len(pools):
			text.WriteRune(pools[k][r.IntN(len(pools[k]))])
		case k == 4:
			text.WriteRune(rune(r.IntN(utf8.MaxRune)))
		case k == 5:
			text.WriteRune(rune(r.IntN(0x3100)))
		default:
			text.WriteRune(0x300 + rune(r.IntN(0x50)))
		}
	}
	return strings.ToValidUTF8(text.String(), "?")
}

// Test_form compares a text that is normalized in parts with one that is normalized as a whole.
func Test_form(t *testing.T) {
	r, s := rand.New(rand.NewPCG(1, 1)), &Scratch{}
	for range 20000 {
		text := []byte(randomText(r))
		for name, n := range forms {
			want, err := formTable().append(nil, text, n, s)
			require.NoError(t, err)
			got, err := n.append(nil, text, s)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got), "%s of %+q", name, text)
		}
	}
}

// Test_chained compares a chain with its normalizers, one after the other.
func Test_chained(t *testing.T) {
	r, s := rand.New(rand.NewPCG(1, 2)), &Scratch{}
	list := []normalizer{forms["NFD"], filter(control(), spaces()), forms["NFKD"], newMapped(spaced), newMapped(lower), filter(nonspacing(), nil)}
	for range 4000 {
		var parts []normalizer
		for range 1 + r.IntN(4) {
			parts = append(parts, list[r.IntN(len(list))])
		}
		chain := chained(parts)
		require.Len(t, chain, 1)
		text := []byte(randomText(r))
		want := text
		for _, n := range parts {
			var err error
			want, err = n.append(nil, want, s)
			require.NoError(t, err)
		}
		got, err := chain[0].append([]byte{}, text, s)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "%+q", text)
	}
	require.Len(t, chained([]normalizer{newMapped(lower), forms["NFC"], newMapped(lower)}), 3)
}

func Test_set(t *testing.T) {
	spans := []span{{0x10000, 0x100ff}, {0x41, 0x5a}, {0xff, 0x301}, {0x10ffff, 0x10ffff}}
	s := setOf(spans...)
	for r := rune(-1); r <= 0x110000; r++ {
		want := slices.ContainsFunc(spans, func(x span) bool { return x.lo <= r && r <= x.hi })
		if want != s.has(r) {
			require.Equal(t, want, !want, "%U", r)
		}
	}
}
