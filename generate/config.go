package generate

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
)

// Unlimited is the value of Config.MaxNewTokens and Config.MaxLength for no limit.
const Unlimited = math.MaxInt

// maxSequences bounds the sequences of a prompt: each has its keys, values and logits, and files of
// strangers can ask for any number.
const maxSequences = 1024

// Config says how tokens are chosen and when to stop: OpenVINO GenAI's GenerationConfig. The zero
// Config is not valid: begin with Model.Config or DefaultConfig.
//
// In JSON, the fields have GenAI's names, see UnmarshalJSON.
type Config struct {
	// MaxNewTokens bounds the number of tokens that are generated. If it is Unlimited, MaxLength
	// bounds the tokens of prompt and answer together. 0 is only allowed with Echo.
	MaxNewTokens, MaxLength int
	// MinNewTokens is the number of tokens before which no stop token is chosen.
	MinNewTokens int
	// StopTokenIDs are the tokens that end an answer. They are part of its tokens, and not of its
	// text if they are special tokens.
	StopTokenIDs []int32
	// IgnoreEOS makes greedy search and sampling go on behind stop tokens. A limit must be set.
	IgnoreEOS bool
	// StopStrings are texts that end an answer. They need a Tokenizer. The answer ends before the
	// text, or with it if IncludeStopString is set, with the token in which it ends.
	StopStrings       []string
	IncludeStopString bool
	// Echo puts the prompt in front of each answer.
	Echo bool
	// LogProbs, if it is positive, makes Score and LogProbs of a Sequence logarithms of the
	// probabilities that the model gives its tokens, whatever the parameters below do to them.
	LogProbs int
	// NumReturnSequences is the number of answers to a prompt, at most 1024, of sampling or of a
	// beam search.
	NumReturnSequences int

	// RepetitionPenalty divides the logits of all tokens of the prompt and the answer, or
	// multiplies them where they are negative. PresencePenalty is subtracted from the logits of all
	// tokens of the answer, or added where they are negative; FrequencyPenalty as often as the
	// token occurs. They are not for beam searches.
	RepetitionPenalty, PresencePenalty, FrequencyPenalty float64

	// DoSample draws tokens at random, instead of taking the most probable one. The steps are in
	// this order, after the penalties: the TopK greatest logits are kept (0 means all), the logits
	// are divided by Temperature, the tokens that have at least MinP times the greatest probability
	// are kept, then the most probable ones until the sum of their probabilities exceeds TopP.
	DoSample    bool
	TopK        int
	Temperature float64
	MinP, TopP  float64
	// RNGSeed is the seed of the random numbers, std::mt19937, of each prompt.
	RNGSeed uint32

	// NumBeams, if it is greater than 1, makes a beam search: of NumBeams sequences, at most 1024,
	// in NumBeamGroups groups of the same size. A group subtracts DiversityPenalty from the
	// logarithms of the probabilities of tokens that the groups before it have chosen in the same
	// step.
	NumBeams, NumBeamGroups int
	DiversityPenalty        float64
	// LengthPenalty is the power of its length that the score of an answer is divided by.
	LengthPenalty float64
	// NoRepeatNgramSize is the length of sequences of tokens that do not occur twice in prompt and
	// answer. 0 means that all may.
	NoRepeatNgramSize int
	// StopCriteria says when a beam search ends.
	StopCriteria StopCriteria

	// NumAssistantTokens is the number of tokens, at most 64, that are guessed and then checked in
	// one step: the tokens are the same, and come faster if the guesses are good. MaxNgramSize, if
	// it is positive, takes them from the prompt and the answer, from where the last tokens, at
	// most that many, have occurred before; otherwise a draft model guesses them, if there is one.
	NumAssistantTokens int
	MaxNgramSize       int
	// AssistantConfidenceThreshold makes a draft model guess tokens until the probability of one is
	// lower, instead of a fixed number of them.
	AssistantConfidenceThreshold float64

	// AdapterAlphas has the factor of each of Options.Adapters, such as PEFT's lora_alpha divided
	// by its r. If it is nil, all are 1; with 0, an adapter changes nothing.
	AdapterAlphas []float64

	// ApplyChatTemplate makes a prompt of a Pipeline that has a template the message of a user.
	ApplyChatTemplate bool

	// Stats, if it is not nil, is set to what the answers took. Calls at the same time need one
	// each.
	Stats *Stats
}

