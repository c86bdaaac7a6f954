// Package tokenizing is the skeleton of the layers that turn each string of a row into tokens: they
// read ragged strings, begins and ends of rows, begins, ends and characters of strings, and compute
// a row of ids for each row.
package tokenizing

import (
	"errors"
	"fmt"
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// The inputs of ragged strings.
const (
	rowBegins = iota
	rowEnds
	begins
	ends
	chars
	// Vocabulary is the first input after the strings.
	Vocabulary
)

// CheckStrings checks the element types of inputs i to i+2: begins, ends and characters of the
// strings called name.
func CheckStrings(in *ops.Inference, i int, name string) error {
	return checkTypes(in, i, name, []string{"begins", "ends", "chars"}, ir.I32, ir.I32, ir.U8)
}

// CheckRaggedStrings checks the element types of inputs 0 to 4.
func CheckRaggedStrings(in *ops.Inference) error {
	return checkTypes(in, 0, "strings", []string{"begins of rows", "ends of rows", "begins", "ends", "chars"}, ir.I32, ir.I32, ir.I32, ir.I32, ir.U8)
}

func checkTypes(in *ops.Inference, i int, name string, parts []string, types ...ir.ElementType) error {
	for k, want := range types {
		if got := in.Inputs[i+k].Type; got != want {
			return faults.Errorf("%s: %s is %v, expected %v", name, parts[k], got, want)
		}
	}
	return nil
}

// SetOutputs sets the outputs: begins and ends of rows, of the given shape, and ids.
func SetOutputs(in *ops.Inference, rows ir.PartialShape) error {
	return ops.SetOutputs(in,
		ir.Fact{Type: ir.I32, Shape: rows},
		ir.Fact{Type: ir.I32, Shape: rows},
		ir.Fact{Type: ir.I32, Shape: ir.ShapeOf(ir.AnyDim)})
}

// Infer checks the strings, and the vocabulary in inputs 5 to 7, and sets the outputs.
func Infer(in *ops.Inference) error {
	if err := CheckRaggedStrings(in); err != nil {
		return err
	}
	if err := CheckStrings(in, Vocabulary, "vocabulary"); err != nil {
		return err
	}
	return SetOutputs(in, in.Inputs[rowBegins].Shape)
}

// Strings returns the strings in inputs i to i+2.
func Strings(inputs []*ir.Tensor, i int) ragged.Strings {
	return ragged.Strings{Begins: ir.Data[int32](inputs[i]), Ends: ir.Data[int32](inputs[i+1]), Chars: inputs[i+2].Bytes()}
}

// ConstantStrings returns the strings in inputs i to i+2 of p, which are in Op.Values. It is an
// error, that begins with name, if a range is not in the characters.
func ConstantStrings(p *ops.Preparation, i int, name string) (ragged.Strings, error) {
	s := Strings([]*ir.Tensor{p.Inputs[i].Tensor, p.Inputs[i+1].Tensor, p.Inputs[i+2].Tensor}, 0)
	return s, s.Check(name)
}

// Len returns the number of elements of input i.
func Len(p *ops.Preparation, i int) int { return p.InputShape(i).Elements() }

// Once returns the result of make, which reads the inputs from Vocabulary on, all of which are in
// Op.Values. It is made once for a layer whose inputs are Constants, and otherwise for each set of
// values. Once asks for the temporary memory of make and for the memory of the result. make asks
// for what it does not know before.
func Once(p *ops.Preparation, temporary, kept int64, make func() (any, error)) (any, error) {
	of := p.Inputs[Vocabulary].Tensor
	for i := Vocabulary; i < len(p.Inputs); i++ {
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
// fails.
func Prepare[S any, L limited[S]](p *ops.Preparation, core Core[S]) *ops.Prepared {
	k := &kernel[S, L]{core}
	prepared := &ops.Prepared{Kernel: k.run}
	for i := Vocabulary; i < len(p.Inputs); i++ {
		prepared.Released = append(prepared.Released, i)
	}
	return prepared
}

type kernel[S any, L limited[S]] struct{ core Core[S] }

// state is what a Run keeps.
type state[S any] struct {
	scratch S
	ids     []int32
}

func (k *kernel[S, L]) run(r *ops.Run) error {
	words := Strings(r.Inputs, begins)
	rows := ragged.Rows{Begins: ir.Data[int32](r.Inputs[rowBegins]), Ends: ir.Data[int32](r.Inputs[rowEnds])}
	if err := words.Check("strings"); err != nil {
		return err
	}
	if err := rows.Check("rows", words.Len()); err != nil {
		return err
	}
	s := r.Own(func() any {
		s := new(state[S])
		L(&s.scratch).Limit().Reserve = r.Reserve
		return s
	}).(*state[S])
	limit := L(&s.scratch).Limit()
	limit.Stop = r.Stop
	outBegins, outEnds := ir.Data[int32](r.Outputs[0]), ir.Data[int32](r.Outputs[1])
	if len(outBegins) < rows.Len() {
		return faults.Errorf("%d rows, and outputs for %d", rows.Len(), len(outBegins))
	}
	meter, most := r.Stop.Meter(), min(len(words.Chars), math.MaxInt32)
	s.ids = s.ids[:0]
	for i, begin := range rows.Begins {
		outBegins[i] = int32(len(s.ids))
		for at := begin; at < rows.Ends[i]; at++ {
			word := words.At(int(at))
			if meter.Spent(32) {
				return parallel.ErrStopped
			}
			var err error
			if s.ids, err = limits.Grow(limit, s.ids, len(s.ids)+k.core.MaxTokens(len(word))); err != nil {
				return err
			}
			if s.ids, err = k.core.Append(s.ids, word, &s.scratch); err != nil {
				if errors.Is(err, parallel.ErrStopped) {
					return err
				}
				return faults.Errorf("string %d: %w", at, err)
			}
			if len(s.ids) > most {
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
