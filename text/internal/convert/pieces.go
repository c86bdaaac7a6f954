package convert

import (
	"context"
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/text/sentencepiece"
	"github.com/vinoir/vinoir/internal/text/sptokenizer"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
)

// maxCut is the smallest length that texts of a SentencePiece model are not cut to.
const maxCut = 1 << 17

// pieces makes the models of a SentencePiece model.
type pieces struct {
	options   *Options
	model     *sentencepiece.Model
	added     []sptokenizer.AddedToken
	tokenizer *sptokenizer.Tokenizer
	// before and after are the special tokens around a text.
	before, after []int32
}

// Pieces returns the models of a SentencePiece model, data, and of the tokenizer that was made of
// it. The whole model is a constant of each. The error is a *RefusedError if tokens of the
// tokenizer are not the pieces of the model, or that of the rules, or of ctx.
func Pieces(ctx context.Context, rules infer.Rules, data []byte, tokenizer *sptokenizer.Tokenizer, o *Options) (*Models, error) {
	c := &pieces{options: o, model: tokenizer.Model(), added: tokenizer.Added(), tokenizer: tokenizer}
	if c.model == nil {
		return nil, &RefusedError{[]string{"tokenizer_config.json: a tokenizer_class whose ids are not those of the pieces"}}
	}
	c.setAround()
	extra, err := c.extra()
	if err != nil {
		return nil, err
	}
	surface := c.model.Piece(c.model.Unknown())
	forward, err := (&sentencepiece.Rewriting{UnknownSurface: surface, Added: extra}).Rewrite(data, ctx.Done())
	if err != nil {
		return nil, err
	}
	special := map[int32]bool{}
	for _, token := range c.added {
		if token.Special {
			special[token.ID] = true
		}
	}
	back, err := (&sentencepiece.Rewriting{UnknownSurface: surface, Added: extra, Control: special, Shown: o.KeepSpecialTokens}).Rewrite(data, ctx.Done())
	if err != nil {
		return nil, err
	}
	m := &Models{}
	if m.Tokenizer, err = c.forward(newGraph(ctx, rules, "tokenizer"), forward); err != nil {
		return nil, faults.Errorf("tokenizer: %w", err)
	}
	if m.Detokenizer, err = c.back(newGraph(ctx, rules, "detokenizer"), back); err != nil {
		return nil, faults.Errorf("detokenizer: %w", err)
	}
	template, ok := templates(tokenizer.Single, tokenizer.Pair)
	for _, one := range []*ir.Model{m.Tokenizer, m.Detokenizer} {
		set := addInfo(one, o)
		if ok {
			set("processed_post_processor_template", template)
		}
	}
	return m, nil
}

// setAround sets the special tokens around a text.
func (c *pieces) setAround() {
	to := &c.before
	for _, s := range c.tokenizer.Single {
		if s.Text > 0 {
			to = &c.after
			continue
		}
		*to = append(*to, s.IDs...)
	}
	if c.options.NoSpecialTokens {
		c.before, c.after = nil, nil
	}
}

// maxExtra bounds the pieces that are added to a model.
const maxExtra = 1 << 20

// extra returns the added tokens behind the pieces of the model, "" for ids that there are not.
func (c *pieces) extra() ([]string, error) {
	var extra []string
	for _, token := range c.added {
		i := int(token.ID) - c.model.Len()
		if i >= maxExtra {
			return nil, faults.Errorf("token %.100q has id %d, the model has %d pieces", token.Text, token.ID, c.model.Len())
		}
		if i >= len(extra) {
			extra = append(extra, make([]string, i+1-len(extra))...)
		}
		if i >= 0 {
			extra[i] = token.Text
		}
	}
	return extra, nil
}

