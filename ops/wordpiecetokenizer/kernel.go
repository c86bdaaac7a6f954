package wordpiecetokenizer

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/text/wordpiece"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
	"github.com/vinoir/vinoir/ops/internal/tokenizing"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	core, err := Core(p)
	if err != nil {
		return nil, err
	}
	return tokenizing.Prepare[wordpiece.Scratch](p, core, 0), nil
}

// Core returns what the layer does with one string. The inputs from the vocabulary on must be
// known.
func Core(p *ops.Preparation) (*wordpiece.Tokenizer, error) {
	made, err := tokenizing.Once(p, tokenizing.Vocabulary, len(p.Inputs), wordpiece.Bytes(tokenizing.Len(p, tokenizing.Vocabulary)), 0, func() (any, error) {
		words, err := decomposed.ConstantStrings(p, tokenizing.Vocabulary, "vocabulary")
		if err != nil {
			return nil, err
		}
		id, err := p.Inputs[unknown].Tensor.Ints()
		if err != nil {
			return nil, err
		}
		if len(id) == 0 {
			return nil, faults.Errorf("the id of unknown strings has no elements")
		}
		a := p.Attributes.(attributes)
		v := &wordpiece.Vocabulary{Words: words, SuffixIndicator: a.suffixIndicator, Unknown: saturate(id[0]), MaxBytes: a.maxBytes}
		return wordpiece.New(v, p.Reserve, p.Stop)
	})
	if err != nil {
		return nil, err
	}
	return made.(*wordpiece.Tokenizer), nil
}

// saturate returns the i32 that OpenVINO makes of an i64.
func saturate(id int64) int32 { return int32(min(max(id, math.MinInt32), math.MaxInt32)) }
