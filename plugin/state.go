package plugin

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/internal/run"
)

// State is a variable of an InferRequest, OpenVINO's VariableState. Get, Set and Reset return
// ErrBusy during an inference.
type State struct {
	request *InferRequest
	value   *run.Variable
}

// ErrNoValue is the error of State.Get if the variable was not assigned since NewInferRequest or
// the last Reset.
var ErrNoValue = errors.New("the variable has no value")

// QueryState returns the variables of the model. Each InferRequest has values of its own.
func (r *InferRequest) QueryState() []*State {
	states := make([]*State, len(r.variables))
	for i, v := range r.variables {
		states[i] = &State{r, v}
	}
	return states
}

// Name returns the variable_id.
func (s *State) Name() string { return s.value.Of.ID }

// Type returns the element type of the values; ir.Dynamic if the model does not specify it.
func (s *State) Type() ir.ElementType { return s.value.Of.Fact.Type }

// Shape returns a shape that contains the shapes of all values.
func (s *State) Shape() ir.PartialShape { return s.value.Of.Fact.Shape }

// Get returns a copy of the value. If there is none, the error wraps ErrNoValue, and the next Infer
// reads the initial value. While the copy is made, it counts against Options.MaxTotalBytes together
// with the memory of the request: it is an error if they need more.
func (s *State) Get() (*ir.Tensor, error) {
	if err := s.request.take(accessing); err != nil {
		return nil, err
	}
	defer s.request.release()
	if !s.value.Current.Set {
		return nil, faults.Errorf("variable %q: %w", s.Name(), ErrNoValue)
	}
	t, size, err := s.value.Copy(nil)
	s.value.Budget.Add(-size)
	return t, err
}

// Set copies t to the value, which the next Infer reads. It returns an error if t does not have the
// type and shape of the variable.
func (s *State) Set(t *ir.Tensor) error {
	if err := s.request.take(accessing); err != nil {
		return err
	}
	defer s.request.release()
	return s.value.Store(nil, &s.value.Current, t)
}

// Reset removes the value. The next Infer reads the initial value, which the model computes, or
// zeros.
func (s *State) Reset() error {
	if err := s.request.take(accessing); err != nil {
		return err
	}
	defer s.request.release()
	s.value.Current.Set = false
	return nil
}

// Truncate keeps the first n rows of the value along axis, such as the keys of the first n tokens
// of a text. It copies nothing if the value was appended to along that axis, as the keys and values
// of attention are. The error wraps ErrNoValue if there is no value. It is an error if the value
// has fewer than n rows, or elements that are not whole bytes.
func (s *State) Truncate(axis, n int) error {
	if err := s.request.take(accessing); err != nil {
		return err
	}
	defer s.request.release()
	if !s.value.Current.Set {
		return faults.Errorf("variable %q: %w", s.Name(), ErrNoValue)
	}
	if err := s.value.Truncate(axis, n); err != nil {
		return faults.Errorf("variable %q: %w", s.Name(), err)
	}
	return nil
}
