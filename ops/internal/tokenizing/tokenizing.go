// Package tokenizing is the skeleton of the layers that turn each string of a row into tokens: they
// read rows of strings, and compute a row of ids for each row.
package tokenizing

import (
	"errors"
	"fmt"
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// The inputs of rows of strings.
const (
	rows    = 0
	strings = 2
	// Vocabulary is the first input after them.
	Vocabulary = decomposed.RowsOfStringsLen
)

// Infer checks the rows of strings, and the vocabulary in inputs 5 to 7, and sets the outputs:
// begins and ends of rows, and ids.
func Infer(in *ops.Inference) error {
	shape, err := decomposed.InferRowsOfStrings(in, rows)
	if err != nil {
		return err
	}
	if _, err := decomposed.InferStrings(in, Vocabulary); err != nil {
		return err
	}
	return SetOutputs(in, shape)
}

// SetOutputs sets the outputs to rows of the given shape.
func SetOutputs(in *ops.Inference, rows ir.PartialShape) error {
	return ops.SetOutputs(in, append(decomposed.RowFacts(rows), ir.Fact{Type: ir.I32, Shape: ir.ShapeOfRank(1)})...)
}

// Len returns the number of elements of input i.
func Len(p *ops.Preparation, i int) int { return p.InputShape(i).Elements() }

// Once returns the result of make, which reads the inputs from first to end-1, all of which are in
// Op.Values. It is made once for a layer whose inputs are Constants, and otherwise for each set of
// values. Once asks for the temporary memory of make and for the memory of the result. make asks
// for what it does not know before.
func Once(p *ops.Preparation, first, end int, temporary, kept int64, make func() (any, error)) (any, error) {
	of := p.Inputs[first].Tensor
	for i := first; i < end; i++ {
		if !check.Constant(p.Layer, i) {
			of = p.Inputs[i].Tensor // the result is kept no longer than this one
		}
	}
	// The layer tells which the other inputs are.
	return p.Once(of, fmt.Sprintf("layer %p", p.Layer), kept, func() (any, error) {
		release, err := p.Borrow(temporary)
		if err != nil {
			return nil, err
		}
		defer release()
		return make()
	})
}

// Core turns words into ids. It is safe for concurrent use with different S, the memory of one
// caller.
type Core[S any] interface {
	// Append appends the ids of word to dst.
	Append(dst []int32, word []byte, s *S) ([]int32, error)
	// MaxTokens returns the largest number of ids of a word of n bytes.
	MaxTokens(n int) int
}

// limited is the memory of a caller that has limits.
type limited[S any] interface {
	*S
	Limit() *limits.Limits
}

// Prepare returns the kernel of a layer, which reads no inputs from Vocabulary on: the ids of a row
// are those of its strings, one after the other. Where several rows have the same string, or
// strings share characters, there can be more ids than characters: like OpenVINO, the kernel then
// fails. added is the number of characters that core adds to each string, whose ids count as well;
// OpenVINO has no room for them.
func Prepare[S any, L limited[S]](p *ops.Preparation, core Core[S], added int) *ops.Prepared {
	k := &kernel{
		maxTokens: core.MaxTokens,
		added:     added,
		append: func(dst []int32, word []byte, scratch any) ([]int32, error) {
			return core.Append(dst, word, scratch.(*S))
		},
		scratch: func() (any, *limits.Limits) {
			s := new(S)
			return s, L(s).Limit()
		},
	}
	prepared := &ops.Prepared{Kernel: k.run}
	for i := Vocabulary; i < len(p.Inputs); i++ {
		prepared.Released = append(prepared.Released, i)
	}
	return prepared
}

// kernel has the functions of a Core. It is not generic, so that programs have its loop once.
type kernel struct {
	maxTokens func(n int) int
	added     int
	append    func(dst []int32, word []byte, scratch any) ([]int32, error)
	scratch   func() (any, *limits.Limits) // new
}

// state is what a Run keeps.
type state struct {
	scratch any
	limits  *limits.Limits // of scratch
	ids     []int32
}

func (k *kernel) run(r *ops.Run) error {
	words, err := decomposed.Strings(r, strings, "strings")
	if err != nil {
		return err
	}
	rows, err := decomposed.Rows(r, rows, words.Len(), "rows")
	if err != nil {
		return err
	}
	s := r.Own(func() any {
		s := new(state)
		s.scratch, s.limits = k.scratch()
		s.limits.Reserve = r.Reserve
		return s
	}).(*state)
	s.limits.Stop = r.Stop
	outBegins, outEnds := ir.Data[int32](r.Outputs[0]), ir.Data[int32](r.Outputs[1])
	if len(outBegins) < rows.Len() {
		return faults.Errorf("%d rows, and outputs for %d", rows.Len(), len(outBegins))
	}
	meter, most := r.Stop.Meter(), min(int64(len(words.Chars))+int64(k.added)*int64(words.Len()), math.MaxInt32)
	s.ids = s.ids[:0]
	for i, begin := range rows.Begins {
		outBegins[i] = int32(len(s.ids))
		for at := begin; at < rows.Ends[i]; at++ {
			word := words.At(int(at))
			if meter.Spent(32) {
				return parallel.ErrStopped
			}
			if s.ids, err = limits.Grow(s.limits, s.ids, len(s.ids)+k.maxTokens(len(word))); err != nil {
				return err
			}
			if s.ids, err = k.append(s.ids, word, s.scratch); err != nil {
				if errors.Is(err, parallel.ErrStopped) {
					return err
				}
				return faults.Errorf("string %d: %w", at, err)
			}
			if int64(len(s.ids)) > most {
				return faults.Errorf("string %d: more ids than the %d characters of all strings", at, most)
			}
		}
		outEnds[i] = int32(len(s.ids))
	}
	for i := rows.Len(); i < len(outBegins); i++ {
		outBegins[i], outEnds[i] = int32(len(s.ids)), int32(len(s.ids))
	}
	if err := r.SetShape(2, len(s.ids)); err != nil {
		return err
	}
	parallel.Copy(r.Stop, ir.Data[int32](r.Outputs[2]), s.ids)
	return nil
}
