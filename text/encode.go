package text

import (
	"context"
	"errors"
	"strconv"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/plugin"
)

// PaddingSide is the side of a row that is filled up.
type PaddingSide string

// The sides of a row. "" is the side that the tokenizer states.
const (
	PaddingLeft  PaddingSide = "left"
	PaddingRight PaddingSide = "right"
)

// EncodeOptions are the options of Encode. The zero value means special tokens, no truncation, and
// rows as long as the longest. As in OpenVINO GenAI, they have no effect on a tokenizer that is a
// SentencepieceTokenizer.
type EncodeOptions struct {
	// NoSpecialTokens leaves out the special tokens that the tokenizer adds to texts.
	NoSpecialTokens bool
	// MaxLength is the largest number of tokens of a row if Truncation is set, special tokens
	// included, and the least one if PadToMaxLength is set. 0 means the one that the tokenizer
	// states; it is an error if it states none.
	MaxLength                  int
	Truncation, PadToMaxLength bool
	PaddingSide                PaddingSide
	// Pairs are the second texts of rows. If there is one text or one pair, all rows have it.
	Pairs []string
	// Offsets asks for Encoding.Offsets. It is an error if the graph of the tokenizer has a form in
	// which they are not known.
	Offsets bool
}

// Offset is the part of a text that a token is made of: the bytes from Begin to End.
type Offset struct{ Begin, End int }

// Encoding is a batch of rows of tokens. All rows have the same length.
type Encoding struct {
	Rows, Length int
	// IDs are the tokens, row by row. Mask is 1 for each that is not padding. TypeIDs are the
	// segments of tokens; nil if the tokenizer has none.
	IDs     []int32
	Mask    []uint8
	TypeIDs []int32
	// Offsets says where tokens are in the texts, if EncodeOptions ask for it: those of the second
	// text of a pair in that one. Special tokens around texts and padding have none, 0 to 0. A
	// character that became several tokens is in the offsets of each.
	//
	// Of a tokenizer.json, the offsets are those of Hugging Face's library, which counts
	// characters. It leaves spaces in or out as the post-processor of the file says. A byte that is
	// not UTF-8 is a character. Of the models of OpenVINO, a token starts where its first character
	// came from, and ends where its last one did.
	Offsets []Offset
}

// Row returns row i with its padding.
func (e *Encoding) Row(i int) []int32 { return e.IDs[i*e.Length : (i+1)*e.Length] }

// Tokens returns the tokens of row i without padding.
func (e *Encoding) Tokens(i int) []int32 {
	var tokens []int32
	for j, id := range e.Row(i) {
		if e.Mask[i*e.Length+j] == 1 {
			tokens = append(tokens, id)
		}
	}
	return tokens
}

// Defaults are what rows of an Encoding are like if EncodeOptions say nothing else.
type Defaults struct {
	// MaxLength is the number of tokens that Truncation leaves, special tokens included; 0 if the
	// tokenizer states none.
	MaxLength int
	// PaddingSide is the side that is filled up: with PadID, and with PadTypeID in TypeIDs.
	PaddingSide      PaddingSide
	PadID, PadTypeID int32
}

// Defaults returns what the tokenizer states. Of a tokenizer whose graph is run as a whole, only
// the id of the padding token is known, if a file names it.
func (t *Tokenizer) Defaults() Defaults {
	d := Defaults{PaddingSide: PaddingRight, PadID: max(t.special.PadID, 0)}
	if tail := t.encoder.tail; tail != nil {
		d.PadID, d.PadTypeID = tail.pad, tail.typePad
		if tail.padLeft {
			d.PaddingSide = PaddingLeft
		}
		if tail.limit < unlimited {
			d.MaxLength = tail.limit + specials(tail.segments)
		}
	}
	return d
}

// encoder is the tokenizer.
type encoder struct {
	tail  *tail     // nil if the model is run as a whole
	pair  []segment // nil if it is not known
	types bool      // whether the tokenizer has token_type_ids
	// direct computes the tokens of texts; nil for a graph of another form, which main then runs.
	direct *pipeline
	other  string // the layer that has the other form
	main   *requests
	// maxTokens is the largest number of tokens of an Encoding.
	maxTokens int64
}

