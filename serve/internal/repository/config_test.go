package repository

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

// configOf returns the configuration in a text format, with its warnings.
func configOf(t testing.TB, text string, parse func([]byte) (*message, error)) (Config, []string, error) {
	t.Helper()
	parsed, err := parse([]byte(text))
	if err != nil {
		return Config{}, nil, err
	}
	m := Model{Name: "m"}
	err = m.add(parsed)
	return m.Config, m.Warnings, err
}

const wholeText = `
# what a configuration can have
name: "m"
platform: "openvino"
backend: "openvino"
default_model_filename: "net.xml"
max_batch_size: 8
input [
  { name: "a" data_type: TYPE_FP32 dims: [ 3, -1, 224 ] },
  { name: "b", data_type: TYPE_STRING; dims: 1 dims: 2 reshape { shape: [ ] } }
]
output { name: 'y' data_type: TYPE_INT64 dims: [] label_filename: "labels.txt" }
version_policy: { specific: { versions: [1, 3] } }
instance_group [ { count: 2 kind: KIND_CPU }, { kind: KIND_GPU } ]
dynamic_batching <
  preferred_batch_size: [ 4, 8 ]
  max_queue_delay_microseconds: 100
  priority_levels: 3
  default_priority_level: 2
  default_queue_policy { timeout_action: DELAY default_timeout_microseconds: 5000 allow_timeout_override: true max_queue_size: 16 }
  preserve_ordering: true
>
response_cache { enable: true }
parameters: { key: "NUM_STREAMS" value: { string_value: "4" } }
parameters { key: "own" value { string_value: "two " "parts\n" } }
parameters { key: "CACHE_DIR" value { string_value: "/tmp" } }
model_warmup [ {
  name: "w" batch_size: 2 count: 3
  inputs { key: "a" value: { data_type: TYPE_FP32 dims: [3, 1, 224] random_data: true } }
  inputs { key: "b" value: { data_type: TYPE_STRING dims: [1, 2] zero_data: true } }
} ]
optimization { priority: PRIORITY_MAX }
`

const wholeJSON = `{
	"name": "m", "platform": "openvino", "backend": "openvino", "defaultModelFilename": "net.xml", "maxBatchSize": 8,
	"input": [
		{"name": "a", "dataType": "TYPE_FP32", "dims": ["3", "-1", 224]},
		{"name": "b", "data_type": "TYPE_STRING", "dims": [1, 2], "reshape": {"shape": []}}
	],
	"output": [{"name": "y", "data_type": "TYPE_INT64", "dims": [], "label_filename": "labels.txt"}],
	"versionPolicy": {"specific": {"versions": [1, "3"]}},
	"instance_group": [{"count": 2, "kind": "KIND_CPU"}, {"kind": "KIND_GPU"}],
	"dynamic_batching": {
		"preferred_batch_size": [4, 8], "max_queue_delay_microseconds": "100", "priorityLevels": 3, "default_priority_level": 2,
		"default_queue_policy": {"timeout_action": "DELAY", "default_timeout_microseconds": 5000, "allow_timeout_override": true, "max_queue_size": 16},
		"preserve_ordering": true
	},
	"response_cache": {"enable": true},
	"parameters": {"NUM_STREAMS": {"string_value": "4"}, "own": {"stringValue": "two parts\n"}, "CACHE_DIR": {"string_value": "/tmp"}},
	"model_warmup": [{
		"name": "w", "batch_size": 2, "count": 3,
		"inputs": {"a": {"data_type": "TYPE_FP32", "dims": [3, 1, 224], "random_data": true}, "b": {"data_type": "TYPE_STRING", "dims": [1, 2], "zero_data": true}}
	}],
	"optimization": {"priority": "PRIORITY_MAX"}, "model_transaction_policy": null
}`

