package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWrongUse has uses that a message must lead out of: it names the mistake and what would be
// right. In arguments and messages, MODEL is a model with the input "in0" f64[] and no others, TWO
// one with two inputs, LLM a language model, and DIR a folder with the files of the test.
func TestWrongUse(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{
		"a.onnx": "\x08\x08\x12\x07pytorch", "empty.xml": "", "lfs.xml": "version https://git-lfs.github.com/spec/v1\nsize 5\n",
		"page.xml": "<!DOCTYPE html>", "a.zip": "PK\x03\x04\x14\x00", "w.bin": "weights", "w.xml": "", "a.webp": "RIFF\x10\x00\x00\x00WEBPVP8 ",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600))
	}
	model := testCase("Add-1", "f64", "model.xml")
	replace := strings.NewReplacer("DIR", dir, "MODEL", model, "LLM", tiny, "TWO", testCase("Add-1", "u64", "model.xml"))
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"rnu MODEL", `unknown command "rnu": did you mean run?`, exitUsage},
		{"benchmrk MODEL", `unknown command "benchmrk": did you mean benchmark?`, exitUsage},
		{"run", "is needed, an .xml or .onnx, or - for standard input", exitUsage},
		{"info MODEL MODEL", "is needed, an .xml or .onnx, or - for standard input", exitUsage},
		{"run MODEL --thread 2", "unknown flag: --thread: did you mean --threads?", exitUsage},
		{"run MODEL --threads two", "--threads two: not a whole number", exitUsage},
		{"run MODEL --threads -1", "--threads -1 is negative", exitUsage},
		{"run MODEL --max-memory 12X", "not a number of bytes such as 1000, 64M or 2G", exitUsage},
		{"run MODEL --execution-mode exact", `"exact" is not an execution mode; there are PERFORMANCE and ACCURACY`, exitUsage},
		{"run MODEL --precision i8", `"i8" is not a precision; there are f32, bf16 and f16`, exitUsage},
		{"run MODEL --kv-cache-precision i8", `"i8" is not a precision; there are f32, bf16, f16 and u8`, exitUsage},
		{"run MODEL --fill noise", "--fill noise is none of random, zeros, ramp", exitUsage},
		{"run MODEL --in nothere=x.npy", `input "nothere": the model has no input of that name, it has "in0"`, exitUsage},
		{"run MODEL --in 0=DIR/nothere.npy", `input "in0": open DIR/nothere.npy: `, exitFault},
		{"run MODEL --in-dir DIR", `DIR has no file for input 0 "in0": looked for "in0.npy`, exitFault},
		{"run MODEL --in-dir DIR/nothere", "--in-dir DIR/nothere is not a folder", exitFault},
		{"run MODEL --shape nothere=[1]", `input "nothere": the model has no input of that name, it has "in0"`, exitUsage},
		{"run MODEL --shape [1,2", `shape "[1,2": brackets do not match`, exitUsage},
		{"run TWO --shape [1]", `the model has 2 inputs: write NAME=[1] or INDEX=[1], where NAME is one of "in0", "in1"`, exitUsage},
		{"run MODEL --in 0=DIR/a.webp", "a picture that is neither PNG nor JPEG: convert it to one of them", exitFault},
		{"run MODEL --in 0=DIR/lfs.xml", "this is a pointer of Git LFS, not the file itself: fetch it: git lfs pull", exitFault},
		{"run MODEL --in 0=DIR/page.xml", "none of .npy, .npz, PNG and JPEG", exitFault},
		{"run DIR/nothere.xml", "open DIR/nothere.xml: ", exitFault},
		{"run DIR/a.onnx", "DIR/a.onnx: not an ONNX model: the model has no graph", exitFault},
		{"run DIR/empty.xml", "this is an empty file: a model is read by its .xml", exitFault},
		{"run DIR/lfs.xml", "this is a pointer of Git LFS, not the file itself, which has 5 bytes: fetch it: git lfs pull", exitFault},
		{"run DIR/page.xml", "this is a web page: the address of a download was that of a page about the file", exitFault},
		{"run DIR/a.zip", "this is an archive: unpack it, and read the .xml in it", exitFault},
		{"run DIR/w.bin", "DIR/w.bin has the weights of a model, which is read by its .xml: DIR/w.xml", exitFault},
		{"run DIR", "DIR is a directory with several models, name one of them: empty.xml, lfs.xml, page.xml, w.xml", exitUsage},
		{"benchmark MODEL --hint fast", `"fast" is not a performance hint; there are LATENCY, THROUGHPUT and CUMULATIVE_THROUGHPUT`, exitUsage},
		{"benchmark MODEL --percentiles 50,200", `--percentiles 50,200: "200" is not a number above 0, at most 100`, exitUsage},
		{"benchmark MODEL --seconds x", "--seconds x: not a number", exitUsage},
		{"validate MODEL --format xml", "--format xml is none of text, json, sarif, github, junit", exitUsage},
		{"validate MODEL --ignore shapes", "--ignore shapes is no rule, --rules lists them", exitUsage},
		{"validate MODEL --explain nothere", `layer "nothere": the model has no layer of that name, it has "in0"`, exitUsage},
		{"profile MODEL --sort size", "--sort size is none of time, type", exitUsage},
		{"generate", "with a language model is needed", exitUsage},
		{"generate LLM", "a prompt is needed: PROMPT, - for standard input, --file or --chat", exitUsage},
		{"generate LLM Why is", "one prompt is needed, not 2: put it in quotes", exitUsage},
		{"generate LLM Hi --file DIR/w.bin", "PROMPT and --file exclude each other", exitUsage},
		{"generate LLM --chat -", "with --chat, standard input has the messages", exitUsage},
		{"generate LLM --chat --no-template", "exclude each other", exitUsage},
		{"generate LLM Hi --system Be --no-template", "exclude each other", exitUsage},
		{"generate LLM Hi --threads -1", "--threads -1 is negative", exitUsage},
		{"generate LLM Hi --top-p 2", "TopP is 2, not greater than 0 and at most 1", exitUsage},
		{"generate LLM Hi --sample --temperature 0", "--sample and --temperature 0 exclude each other", exitUsage},
		{"generate LLM Hi --prompt-lookup -1", "--prompt-lookup -1 is negative", exitUsage},
		{"generate LLM Hi --draft DIR/nothere", "DIR/nothere: no such directory", exitFault},
		{"generate LLM Hi --lora DIR/nothere:0.5", "--lora: open DIR/nothere: ", exitFault},
		{"generate LLM --file DIR/nothere", "open DIR/nothere: ", exitFault},
		{"generate DIR/nothere Hi", "DIR/nothere: no such directory", exitFault},
		{"generate MODEL Hi", "MODEL is a file, not a directory with a model and its tokenizer", exitFault},
		{"generate DIR Hi", "optimum-cli export openvino", exitFault},
		{"tokenize", "with a tokenizer is needed", exitUsage},
		{"tokenize DIR Hi", "optimum-cli export openvino", exitFault},
		{"tokenize LLM Hi --color red", "--color red is none of auto, always, never", exitUsage},
		{"tokenize LLM Hi --pieces --count", "--pieces and --count exclude each other", exitUsage},
		{"tokenize LLM Hi --offsets --count", "--offsets and --count exclude each other", exitUsage},
		{"tokenize LLM Hi --file DIR/w.bin", "TEXT and --file exclude each other", exitUsage},
		{"detokenize", "with a tokenizer is needed", exitUsage},
		{"detokenize LLM 1 x", `"x" is not the number of a token`, exitUsage},
		{"detokenize LLM -- -5", `"-5" is not the number of a token`, exitUsage},
		{"info MODEL --plan --no-bin", "the value is not known: the model was read without its .bin", exitFault},
	} {
		got := vinoir("", strings.Fields(replace.Replace(c.args))...)
		assert.Equal(t, c.code, got.code, c.args)
		assert.Contains(t, got.stderr, replace.Replace(c.want), c.args)
		assert.LessOrEqual(t, strings.Count(got.stderr, "\n"), 2, "%s: %s", c.args, got.stderr)
	}
}
