package text

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/align"
	"github.com/vinoir/vinoir/internal/text/bpe"
	"github.com/vinoir/vinoir/internal/text/charsmap"
	"github.com/vinoir/vinoir/internal/text/hf"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/internal/text/split"
	"github.com/vinoir/vinoir/internal/text/sptokenizer"
	"github.com/vinoir/vinoir/internal/text/unigram"
	"github.com/vinoir/vinoir/internal/text/wordpiece"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/bpetokenizer"
	"github.com/vinoir/vinoir/ops/charsmapnormalization"
	"github.com/vinoir/vinoir/ops/regexnormalization"
	"github.com/vinoir/vinoir/ops/regexsplit"
	"github.com/vinoir/vinoir/ops/specialtokenssplit"
	"github.com/vinoir/vinoir/ops/unigramtokenizer"
	"github.com/vinoir/vinoir/ops/wordpiecetokenizer"
)

// pipeline computes the tokens of a text without the graph: what each layer does with a string, one
// layer after the other. It is safe for concurrent use.
type pipeline struct {
	// exact or model computes all steps, for a tokenizer that has no graph; else both are nil.
	exact    *hf.Tokenizer
	model    *sptokenizer.Tokenizer
	steps    []step
	tokens   any // *bpe.Tokenizer, *wordpiece.Tokenizer or *unigram.Tokenizer
	maxBytes int64
	works    sync.Pool // of *work
}

// step cuts pieces, or normalizes them. Either cut or one of the normalizers is set.
type step struct {
	cut interface {
		Append(pieces []split.Piece, text []byte, s *split.Scratch) ([]split.Piece, error)
	}
	replacer   *split.Replacer
	normalizer *charsmap.Normalizer
	// skips means that pieces that are special tokens stay as they are. Without it, no piece is
	// one.
	skips bool
	// words means that a text without a character has no pieces: RegexSplit makes an empty row of
	// it.
	words bool
}

// pipelineOf recognises the graph that computes rows, the tokens of texts:
//
//	StringTensorUnpack → normalizers → SpecialTokensSplit → normalizers → RegexSplit… → tokenizer
//
// For any other graph, it returns the layer that has another form, the first one from the end.
// prepare returns the Preparation of a layer, and maxBytes bounds the memory of a call.
func pipelineOf(
	model *ir.Model, rows []ir.Input, prepare func(*ir.Layer) (*ops.Preparation, error), maxBytes int64,
) (_ *pipeline, other *ir.Layer, _ error) {
	last := rows[0].Source
	if len(model.Parameters) != 1 || len(rows) != 3 || !reads(rows, last, 0, 1, 2) || len(last.Inputs) < 5 {
		return nil, last, nil
	}
	p := &pipeline{maxBytes: maxBytes}
	p.works.New = func() any { return newWork(p) }
	preparation, err := prepare(last)
	if err != nil {
		return nil, nil, err
	}
	if !allKnown(preparation, 5) {
		return nil, last, nil
	}
	switch last.Type {
	case "BPETokenizer":
		p.tokens, err = bpetokenizer.Core(preparation)
	case "WordpieceTokenizer":
		p.tokens, err = wordpiecetokenizer.Core(preparation)
	case "UnigramTokenizer":
		p.tokens, err = unigramtokenizer.Core(preparation)
	default:
		return nil, last, nil
	}
	if err != nil {
		return nil, nil, faults.Errorf("%v: %w", last, err)
	}
	if other, err := p.addSteps(model, last, prepare); err != nil || other != nil {
		return nil, other, err
	}
	return p, nil, nil
}

// addSteps adds the layers before last, from the end to the start. It returns the first one that
// has another form.
func (p *pipeline) addSteps(
	model *ir.Model, last *ir.Layer, prepare func(*ir.Layer) (*ops.Preparation, error),
) (other *ir.Layer, _ error) {
	rows, strings, skips := last.Inputs[:2], last.Inputs[2:5], []ir.Input(nil)
	var begins []*ir.Layer // whose output 0 has as many elements as there are texts
	for {
		layer := strings[0].Source
		if layer.Type == "StringTensorUnpack" {
			known := reads(strings, layer, 0, 1, 2) && skips == nil && layer.Inputs[0].Source == model.Parameters[0]
			if !known || !countsRows(rows, append(begins, layer)) {
				return layer, nil
			}
			return nil, nil
		}
		n := 3 // inputs before skips
		cuts := layer.Type == "RegexSplit" || layer.Type == "SpecialTokensSplit"
		if cuts {
			n = 5
			if !reads(rows, layer, 0, 1) {
				return layer, nil
			}
		} else {
			begins = append(begins, layer)
		}
		if len(layer.Inputs) < n || !reads(strings, layer, n-3, n-2, n-1) || skips != nil && !reads(skips, layer, n) {
			return layer, nil
		}
		hasSkips := len(layer.Inputs) > n && layer.Inputs[n].Source.Type != "Constant"
		s, err := stepOf(layer, n, hasSkips, prepare)
		if err != nil {
			return nil, faults.Errorf("%v: %w", layer, err)
		}
		if s == nil {
			return layer, nil
		}
		p.steps = append([]step{*s}, p.steps...)
		if cuts {
			rows, begins = layer.Inputs[:2], nil
		}
		strings, skips = layer.Inputs[n-3:n], nil
		if hasSkips {
			skips = layer.Inputs[n : n+1]
		}
	}
}

