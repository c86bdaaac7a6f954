package vinoir

import (
	"context"
	"errors"
	"sync"

	"github.com/vinoir/vinoir/plugin"
)

// Session infers with a model that has variables, such as a language model with its keys and
// values: each call of Infer goes on with the values that the call before left. Calls from several
// goroutines wait for each other. A model can have any number of sessions, each with values of its
// own; without variables, a Session is like its Model.
type Session struct {
	model *Model

	mu      sync.Mutex // guards request
	request *plugin.InferRequest
}

// NewSession returns a Session whose variables have their initial values.
func (m *Model) NewSession() *Session {
	return &Session{model: m, request: m.compiled.NewInferRequest()}
}

// Infer is Model.Infer, but for the variables: they go on from the call before. After an error, the
// values are those of before the call, or those that the layers that were computed have set: Reset
// or a Fork from before the call is the way back.
func (s *Session) Infer(ctx context.Context, inputs Tensors) (Tensors, error) {
	var outputs Tensors
	err := s.with(func() (err error) {
		outputs, err = s.model.infer(ctx, s.request, inputs)
		return err
	})
	return outputs, err
}

// Reset gives all variables their initial values.
func (s *Session) Reset() error {
	return s.with(func() error { return reset(s.request) })
}

// Fork returns a Session that has copies of the values, so that two texts can go on from the same
// beginning.
func (s *Session) Fork() (*Session, error) {
	fork := s.model.NewSession()
	err := s.with(func() error {
		to := fork.request.QueryState()
		for i, state := range s.request.QueryState() {
			value, err := state.Get()
			if errors.Is(err, plugin.ErrNoValue) {
				continue // it starts from its initial value there too
			}
			if err == nil {
				err = to[i].Set(value)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return fork, nil
}

// Truncate keeps the first n rows of all variables along axis, as State.Truncate does for one: with
// the axis of tokens, the keys and values of the first n tokens, so that another text can follow
// them. If a variable has no such rows, the error names it; the variables before it are truncated
// then.
func (s *Session) Truncate(axis, n int) error {
	return s.with(func() error {
		for _, state := range s.request.QueryState() {
			if err := state.Truncate(axis, n); err != nil {
				return err
			}
		}
		return nil
	})
}

// with calls f while the model is open and no other call of the Session runs.
func (s *Session) with(f func() error) error {
	if err := s.model.begin(); err != nil {
		return err
	}
	defer s.model.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	return f()
}

// reset gives the variables of request their initial values.
func reset(request *plugin.InferRequest) error {
	for _, state := range request.QueryState() {
		if err := state.Reset(); err != nil {
			return err
		}
	}
	return nil
}