// StopCriteria says when a beam search ends that has found as many answers as it has beams.
type StopCriteria uint8

const (
	// StopHeuristic ends when the worst answer is as good as the best unfinished sequence is now.
	StopHeuristic StopCriteria = iota
	// StopEarly ends at once.
	StopEarly
	// StopNever ends when the worst answer is as good as the best unfinished sequence can become.
	StopNever
)

// String returns GenAI's name of c.
func (c StopCriteria) String() string {
	switch c {
	case StopHeuristic:
		return "HEURISTIC"
	case StopEarly:
		return "EARLY"
	case StopNever:
		return "NEVER"
	}
	return fmt.Sprintf("StopCriteria(%d)", uint8(c))
}

// DefaultConfig returns GenAI's defaults: a greedy search that nothing ends. See Validate.
func DefaultConfig() Config {
	return Config{
		MaxNewTokens: Unlimited, MaxLength: Unlimited, NumReturnSequences: 1,
		RepetitionPenalty: 1, Temperature: 1, TopP: 1,
		NumBeams: 1, NumBeamGroups: 1, LengthPenalty: 1,
		ApplyChatTemplate: true,
	}
}

// jsonConfig has the fields of a Config as they are in JSON. A field that is missing or null is
// nil.
type jsonConfig struct {
	MaxNewTokens                 *size     `json:"max_new_tokens"`
	MaxLength                    *size     `json:"max_length"`
	MinNewTokens                 *size     `json:"min_new_tokens"`
	EOSTokenID                   *idList   `json:"eos_token_id"`
	StopTokenIDs                 *idList   `json:"stop_token_ids"`
	IgnoreEOS                    *bool     `json:"ignore_eos"`
	StopStrings                  *textList `json:"stop_strings"`
	IncludeStopString            *bool     `json:"include_stop_str_in_output"`
	Echo                         *bool     `json:"echo"`
	LogProbs                     *size     `json:"logprobs"`
	NumReturnSequences           *size     `json:"num_return_sequences"`
	RepetitionPenalty            *float64  `json:"repetition_penalty"`
	PresencePenalty              *float64  `json:"presence_penalty"`
	FrequencyPenalty             *float64  `json:"frequency_penalty"`
	DoSample                     *bool     `json:"do_sample"`
	TopK                         *size     `json:"top_k"`
	Temperature                  *float64  `json:"temperature"`
	MinP                         *float64  `json:"min_p"`
	TopP                         *float64  `json:"top_p"`
	RNGSeed                      *uint64   `json:"rng_seed"`
	NumBeams                     *size     `json:"num_beams"`
	NumBeamGroups                *size     `json:"num_beam_groups"`
	DiversityPenalty             *float64  `json:"diversity_penalty"`
	LengthPenalty                *float64  `json:"length_penalty"`
	NoRepeatNgramSize            *size     `json:"no_repeat_ngram_size"`
	EarlyStopping                any       `json:"early_stopping"`
	StopCriteria                 *string   `json:"stop_criteria"`
	NumAssistantTokens           *size     `json:"num_assistant_tokens"`
	MaxNgramSize                 *size     `json:"max_ngram_size"`
	AssistantConfidenceThreshold *float64  `json:"assistant_confidence_threshold"`
	ApplyChatTemplate            *bool     `json:"apply_chat_template"`
}

