package text

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/plugin"
)

// DecodeOptions are the options of Decode. The zero value leaves special tokens out.
type DecodeOptions struct {
	// KeepSpecialTokens writes special tokens as they are.
	KeepSpecialTokens bool
}

// decoder is the detokenizer.
type decoder struct {
	main *requests
	kept func() (*requests, error) // with special tokens
}

func newDecoder(ctx context.Context, t *Tokenizer, model *ir.Model) (*decoder, error) {
	main, err := t.compile(ctx, model)
	if err != nil {
		return nil, err
	}
	return &decoder{main: main, kept: sync.OnceValues(func() (*requests, error) { return withSpecials(ctx, t, model) })}, nil
}

// withSpecials compiles the model of a detokenizer that skips no tokens.
func withSpecials(ctx context.Context, t *Tokenizer, model *ir.Model) (*requests, error) {
	b := edit.Change(ctx, model, t.registry)
	for _, layer := range b.Layers() {
		if layer.Type != "VocabDecoder" {
			continue
		}
		layer.Data = withAttributes(layer.Data, "skip_tokens", "")
		if len(layer.Inputs) > 4 {
			b.Connect(layer, 4, b.ConstantOf([]int32{}, 0))
		}
	}
	changed, err := b.Model()
	if err != nil {
		return nil, err
	}
	return t.compile(ctx, changed)
}

func (d *decoder) close() {
	if d.main != nil {
		d.main.compiled.Close()
	}
}

// Decode returns the texts of rows of tokens.
func (t *Tokenizer) Decode(ctx context.Context, rows [][]int32, options DecodeOptions) ([]string, error) {
	texts := make([]string, len(rows))
	for i, row := range rows { // one at a time: rows of several lengths would need padding
		if err := t.decode(ctx, row, options, func(text string) { texts[i] = text }); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// AppendDecode appends the text of tokens, without special tokens, to text.
func (t *Tokenizer) AppendDecode(ctx context.Context, text []byte, tokens []int32) ([]byte, error) {
	err := t.decode(ctx, tokens, DecodeOptions{}, func(decoded string) { text = append(text, decoded...) })
	return text, err
}

// decode calls found with the text of tokens.
func (t *Tokenizer) decode(ctx context.Context, tokens []int32, options DecodeOptions, found func(string)) error {
	if t.decoder == nil {
		return ErrNoDetokenizer
	}
	run := t.decoder.main
	if options.KeepSpecialTokens {
		var err error
		if run, err = t.decoder.kept(); err != nil {
			return err
		}
	}
	ids := make([]int64, len(tokens))
	for i, id := range tokens {
		ids[i] = int64(id)
	}
	in, err := ir.TensorOfInts(run.compiled.Inputs()[0].Type, ir.Shape{1, len(ids)}, ids)
	if err != nil {
		return err
	}
	return run.infer(ctx, in, func(request *plugin.InferRequest) error {
		out := request.Output(0)
		if out.ElementType() != ir.String || !slices.Equal(out.Shape(), ir.Shape{1}) {
			return fmt.Errorf("the output of the detokenizer is %v%v, expected string[1]", out.ElementType(), out.Shape())
		}
		found(out.Strings()[0])
		return nil
	})
}
