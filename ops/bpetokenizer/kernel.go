package bpetokenizer

import (
	"math"

	"github.com/vinoir/vinoir/internal/text/bpe"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
	"github.com/vinoir/vinoir/ops/internal/tokenizing"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	core, err := Core(p)
	if err != nil {
		return nil, err
	}
	return tokenizing.Prepare[bpe.Scratch](p, core, core.MaxTokens(0)), nil
}

// Core returns what the layer does with one string. The inputs from the vocabulary on must be
// known.
func Core(p *ops.Preparation) (*bpe.Tokenizer, error) {
	a := p.Attributes.(attributes)
	v := &bpe.Vocabulary{Unknown: a.unknown, EndSuffix: a.endSuffix, ByteFallback: a.byteFallback, CacheCapacity: capacity(a.cacheCapacity)}
	words, ranks, added := tokenizing.Len(p, tokenizing.Vocabulary), tokenizing.Len(p, merges), 0
	if _, hasAdded, first := layout(len(p.Inputs)); hasAdded {
		added = tokenizing.Len(p, first)
	}
	temporary, kept := v.Bytes(words, added, ranks)
	made, err := tokenizing.Once(p, tokenizing.Vocabulary, len(p.Inputs), temporary, kept, func() (any, error) {
		if err := read(p, v); err != nil {
			return nil, err
		}
		return bpe.New(v, p.Reserve, p.Stop)
	})
	if err != nil {
		return nil, err
	}
	return made.(*bpe.Tokenizer), nil
}

// capacity returns the number of strings to remember. OpenVINO takes a negative number for a large
// one.
func capacity(n int64) int {
	if n < 0 {
		return math.MaxInt32
	}
	return int(min(n, math.MaxInt32))
}

// read sets the strings of v.
func read(p *ops.Preparation, v *bpe.Vocabulary) (err error) {
	pairs, hasAdded, added := layout(len(p.Inputs))
	v.Pairs = pairs
	strings := func(to *ragged.Strings, i int, name string) {
		if err == nil {
			*to, err = decomposed.ConstantStrings(p, i, name)
		}
	}
	strings(&v.Words, tokenizing.Vocabulary, "vocabulary")
	strings(&v.Left, merges, "merges")
	if !pairs {
		strings(&v.Right, rightMerges, "right merges")
	}
	if hasAdded {
		strings(&v.Added, added, "added tokens")
		v.AddedIDs = ir.Data[int32](p.Inputs[added+3].Tensor)
	}
	return err
}