func TestConfig(t *testing.T) {
	streams := 4
	want := Config{
		File: "net.xml", MaxBatchSize: 8,
		Inputs: []Port{
			{Name: "a", Type: ir.F32, Dims: []int64{3, -1, 224}},
			{Name: "b", Type: ir.String, Dims: []int64{1, 2}, Reshape: []int64{}},
		},
		Outputs:   []Port{{Name: "y", Type: ir.I64}},
		Versions:  Policy{Specific: []int64{1, 3}},
		Instances: 3,
		Batching: Batching{
			MaxDelay: 100 * time.Microsecond, Levels: 3, DefaultLevel: 2,
			Queue: QueuePolicy{MaxSize: 16, Timeout: 5 * time.Millisecond},
		},
		ResponseCache: true,
		Parameters:    map[string]string{"NUM_STREAMS": "4", "own": "two parts\n", "CACHE_DIR": "/tmp"},
		Compile:       Compile{NumStreams: &streams},
		Warmup: []Warmup{{Name: "w", Rows: 2, Count: 3, Inputs: []WarmupInput{
			{Name: "a", Type: ir.F32, Dims: []int64{3, 1, 224}, Random: true},
			{Name: "b", Type: ir.String, Dims: []int64{1, 2}},
		}}},
	}
	warnings := []string{
		"label_filename: the field is ignored", "kind: the model is computed on the CPU", "timeout_action: requests whose time is over are refused",
		"preserve_ordering: the field is ignored", "CACHE_DIR: the field is ignored", "optimization: the field is ignored",
	}
	config, found, err := configOf(t, wholeText, parseText)
	require.NoError(t, err)
	require.Equal(t, want, config)
	for i := range found {
		line, text, ok := strings.Cut(found[i], ": ")
		require.True(t, ok)
		require.Regexp(t, `^line \d+$`, line)
		found[i] = text
	}
	require.Equal(t, warnings, found)

	config, found, err = configOf(t, wholeJSON, parseJSON)
	require.NoError(t, err)
	require.Equal(t, want, config)
	require.Equal(t, warnings, found)
}

func TestConfig_ovms(t *testing.T) {
	config, warnings, err := configOf(t, `{
		"name": "m", "base_path": "/models/m", "target_device": "GPU.0", "layout": {"a": "NCHW", "b": "NHWC:NHWC"}, "batch_size": "2:8",
		"shape": {"a": "(1, 3,224:512 ,-1)", "b": "auto", "c": "()"}, "stateful": false,
		"plugin_config": {
			"PERFORMANCE_HINT": "THROUGHPUT", "EXECUTION_MODE_HINT": "ACCURACY", "INFERENCE_PRECISION_HINT": "bf16", "KV_CACHE_PRECISION": "u8",
			"NUM_STREAMS": "AUTO", "INFERENCE_NUM_THREADS": 2, "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0", "PERF_COUNT": "YES", "AFFINITY": "NONE"
		}
	}`, parseJSON)
	require.NoError(t, err)
	require.Equal(t, []string{"target_device: the model is computed on the CPU, not on GPU.0", "AFFINITY: the field is ignored"}, warnings)
	require.Equal(t, map[string]ir.PartialShape{
		"a": ir.ShapeOf(ir.Dim(1), ir.Dim(3), ir.DimRange(224, 512), ir.AnyDim), "b": ir.UnknownRank, "c": ir.ShapeOf(),
	}, config.Shapes)
	require.Equal(t, ir.DimRange(2, 8), *config.BatchSize)
	var options plugin.CompileOptions
	config.Compile.Apply(&options)
	require.Equal(t, plugin.CompileOptions{
		PerformanceHint: plugin.PerformanceHintThroughput, ExecutionMode: plugin.ExecutionModeAccuracy,
		InferencePrecision: ir.BF16, KVCachePrecision: ir.U8, InferenceNumThreads: 2, DynamicQuantizationGroupSize: -1, EnableProfiling: true,
	}, options)

	for text, want := range map[string]map[string]ir.PartialShape{
		`{"shape": "auto"}`:                     {"": ir.UnknownRank},
		`{"shape": "(1,)"}`:                     {"": ir.StaticShape(1)},
		`{"shape": "{\"x\": \"(2)\"}"}`:         {"x": ir.StaticShape(2)},
		`{"batch_size": "auto", "shape": "()"}`: {"": ir.ShapeOf()},
	} {
		config, _, err := configOf(t, text, parseJSON)
		require.NoError(t, err)
		require.Equal(t, want, config.Shapes)
	}
	config, warnings, err = configOf(t, `{"batch_size": 0, "name": "other", "target_device": "AUTO:CPU", "default_model_filename": "model.plan"}`, parseJSON)
	require.NoError(t, err)
	require.Nil(t, config.BatchSize)
	require.Equal(t, []string{
		`name: "other" is ignored: the model is called "m"`,
		`default_model_filename: "model.plan" is ignored: the names of models end with .xml or .onnx`,
	}, warnings)
}

