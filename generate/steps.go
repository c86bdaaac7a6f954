package generate

import (
	"context"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/textinput"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

// steps runs a Model step by step, in memory that it keeps. The sequences of a step are the rows of
// its inputs. All have the same number of positions; shorter ones begin with padding, which no
// token sees.
type steps struct {
	model   *Model
	request *plugin.InferRequest
	states  []*plugin.State

	past int   // positions so far
	pads []int // padding of each sequence

	nextPads                   []int
	ids, mask, positions, rows textinput.Ints[int64]
	beams                      textinput.Ints[int32]
	alphas                     []float32 // of the adapters
	alphasTensor               ir.Tensor
	logits                     logitsOutput
	last                       []float32 // logits, if the model computes those of all positions
}

func newSteps(m *Model) steps {
	s := steps{model: m, request: m.compiled.NewInferRequest()}
	s.states = s.request.QueryState()
	s.alphas = m.alphasOf(nil)
	return s
}

// reset forgets all positions. The next step is the first one of as many sequences as pads has.
func (s *steps) reset(pads []int) error {
	for _, state := range s.states {
		if err := state.Reset(); err != nil {
			return err
		}
	}
	s.past, s.pads = 0, append(s.pads[:0], pads...)
	return nil
}

// canTruncate reports whether truncate works.
func (s *steps) canTruncate() bool { return s.model.axes != nil }

// canSelect reports whether the next step can continue one sequence of the last one.
func (s *steps) canSelect() bool { return s.model.beams >= 0 || len(s.pads) == 1 }

// truncate forgets the positions from past on.
func (s *steps) truncate(past int) error {
	if past == s.past {
		return nil
	}
	if past == 0 {
		return s.reset(s.pads)
	}
	for _, state := range s.states {
		if err := state.Truncate(s.model.axes[state.Name()], past); err != nil {
			return err
		}
	}
	s.past = past
	return nil
}

// run appends tokens, of len(parents) sequences one after the other, to the sequences of the step
// before that are listed in parents, and returns the logits of the last n positions of each. They
// can be changed, and are valid until the next step. After an error, the sequences are as before.
func (s *steps) run(ctx context.Context, tokens, parents []int32, n int) ([]float32, error) {
	batch, m := len(parents), s.model
	count := len(tokens) / batch
	if err := s.setInputs(tokens, parents, count, n); err != nil {
		return nil, err
	}
	if err := s.logits.set(s.request, m, batch, n); err != nil {
		return nil, err
	}
	if err := s.request.Infer(ctx); err != nil {
		return nil, err
	}
	s.past += count
	s.pads, s.nextPads = s.nextPads, s.pads
	if m.rows >= 0 {
		return ir.Data[float32](&s.logits.tensor), nil
	}
	logits := s.request.Output(m.logits)
	if shape := logits.Shape(); len(shape) != 3 || shape[0] != batch || shape[1] < n || shape[2] != m.vocabulary {
		return nil, faults.Errorf("the logits of %d sequences are %v, and %d positions are needed", batch, shape, n)
	}
	all, positions := ir.Data[float32](logits), logits.Shape()[1]
	s.last = s.last[:0]
	for row := range batch {
		s.last = append(s.last, all[((row+1)*positions-n)*m.vocabulary:(row+1)*positions*m.vocabulary]...)
	}
	return s.last, nil
}

// setInputs sets the inputs of a step of count positions.
func (s *steps) setInputs(tokens, parents []int32, count, n int) error {
	batch, m := len(parents), s.model
	s.nextPads = s.nextPads[:0]
	for _, p := range parents {
		s.nextPads = append(s.nextPads, s.pads[p])
	}
	if err := s.ids.Resize(batch, count); err != nil {
		return err
	}
	cast.Convert(s.ids.Values, tokens)
	if err := s.request.SetInput(m.ids, &s.ids.Tensor); err != nil {
		return err
	}
	if m.beams < 0 && s.past > 0 && !isInOrder(parents, len(s.pads)) {
		return faults.Errorf("the model has no input beam_idx, and %d sequences become %d, or another order", len(s.pads), batch)
	}
	if m.beams >= 0 {
		if err := s.beams.Resize(batch); err != nil {
			return err
		}
		copy(s.beams.Values, parents)
		if err := s.request.SetInput(m.beams, &s.beams.Tensor); err != nil {
			return err
		}
	}
	if m.alphas >= 0 {
		if err := s.alphasTensor.Reset(ir.F32, []int{len(s.alphas)}, cast.Memory(s.alphas), nil); err != nil {
			return err
		}
		if err := s.request.SetInput(m.alphas, &s.alphasTensor); err != nil {
			return err
		}
	}
	if m.mask >= 0 {
		if err := s.setMask(batch, s.past+count); err != nil {
			return err
		}
	}
	if m.positions >= 0 {
		if err := s.positions.Resize(batch, count); err != nil {
			return err
		}
		for row, pad := range s.nextPads {
			for k := range count {
				s.positions.Values[row*count+k] = int64(max(s.past+k-pad, 0))
			}
		}
		if err := s.request.SetInput(m.positions, &s.positions.Tensor); err != nil {
			return err
		}
	}
	if m.rows >= 0 {
		if err := s.rows.Resize(n); err != nil {
			return err
		}
		for k := range s.rows.Values {
			s.rows.Values[k] = int64(k - n)
		}
		return s.request.SetInput(m.rows, &s.rows.Tensor)
	}
	return nil
}

// setMask sets the mask of a step after which there are length positions: 0 for padding.
func (s *steps) setMask(batch, length int) error {
	if err := s.mask.Resize(batch, length); err != nil {
		return err
	}
	for row, pad := range s.nextPads {
		values := s.mask.Values[row*length : (row+1)*length]
		for k := range values {
			values[k] = 1
		}
		clear(values[:min(pad, length)])
	}
	return s.request.SetInput(s.model.mask, &s.mask.Tensor)
}

// isInOrder reports whether parents are the numbers from 0 to n-1.
func isInOrder(parents []int32, n int) bool {
	for i, p := range parents {
		if int(p) != i {
			return false
		}
	}
	return len(parents) == n
}
