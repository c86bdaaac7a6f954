package generate

import (
	"context"
	"math/bits"
	"slices"

	"github.com/vinoir/vinoir/generate/internal/paged"
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/textinput"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

// pagedSteps runs a Model of compilePaged. All tokens of a step are rows of one sequence.
type pagedSteps struct {
	model   *Model
	store   *paged.Store
	request *plugin.InferRequest

	ids, positions, rows, mask textinput.Ints[int64]
	beams                      textinput.Ints[int32]
	alphas                     ir.Tensor
	alphasShape                ir.Shape
	logits                     logitsOutput
	picked                     []float32 // logits, if the model computes those of all rows
}

// plannedStep is what a step computes.
type plannedStep struct {
	runs   []paged.Run
	tokens []int32 // of all runs, and their positions in their texts
	places []int64
	rows   []int64 // those whose logits are needed
	// alphas are those of the adapters for each token.
	alphas []float32
}

func (s *plannedStep) reset() {
	s.runs, s.tokens, s.places, s.rows, s.alphas = s.runs[:0], s.tokens[:0], s.places[:0], s.rows[:0], s.alphas[:0]
}

// add adds the next n tokens of a text, for which the adapters have the given alphas, and the
// logits of the last one if they are needed.
func (s *plannedStep) add(t *paged.Text, n int, alphas []float32, needed bool) {
	s.runs = append(s.runs, t.Run(n))
	for i := range n {
		s.tokens = append(s.tokens, t.Tokens[t.Computed+i])
		s.places = append(s.places, int64(t.Computed+i))
		s.alphas = append(s.alphas, alphas...)
	}
	if needed {
		s.rows = append(s.rows, int64(len(s.tokens)-1))
	}
}

func newPagedSteps(m *Model, store *paged.Store) (*pagedSteps, error) {
	s := &pagedSteps{model: m, store: store, request: m.compiled.NewInferRequest()}
	// Nothing depends on these inputs, but a request has a value for each.
	if m.mask >= 0 {
		if err := s.mask.Resize(1, 1); err != nil {
			return nil, err
		}
		if err := s.request.SetInput(m.mask, &s.mask.Tensor); err != nil {
			return nil, err
		}
	}
	if m.beams >= 0 {
		if err := s.beams.Resize(1); err != nil {
			return nil, err
		}
		if err := s.request.SetInput(m.beams, &s.beams.Tensor); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// pad pads the step with rows of no text, so that few numbers of rows are computed, each of which
// needs a plan. At most every eighth row is one of these.
func (s *plannedStep) pad() {
	n := len(s.tokens)
	if n < 16 {
		return
	}
	unit := 1 << (bits.Len(uint(n)) - 4)
	for range (unit - n%unit) % unit {
		s.tokens, s.places = append(s.tokens, 0), append(s.places, 0)
	}
}

// run computes a step and returns the logits of its rows, which can be changed and are valid until
// the next step.
func (s *pagedSteps) run(ctx context.Context, step *plannedStep) ([]float32, error) {
	m := s.model
	step.pad()
	if err := s.ids.Resize(1, len(step.tokens)); err != nil {
		return nil, err
	}
	cast.Convert(s.ids.Values, step.tokens)
	if err := s.request.SetInput(m.ids, &s.ids.Tensor); err != nil {
		return nil, err
	}
	if m.positions >= 0 {
		if err := s.positions.Resize(1, len(step.places)); err != nil {
			return nil, err
		}
		copy(s.positions.Values, step.places)
		if err := s.request.SetInput(m.positions, &s.positions.Tensor); err != nil {
			return nil, err
		}
	}
	if m.alphas >= 0 {
		n := len(step.alphas)
		step.alphas = slices.Grow(step.alphas, len(step.tokens)*m.adapters-n)[:len(step.tokens)*m.adapters]
		clear(step.alphas[n:])
		s.alphasShape = append(s.alphasShape[:0], 1, len(step.tokens), m.adapters)
		if err := s.alphas.Reset(ir.F32, s.alphasShape, cast.Memory(step.alphas), nil); err != nil {
			return nil, err
		}
		if err := s.request.SetInput(m.alphas, &s.alphas); err != nil {
			return nil, err
		}
	}
	if m.rows >= 0 {
		if err := s.setRows(step); err != nil {
			return nil, err
		}
	}
	s.store.Begin(step.runs)
	if err := s.request.Infer(ctx); err != nil {
		return nil, err
	}
	if m.rows >= 0 {
		return ir.Data[float32](&s.logits.tensor), nil
	}
	logits := s.request.Output(m.logits)
	if shape := logits.Shape(); len(shape) != 3 || shape[0] != 1 || shape[1] != len(step.tokens) || shape[2] != m.vocabulary {
		return nil, faults.Errorf("the logits of %d tokens are %v", len(step.tokens), shape)
	}
	s.picked = s.picked[:0]
	for _, row := range step.rows {
		s.picked = append(s.picked, ir.Data[float32](logits)[int(row)*m.vocabulary:][:m.vocabulary]...)
	}
	return s.picked, nil
}

// setRows sets which logits are computed, and where.
func (s *pagedSteps) setRows(step *plannedStep) error {
	m := s.model
	if err := s.rows.Resize(len(step.rows)); err != nil {
		return err
	}
	copy(s.rows.Values, step.rows)
	if err := s.request.SetInput(m.rows, &s.rows.Tensor); err != nil {
		return err
	}
	return s.logits.set(s.request, m, 1, len(step.rows))
}