// allKnown reports whether the inputs from one on are known. A model can compute them from
// constants, which only the graph does.
func allKnown(p *ops.Preparation, from int) bool {
	for i := from; i < len(p.Inputs); i++ {
		if p.Inputs[i].Tensor == nil {
			return false
		}
	}
	return true
}

// stepOf returns the step of a layer, of which inputs says how many hold strings; nil if the layer
// is of another type, or its pattern or map is not constant.
func stepOf(layer *ir.Layer, inputs int, skips bool, prepare func(*ir.Layer) (*ops.Preparation, error)) (*step, error) {
	s := &step{skips: skips}
	switch layer.Type {
	case "RegexSplit", "SpecialTokensSplit", "RegexNormalization", "CharsMapNormalization", "NormalizeUnicode", "CaseFold":
	default:
		return nil, nil
	}
	p, err := prepare(layer)
	if err != nil {
		return nil, err
	}
	known := inputs
	if skips {
		known++
	}
	if !allKnown(p, known) {
		return nil, nil
	}
	switch layer.Type {
	case "RegexSplit":
		s.words = true
		s.cut, err = regexsplit.Core(p)
	case "SpecialTokensSplit":
		s.cut, err = specialtokenssplit.Core(p)
	case "RegexNormalization":
		s.replacer, err = regexnormalization.Core(p)
	default:
		s.normalizer, err = charsmapnormalization.Core(p)
		s.skips = skips && !charsmapnormalization.IgnoresSkips(p)
	}
	if err != nil || s.cut == nil && s.replacer == nil && s.normalizer == nil {
		return nil, err
	}
	return s, nil
}

// countsRows reports whether rows are row i from i to i+1, for each of the texts that output 0 of
// one of begins has an element for.
func countsRows(rows []ir.Input, begins []*ir.Layer) bool {
	first, last := rows[0].Source, rows[1].Source
	if !isRange(first, 0) || !isRange(last, 1) {
		return false
	}
	count, next := first.Inputs[1], last.Inputs[1].Source
	if next.Type != "Add" || len(next.Inputs) != 2 || !reads(next.Inputs[:1], count.Source, count.SourceIndex) || !isNumber(next.Inputs[1], 1) {
		return false
	}
	gather := count.Source
	if gather.Type != "Gather" || len(gather.Inputs) != 3 || !isNumber(gather.Inputs[1], 0) || !isNumber(gather.Inputs[2], 0) {
		return false
	}
	shape := gather.Inputs[0].Source
	if shape.Type != "ShapeOf" || shape.Inputs[0].SourceIndex != 0 {
		return false
	}
	for _, layer := range begins {
		if shape.Inputs[0].Source == layer {
			return true
		}
	}
	return false
}

// isRange reports whether a layer counts from start in steps of one.
func isRange(layer *ir.Layer, start int64) bool {
	return layer.Type == "Range" && len(layer.Inputs) == 3 && isNumber(layer.Inputs[0], start) && isNumber(layer.Inputs[2], 1)
}

// isNumber reports whether an input is a constant of one number, want.
func isNumber(in ir.Input, want int64) bool {
	values, ok := numbersOf(in)
	return ok && len(values) == 1 && values[0] == want
}

// work is the memory of one call. It keeps what it has for the next one.
type work struct {
	*pipeline
	reserved int64 // bytes that grew

	split     split.Scratch
	chars     charsmap.Work
	bpe       bpe.Scratch
	wordpiece wordpiece.Scratch
	unigram   unigram.Scratch
	hf        hf.Scratch
	spm       sptokenizer.Scratch
	pieces    []split.Piece // of text
	next      []split.Piece
	text      []byte
	other     []byte
	ids       []int32
	begins    []int32
	ends      []int32

	// follows means that the bytes of texts are followed, and that offsets are those of ids.
	follows bool
	sources align.Sources
	cover   align.Cover
	places  []align.Span // of the bytes of text
	moved   []align.Span
	offsets []hf.Offset
}

