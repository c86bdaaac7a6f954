package models

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/repository"
)

// warmUp makes the inferences that the configuration asks for, so that the first requests are as
// fast as others.
func (v *version) warmUp(ctx context.Context) error {
	for i := range v.config.Warmup {
		w := &v.config.Warmup[i]
		if err := v.warmUpBy(ctx, w); err != nil {
			return fmt.Errorf("warm-up %q: %w", w.Name, err)
		}
	}
	return nil
}

func (v *version) warmUpBy(ctx context.Context, w *repository.Warmup) error {
	inputs := make([]*ir.Tensor, len(v.inputs))
	random := rand.New(rand.NewPCG(3, 4))
	for i := range w.Inputs {
		in := &w.Inputs[i]
		at, ok := v.inputIndices[in.Name]
		if !ok {
			return fmt.Errorf("the model has no input %q: it has %s", in.Name, names(v.inputs))
		}
		shape, err := lengthsOf(shapeOf(in.Dims, v.maxRows > 0), v.warmUpRows(w))
		if err != nil {
			return err
		}
		source := random
		if !in.Random {
			source = nil
		}
		if inputs[at], err = generated(v.inputs[at].elementType, shape, source); err != nil {
			return err
		}
	}
	for i, tensor := range inputs {
		if tensor != nil {
			continue
		}
		shape, err := lengthsOf(v.inputs[i].shape, v.warmUpRows(w))
		if err != nil {
			return fmt.Errorf("input %q: %w", v.inputs[i].name, err)
		}
		if inputs[i], err = generated(v.inputs[i].elementType, shape, nil); err != nil {
			return err
		}
	}
	for range w.Count {
		if _, err := v.try(ctx, inputs); err != nil {
			return err
		}
	}
	return nil
}

// warmUpRows returns the number of rows of w; -1 if the model has none.
func (v *version) warmUpRows(w *repository.Warmup) int {
	if v.maxRows == 0 {
		return -1
	}
	return w.Rows
}
