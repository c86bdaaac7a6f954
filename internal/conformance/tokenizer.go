package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/regular"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/plugin"
)

// The files of a folder with a tokenizer.
const (
	tokenizerXML   = "openvino_tokenizer.xml"
	detokenizerXML = "openvino_detokenizer.xml"
	encodeFile     = "encode.json"
	decodeFile     = "decode.json"
)

// tokenizerFile is the content of encode.json or decode.json.
type tokenizerFile struct {
	// WrittenBy is the release of the extension that wrote the model, if it is an old one.
	WrittenBy string `json:"written_by"`
	Cases     []tokenizerCase
}

// tokenizerCase is a text and its ids, in either direction, or a batch of ids and their texts.
type tokenizerCase struct {
	Text  textString
	IDs   []int64
	Batch [][]int64
	Texts []textString
	// Decoded is the text of IDs, in the encode.json of an old release. OwnRelease has the ids that
	// the old release gave, where they are not IDs.
	Decoded    *textString
	OwnRelease []int64 `json:"own_release"`
}

// runTokenizer runs the texts or ids of a folder with a tokenizer.
func (c Case) runTokenizer(ctx context.Context, r *Runner) error {
	data, err := regular.ReadFile(filepath.Join(c.Folder, c.file), maxText)
	if err != nil {
		return err
	}
	var file tokenizerFile
	if err := json.Unmarshal(data, &file); err != nil {
		return fmt.Errorf("%s: %w", c.file, err)
	}
	own := file.ownRelease(c.Folder)
	if c.file == decodeFile {
		return c.eachText(ctx, r, detokenizerXML, file.Cases, (*tokenizerCase).decode)
	}
	err = c.eachText(ctx, r, tokenizerXML, file.Cases, func(t *tokenizerCase, ctx context.Context, request *plugin.InferRequest, compiled *plugin.CompiledModel) error {
		if own && t.OwnRelease != nil {
			// Where flags are not at fault, it has other case maps and spaces than the ids.
			other := *t
			other.IDs = t.OwnRelease
			if err := other.encode(ctx, request, compiled); err == nil {
				return nil
			}
		}
		return t.encode(ctx, request, compiled)
	})
	if err != nil || !exists(c.Folder, detokenizerXML) || file.WrittenBy == "" {
		return err
	}
	var decoded []tokenizerCase
	for _, t := range file.Cases {
		if t.Decoded != nil {
			decoded = append(decoded, tokenizerCase{Text: *t.Decoded, IDs: t.IDs})
		}
	}
	return c.eachText(ctx, r, detokenizerXML, decoded, (*tokenizerCase).decode)
}

// ownRelease reports whether the release that wrote a model, and not the one that ran it, is right:
// RegexSplit of 2026.4.1 reads flags of other strings where no flags are given, which models for
// BERT and CLIP of these releases do twice in a row. Its ids are right too: releases differ in
// which characters are spaces and in the case of some.
func (file *tokenizerFile) ownRelease(folder string) bool {
	_, kind, _ := strings.Cut(filepath.Base(folder), "_")
	return (kind == "bert" || kind == "clip") && (strings.HasPrefix(file.WrittenBy, "2023.3") || strings.HasPrefix(file.WrittenBy, "2024.1"))
}

// eachText compiles a model of the folder and calls run with each case. The error has the number of
// cases that fail and the first error.
func (c Case) eachText(ctx context.Context, r *Runner, name string, cases []tokenizerCase,
	run func(*tokenizerCase, context.Context, *plugin.InferRequest, *plugin.CompiledModel) error) error {
	model, err := irxml.ReadFile(filepath.Join(c.Folder, name), irxml.ReadOptions{})
	if err != nil {
		return err
	}
	compiled, err := r.core.CompileModel(ctx, model, plugin.CompileOptions{InferenceNumThreads: r.Threads, ExecutionMode: r.ExecutionMode})
	if err != nil {
		return err
	}
	defer compiled.Close()
	request := compiled.NewInferRequest()
	failed, first := 0, error(nil)
	for i := range cases {
		err := run(&cases[i], ctx, request, compiled)
		if err != nil && (isBug(err) || ctx.Err() != nil) {
			return err
		}
		if err != nil {
			if failed++; first == nil {
				first = fmt.Errorf("case %d: %w", i, err)
			}
		}
	}
	if failed > 0 {
		return fmt.Errorf("%s: %d of %d cases fail, the first: %w", name, failed, len(cases), first)
	}
	return nil
}

// encode compares the ids of the text.
func (t *tokenizerCase) encode(ctx context.Context, request *plugin.InferRequest, compiled *plugin.CompiledModel) error {
	in, err := ir.StringTensor(ir.Shape{1}, []string{string(t.Text)})
	if err != nil {
		return err
	}
	if err := request.SetInput(0, in); err != nil {
		return err
	}
	if err := request.Infer(ctx); err != nil {
		return fmt.Errorf("%q: %w", t.Text, err)
	}
	for name, want := range map[string][]int64{
		"input_ids": t.IDs, "attention_mask": slices.Repeat([]int64{1}, len(t.IDs)), "token_type_ids": make([]int64, len(t.IDs)),
	} {
		i, err := compiled.OutputIndex(name)
		if err != nil && name == "token_type_ids" {
			continue
		}
		if err != nil {
			return err
		}
		got, err := request.Output(i).Ints()
		if err != nil {
			return err
		}
		if !slices.Equal(got, want) || !slices.Equal(request.Output(i).Shape(), ir.Shape{1, len(want)}) {
			return fmt.Errorf("%q: %s is %v %v, want %v", t.Text, name, request.Output(i).Shape(), got, want)
		}
	}
	return nil
}

// decode compares the text of the ids, or the texts of a batch.
func (t *tokenizerCase) decode(ctx context.Context, request *plugin.InferRequest, compiled *plugin.CompiledModel) error {
	if t.Batch == nil {
		t.Batch, t.Texts = [][]int64{t.IDs}, []textString{t.Text}
	}
	length := 0
	if len(t.Batch) > 0 {
		length = len(t.Batch[0])
	}
	in, err := ir.TensorOfInts(compiled.Inputs()[0].Type, ir.Shape{len(t.Batch), length}, slices.Concat(t.Batch...))
	if err != nil {
		return &caseError{err}
	}
	if err := request.SetInput(0, in); err != nil {
		return err
	}
	if err := request.Infer(ctx); err != nil {
		return fmt.Errorf("%v: %w", t.Batch, err)
	}
	got := request.Output(0).Strings()
	if len(got) != len(t.Texts) {
		return fmt.Errorf("%v: %d texts, want %d", t.Batch, len(got), len(t.Texts))
	}
	for i, text := range got {
		if want := string(t.Texts[i]); text != want {
			return fmt.Errorf("%v: %q, want %q", t.Batch[i], text, want)
		}
	}
	return nil
}