func newWork(p *pipeline) *work {
	w := &work{pipeline: p}
	for _, l := range w.limits() {
		l.Reserve = w.reserve
	}
	return w
}

// limits returns the limits of all parts.
func (w *work) limits() [7]*limits.Limits {
	return [...]*limits.Limits{
		w.split.Limit(), w.chars.Limit(), w.bpe.Limit(), w.wordpiece.Limit(), w.unigram.Limit(), w.hf.Limit(), w.spm.Limit(),
	}
}

// maxKept bounds the memory that a call leaves for others.
const maxKept = 16 << 20

// run calls use with the memory of a call that ctx ends.
func (p *pipeline) run(ctx context.Context, use func(*work) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := p.works.Get().(*work)
	w.start(parallel.Stop(ctx.Done()))
	err := use(w)
	if errors.Is(err, parallel.ErrStopped) && ctx.Err() != nil {
		err = ctx.Err()
	}
	if w.reserved <= maxKept && err == nil {
		p.works.Put(w)
	}
	return err
}

// start sets what ends a call.
func (w *work) start(stop parallel.Stop) {
	for _, l := range w.limits() {
		l.Stop = stop
	}
	w.ids, w.begins, w.ends = w.ids[:0], w.begins[:0], w.ends[:0]
	if w.follows {
		w.follow(false)
	}
}

// follow says whether the bytes of texts are followed.
func (w *work) follow(follows bool) {
	w.follows, w.offsets = follows, w.offsets[:0]
	w.split.Sources, w.chars.Sources, w.bpe.Cover, w.wordpiece.Cover, w.unigram.Cover = nil, nil, nil, nil, nil
	if follows {
		w.sources.Limits, w.cover.Limits = *w.split.Limit(), *w.split.Limit()
		w.split.Sources, w.chars.Sources = &w.sources, &w.sources
		w.bpe.Cover, w.wordpiece.Cover, w.unigram.Cover = &w.cover, &w.cover, &w.cover
	}
}

// reserve asks for memory.
func (w *work) reserve(bytes int64) error {
	if w.reserved += bytes; w.reserved > w.maxBytes {
		return faults.Errorf("the texts need more than the limit of %d bytes", w.maxBytes)
	}
	return nil
}

// grow returns buffer with room for n more bytes.
func (w *work) grow(buffer []byte, n int) ([]byte, error) {
	if n > math.MaxInt32-len(buffer) {
		return nil, faults.Errorf("a text has more than %d bytes", math.MaxInt32)
	}
	return limits.Grow(w.split.Limit(), buffer, len(buffer)+n)
}

// encode appends the tokens of texts to w.ids, a row for each.
func (w *work) encode(texts []string) error {
	chars, added := 0, 0 // of words, and added to each
	if t, ok := w.tokens.(*bpe.Tokenizer); ok {
		added = t.MaxTokens(0)
	}
	for i, text := range texts {
		w.begins = append(w.begins, int32(len(w.ids)))
		if err := w.encodeText(text); err != nil {
			return faults.Errorf("text %d: %w", i, err)
		}
		chars += len(w.text) + added*len(w.pieces)
		w.ends = append(w.ends, int32(len(w.ids)))
	}
	if w.exact == nil && w.model == nil && len(w.ids) > min(chars, math.MaxInt32) {
		return faults.Errorf("the texts have %d tokens, more than the %d characters of all words", len(w.ids), chars)
	}
	return nil
}

// rows returns the tokens that encode has appended.
func (w *work) rows() tokenRows {
	return tokenRows{ragged.Rows{Begins: w.begins, Ends: w.ends}, w.ids}
}

// encodeText appends the tokens of a text.
func (w *work) encodeText(text string) error {
	var err error
	switch {
	case w.exact != nil && w.follows:
		w.ids, w.offsets, err = w.exact.AppendOffsets(w.ids, w.offsets, text, &w.hf)
		return err
	case w.exact != nil:
		w.ids, err = w.exact.Append(w.ids, text, &w.hf)
		return err
	case w.model != nil:
		w.ids, err = w.model.Append(w.ids, text, &w.spm)
		return err
	case w.follows:
		if w.places, err = align.AppendText(w.places[:0], text, w.split.Limit()); err != nil {
			return err
		}
	}
	if w.text, err = w.grow(w.text[:0], len(text)); err != nil {
		return err
	}
	w.text = append(w.text, text...)
	w.pieces = append(w.pieces[:0], split.Piece{End: int32(len(text))})
	for i := range w.steps {
		s := &w.steps[i]
		if s.cut != nil {
			err = w.cut(s)
		} else {
			err = w.normalize(s)
		}
		if err != nil {
			return err
		}
	}
	switch t := w.tokens.(type) {
	case *bpe.Tokenizer:
		return appendTokens(w, t, &w.bpe)
	case *wordpiece.Tokenizer:
		return appendTokens(w, t, &w.wordpiece)
	case *unigram.Tokenizer:
		return appendTokens(w, t, &w.unigram)
	}
	return nil
}