func TestConfig_errors(t *testing.T) {
	for text, want := range map[string]string{
		"max_batch_size: x":                                     `line 1: max_batch_size: "x" is not a whole number from 0 to 1048576`,
		"max_batch_size: -1":                                    `"-1" is not a whole number`,
		"max_batch_size {}":                                     "expected a value, found a message",
		"\n\ninput: 3":                                          `line 3: input: expected a message, found "3"`,
		"input {}":                                              "input: the name is missing",
		`input { name: "x" data_type: FLOAT }`:                  `input: line 1: data_type: "FLOAT" is not a type, such as TYPE_FP32`,
		`input { name: "x" data_type {} }`:                      "expected a value, found a message",
		`input { name: "x" dims: -2 }`:                          `"-2" is not a whole number from -1`,
		`input { name: "x" reshape { shape: y } }`:              "input: reshape: line 1: shape: ",
		"input { name {} }":                                     "expected a value, found a message",
		"ensemble_scheduling { step {} }":                       "not supported: an ensemble of models",
		"sequence_batching {}":                                  "not supported: a state that requests share",
		`mean: "[1,2]"`:                                         "not supported: a mean",
		`layout: "NHWC:NCHW"`:                                   "not supported: a conversion of the layout NHWC:NCHW",
		"version_policy { latest { num_versions: 0 } }":         "num_versions",
		"version_policy { specific { versions: 0 } }":           "versions",
		"version_policy: latest":                                "expected a message",
		"instance_group { count: 0 }":                           "count",
		"dynamic_batching { max_queue_delay_microseconds: -1 }": "max_queue_delay_microseconds",
		"dynamic_batching { default_queue_policy { max_queue_size: x } }":         "dynamic_batching: default_queue_policy: line 1: max_queue_size",
		"dynamic_batching { default_queue_policy { allow_timeout_override: x } }": "neither true nor false",
		"response_cache { enable {} }":                                            "expected a value",
		"model_warmup { inputs: 1 }":                                              "model_warmup: line 1: inputs: expected a message",
		`model_warmup { inputs { key: "x" } }`:                                    `expected a message, found ""`,
		`model_warmup { inputs { key: "x" value { dims: y } } }`:                  "dims",
		`parameters: 1`: "expected a message",
		`parameters { key: "NUM_STREAMS" value { string_value: "x" } }`: "parameters: line 1: NUM_STREAMS: ",
		`plugin_config { NONE: 1 }`:                                     "plugin_config: line 1: NONE: the property is not known",
		`plugin_config { PERFORMANCE_HINT: x }`:                         "PERFORMANCE_HINT",
		`plugin_config { PERFORMANCE_HINT {} }`:                         "expected a value",
		`plugin_config { PERF_COUNT: x }`:                               "neither true nor false",
		`plugin_config { DYNAMIC_QUANTIZATION_GROUP_SIZE: x }`:          "whole number",
		`shape: "1,2"`:              `"1,2" is not a shape, such as auto or (1,3,224,224)`,
		`shape: "(x)"`:              "is not a shape",
		`shape: "(5:2)"`:            "is not a shape",
		`shape: "(-1:2)"`:           "is not a shape",
		`shape: "{"`:                "shape: ",
		`shape { x: "1" }`:          "shape: line 1: x: ",
		`shape { x {} }`:            "expected a value",
		`batch_size: x`:             `"x" is not a batch size, such as auto or 8`,
		`batch_size {}`:             "expected a value",
		`default_model_filename {}`: "expected a value",
	} {
		_, _, err := configOf(t, text, parseText)
		require.ErrorContains(t, err, want, text)
	}
	_, _, err := configOf(t, strings.Repeat("model_warmup {}", maxWarmups+1), parseText)
	require.ErrorContains(t, err, "more than 100")
	_, _, err = configOf(t, `input { name: "x" dims: [`+strings.Repeat("1,", ir.MaxRank)+`1] }`, parseText)
	require.ErrorContains(t, err, "more than 64 dimensions")
}

func TestParseText_strings(t *testing.T) {
	for text, want := range map[string]string{
		`"a" 'b'`:                     "ab",
		`"\a\b\f\n\r\t\v\?\'\"\\"`:    "\a\b\f\n\r\t\v?'\"\\",
		`"\101\7\x41\X4\u00e9"`:       "A\aA\x04é",
		`"\U0001F600" # comment`:      "😀",
		"'it is \"quoted\"'":          `it is "quoted"`,
		"\"one\"\n# between\n\"two\"": "onetwo",
	} {
		m, err := parseText([]byte("a: " + text))
		require.NoError(t, err, text)
		require.Equal(t, []field{{name: "a", line: 1, text: want}}, m.fields)
	}
}