func newEncoder(ctx context.Context, t *Tokenizer, model *ir.Model) (*encoder, error) {
	// The errors of a compilation, which may not come later.
	shapes, err := infer.Propagate(ctx, model, t.registry, nil)
	if shapes == nil {
		return nil, err
	}
	if unsupported := t.core.QueryShapes(model, shapes); unsupported != nil {
		return nil, unsupported
	}
	if err != nil {
		return nil, err
	}
	e := &encoder{maxTokens: t.maxTokens()}
	for _, result := range model.Results {
		for _, name := range append(result.OutputNames, result.Name) {
			e.types = e.types || name == "token_type_ids"
		}
	}
	var rows []ir.Input
	var other *ir.Layer
	if e.tail, rows = tailOf(model); e.tail != nil {
		if e.pair, err = pairOf(model); err != nil {
			return nil, err
		}
		if e.direct, other, err = pipelineOf(model, rows, t.preparation, t.maxBytes()); err != nil || e.direct != nil {
			return e, err
		}
	} else {
		other = endOf(model)
	}
	e.other = other.String()
	e.main, err = t.compileRows(ctx, model, rows)
	return e, err
}

// compileRows compiles the part of a model that computes rows, the whole model if rows is nil.
func (t *Tokenizer) compileRows(ctx context.Context, model *ir.Model, rows []ir.Input) (*requests, error) {
	if rows == nil {
		return t.compile(ctx, model)
	}
	var outputs []string
	for _, row := range rows {
		outputs = append(outputs, row.Source.Name+":"+strconv.Itoa(row.SourceIndex))
	}
	part, err := edit.Extract(ctx, model, t.registry, nil, outputs)
	if err != nil {
		return nil, err
	}
	return t.compile(ctx, part)
}

// withAttributes returns data with other values of some attributes.
func withAttributes(data []ir.Attribute, namesAndValues ...string) []ir.Attribute {
	changed := edit.Attributes(namesAndValues...)
	for _, a := range data {
		if !hasAttribute(changed, a.Name) {
			changed = append(changed, a)
		}
	}
	return changed
}

func hasAttribute(data []ir.Attribute, name string) bool {
	for i := range data {
		if data[i].Name == name {
			return true
		}
	}
	return false
}

// Encode returns the tokens of texts, one row for each. If there are Pairs, a row has both texts.
func (t *Tokenizer) Encode(ctx context.Context, texts []string, options EncodeOptions) (*Encoding, error) {
	switch options.PaddingSide {
	case "", PaddingLeft, PaddingRight:
	default:
		return nil, faults.Errorf("padding side is %q, expected left or right", options.PaddingSide)
	}
	if options.MaxLength < 0 {
		return nil, faults.Errorf("the maximal length is negative: %d", options.MaxLength)
	}
	if t.encoder.tail == nil {
		return t.encoder.encodeWhole(ctx, texts, &options)
	}
	return t.encoder.encode(ctx, texts, &options)
}

