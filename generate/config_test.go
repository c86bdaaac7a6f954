package generate

import (
	"encoding/json"
	"math"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConfig_UnmarshalJSON has all fields, and how they are merged with those before.
func TestConfig_UnmarshalJSON(t *testing.T) {
	c := DefaultConfig()
	require.NoError(t, json.Unmarshal([]byte(`{
		"max_new_tokens": 1, "max_length": 2e1, "min_new_tokens": 3, "eos_token_id": 4, "stop_token_ids": [5, 6], "ignore_eos": true,
		"stop_strings": ["a", "b"], "include_stop_str_in_output": true, "echo": true, "logprobs": 7, "num_return_sequences": 8,
		"repetition_penalty": 1.5, "presence_penalty": 0.25, "frequency_penalty": -0.5, "do_sample": true, "top_k": 9, "temperature": 0.75,
		"min_p": 0.1, "top_p": 0.9, "rng_seed": 4294967295, "num_beams": 10, "num_beam_groups": 5, "diversity_penalty": 2, "length_penalty": 0,
		"no_repeat_ngram_size": 11, "early_stopping": true, "num_assistant_tokens": 12, "max_ngram_size": 13,
		"assistant_confidence_threshold": 0.4, "apply_chat_template": false, "transformers_version": "5.5.4"}`), &c))
	assert.Equal(t, Config{
		MaxNewTokens: 1, MaxLength: 20, MinNewTokens: 3, StopTokenIDs: []int32{5, 6, 4}, IgnoreEOS: true,
		StopStrings: []string{"a", "b"}, IncludeStopString: true, Echo: true, LogProbs: 7, NumReturnSequences: 8,
		RepetitionPenalty: 1.5, PresencePenalty: 0.25, FrequencyPenalty: -0.5, DoSample: true, TopK: 9, Temperature: 0.75,
		MinP: 0.1, TopP: 0.9, RNGSeed: math.MaxUint32, NumBeams: 10, NumBeamGroups: 5, DiversityPenalty: 2,
		NoRepeatNgramSize: 11, StopCriteria: StopEarly, NumAssistantTokens: 12, MaxNgramSize: 13, AssistantConfidenceThreshold: 0.4,
	}, c)
	before := c
	require.NoError(t, json.Unmarshal([]byte(`{"max_new_tokens": null, "eos_token_id": null, "early_stopping": null}`), &c))
	assert.Equal(t, before, c, "null changes nothing")
	for text, check := range map[string]func(c Config){
		`{"eos_token_id": [1, 2, 1]}`:    func(c Config) { assert.Equal(t, []int32{1, 2}, c.StopTokenIDs) },
		`{"max_new_tokens": -1}`:         func(c Config) { assert.Equal(t, Unlimited, c.MaxNewTokens) },
		`{"max_length": 1e30}`:           func(c Config) { assert.Equal(t, Unlimited, c.MaxLength) },
		`{"stop_strings": "x"}`:          func(c Config) { assert.Equal(t, []string{"x"}, c.StopStrings) },
		`{"early_stopping": "never"}`:    func(c Config) { assert.Equal(t, StopNever, c.StopCriteria) },
		`{"early_stopping": false}`:      func(c Config) { assert.Equal(t, StopHeuristic, c.StopCriteria) },
		`{"stop_criteria": "Never"}`:     func(c Config) { assert.Equal(t, StopNever, c.StopCriteria) },
		`{"early_stopping": "whenever"}`: func(c Config) { assert.Equal(t, StopHeuristic, c.StopCriteria) },
	} {
		c := DefaultConfig()
		require.NoError(t, json.Unmarshal([]byte(text), &c), text)
		check(c)
	}
	for text, want := range map[string]string{
		`{"top_k": 1.5}`:                "1.5 is not a whole number",
		`{"top_k": "x"}`:                "json: cannot unmarshal string",
		`{"eos_token_id": "x"}`:         "a token or a list of tokens: ",
		`{"stop_strings": 1}`:           "a text or a list of texts: ",
		`{"stop_criteria": "SOMETIME"}`: `stop_criteria: "SOMETIME" is none of HEURISTIC, EARLY and NEVER`,
		`{"temperature": []}`:           "json: cannot unmarshal array",
		`[]`:                            "json: cannot unmarshal array",
	} {
		c := DefaultConfig()
		assert.ErrorContains(t, json.Unmarshal([]byte(text), &c), want, text)
		assert.Equal(t, DefaultConfig(), c, "it is as before")
	}
}

func TestConfig_Validate(t *testing.T) {
	for _, c := range []struct {
		change func(c *Config)
		want   string
	}{
		{func(*Config) {}, ""},
		{func(c *Config) { *c = Config{} }, "the Config is empty"},
		{func(c *Config) { c.MaxNewTokens = -1 }, "MaxNewTokens is -1, not 0 or more"},
		{func(c *Config) { c.NumReturnSequences, c.DoSample = 1025, true }, "NumReturnSequences is 1025, more than 1024"},
		{func(c *Config) { c.NumBeams = 1_000_000_000 }, "NumBeams is 1000000000, more than 1024"},
		{func(c *Config) { c.NumReturnSequences = 0 }, "NumReturnSequences is 0, not 1 or more"},
		{func(c *Config) { c.NumBeamGroups = 0 }, "NumBeamGroups is 0, not 1 or more"},
		{func(c *Config) { c.StopCriteria = 7 }, "StopCriteria(7) is none of HEURISTIC, EARLY and NEVER"},
		{func(c *Config) { c.StopTokenIDs = []int32{1, -4} }, "StopTokenIDs has -4, which is negative"},
		{func(c *Config) { c.MaxNewTokens, c.IgnoreEOS = Unlimited, true }, "IgnoreEOS is set, and neither MaxNewTokens nor MaxLength"},
		{func(c *Config) { c.MaxNewTokens = Unlimited }, "nothing ends an answer: MaxNewTokens, MaxLength, StopTokenIDs or StopStrings must be set"},
		{func(c *Config) { c.MaxNewTokens, c.StopStrings = Unlimited, []string{"x"} }, ""},
		{func(c *Config) { c.MaxNewTokens = 0 }, "MaxNewTokens is 0, which needs Echo"},
		{func(c *Config) { c.MinNewTokens = 11 }, "MinNewTokens is 11, more than MaxNewTokens, 10"},
		{func(c *Config) { c.FrequencyPenalty = 2.5 }, "FrequencyPenalty is 2.5, not from -2 to 2"},
		{func(c *Config) { c.PresencePenalty = math.NaN() }, "PresencePenalty is NaN, not from -2 to 2"},
		{func(c *Config) { c.RepetitionPenalty = 0 }, "RepetitionPenalty is 0, not positive and finite"},
		{func(c *Config) { c.NumReturnSequences = 2 }, "NumReturnSequences is 2, which needs DoSample or a beam search"},
		{func(c *Config) { c.TopP = 0 }, ""},
		{func(c *Config) { c.DoSample, c.TopP = true, 0 }, "TopP is 0, not greater than 0 and at most 1"},
		{func(c *Config) { c.DoSample, c.Temperature = true, 0 }, "Temperature is 0, not positive"},
		{func(c *Config) { c.DoSample, c.MinP = true, 1 }, "MinP is 1, not from 0 to less than 1"},
		{func(c *Config) { c.NumBeams = 4 }, ""},
		{func(c *Config) { c.NumBeams, c.FrequencyPenalty = 4, 1 }, "a beam search has no penalties: RepetitionPenalty is 1, not 1, PresencePenalty 0 or FrequencyPenalty 1, not 0"},
		{func(c *Config) { c.NumBeams, c.NumBeamGroups = 4, 3 }, "NumBeams is 4, not a multiple of NumBeamGroups, 3"},
		{func(c *Config) { c.NumBeams, c.NumReturnSequences = 4, 5 }, "NumBeams is 4, less than NumReturnSequences, 5"},
		{func(c *Config) { c.NumBeams, c.DoSample = 4, true }, "NumBeams is 4, which excludes DoSample"},
		{func(c *Config) { c.NumBeams, c.NumBeamGroups = 4, 2 }, "NumBeamGroups is 2, which needs a DiversityPenalty"},
		{func(c *Config) { c.NumBeams, c.DiversityPenalty = 4, 1 }, "DiversityPenalty is 1, which needs several NumBeamGroups"},
		{func(c *Config) { c.NumBeams, c.LengthPenalty = 4, math.NaN() }, "DiversityPenalty is 0 and LengthPenalty NaN, which are not both numbers"},
		{func(c *Config) { c.NumBeams, c.NumAssistantTokens = 4, 3 }, "NumBeams is 4 and NumReturnSequences 1: guesses are checked for one sequence only"},
		{func(c *Config) { c.AssistantConfidenceThreshold, c.NumAssistantTokens = 0.5, 3 }, "AssistantConfidenceThreshold is 0.5 and NumAssistantTokens 3: only one can be set"},
		{func(c *Config) { c.MaxNgramSize = 3 }, "MaxNgramSize is 3, which needs NumAssistantTokens"},
	} {
		config := DefaultConfig()
		config.MaxNewTokens = 10
		c.change(&config)
		err := config.Validate()
		if c.want == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, c.want)
		}
	}
}