func TestParseText_errors(t *testing.T) {
	for text, want := range map[string]string{
		"a":                       `line 1: a: expected a colon or a message, found "the end"`,
		"a 1":                     `expected a colon or a message, found "1"`,
		"a:":                      "expected a value",
		"\na: {":                  `line 2: a message is not closed: "}" is missing`,
		"a { b: 1 >":              `expected the name of a field, found ">"`,
		"a <":                     `">" is missing`,
		"}":                       `expected the name of a field, found "}"`,
		"a: [1 2]":                `a: expected a comma or the end of the list, found "2]"`,
		"a: [1,]":                 "expected a value",
		"a: [1":                   "expected a comma or the end of the list",
		`a: "x`:                   "a string is not closed",
		"a: \"x\n\"":              "a string is not closed",
		`a: "\`:                   "a string is not closed",
		`a: "\q"`:                 "is not known",
		`a: "\777"`:               "is not known",
		`a: "\x"`:                 "is not known",
		`a: "\u12"`:               "is no character",
		`a: "\ud800"`:             "is no character",
		`a: "\U00110000"`:         "is no character",
		"[x.y]: 1":                "expected the name of a field",
		strings.Repeat("a{", 100): "nested more than 32 times",
	} {
		_, err := parseText([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
}

func TestParseJSON_errors(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": ` + strings.Repeat("[", 100): "nested more than 32 times",
		strings.Repeat(`{"a":`, 100):        "nested more than 32 times",
		`{"a": 1,}`:                         "invalid character",
		`{"a"`:                              "unexpected EOF",
		`1`:                                 "expected a JSON object",
	} {
		_, err := parseJSON([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
}

func TestParseMapping(t *testing.T) {
	m, err := parseMapping([]byte(`{"inputs": {"a": "x"}, "outputs": {"b": "y", "c": "z"}, "more": 1}`))
	require.NoError(t, err)
	require.Equal(t, Mapping{Inputs: map[string]string{"a": "x"}, Outputs: map[string]string{"b": "y", "c": "z"}}, m)
	for text, want := range map[string]string{
		`[]`:                                "cannot unmarshal",
		`{"inputs": {"a": ""}}`:             `inputs: the new name of "a" is empty`,
		`{"outputs": {"a": "x", "b": "x"}}`: `outputs: "a" and "b" are both renamed to "x"`,
	} {
		_, err := parseMapping([]byte(text))
		require.ErrorContains(t, err, want)
	}
}

// fuzzConfig checks that decoding returns whatever data is.
func fuzzConfig(f *testing.F, parse func([]byte) (*message, error)) {
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			t.Skip("larger texts take longer, and have nothing else")
		}
		config, _, err := configOf(t, string(data), parse)
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(config.Warmup), maxWarmups)
		require.GreaterOrEqual(t, config.MaxBatchSize, 0)
	})
}

func FuzzParseText(f *testing.F) {
	f.Add([]byte(wholeText))
	f.Add([]byte(`a: "\U0001F600" b <c: [1, 2]>`))
	fuzzConfig(f, parseText)
}

func FuzzParseJSON(f *testing.F) {
	f.Add([]byte(wholeJSON))
	f.Add([]byte(`{"shape": {"a": "(1,2:3)"}, "batch_size": "auto", "plugin_config": {"NUM_STREAMS": "AUTO"}}`))
	fuzzConfig(f, parseJSON)
}

func FuzzParseList(f *testing.F) {
	f.Add([]byte(`{"model_config_list": [{"config": {"name": "a", "base_path": "b", "shape": "auto"}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			t.Skip("larger texts take longer, and have nothing else")
		}
		list, _, err := parseList(data)
		if err == nil {
			for _, l := range list {
				require.NotEmpty(t, l.name)
				require.NotEmpty(t, l.path)
			}
		}
	})
}

func FuzzParseMapping(f *testing.F) {
	f.Add([]byte(`{"inputs": {"a": "x"}, "outputs": {"b": "y"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseMapping(data)
		if err == nil {
			for _, name := range m.Inputs {
				require.NotEmpty(t, name)
			}
		}
	})
}
