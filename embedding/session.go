package embedding

import (
	"context"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/textinput"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

// session runs batches one after the other, in memory that it keeps.
type session struct {
	*model
	request *plugin.InferRequest
	states  []*plugin.State

	idRows, maskRows, typeRows, positionRows textinput.Ints[int64]
	beamRows                                 textinput.Ints[int32]
}

func (m *model) newSession() *session {
	s := &session{model: m, request: m.compiled.NewInferRequest()}
	s.states = s.request.QueryState()
	return s
}

// output is what the model computes for the tokens of a text.
type output struct {
	// values are vectors of width elements: one for each of the length tokens, or a single one.
	values        []float32
	width, length int
	// first and count say which of the tokens are not padding.
	first, count int
}

// run computes a batch. receive gets the output of each text, which is valid until it returns.
func (s *session) run(ctx context.Context, b *batch, receive func(i int, out *output) error) error {
	if err := s.setInputs(b); err != nil {
		return err
	}
	for _, state := range s.states {
		if err := state.Reset(); err != nil {
			return err
		}
	}
	if err := s.request.Infer(ctx); err != nil {
		return err
	}
	result := s.request.Output(0)
	shape, rows := result.Shape(), len(b.rows)
	if len(shape) < 2 || len(shape) > 3 || shape[0] != rows || len(shape) == 3 && shape[1] != b.length {
		return faults.Errorf("the output for %d rows of %d tokens is %v, not [%d,n] or [%d,%d,n]", rows, b.length, shape, rows, rows, b.length)
	}
	values, size := ir.Data[float32](result), shape[1:].Elements()
	for k, row := range b.rows {
		out := output{values: values[k*size : (k+1)*size], width: shape[len(shape)-1], length: size, count: len(row.ids)}
		if out.length = 1; len(shape) == 3 {
			out.length = b.length
		}
		if b.left {
			out.first = b.length - out.count
		}
		if err := receive(row.text, &out); err != nil {
			return err
		}
	}
	return nil
}

// setInputs sets the inputs of the model.
func (s *session) setInputs(b *batch) error {
	for _, in := range []struct {
		index int
		rows  *textinput.Ints[int64]
		fill  func(to []int64, row *row)
		pad   int64
	}{
		{s.ids, &s.idRows, func(to []int64, row *row) { cast.Convert(to, row.ids) }, int64(s.defaults.PadID)},
		{s.mask, &s.maskRows, func(to []int64, row *row) { fill(to, 1) }, 0},
		{s.types, &s.typeRows, func(to []int64, row *row) { clear(to[copyTypes(to, row.types):]) }, int64(s.defaults.PadTypeID)},
		{s.positions, &s.positionRows, func(to []int64, row *row) { count(to) }, 0},
	} {
		if in.index < 0 {
			continue
		}
		if err := in.rows.Resize(len(b.rows), b.length); err != nil {
			return err
		}
		for k := range b.rows {
			row, to := &b.rows[k], in.rows.Values[k*b.length:(k+1)*b.length]
			padding := to[len(row.ids):]
			if b.left {
				padding, to = to[:len(padding)], to[len(padding):]
			}
			fill(padding, in.pad)
			in.fill(to[:len(row.ids)], row)
		}
		if err := s.request.SetInput(in.index, &in.rows.Tensor); err != nil {
			return err
		}
	}
	if s.beams < 0 {
		return nil
	}
	if err := s.beamRows.Resize(len(b.rows)); err != nil {
		return err
	}
	count(s.beamRows.Values)
	return s.request.SetInput(s.beams, &s.beamRows.Tensor)
}

// copyTypes copies types, of which there may be none, and returns their number.
func copyTypes(to []int64, types []int32) int {
	cast.Convert(to, types)
	return len(types)
}

// fill sets all elements of to.
func fill(to []int64, value int64) {
	for i := range to {
		to[i] = value
	}
}

// count sets to to the numbers from 0 on.
func count[T int32 | int64](to []T) {
	for i := range to {
		to[i] = T(i)
	}
}