// encode computes the tokens of texts by the model, and the end of its graph here.
func (e *encoder) encode(ctx context.Context, texts []string, o *EncodeOptions) (*Encoding, error) {
	segments, rows := e.tail.segments, len(texts)
	if n := len(o.Pairs); n > 0 {
		if e.pair == nil {
			return nil, errors.New("the tokenizer does not say how it joins pairs")
		}
		if rows = max(rows, n); len(texts) != n && min(len(texts), n) != 1 {
			return nil, faults.Errorf("there are %d texts and %d pairs", len(texts), n)
		}
		segments = e.pair
	}
	limit, err := e.limit(segments, o)
	if err != nil {
		return nil, err
	}
	all, result := texts, &Encoding{Rows: rows}
	if len(o.Pairs) > 0 {
		all = append(append(make([]string, 0, len(texts)+len(o.Pairs)), texts...), o.Pairs...)
	}
	j := joiner{tail: e.tail, options: o, segments: segments, limit: limit, all: all, texts: len(texts)}
	if o.Offsets {
		if err := e.checkOffsets(); err != nil {
			return nil, err
		}
	}
	if e.direct != nil {
		err := e.direct.run(ctx, func(w *work) error {
			if w.follow(o.Offsets); o.Offsets {
				j.work = w
			}
			if err := w.encode(all); err != nil {
				return err
			}
			j.tokens = w.rows()
			return j.join(result, e)
		})
		if err != nil {
			return nil, err
		}
		return result, nil
	}
	in, err := ir.StringTensor(ir.Shape{len(all)}, all)
	if err != nil {
		return nil, err
	}
	err = e.main.infer(ctx, in, func(request *plugin.InferRequest) error {
		if j.tokens, err = rowsOf(request, len(all)); err != nil {
			return err
		}
		return j.join(result, e)
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// limit returns the largest number of tokens of the texts of a row.
func (e *encoder) limit(segments []segment, o *EncodeOptions) (int, error) {
	if !o.Truncation {
		return unlimited, nil
	}
	fixed := specials(segments)
	if o.NoSpecialTokens {
		fixed = 0
	}
	switch {
	case o.MaxLength > 0 && o.MaxLength < fixed:
		return 0, faults.Errorf("the maximal length is %d, fewer than the %d special tokens", o.MaxLength, fixed)
	case o.MaxLength > 0:
		return o.MaxLength - fixed, nil
	case e.tail.limit >= unlimited:
		return 0, errors.New("the tokenizer states no maximal length")
	}
	return max(0, e.tail.limit+specials(e.tail.segments)-fixed), nil
}

// checkOffsets returns an error if the offsets of tokens are not known: they are followed through
// the layers that are computed without the graph.
func (e *encoder) checkOffsets() error {
	switch {
	case e.direct != nil && e.direct.model != nil:
		return errors.New("the offsets of tokens are not known: texts are not followed through a SentencePiece model alone")
	case e.direct != nil:
		return nil
	}
	return faults.Errorf("the offsets of tokens are not known: %s has a form through which texts are not followed", e.other)
}

// encodeWhole runs a model whose end is not recognised, such as that of a SentencepieceTokenizer.
// As in OpenVINO GenAI, options have no effect on it.
func (e *encoder) encodeWhole(ctx context.Context, texts []string, o *EncodeOptions) (*Encoding, error) {
	if o.Offsets {
		return nil, e.checkOffsets()
	}
	if len(o.Pairs) > 0 {
		return nil, errors.New("the graph of the tokenizer has a form in which texts cannot be joined")
	}
	in, err := ir.StringTensor(ir.Shape{len(texts)}, texts)
	if err != nil {
		return nil, err
	}
	result := &Encoding{Rows: len(texts)}
	err = e.main.infer(ctx, in, func(request *plugin.InferRequest) error {
		ids, err := numbers(request, "input_ids", result.Rows)
		if err != nil {
			return err
		}
		mask, err := numbers(request, "attention_mask", result.Rows)
		if err != nil {
			return err
		}
		if len(mask) != len(ids) {
			return faults.Errorf("input_ids has %d elements, attention_mask %d", len(ids), len(mask))
		}
		if result.IDs = ids; result.Rows > 0 {
			result.Length = len(ids) / result.Rows
		}
		for _, m := range mask {
			result.Mask = append(result.Mask, uint8(m))
		}
		if e.types {
			result.TypeIDs, err = numbers(request, "token_type_ids", result.Rows)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// numbers returns a copy of an output with rows of numbers.
func numbers(request *plugin.InferRequest, name string, rows int) ([]int32, error) {
	t, err := request.OutputByName(name)
	if err != nil {
		return nil, err
	}
	values, err := t.Ints()
	if err != nil {
		return nil, err
	}
	if shape := t.Shape(); len(shape) != 2 || shape[0] != rows {
		return nil, faults.Errorf("%s has shape %v, for %d texts", name, shape, rows)
	}
	list := make([]int32, len(values))
	for i, v := range values {
		list[i] = int32(v)
	}
	return list, nil
}

// AppendEncode appends the tokens of a text to tokens. If special is set, they have the special
// tokens that the tokenizer adds to texts.
func (t *Tokenizer) AppendEncode(ctx context.Context, tokens []int32, text string, special bool) ([]int32, error) {
	if e := t.encoder; e.direct != nil {
		err := e.direct.run(ctx, func(w *work) error {
			if err := w.encodeText(text); err != nil {
				return err
			}
			tokens = e.tail.append(tokens, w.ids, special)
			return nil
		})
		return tokens, err
	}
	encoding, err := t.Encode(ctx, []string{text}, EncodeOptions{NoSpecialTokens: !special})
	if err != nil {
		return nil, err
	}
	return append(tokens, encoding.Tokens(0)...), nil
}

// CountTokens returns the number of tokens of a text, with the special tokens that the tokenizer
// adds if special is set.
func (t *Tokenizer) CountTokens(ctx context.Context, text string, special bool) (int, error) {
	tokens, err := t.AppendEncode(ctx, nil, text, special)
	return len(tokens), err
}
