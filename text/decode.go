package text

import (
	"context"
	"slices"
	"sync"

	"github.com/vinoir/vinoir/internal/faults"
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
	exact  *exactDecoder // nil if there is a model
	direct *direct       // nil if the model is run
	main   *requests
	kept   func() (*requests, error) // with special tokens
}

func newDecoder(ctx context.Context, t *Tokenizer, model *ir.Model) (*decoder, error) {
	if d := directOf(model); d != nil {
		if err := t.charge(d.words.Bytes()); err != nil {
			return nil, err
		}
		d.words = d.words.Clone() // of parts of the model
		return &decoder{direct: d}, nil
	}
	return newModelDecoder(ctx, t, model)
}

// newModelDecoder returns a decoder that runs the model.
func newModelDecoder(ctx context.Context, t *Tokenizer, model *ir.Model) (*decoder, error) {
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

// Decode returns the texts of rows of tokens.
func (t *Tokenizer) Decode(ctx context.Context, rows [][]int32, options DecodeOptions) ([]string, error) {
	texts := make([]string, len(rows))
	for i, row := range rows { // one at a time: rows of several lengths would need padding
		text, err := t.decode(ctx, nil, row, options)
		if err != nil {
			return nil, err
		}
		texts[i] = string(text)
	}
	return texts, nil
}

// AppendDecode appends the text of tokens, without special tokens, to text.
func (t *Tokenizer) AppendDecode(ctx context.Context, text []byte, tokens []int32) ([]byte, error) {
	return t.decode(ctx, text, tokens, DecodeOptions{})
}

// decode appends the text of tokens to text.
func (t *Tokenizer) decode(ctx context.Context, text []byte, tokens []int32, options DecodeOptions) ([]byte, error) {
	if t.decoder == nil {
		return nil, ErrNoDetokenizer
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if d := t.decoder.exact; d != nil {
		return d.append(ctx, text, tokens, options.KeepSpecialTokens)
	}
	if d := t.decoder.direct; d != nil {
		return d.append(text, tokens, options.KeepSpecialTokens), nil
	}
	return t.decoder.run(ctx, text, tokens, options)
}

// run is decode by the model.
func (d *decoder) run(ctx context.Context, text []byte, tokens []int32, options DecodeOptions) ([]byte, error) {
	run := d.main
	if options.KeepSpecialTokens {
		var err error
		if run, err = d.kept(); err != nil {
			return nil, err
		}
	}
	ids := make([]int64, len(tokens))
	for i, id := range tokens {
		ids[i] = int64(id)
	}
	in, err := ir.TensorOfInts(run.compiled.Inputs()[0].Type, ir.Shape{1, len(ids)}, ids)
	if err != nil {
		return nil, err
	}
	err = run.infer(ctx, in, func(request *plugin.InferRequest) error {
		out := request.Output(0)
		if out.ElementType() != ir.String || !slices.Equal(out.Shape(), ir.Shape{1}) {
			return faults.Errorf("the output of the detokenizer is %v%v, expected string[1]", out.ElementType(), out.Shape())
		}
		text = append(text, out.Strings()[0]...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return text, nil
}
