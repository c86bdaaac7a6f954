package paged

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// model knows what is in the blocks of texts: the tokens up to
// the end of each.
type model struct {
	content map[int32]string
}

// check compares the blocks of texts, and the counts of the pool, with what they must be.
func (m *model) check(t *testing.T, c *Cache, texts []*Text) {
	users := make(map[int32]int)
	for _, x := range texts {
		require.LessOrEqual(t, x.Computed, len(x.Blocks)*BlockTokens)
		if c.window > 0 {
			require.Equal(t, max(x.Computed+1-c.window, 0)/BlockTokens, x.dropped)
		}
		for i, b := range x.Blocks {
			if i < x.dropped {
				require.EqualValues(t, none, b)
				continue
			}
			users[b]++
			end := min((i+1)*BlockTokens, x.Computed)
			if i*BlockTokens < end {
				require.Equal(t, x.kind+key32(x.Tokens[:end]), m.content[b], "block %d is number %d of a text", b, i)
			}
		}
	}
	require.Equal(t, len(users), c.Used())
	require.Equal(t, c.Pool.Len()-len(users), c.Available())
	for b, n := range users {
		require.EqualValues(t, n, c.blocks[b].users, "block %d", b)
	}
	for known, b := range c.known {
		require.Equal(t, known, c.blocks[b].content)
		require.NotZero(t, c.blocks[b].serial)
	}
}

// key32 is a key for tokens below 256.
func key32(tokens []int32) string {
	text := make([]byte, len(tokens))
	for i, token := range tokens {
		text[i] = byte(token)
	}
	return string(text)
}

// FuzzCache lets texts come, grow, fork and go, and compares what their blocks hold with their
// tokens.
func FuzzCache(f *testing.F) {
	f.Add([]byte("\x00\x28\x01\x50\x00\x50\x02\x01\x01\x20\x05\x03\x00\x04\x00\x00\x50\x01\x50"))
	f.Add([]byte("\x00\xff\x01\xff\x03\x00\x00\xff\x01\xff\x02\x00\x01\xff\x02\x01\x01\x10\x05\x10\x09\x10"))
	f.Add([]byte("\xff\xff\x01\xff\x02\x00\x01\x50\x05\x50\x00\xff\x09\xff\x03\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := NewStore([]Layer{{Heads: 1, KeyWidth: 1, ValueWidth: 1}}, ir.F32, 12*1024)
		require.NoError(t, err)
		window := 0
		if len(data) > 0 {
			window = max(int(data[0])-128, 0)
		}
		c, m := NewCache(s, window), &model{content: make(map[int32]string)}
		var texts []*Text
		for ; len(data) >= 2; data = data[2:] {
			n := int(data[1])
			if len(texts) == 0 || data[0]%4 == 0 {
				// Texts differ late, so that most of them share blocks.
				tokens := make([]int32, n+1)
				tokens[n] = int32(n % 2)
				texts = append(texts, NewText(tokens, []string{"", "other"}[n/2%2]))
				continue
			}
			i := int(data[0]/4) % len(texts)
			x := texts[i]
			switch data[0] % 4 {
			case 1:
				before := x.Computed
				c.Reuse(x)
				for at := max(before, x.dropped*BlockTokens); at < x.Computed; at += BlockTokens {
					require.Equal(t, x.kind+key32(x.Tokens[:at+BlockTokens]), m.content[x.Blocks[at/BlockTokens]], "a block of other tokens was found")
				}
				k := c.Reserve(x, min(n+1, x.Pending()))
				require.LessOrEqual(t, len(x.Blocks)-x.dropped, c.BlocksOf(x.Computed+k, k))
				for at := x.Computed; at < x.Computed+k; at++ {
					m.content[x.Blocks[at/BlockTokens]] = x.kind + key32(x.Tokens[:at+1])
					require.EqualValues(t, 1, c.blocks[x.Blocks[at/BlockTokens]].users, "a block is written that others have")
				}
				c.Advance(x, k)
				if x.Pending() == 0 {
					x.Tokens = append(x.Tokens, int32(n))
				}
			case 2:
				texts = append(texts, c.Fork(x))
			case 3:
				c.Release(x)
				texts = append(texts[:i], texts[i+1:]...)
			}
			m.check(t, c, texts)
		}
		for _, x := range texts {
			c.Release(x)
		}
		require.Zero(t, c.Used())
	})
}

// TestCache_kinds has more kinds of texts than are remembered. Texts share blocks with those of
// their kind only.
func TestCache_kinds(t *testing.T) {
	s, err := NewStore([]Layer{{Heads: 1, KeyWidth: 1, ValueWidth: 1}}, ir.F32, 4*BlockTokens*16)
	require.NoError(t, err)
	c := NewCache(s, 0)
	compute := func(kind string) (reused int) {
		x := NewText(make([]int32, BlockTokens+1), kind)
		reused = c.Reuse(x)
		require.Equal(t, x.Pending(), c.Reserve(x, x.Pending()))
		c.Advance(x, x.Pending())
		c.Release(x)
		return reused
	}
	require.Zero(t, compute("a"))
	require.Zero(t, compute("b"))
	require.Equal(t, BlockTokens, compute("a"))
	for i := range maxRoots {
		require.Zero(t, compute(strconv.Itoa(i)))
	}
	require.LessOrEqual(t, len(c.roots), maxRoots)
	require.Zero(t, compute("a"))
	require.Equal(t, BlockTokens, compute("a"))
}
