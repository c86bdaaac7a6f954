package rnn

import "github.com/vinoir/vinoir/ops"

// sharedSteps goes through the steps of a layer that has fewer parts than there are threads. In
// each step, the threads share the columns of the products. The numbers are the same, because each
// column is computed as a whole.
type sharedSteps struct {
	*kernel
	parts int
	step  ops.Area[int64] // the number of the step

	begins, multiplies, resets, multipliesLast, updates, ends ops.Part
}

// newSharedSteps returns nil if a step has too little work for further threads.
func newSharedSteps(k *kernel, p *ops.Preparation, s *ops.Scratch, parts int) *sharedSteps {
	if p.Workers(parts*k.r.units(), k.cost(k.r)) <= parts {
		return nil
	}
	q := &sharedSteps{kernel: k, parts: parts, step: ops.AreaOf[int64](s, 1)}
	q.begins, q.resets, q.updates, q.ends = q.phase(beginning), q.phase(resetting), q.phase(updating), q.phase(ending)
	q.multiplies, q.multipliesLast = q.multiplyPart, q.multiplyLastPart
	return q
}

// cost returns the cost of a unit of the columns of a product in a step.
func (k *kernel) cost(f *factor) float64 {
	return ops.MultiplyCost * float64(k.rows) * float64(f.depth) * float64(f.unitColumns())
}

func (q *sharedSteps) run(r *ops.Run) error {
	if err := r.For(q.parts, 1, q.begins); err != nil {
		return err
	}
	for step := range q.steps {
		q.step.In(r)[0] = int64(step)
		if err := q.compute(r); err != nil {
			return err
		}
	}
	return r.For(q.parts, 1, q.ends)
}

// compute computes a step.
func (q *sharedSteps) compute(r *ops.Run) error {
	if err := r.For(q.parts*q.r.units(), ops.Grain(q.cost(q.r)), q.multiplies); err != nil {
		return err
	}
	if q.last != nil {
		if err := r.For(q.parts, 1, q.resets); err != nil {
			return err
		}
		if err := r.For(q.parts*q.last.units(), ops.Grain(q.cost(q.last)), q.multipliesLast); err != nil {
			return err
		}
	}
	return r.For(q.parts, 1, q.updates)
}

// The phases that a part of the batch and the directions computes as a whole.
const (
	beginning = iota
	resetting
	updating
	ending
)

// phase returns a function that computes a phase of parts lo to hi-1.
func (q *sharedSteps) phase(phase int) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		t, step, meter := q.tensors(r), int(q.step.In(r)[0]), r.Stop.Meter()
		for ; lo < hi; lo++ {
			w := q.bind(r, lo)
			switch phase {
			case beginning:
				q.begin(&t, &w, &meter)
				q.r.ready(r.Stop, w.packed, w.state, w.m)
			case resetting:
				q.resetStates(r, &t, &w, step, &meter)
				q.last.ready(r.Stop, w.packed, w.reset, w.m)
			case updating:
				q.update(r, &t, &w, step, &meter)
				q.r.ready(r.Stop, w.packed, w.state, w.m)
			case ending:
				q.end(r, &t, &w, &meter)
			}
		}
		return r.Stop.Err()
	}
}

// multiplyPart computes units lo to hi-1 of the products of the states of all parts.
func (q *sharedSteps) multiplyPart(r *ops.Run, lo, hi int) error {
	t, units := q.tensors(r), q.r.units()
	for lo < hi {
		w, from := q.bind(r, lo/units), lo%units
		to := min(from+hi-lo, units)
		q.r.multiplyUnits(r, w.gates, q.values(), w.state, t.r, w.packed, w.d, w.m, from, to)
		lo += to - from
	}
	return r.Stop.Err()
}

// multiplyLastPart is multiplyPart for the last gate of a GRU, which reads what the reset gate
// leaves of the states.
func (q *sharedSteps) multiplyLastPart(r *ops.Run, lo, hi int) error {
	t, units := q.tensors(r), q.last.units()
	for lo < hi {
		w, from := q.bind(r, lo/units), lo%units
		to := min(from+hi-lo, units)
		q.last.multiplyUnits(r, w.gates[newGate*q.size:], q.values(), w.reset, t.r, w.packed, w.d, w.m, from, to)
		lo += to - from
	}
	return r.Stop.Err()
}
