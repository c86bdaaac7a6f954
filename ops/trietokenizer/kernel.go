package trietokenizer

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/trie"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
	"github.com/vinoir/vinoir/ops/internal/tokenizing"
)

// noID is the id that OpenVINO takes for "not found".
const noID = -1

// prepare makes a trie of the keys, once for a layer.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	n := tokenizing.Len(p, tokenizing.Vocabulary)
	made, err := tokenizing.Once(p, tokenizing.Vocabulary, len(p.Inputs), trie.EntryBytes*int64(n), 0, func() (any, error) {
		keys, err := decomposed.ConstantStrings(p, tokenizing.Vocabulary, "vocabulary")
		if err != nil {
			return nil, err
		}
		values := ir.Data[int32](p.Inputs[ids].Tensor)
		if len(values) != n {
			return nil, faults.Errorf("%d keys and %d ids", n, len(values))
		}
		list, meter := trie.NewKeys(n), p.Stop.Meter()
		for i, id := range values {
			if id != noID {
				list.Add(keys.At(i), id)
			}
			if meter.Spent(16) {
				return nil, parallel.ErrStopped
			}
		}
		return trie.NewMatcher(list, p.Reserve, p.Stop)
	})
	if err != nil {
		return nil, err
	}
	return tokenizing.Prepare[scratch](p, &core{made.(*trie.Matcher)}, 0), nil
}

type core struct{ keys *trie.Matcher }

type scratch struct {
	limits.Limits
	matches trie.Matches
}

func (c *core) MaxTokens(n int) int { return n }

// Append appends the ids of the keys that word is made of.
func (c *core) Append(dst []int32, word []byte, s *scratch) ([]int32, error) {
	if err := c.keys.Match(&s.matches, word, &s.Limits); err != nil {
		return dst, err
	}
	meter := s.Stop.Meter()
	for at := 0; at < len(word); {
		id, n := c.keys.LongestAt(&s.matches, word, at)
		if n == 0 {
			return dst, faults.Errorf("no key starts at byte %d, %#02x", at, word[at])
		}
		if dst, at = append(dst, id), at+n; meter.Spent(8 * n) {
			return dst, parallel.ErrStopped
		}
	}
	return dst, nil
}
