package plugin

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/vinoir/vinoir/ir"
)

// infer runs the model on the inputs.
func (r *InferRequest) infer(ctx context.Context) (err error) {
	last := r.bound
	r.bound, r.step = nil, -1
	// A fault in memory that is mapped from a file becomes a panic.
	defer r.recovered(debug.SetPanicOnFault(true), &err)
	b := last
	if b == nil || !b.fits(r.inputs) {
		if b, err = r.ready(); err != nil {
			return err
		}
	}
	if err := b.setInputs(r.inputs); err != nil {
		return err
	}
	if err := b.setOutputs(r); err != nil {
		return err
	}
	if r.compiled.options.EnableProfiling {
		err = r.runTimed(ctx, b)
	} else {
		err = r.run(ctx, b)
	}
	if err != nil {
		return err
	}
	if err := r.deliver(b); err != nil {
		return err
	}
	r.bound = b
	return nil
}

// recovered makes a panic an error that names the layer.
func (r *InferRequest) recovered(panicOnFault bool, err *error) {
	debug.SetPanicOnFault(panicOnFault)
	if p := recover(); p != nil {
		*err = bug(p)
		if b := r.running; b != nil && r.step >= 0 {
			*err = &ir.LayerError{Layer: b.plan.steps[r.step].layer, Err: *err}
		}
	}
}

// run is the loop over the steps.
func (r *InferRequest) run(ctx context.Context, b *bound) error {
	r.running = b
	done := ctx.Done()
	for i := range b.steps {
		s := &b.steps[i]
		r.step = i
		if done != nil {
			select {
			case <-done:
				return ctx.Err()
			default:
			}
		}
		if err := s.kernel(&s.run); err != nil {
			return &ir.LayerError{Layer: b.plan.steps[i].layer, Err: err}
		}
	}
	return nil
}

// runTimed is run with the time of each step.
func (r *InferRequest) runTimed(ctx context.Context, b *bound) error {
	r.running = b
	r.times = slices.Grow(r.times[:0], len(b.steps))[:len(b.steps)]
	clear(r.times)
	begun := time.Now()
	for i := range b.steps {
		s := &b.steps[i]
		r.step = i
		if err := ctx.Err(); err != nil {
			return err
		}
		start := time.Since(begun)
		err := s.kernel(&s.run)
		r.times[i] = stepTime{start, time.Since(begun) - start}
		if err != nil {
			return &ir.LayerError{Layer: b.plan.steps[i].layer, Err: err}
		}
	}
	return nil
}

// deliver copies outputs to the tensors that the caller has set for them, where
// they do not lie in them.
func (r *InferRequest) deliver(b *bound) error {
	for i, v := range b.plan.results {
		t := b.tensors[v]
		if bits := t.ElementType().Bits(); bits%8 != 0 {
			clearPadding(t)
		}
		to := r.given[i]
		if to == nil || b.moved[i] {
			continue
		}
		if err := r.checkOutput(i, to, t); err != nil {
			return err
		}
		copy(to.Bytes(), t.Bytes())
		copy(to.Strings(), t.Strings())
	}
	return nil
}

// checkOutput compares the caller's tensor for output i with the output.
func (r *InferRequest) checkOutput(i int, to, t *ir.Tensor) error {
	if to.ElementType() == t.ElementType() && slices.Equal(to.Shape(), t.Shape()) {
		return nil
	}
	return fmt.Errorf("output %d %q: the tensor is %v%v, the output is %v%v", i, r.compiled.outputs[i].Name,
		to.ElementType(), to.Shape(), t.ElementType(), t.Shape())
}

// clearPadding clears the bits behind the last element of a tensor of a sub-byte
// type: the kernels leave them as they were.
func clearPadding(t *ir.Tensor) {
	group := 8 / t.ElementType().Bits()
	switch t.ElementType() {
	case ir.U3:
		group = 8
	case ir.U6:
		group = 4
	}
	for i := t.Len(); i%group != 0; i++ {
		t.SetPacked(i, 0)
	}
}