// forward returns the tokenizer.
func (c *pieces) forward(g graph, data []byte) (*ir.Model, error) {
	o := c.options
	texts := g.Parameter("string_input", ir.String, ir.ShapeOfRank(1))
	inputs := []edit.Source{g.ConstantOf(data, len(data)), texts}
	apart := c.model.JoinsCharacters() && len(c.added) > 0 // special tokens are found before pieces
	bos := !apart && slices.Equal(c.before, []int32{c.model.BOS()})
	eos := !apart && slices.Equal(c.after, []int32{c.model.EOS()})
	if apart {
		words, ids := make([][]byte, len(c.added)), make([]int32, len(c.added))
		for i, token := range c.added {
			words[i], ids[i] = []byte(token.Text), token.ID
		}
		list, err := g.words(words)
		if err != nil {
			return nil, err
		}
		inputs = append(append(inputs, list...), g.integers(ids))
	}
	sparse := outputs(g.extension("SentencepieceTokenizer", []string{
		"nbest_size", "1", "alpha", "1", "add_bos", yesNo(bos), "add_eos", yesNo(eos), "reverse", yesNo(o.PadLeft),
	}, inputs...), 3)
	scatter := func(fill int32, values edit.Source) edit.Source {
		blank := g.Layer("Broadcast", 3, edit.Attributes("mode", "numpy"), g.integer(fill), sparse[2])
		return g.Layer("ScatterNDUpdate", 4, nil, blank, sparse[0], values)
	}
	ones := g.Layer("Broadcast", 3, edit.Attributes("mode", "numpy"), g.integer(1), g.Layer("ShapeOf", 3, edit.Attributes("output_type", "i64"), sparse[1]))
	d := &dense{ids: scatter(o.Pad, sparse[1]), mask: scatter(0, ones), count: g.Layer("ShapeOf", 3, edit.Attributes("output_type", "i64"), texts), pad: o.Pad}
	first, last := c.before, c.after
	if bos {
		first = nil
	}
	if eos {
		last = nil
	}
	if o.PadLeft { // rows are written from their ends
		first, last = reversed(last), reversed(first)
	}
	for _, id := range slices.Backward(first) {
		d.addFirst(g, id)
	}
	for _, id := range last {
		d.addLast(g, id)
	}
	if o.PadLeft {
		d.each(func(s edit.Source) edit.Source {
			return g.Layer("Reverse", 1, edit.Attributes("mode", "index"), s, g.ConstantOf([]int64{-1}, 1))
		})
	}
	if o.Truncate && o.MaxLength > 0 && o.MaxLength < maxCut {
		start, stop := int64(0), int64(o.MaxLength)
		if o.PadLeft {
			start, stop = -stop, math.MaxInt64
		}
		d.each(func(s edit.Source) edit.Source {
			return g.Layer("Slice", 8, nil, s, g.ConstantOf([]int64{start}, 1), g.ConstantOf([]int64{stop}, 1), g.ConstantOf([]int64{1}, 1), g.ConstantOf([]int64{-1}, 1))
		})
	}
	if o.IDs != ir.I32 {
		d.each(func(s edit.Source) edit.Source { return g.convert(s, o.IDs.String()) })
	}
	g.Result("input_ids", d.ids)
	g.Result("attention_mask", d.mask)
	return g.Model()
}

// reversed returns the ids from the last to the first.
func reversed(ids []int32) []int32 {
	ids = slices.Clone(ids)
	slices.Reverse(ids)
	return ids
}

// dense are the ids of texts, and which of them are tokens, of shape [texts, length].
type dense struct {
	ids, mask edit.Source
	count     edit.Source // of texts, of shape [1]
	pad       int32
}

// each changes ids and mask.
func (d *dense) each(f func(edit.Source) edit.Source) { d.ids, d.mask = f(d.ids), f(d.mask) }

// column returns a column of a value.
func (d *dense) column(g graph, value int32) edit.Source {
	shape := g.Layer("Concat", 1, edit.Attributes("axis", "0"), d.count, g.ConstantOf([]int64{1}, 1))
	return g.Layer("Broadcast", 3, edit.Attributes("mode", "numpy"), g.integer(value), shape)
}

// beside joins two matrices.
func beside(g graph, left, right edit.Source) edit.Source {
	return g.Layer("Concat", 1, edit.Attributes("axis", "1"), left, right)
}

// addFirst puts a token before each row.
func (d *dense) addFirst(g graph, id int32) {
	d.ids, d.mask = beside(g, d.column(g, id), d.ids), beside(g, d.column(g, 1), d.mask)
}

// addLast puts a token behind the last one of each row: where the mask of rows with one more token
// differs from that of rows with one more column.
func (d *dense) addLast(g graph, id int32) {
	longer, wider := beside(g, d.column(g, 1), d.mask), beside(g, d.mask, d.column(g, 0))
	numpy := edit.Attributes("auto_broadcast", "numpy")
	same := g.Layer("Equal", 1, numpy, longer, wider)
	d.ids = g.Layer("Select", 1, numpy, same, beside(g, d.ids, d.column(g, d.pad)), g.integer(id))
	d.mask = longer
}

// back returns the detokenizer.
func (c *pieces) back(g graph, data []byte) (*ir.Model, error) {
	o := c.options
	ids := g.ids(o.IDs)
	layer := "SentencepieceDetokenizer"
	if o.Streaming {
		layer = "SentencepieceStreamDetokenizer"
	}
	f := &flow{strings: outputs(g.extension(layer, nil, g.ConstantOf(data, len(data)), ids), 3)}
	if o.Streaming {
		replaceStep("▁", " ")(g, f)
	}
	if o.CleanUp {
		cleanUpStep(g, f)
	}
	if o.InvalidUTF8 != Keep {
		repairStep(o.InvalidUTF8)(g, f)
	}
	g.Result("string_output", g.Layer("StringTensorPack", 15, nil, f.strings...))
	return g.Model()
}