// UnmarshalJSON sets the fields of c that data has, under the names of GenAI's GenerationConfig and
// of Hugging Face's generation_config.json: max_new_tokens, eos_token_id, and so on. eos_token_id,
// a number or a list, is added to StopTokenIDs. Fields of other names, and those that are null, are
// ignored. A negative size means no limit. It does not validate the result.
func (c *Config) UnmarshalJSON(data []byte) error {
	var j jsonConfig
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	next := *c
	for _, f := range []struct {
		to   *int
		from *size
	}{
		{&next.MaxNewTokens, j.MaxNewTokens}, {&next.MaxLength, j.MaxLength}, {&next.MinNewTokens, j.MinNewTokens},
		{&next.LogProbs, j.LogProbs}, {&next.NumReturnSequences, j.NumReturnSequences}, {&next.TopK, j.TopK},
		{&next.NumBeams, j.NumBeams}, {&next.NumBeamGroups, j.NumBeamGroups}, {&next.NoRepeatNgramSize, j.NoRepeatNgramSize},
		{&next.NumAssistantTokens, j.NumAssistantTokens}, {&next.MaxNgramSize, j.MaxNgramSize},
	} {
		if f.from != nil {
			*f.to = int(*f.from)
		}
	}
	set(&next.RepetitionPenalty, j.RepetitionPenalty)
	set(&next.PresencePenalty, j.PresencePenalty)
	set(&next.FrequencyPenalty, j.FrequencyPenalty)
	set(&next.Temperature, j.Temperature)
	set(&next.MinP, j.MinP)
	set(&next.TopP, j.TopP)
	set(&next.DiversityPenalty, j.DiversityPenalty)
	set(&next.LengthPenalty, j.LengthPenalty)
	set(&next.AssistantConfidenceThreshold, j.AssistantConfidenceThreshold)
	set(&next.IgnoreEOS, j.IgnoreEOS)
	set(&next.IncludeStopString, j.IncludeStopString)
	set(&next.Echo, j.Echo)
	set(&next.DoSample, j.DoSample)
	set(&next.ApplyChatTemplate, j.ApplyChatTemplate)
	if j.RNGSeed != nil {
		next.RNGSeed = uint32(*j.RNGSeed)
	}
	if j.StopStrings != nil {
		next.StopStrings = *j.StopStrings
	}
	if j.StopTokenIDs != nil {
		next.StopTokenIDs = *j.StopTokenIDs
	}
	if j.EOSTokenID != nil {
		next.StopTokenIDs = union(next.StopTokenIDs, *j.EOSTokenID)
	}
	switch v := j.EarlyStopping.(type) {
	case bool:
		next.StopCriteria = StopHeuristic
		if v {
			next.StopCriteria = StopEarly
		}
	case string:
		if v == "never" {
			next.StopCriteria = StopNever
		}
	}
	if j.StopCriteria != nil {
		var err error
		if next.StopCriteria, err = parseStopCriteria(*j.StopCriteria); err != nil {
			return err
		}
	}
	*c = next
	return nil
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// union returns the tokens of a and b, each once, in a new slice.
func union(a, b []int32) []int32 {
	all := slices.Clone(a)
	for _, id := range b {
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

func parseStopCriteria(name string) (StopCriteria, error) {
	for c := StopHeuristic; c <= StopNever; c++ {
		if strings.EqualFold(name, c.String()) {
			return c, nil
		}
	}
	return 0, faults.Errorf("stop_criteria: %q is none of HEURISTIC, EARLY and NEVER", name)
}

// size is a number of JSON that is a size_t in GenAI: a negative one is the greatest.
type size int

// UnmarshalJSON implements json.Unmarshaler. Files have sizes such as 1e30 for no limit.
func (s *size) UnmarshalJSON(data []byte) error {
	var v float64
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	switch {
	case v != math.Trunc(v):
		return faults.Errorf("%v is not a whole number", v)
	case v < 0 || v >= math.MaxInt:
		*s = Unlimited
	default:
		*s = size(v)
	}
	return nil
}

// idList is a list of tokens, or one token.
type idList []int32

// UnmarshalJSON implements json.Unmarshaler.
func (l *idList) UnmarshalJSON(data []byte) error {
	var one int32
	if json.Unmarshal(data, &one) == nil {
		*l = idList{one}
		return nil
	}
	var list []int32
	if err := json.Unmarshal(data, &list); err != nil {
		return faults.Errorf("a token or a list of tokens: %w", err)
	}
	*l = list
	return nil
}

// textList is a list of texts, or one text.
type textList []string

// UnmarshalJSON implements json.Unmarshaler.
func (l *textList) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*l = textList{one}
		return nil
	}
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		return faults.Errorf("a text or a list of texts: %w", err)
	}
	*l = list
	return nil
}

