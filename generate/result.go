package generate

import (
	"fmt"
	"time"
)

// Result has the answers to a prompt, the best one first.
type Result struct {
	Sequences []Sequence
}

// Stats says what the answers to prompts took: see Config.Stats.
type Stats struct {
	// PromptTokens is the number of tokens of the prompts. Of these, the keys and values of
	// CachedTokens were there already.
	PromptTokens, CachedTokens int
	// Prefill is the time of the prompts, and Decode that of the answers.
	Prefill, Decode time.Duration
}

// Sequence is one answer to a prompt.
type Sequence struct {
	// Tokens are the tokens of the answer, with a stop token if it ended with one; with
	// Config.Echo, behind those of the prompt.
	Tokens []int32
	// Text is the text of Tokens, without special tokens, if a Pipeline has made the answer.
	Text string
	// Score is the sum of the logarithms of the probabilities of the tokens, see LogProbs. For a
	// beam search, it is divided by a power of their number, see Config.LengthPenalty.
	Score float32
	// LogProbs has the logarithm of the probability that each token of the answer was chosen with:
	// among those that were left to draw from, of all tokens with Config.LogProbs and for a beam
	// search, and 0 in a greedy search without Config.LogProbs.
	LogProbs []float32
	// Finish says why the answer ends.
	Finish Finish
}

// Finish says why an answer ends.
type Finish uint8

const (
	// FinishNone is that of an answer that the receiver of a stream has stopped.
	FinishNone Finish = iota
	// FinishStop means that a stop token or a stop string came.
	FinishStop
	// FinishLength means that the answer has as many tokens as it may have.
	FinishLength
)

// String returns GenAI's name of f.
func (f Finish) String() string {
	switch f {
	case FinishNone:
		return "NONE"
	case FinishStop:
		return "STOP"
	case FinishLength:
		return "LENGTH"
	}
	return fmt.Sprintf("Finish(%d)", uint8(f))
}
