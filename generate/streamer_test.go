package generate

import (
	"context"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStreamer writes tokens one by one and several at once. The bytes of a character come
// together.
func TestStreamer(t *testing.T) {
	s := NewStreamer(byteTokenizer{})
	var got []string
	write := func(text string) {
		piece, err := s.Write(background, tokensOf(text))
		require.NoError(t, err)
		got = append(got, string(piece))
	}
	for _, text := range []string{"a", "b", "c", "d", "\n", "e", "\xc3", "\xa9", "f", "ghij", "kl"} {
		write(text)
	}
	rest, err := s.End(background)
	require.NoError(t, err)
	assert.Equal(t, []string{"", "", "a", "b", "cd\n", "", "", "e", "", "éfgh", "ij"}, got)
	assert.Equal(t, "kl", string(rest))
	piece, err := s.Write(background, nil)
	require.NoError(t, err)
	assert.Empty(t, piece)
	got = nil
	write("\xe4\xb8xy")
	write("z")
	rest, err = s.End(background)
	require.NoError(t, err)
	assert.Equal(t, []string{"", "\uFFFD\uFFFDx"}, got[:2])
	assert.Equal(t, "yz", string(rest))
	s.tokenizer = byteTokenizer{fails: true}
	_, err = s.Write(background, []int32{1})
	assert.ErrorIs(t, err, errTokenizer)
	_, err = s.End(background)
	assert.ErrorIs(t, err, errTokenizer)
}

// countingTokenizer is a byteTokenizer that keeps the greatest number of tokens of a text.
type countingTokenizer struct {
	byteTokenizer
	most int
}

func (c *countingTokenizer) AppendDecode(ctx context.Context, text []byte, tokens []int32) ([]byte, error) {
	c.most = max(c.most, len(tokens))
	return c.byteTokenizer.AppendDecode(ctx, text, tokens)
}

// TestStreamer_long writes long lines: of bytes that are no characters, of characters with a token
// for each byte, of tokens without text, and of all of them. All of the text arrives in characters,
// most of it at once, and no step decodes more tokens than a short line has.
func TestStreamer_long(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "bc ", "é", "中", "😀", "\xff", "\xf0\x9f", "\xe4", "\x80"}
	mixed := func() int32 { return random.Int32N(300) }
	var queue []int32
	characters := func() int32 {
		if len(queue) == 0 {
			queue = tokensOf(parts[random.IntN(len(parts))])
		}
		token := queue[0]
		queue = queue[1:]
		return token
	}
	for _, c := range []struct {
		name string
		next func() int32
		size int // of what is written at once
	}{
		{"no characters", func() int32 { return 0xff }, 1},
		{"beginnings of characters", func() int32 { return 0xf0 }, 1},
		{"no text", func() int32 { return 256 }, 1},
		{"mixed", mixed, 1},
		{"characters", characters, 1},
		{"characters, several tokens at once", characters, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			tokenizer := &countingTokenizer{}
			s := NewStreamer(tokenizer)
			var all []int32
			var text []byte
			for len(all) < 3000 {
				step := make([]int32, 1+random.IntN(c.size))
				for i := range step {
					if step[i] = c.next(); step[i] == '\n' {
						step[i] = ' '
					}
				}
				piece, err := s.Write(background, step)
				require.NoError(t, err)
				require.True(t, utf8.Valid(piece), "%q", piece)
				text = append(text, piece...)
				late := max(0, len(all)-maxWaiting-2*delay)
				all = append(all, step...)
				early, err := tokenizer.byteTokenizer.AppendDecode(background, nil, all[:late])
				require.NoError(t, err)
				require.GreaterOrEqual(t, len(text), len(early)-3*len("\uFFFD"), "token %d", len(all))
			}
			rest, err := s.End(background)
			require.NoError(t, err)
			whole, err := tokenizer.byteTokenizer.AppendDecode(background, nil, all)
			require.NoError(t, err)
			assert.Equal(t, string(whole), string(text)+string(rest))
			assert.LessOrEqual(t, tokenizer.most, maxTokens+c.size)
		})
	}
}

// TestStreamer_apart has tokens without text, more than a line keeps, between the bytes of a
// character. What is written of the first one is not taken back.
func TestStreamer_apart(t *testing.T) {
	s := NewStreamer(byteTokenizer{})
	tokens := []int32{0xc3}
	for range 2 * maxTokens {
		tokens = append(tokens, 256)
	}
	var text []byte
	for _, token := range append(tokens, 0xa9) {
		piece, err := s.Write(background, []int32{token})
		require.NoError(t, err)
		text = append(text, piece...)
	}
	rest, err := s.End(background)
	require.NoError(t, err)
	assert.Equal(t, "\uFFFD", string(text))
	assert.Equal(t, "\uFFFD", string(rest))
}