// isBeamSearch reports whether c asks for a beam search.
func (c *Config) isBeamSearch() bool { return c.NumBeams > 1 }

// isAssisted reports whether c asks for guesses that are checked.
func (c *Config) isAssisted() bool {
	return c.NumAssistantTokens > 0 || c.AssistantConfidenceThreshold > 0
}

// isPromptLookup reports whether the guesses are taken from the prompt and the answer.
func (c *Config) isPromptLookup() bool { return c.NumAssistantTokens > 0 && c.MaxNgramSize > 0 }

// newTokens returns the greatest number of tokens that follow a prompt of the given length.
func (c *Config) newTokens(prompt int) (int, error) {
	if c.MaxNewTokens != Unlimited {
		return c.MaxNewTokens, nil
	}
	if c.MaxLength <= prompt {
		return 0, faults.Errorf("MaxLength is %d, not greater than the %d tokens of the prompt", c.MaxLength, prompt)
	}
	if c.MaxLength == Unlimited {
		return Unlimited, nil
	}
	return c.MaxLength - prompt, nil
}

// isStop reports whether id is a stop token.
func (c *Config) isStop(id int32) bool { return slices.Contains(c.StopTokenIDs, id) }

// Validate returns an error unless c is a Config that GenAI accepts: all numbers are in their
// ranges, something ends an answer, and the parameters fit each other.
func (c *Config) Validate() error {
	for _, check := range []func() error{c.validateSizes, c.validateEnd, c.validatePenalties, c.validateSampling, c.validateBeams, c.validateAssistant} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) validateSizes() error {
	if c.NumReturnSequences == 0 && c.NumBeams == 0 && c.Temperature == 0 {
		return faults.Errorf("the Config is empty, not made by DefaultConfig or Model.Config")
	}
	for _, f := range []struct {
		name       string
		value, min int
	}{
		{"MaxNewTokens", c.MaxNewTokens, 0}, {"MaxLength", c.MaxLength, 0}, {"MinNewTokens", c.MinNewTokens, 0},
		{"LogProbs", c.LogProbs, 0}, {"NumReturnSequences", c.NumReturnSequences, 1}, {"TopK", c.TopK, 0},
		{"NumBeams", c.NumBeams, 1}, {"NumBeamGroups", c.NumBeamGroups, 1}, {"NoRepeatNgramSize", c.NoRepeatNgramSize, 0},
		{"NumAssistantTokens", c.NumAssistantTokens, 0}, {"MaxNgramSize", c.MaxNgramSize, 0},
	} {
		if f.value < f.min {
			return faults.Errorf("%s is %d, not %d or more", f.name, f.value, f.min)
		}
	}
	for _, f := range []struct {
		name  string
		value int
	}{{"NumReturnSequences", c.NumReturnSequences}, {"NumBeams", c.NumBeams}} {
		if f.value > maxSequences {
			return faults.Errorf("%s is %d, more than %d", f.name, f.value, maxSequences)
		}
	}
	if c.StopCriteria > StopNever {
		return faults.Errorf("%v is none of HEURISTIC, EARLY and NEVER", c.StopCriteria)
	}
	return nil
}

func (c *Config) validateEnd() error {
	limited := c.MaxNewTokens != Unlimited || c.MaxLength != Unlimited
	for _, id := range c.StopTokenIDs {
		if id < 0 {
			return faults.Errorf("StopTokenIDs has %d, which is negative", id)
		}
	}
	switch {
	case c.IgnoreEOS && !limited:
		return faults.Errorf("IgnoreEOS is set, and neither MaxNewTokens nor MaxLength")
	case !limited && len(c.StopTokenIDs) == 0 && len(c.StopStrings) == 0:
		return faults.Errorf("nothing ends an answer: MaxNewTokens, MaxLength, StopTokenIDs or StopStrings must be set")
	case c.MaxNewTokens == 0 && !c.Echo:
		return faults.Errorf("MaxNewTokens is 0, which needs Echo")
	case c.MinNewTokens > c.MaxNewTokens:
		return faults.Errorf("MinNewTokens is %d, more than MaxNewTokens, %d", c.MinNewTokens, c.MaxNewTokens)
	}
	return nil
}

