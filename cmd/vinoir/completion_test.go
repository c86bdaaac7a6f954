package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/ir/onnx"
	"github.com/vinoir/vinoir/ir/validate"
)

// TestCompletion asks as the scripts of the shells do: for words, and then a number that says what
// else to complete.
func TestCompletion(t *testing.T) {
	rules, onnxRules := "", ""
	for _, rule := range validate.FindingRules() {
		rules += " " + rule.ID
	}
	for _, rule := range onnx.FindingRules() {
		onnxRules += " " + rule.ID
	}
	for _, tt := range []struct{ args, want string }{
		{"run |", "xml onnx :8"}, // files *.xml
		{"run --fill |", "random zeros ramp :4"},
		{"run m.xml --execution-mode |", "performance accuracy :4"},
		{"run m.xml --kv-cache-precision |", "f32 bf16 f16 u8 :4"},
		{"run --in-dir |", ":16"}, // folders
		{"run --bin |", "bin :8"},
		{"run " + messages + " --shape |", "nodes= :6"},
		{"run " + messages + " --shape nodes=|", ":0"}, // a file for --in
		{"run none.xml --in |", ":6"},
		{"run " + onnxCase("nets", "linear", "model.onnx") + " --constant |", "x= :6"},
		{"run --in |", ":0"},
		{"benchmark --hint |", "latency throughput :4"},
		{"diff a.xml |", "xml onnx :8"},
		{"diff --ignore |", strings.ReplaceAll(kindNames(), ",", "") + " :4"},
		{"profile --sort |", "time type :4"},
		{"validate --ignore |", "read link bin-short fix input-shape" + rules + " assumed-shape no-kernel" + onnxRules + " :4"},
		{"run --expect |", ":16"},
		{"validate --color |", "auto always never :4"},
		{"validate " + messages + " --explain su|", "sum :4"},
		{"generate |", ":16"},
		{"tokenize dir |", ":4"},
		{"generate --draft |", ":16"},
		{"generate --lora |", "safetensors :8"},
		{"ver|", "version\tPrint the version, and what it uses of this processor :4"},
	} {
		args := append([]string{"__complete"}, strings.Split(strings.TrimSuffix(tt.args, "|"), " ")...)
		got := vinoir("", args...)
		assert.Equal(t, exitGood, got.code, got)
		assert.Equal(t, tt.want, strings.Join(strings.Split(strings.TrimSpace(got.stdout), "\n"), " "), tt.args)
	}
	assert.Equal(t, []string{"a="}, completable([]string{"a", "", "b\n"}, "="))
}
