package langchain

import (
	"cmp"
	"fmt"
	"math"

	"github.com/tmc/langchaingo/llms"

	"github.com/vinoir/vinoir/generate"
)

// callOptions returns the options of a call: those that the caller gives, and for what these do not
// state, what config says. So a Temperature of 0 is one that the caller has asked for.
func callOptions(config *generate.Config, options []llms.CallOption) llms.CallOptions {
	o := llms.CallOptions{
		MinLength: config.MinNewTokens, StopWords: config.StopStrings, Seed: int(config.RNGSeed),
		TopK: config.TopK, TopP: config.TopP,
		RepetitionPenalty: config.RepetitionPenalty, FrequencyPenalty: config.FrequencyPenalty, PresencePenalty: config.PresencePenalty,
	}
	if config.DoSample {
		o.Temperature = config.Temperature
	}
	for _, option := range options {
		option(&o)
	}
	return o
}

// configure sets the fields of config that o has, and checks them.
func configure(config *generate.Config, o *llms.CallOptions) error {
	switch {
	case o.JSONMode:
		return notImplemented("JSONMode is set, and answers are not bound to a grammar")
	case o.ResponseMIMEType != "" && o.ResponseMIMEType != "text/plain":
		return notImplemented(fmt.Sprintf("ResponseMIMEType is %q, not text/plain: answers are not bound to a grammar", o.ResponseMIMEType))
	case len(o.Tools) > 0 || len(o.Functions) > 0:
		return notImplemented(fmt.Sprintf("there are %d Tools and %d Functions, and calls in answers are not parsed", len(o.Tools), len(o.Functions)))
	case o.MaxTokens < 0 || o.MaxLength < 0:
		return fmt.Errorf("MaxTokens is %d and MaxLength %d, which are not both 0 or more", o.MaxTokens, o.MaxLength)
	case int(uint32(o.Seed)) != o.Seed:
		return fmt.Errorf("the Seed is %d, not from 0 to %d", o.Seed, uint32(math.MaxUint32))
	}
	if o.MaxTokens > 0 || o.MaxLength > 0 {
		config.MaxNewTokens = cmp.Or(o.MaxTokens, generate.Unlimited)
		config.MaxLength = cmp.Or(o.MaxLength, generate.Unlimited)
	}
	config.NumReturnSequences = cmp.Or(o.N, o.CandidateCount, config.NumReturnSequences)
	if config.DoSample = o.Temperature != 0; config.DoSample {
		config.Temperature = o.Temperature
	}
	config.MinNewTokens, config.StopStrings, config.RNGSeed = o.MinLength, o.StopWords, uint32(o.Seed)
	config.TopK, config.TopP = o.TopK, cmp.Or(o.TopP, 1)
	config.RepetitionPenalty = cmp.Or(o.RepetitionPenalty, 1)
	config.FrequencyPenalty, config.PresencePenalty = o.FrequencyPenalty, o.PresencePenalty
	config.Echo = false
	return config.Validate()
}
