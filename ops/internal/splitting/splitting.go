// Package splitting is the skeleton of the layers that cut each string of a row into pieces: they
// read rows of strings, begins and ends of rows, then begins, ends and chars of strings, perhaps
// skips of strings, and compute rows of pieces, which are ranges of the same chars.
package splitting

import (
	"bytes"
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/internal/text/split"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

const (
	rows    = 0
	strings = 2
	chars   = 4
	// Skips is the input and the output that has the skips, if there are any.
	Skips = 5
)

// Core cuts one string into pieces. It is safe for concurrent use.
type Core interface {
	Append(pieces []split.Piece, text []byte, s *split.Scratch) ([]split.Piece, error)
}

// Infer checks the inputs: rows of strings, skips if there are any, and a pattern. It returns the
// facts of the outputs, of which the last one, skips, is for layers that have it. empty says that
// rows without a character become one row.
func Infer(in *ops.Inference, skips, empty bool, pattern int) ([]ir.Fact, error) {
	shape, err := inferRows(in, empty)
	if err != nil {
		return nil, err
	}
	if skips {
		if _, err := decomposed.InferSkips(in, Skips); err != nil {
			return nil, err
		}
		if err := check.Rank("skips", in.Inputs[Skips].Shape, 1); err != nil {
			return nil, err
		}
	}
	if err := decomposed.InferBytes(in, pattern, "pattern"); err != nil {
		return nil, err
	}
	return append(decomposed.RowOfStringFacts(shape), ir.Fact{Type: ir.Boolean, Shape: ir.ShapeOfRank(1)}), nil
}

// inferRows checks the rows of strings and returns the shape of the rows of the output.
func inferRows(in *ops.Inference, empty bool) (ir.PartialShape, error) {
	n := in.Inputs[chars].Shape.Elements()
	if empty && n == ir.Dim(0) && in.Inputs[chars].Type == ir.U8 && in.Inputs[rows].Type == ir.I32 && in.Inputs[rows+1].Type == ir.I32 {
		// Without a character, the rows are not read: their shapes may differ.
		_, err := decomposed.InferStrings(in, strings)
		return ir.StaticShape(1), err
	}
	shape, err := decomposed.InferRowsOfStrings(in, rows)
	if empty && n.Min == 0 {
		shape = ir.ShapeOfRank(1)
	}
	return shape, err
}

// Layer is what the kernel of a layer needs.
type Layer struct {
	// Pattern is the input that is the pattern. New returns the Core for it.
	Pattern int
	New     func(pattern []byte) (Core, error)
	// Skips says that there is an input with skips.
	Skips bool
	// Kept are three inputs, begins, ends and chars of strings that stay whole; 0 if there are
	// none.
	Kept int
	// Empty says that rows without a character become one row, from 0 to 0.
	Empty bool
}

// Prepare returns the kernel of l. A constant pattern is compiled once.
func (l *Layer) Prepare(p *ops.Preparation) (*ops.Prepared, error) {
	k := &kernel{Layer: l}
	var err error
	k.core, err = l.Core(p)
	return ops.Only(k.run, err)
}

// Core returns what the layer does with one string; nil if the pattern is not constant.
func (l *Layer) Core(p *ops.Preparation) (Core, error) {
	constant := p.Inputs[l.Pattern].Tensor
	if constant == nil {
		return nil, nil
	}
	if err := p.Reserve(split.MaxBytes(constant.Len())); err != nil {
		return nil, err
	}
	return l.New(constant.Bytes())
}

type kernel struct {
	*Layer
	core Core // nil if the pattern is not constant
}

// state is what a Run keeps.
type state struct {
	scratch split.Scratch
	pieces  []split.Piece
	pattern []byte // of core
	core    Core
	kept    map[string]struct{}
}

func (k *kernel) run(r *ops.Run) error {
	in, err := decomposed.Strings(r, strings, "strings")
	if err != nil {
		return err
	}
	var skips []byte
	if k.Skips {
		if skips = r.Inputs[Skips].Bytes(); len(skips) != in.Len() {
			return faults.Errorf("skips has %d elements, there are %d strings", len(skips), in.Len())
		}
	}
	s := r.Own(func() any {
		s := new(state)
		s.scratch.Limit().Reserve = r.Reserve
		return s
	}).(*state)
	s.scratch.Limit().Stop = r.Stop
	if k.Empty && len(in.Chars) == 0 {
		return k.passOn(r, in, skips)
	}
	of, err := decomposed.Rows(r, rows, in.Len(), "rows")
	if err != nil {
		return err
	}
	if err := k.compile(r, s); err != nil {
		return err
	}
	for i := range 2 {
		if err := setLength(r, i, of.Len()); err != nil {
			return err
		}
	}
	begins, ends := ir.Data[int32](r.Outputs[0]), ir.Data[int32](r.Outputs[1])
	meter := r.Stop.Meter()
	s.pieces = s.pieces[:0]
	for i, begin := range of.Begins {
		begins[i] = int32(len(s.pieces))
		for j := begin; j < of.Ends[i]; j++ {
			text := in.At(int(j))
			if meter.Spent(16 + len(text)) {
				return parallel.ErrStopped
			}
			if err := k.cut(s, text, in.Begins[j], skips != nil && skips[j] != 0); err != nil {
				return err
			}
		}
		ends[i] = int32(len(s.pieces))
	}
	return k.write(r, s.pieces)
}

// cut appends the pieces of a string, which starts at byte base of chars.
func (k *kernel) cut(s *state, text []byte, base int32, skip bool) error {
	first := len(s.pieces)
	var core Core = whole(skip)
	if !skip && !s.keeps(text) {
		if core = k.core; core == nil {
			core = s.core
		}
	}
	var err error
	if s.pieces, err = core.Append(s.pieces, text, &s.scratch); err != nil {
		return err
	}
	if len(s.pieces) > math.MaxInt32 {
		return faults.Errorf("more pieces than an i32 counts")
	}
	for i := range s.pieces[first:] {
		piece := &s.pieces[first+i]
		piece.Begin += base
		piece.End += base
	}
	return nil
}

// keeps reports whether text is one of the strings that stay whole.
func (s *state) keeps(text []byte) bool {
	if s.kept == nil {
		return false
	}
	_, ok := s.kept[string(text)]
	return ok
}

// whole is a Core that makes one piece of a string, which is to be skipped or not.
type whole bool

func (w whole) Append(pieces []split.Piece, text []byte, s *split.Scratch) ([]split.Piece, error) {
	return s.Append(pieces, split.Piece{End: int32(len(text)), Skip: bool(w)})
}

// write sets the outputs of strings.
func (k *kernel) write(r *ops.Run, pieces []split.Piece) error {
	for i := strings; i < len(r.Outputs); i++ {
		if i == chars {
			continue
		}
		if err := setLength(r, i, len(pieces)); err != nil {
			return err
		}
	}
	begins, ends := ir.Data[int32](r.Outputs[strings]), ir.Data[int32](r.Outputs[strings+1])
	for i := range pieces {
		begins[i], ends[i] = pieces[i].Begin, pieces[i].End
	}
	if len(r.Outputs) > Skips {
		skips := r.Outputs[Skips].Bytes()
		for i := range pieces {
			skips[i] = 0
			if pieces[i].Skip {
				skips[i] = 1
			}
		}
	}
	return r.ShareOutput(chars, r.Inputs[chars])
}

// passOn sets the outputs for strings without a character: one row, and the strings as they are.
func (k *kernel) passOn(r *ops.Run, in ragged.Strings, skips []byte) error {
	for i := range 2 {
		if err := setLength(r, i, 1); err != nil {
			return err
		}
		ir.Data[int32](r.Outputs[i])[0] = 0
	}
	for i := strings; i < len(r.Outputs); i++ {
		if i == chars {
			continue
		}
		if err := setLength(r, i, in.Len()); err != nil {
			return err
		}
	}
	parallel.Copy(r.Stop, ir.Data[int32](r.Outputs[strings]), in.Begins)
	parallel.Copy(r.Stop, ir.Data[int32](r.Outputs[strings+1]), in.Ends)
	if len(r.Outputs) > Skips {
		parallel.Copy(r.Stop, r.Outputs[Skips].Bytes(), skips)
	}
	return r.ShareOutput(chars, r.Inputs[chars])
}

// setLength makes output i a vector of n elements, unless it is one.
func setLength(r *ops.Run, i, n int) error {
	if r.Outputs[i] != nil && r.Outputs[i].Len() == n && i < strings {
		return nil // the shape of the rows, which may have any rank
	}
	return r.SetShape(i, n)
}

// compile sets the core of a pattern that is not constant, and the strings that stay whole.
func (k *kernel) compile(r *ops.Run, s *state) error {
	if k.Kept > 0 {
		if err := k.keep(r, s); err != nil {
			return err
		}
	}
	pattern := r.Inputs[k.Pattern].Bytes()
	if k.core != nil || s.core != nil && bytes.Equal(s.pattern, pattern) {
		return nil
	}
	before := s.pattern
	s.core, s.pattern = nil, nil
	if err := r.Reserve(bytesOf(pattern) - bytesOf(before)); err != nil {
		s.pattern = before
		return err
	}
	s.pattern = bytes.Clone(pattern)
	core, err := k.New(pattern)
	if err != nil {
		return err
	}
	s.core = core
	return nil
}

// bytesOf returns the memory of a pattern and its core.
func bytesOf(pattern []byte) int64 {
	if pattern == nil {
		return 0
	}
	return split.MaxBytes(len(pattern)) + int64(len(pattern))
}

// keep sets the strings that stay whole.
func (k *kernel) keep(r *ops.Run, s *state) error {
	list, err := decomposed.Strings(r, k.Kept, "strings not to split")
	if err != nil {
		return err
	}
	same := len(s.kept) > 0
	for i := range list.Len() {
		same = same && s.keeps(list.At(i))
	}
	if same && len(s.kept) == list.Len() {
		return nil
	}
	const entry = 64 // bytes
	if s.kept == nil {
		if err := r.Reserve(int64(list.Len())*entry + int64(len(list.Chars))); err != nil {
			return err
		}
	}
	s.kept = make(map[string]struct{}, list.Len())
	meter := r.Stop.Meter()
	for i := range list.Len() {
		if meter.Spent(16 + len(list.At(i))) {
			return parallel.ErrStopped
		}
		s.kept[string(list.At(i))] = struct{}{}
	}
	return nil
}