// pieceBytes is the number of bytes of a text for which there is room for a piece at first.
const pieceBytes = 6

// cut cuts each piece into smaller ones.
func (w *work) cut(s *step) error {
	var err error
	// Most words have more bytes than this: there is no need to copy the pieces as they grow.
	if w.next, err = limits.Grow(w.split.Limit(), w.next[:0], len(w.pieces)+len(w.text)/pieceBytes); err != nil {
		return err
	}
	if s.words && len(w.text) == 0 {
		w.pieces = w.pieces[:0]
	}
	for _, piece := range w.pieces {
		first := len(w.next)
		if s.skips && piece.Skip {
			w.next, err = w.split.Append(w.next, piece)
		} else {
			w.next, err = s.cut.Append(w.next, w.text[piece.Begin:piece.End], &w.split)
			for i := range w.next[first:] {
				next := &w.next[first+i]
				next.Begin += piece.Begin
				next.End += piece.Begin
			}
		}
		if err != nil {
			return err
		}
	}
	w.pieces, w.next = w.next, w.pieces
	return nil
}

// normalize normalizes each piece.
func (w *work) normalize(s *step) error {
	out := w.other[:0]
	w.moved = w.moved[:0]
	for i := range w.pieces {
		piece := &w.pieces[i]
		w.split.Sources.Reset()
		text, begin, err := w.text[piece.Begin:piece.End], len(out), error(nil)
		switch {
		case s.skips && piece.Skip:
			out, err = split.Keep(out, text, &w.split)
		case s.replacer != nil:
			out, err = s.replacer.Append(out, text, &w.split)
		default:
			out, err = s.normalizer.Append(out, text, &w.chars)
		}
		if err != nil {
			return err
		}
		if len(out) > math.MaxInt32 {
			return faults.Errorf("a text has more than %d bytes", math.MaxInt32)
		}
		if w.follows {
			start := align.Join(w.places, int(piece.Begin), int(piece.Begin)).End
			if w.moved, err = w.sources.Append(w.moved, w.places[piece.Begin:piece.End], start); err != nil {
				return err
			}
		}
		piece.Begin, piece.End = int32(begin), int32(len(out))
	}
	w.text, w.other = out, w.text
	if w.follows {
		w.places, w.moved = w.moved, w.places
	}
	return nil
}

// appendTokens appends the tokens of all pieces.
func appendTokens[S any](w *work, tokenizer interface {
	Append(dst []int32, word []byte, s *S) ([]int32, error)
	MaxTokens(n int) int
}, scratch *S) (err error) {
	if w.ids, err = limits.Grow(w.split.Limit(), w.ids, len(w.ids)+len(w.pieces)+len(w.pieces)/2); err != nil {
		return err
	}
	for _, piece := range w.pieces {
		word := w.text[piece.Begin:piece.End]
		if w.ids, err = limits.Grow(w.split.Limit(), w.ids, len(w.ids)+tokenizer.MaxTokens(len(word))); err != nil {
			return err
		}
		first := len(w.ids)
		if w.ids, err = tokenizer.Append(w.ids, word, scratch); err != nil {
			return err
		}
		if w.follows {
			if err := w.appendOffsets(piece, len(w.ids)-first); err != nil {
				return err
			}
		}
	}
	return nil
}

// appendOffsets appends the offsets of the last n tokens, which are those of a piece. w.cover has
// their bytes.
func (w *work) appendOffsets(piece split.Piece, n int) (err error) {
	if w.offsets, err = limits.Grow(w.split.Limit(), w.offsets, len(w.offsets)+n); err != nil {
		return err
	}
	for _, span := range w.cover.Spans[:n] {
		place := align.Join(w.places, int(piece.Begin+span.Begin), int(piece.Begin+span.End))
		w.offsets = append(w.offsets, hf.Offset{Span: place})
	}
	w.cover.Cut(0)
	return nil
}