func TestReadConfig(t *testing.T) {
	files := fstest.MapFS{
		"m/generation_config.json":    {Data: []byte(`{"eos_token_id": [7, 8], "temperature": 0.5}`)},
		"m/config.json":               {Data: []byte(`{"eos_token_id": 9}`)},
		"n/config.json":               {Data: []byte(`{"eos_token_id": 9, "bos_token_id": null}`)},
		"bad/config.json":             {Data: []byte(`{`)},
		"bad2/generation_config.json": {Data: []byte(`{"top_k": 0.5}`)},
		"large/config.json":           {Data: make([]byte, 16<<20+1)},
	}
	c, err := readConfig(files, "m")
	require.NoError(t, err)
	assert.Equal(t, []int32{7, 8}, c.StopTokenIDs)
	assert.Equal(t, 0.5, c.Temperature)
	c, err = readConfig(files, "n")
	require.NoError(t, err)
	assert.Equal(t, []int32{9}, c.StopTokenIDs)
	c, err = readConfig(files, "none")
	require.NoError(t, err)
	assert.Equal(t, DefaultConfig(), c)
	tokenizer := func(info string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`<net name="t" version="11"><layers/><edges/><rt_info>` + info + `</rt_info></net>`)}
	}
	for info, want := range map[string][]int32{`<eos_token_id value="5"/>`: {5}, `<eos_token_id/>`: {9}, ``: {9}} {
		files["n/openvino_tokenizer.xml"] = tokenizer(info)
		c, err = readConfig(files, "n")
		require.NoError(t, err)
		assert.Equal(t, want, c.StopTokenIDs)
	}
	files["n/openvino_tokenizer.xml"] = tokenizer(`<eos_token_id value="x"/>`)
	_, err = readConfig(files, "n")
	assert.ErrorContains(t, err, "n/openvino_tokenizer.xml: eos_token_id: ")
	files["n/openvino_tokenizer.xml"] = &fstest.MapFile{Data: []byte("<")}
	_, err = readConfig(files, "n")
	assert.Error(t, err)
	for dir, want := range map[string]string{
		"bad": "bad/config.json: unexpected end of JSON input", "bad2": "bad2/generation_config.json: 0.5 is not a whole number",
		"large": "large/config.json: it is larger than the limit of 16777216 bytes",
	} {
		_, err = readConfig(files, dir)
		assert.EqualError(t, err, want)
	}
}

func TestStopCriteria_String(t *testing.T) {
	assert.Equal(t, "HEURISTIC EARLY NEVER StopCriteria(3)", StopHeuristic.String()+" "+StopEarly.String()+" "+StopNever.String()+" "+StopCriteria(3).String())
}

// FuzzConfig reads settings of strangers: they are an error, or a Config that can be used.
func FuzzConfig(f *testing.F) {
	f.Add([]byte(`{"max_new_tokens": 3, "do_sample": true, "top_k": 2, "eos_token_id": [1, 2], "early_stopping": "never"}`))
	f.Add([]byte(`{"num_beams": 4, "num_beam_groups": 2, "diversity_penalty": 1.5, "no_repeat_ngram_size": 2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := DefaultConfig()
		if json.Unmarshal(data, &c) != nil {
			require.Equal(t, DefaultConfig(), c)
			return
		}
		_ = c.Validate()
	})
}