func (c *Config) validatePenalties() error {
	if c.isBeamSearch() {
		if c.RepetitionPenalty != 1 || c.PresencePenalty != 0 || c.FrequencyPenalty != 0 {
			return faults.Errorf("a beam search has no penalties: RepetitionPenalty is %v, not 1, PresencePenalty %v or FrequencyPenalty %v, not 0",
				c.RepetitionPenalty, c.PresencePenalty, c.FrequencyPenalty)
		}
		return nil
	}
	for _, f := range []struct {
		name  string
		value float64
	}{{"FrequencyPenalty", c.FrequencyPenalty}, {"PresencePenalty", c.PresencePenalty}} {
		if !(f.value >= -2 && f.value <= 2) {
			return faults.Errorf("%s is %v, not from -2 to 2", f.name, f.value)
		}
	}
	if !(c.RepetitionPenalty > 0) || math.IsInf(c.RepetitionPenalty, 1) {
		return faults.Errorf("RepetitionPenalty is %v, not positive and finite", c.RepetitionPenalty)
	}
	return nil
}

func (c *Config) validateSampling() error {
	switch {
	case c.NumReturnSequences > 1 && !c.DoSample && !c.isBeamSearch():
		return faults.Errorf("NumReturnSequences is %d, which needs DoSample or a beam search", c.NumReturnSequences)
	case !c.DoSample:
	case !(c.TopP > 0 && c.TopP <= 1):
		return faults.Errorf("TopP is %v, not greater than 0 and at most 1", c.TopP)
	case !(c.Temperature > 0):
		return faults.Errorf("Temperature is %v, not positive", c.Temperature)
	case !(c.MinP >= 0 && c.MinP < 1):
		return faults.Errorf("MinP is %v, not from 0 to less than 1", c.MinP)
	}
	return nil
}

func (c *Config) validateBeams() error {
	switch {
	case !c.isBeamSearch():
	case c.NumBeams%c.NumBeamGroups != 0:
		return faults.Errorf("NumBeams is %d, not a multiple of NumBeamGroups, %d", c.NumBeams, c.NumBeamGroups)
	case c.NumBeams < c.NumReturnSequences:
		return faults.Errorf("NumBeams is %d, less than NumReturnSequences, %d", c.NumBeams, c.NumReturnSequences)
	case c.DoSample:
		return faults.Errorf("NumBeams is %d, which excludes DoSample", c.NumBeams)
	case c.NumBeamGroups > 1 && c.DiversityPenalty == 0:
		return faults.Errorf("NumBeamGroups is %d, which needs a DiversityPenalty", c.NumBeamGroups)
	case c.NumBeamGroups == 1 && c.DiversityPenalty != 0:
		return faults.Errorf("DiversityPenalty is %v, which needs several NumBeamGroups", c.DiversityPenalty)
	case math.IsNaN(c.DiversityPenalty) || math.IsNaN(c.LengthPenalty):
		return faults.Errorf("DiversityPenalty is %v and LengthPenalty %v, which are not both numbers", c.DiversityPenalty, c.LengthPenalty)
	}
	return nil
}

func (c *Config) validateAssistant() error {
	switch {
	case c.isAssisted() && (c.isBeamSearch() || c.NumReturnSequences > 1):
		return faults.Errorf("NumBeams is %d and NumReturnSequences %d: guesses are checked for one sequence only", c.NumBeams, c.NumReturnSequences)
	case c.AssistantConfidenceThreshold != 0 && c.NumAssistantTokens > 0:
		return faults.Errorf("AssistantConfidenceThreshold is %v and NumAssistantTokens %d: only one can be set", c.AssistantConfidenceThreshold, c.NumAssistantTokens)
	case c.NumAssistantTokens == 0 && c.MaxNgramSize > 0:
		return faults.Errorf("MaxNgramSize is %d, which needs NumAssistantTokens", c.MaxNgramSize)
	}
	return nil
}

// sortedTexts returns the distinct texts in the order in which they are searched for.
func sortedTexts(texts []string) []string {
	sorted := slices.Clone(texts)
	sort.Strings(sorted)
	return slices.Compact(sorted)
}
