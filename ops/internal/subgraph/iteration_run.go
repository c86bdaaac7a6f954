package subgraph

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// memory is what an Iteration keeps from one run to the next.
type memory struct {
	inputs, outputs []*ir.Tensor
	// for each Parameter: a slice, the number of the iteration, or a state in turns
	own    [][2]*ir.Tensor
	turns  []int      // which of the two holds the state
	parts  [][]byte   // for each joint, the values of all iterations
	shapes []ir.Shape // for each joint, the shape of a value
}

func (it *Iteration) newMemory() any {
	return &memory{
		inputs: make([]*ir.Tensor, len(it.parameters)), outputs: make([]*ir.Tensor, it.results),
		own: make([][2]*ir.Tensor, len(it.parameters)), turns: make([]int, len(it.parameters)),
		parts: make([][]byte, len(it.joints)), shapes: make([]ir.Shape, len(it.joints)),
	}
}

// Run runs the body up to trips times, as long as its condition is true. A negative number of trips
// means that there is no limit. If there are no trips, outputs that would come from the last one
// have the initial value of the state.
func (it *Iteration) Run(r *ops.Run, trips int64) error {
	m := r.Own(it.newMemory).(*memory)
	for i := range m.parts {
		m.parts[i], m.shapes[i] = m.parts[i][:0], m.shapes[i][:0]
	}
	var results []*ir.Tensor
	done := int64(0)
	for goesOn := true; goesOn && (trips < 0 || done < trips); done++ {
		if r.Stop.Requested() {
			return parallel.ErrStopped
		}
		if err := it.feed(r, m, results, done); err != nil {
			return faults.Errorf("iteration %d: %w", done, err)
		}
		var err error
		if results, err = r.Bodies[0].Infer(m.inputs, m.outputs); err != nil {
			return faults.Errorf("iteration %d: %w", done, err)
		}
		for i := range it.joints {
			if err := it.join(r, m, i, results, done, trips); err != nil {
				return faults.Errorf("iteration %d: %w", done, err)
			}
		}
		if it.condition >= 0 {
			if goesOn, err = truth(results[it.condition]); err != nil {
				return faults.Errorf("iteration %d: %w", done, err)
			}
		}
	}
	for i := range it.lasts {
		if err := it.setLast(r, &it.lasts[i], results); err != nil {
			return err
		}
	}
	for i := range it.joints {
		if err := it.finish(r, m, i, done); err != nil {
			return err
		}
	}
	return nil
}

// truth returns the value of a condition.
func truth(t *ir.Tensor) (bool, error) {
	f := ir.Fact{Type: t.ElementType(), Shape: t.Shape().Partial(), Tensor: t}
	value, _, err := Condition("execution_condition of the body", &f)
	return value, err
}

// feed sets the inputs of the body for an iteration. results are those of the iteration before; nil
// for the first one.
func (it *Iteration) feed(r *ops.Run, m *memory, results []*ir.Tensor, iteration int64) error {
	clear(m.outputs)
	for i := range it.parameters {
		q := &it.parameters[i]
		switch {
		case q.external < 0:
			if m.own[i][0] == nil {
				t, err := ir.NewTensor(q.counter, q.shape...)
				if err != nil {
					return err
				}
				m.own[i][0] = t
			}
			if m.inputs[i] = m.own[i][0]; q.counter == ir.I32 {
				ir.Data[int32](m.inputs[i])[0] = int32(iteration)
			} else {
				ir.Data[int64](m.inputs[i])[0] = iteration
			}
		case q.sliced != nil:
			if err := q.sliced.cut(r, &m.own[i][0], r.Inputs[q.external], iteration); err != nil {
				return faults.Errorf("input %d: %w", q.external, err)
			}
			m.inputs[i] = m.own[i][0]
		case q.state < 0 || results == nil:
			m.inputs[i] = r.Inputs[q.external]
		default:
			if err := m.keep(r, i, results[q.state]); err != nil {
				return err
			}
		}
	}
	// The body writes a state to the memory that it does not read. This comes last, since results
	// can be in the inputs of the body.
	for i := range it.parameters {
		if q := &it.parameters[i]; q.state >= 0 && results != nil && m.outputs[q.state] == nil {
			m.outputs[q.state] = m.own[i][1-m.turns[i]]
		}
	}
	return nil
}

// keep makes a Result of the iteration before the state of Parameter i. If the body has not written
// it to the memory of the state, it is copied.
func (m *memory) keep(r *ops.Run, i int, result *ir.Tensor) error {
	next := 1 - m.turns[i]
	to := &m.own[i][next]
	if *to == nil || result != *to {
		if err := fit(r, to, result.ElementType(), result.Shape()); err != nil {
			return err
		}
		r.Copy(*to, result)
	}
	m.turns[i], m.inputs[i] = next, *to
	return nil
}

// fit makes t a tensor of a type and shape, with undefined elements. It reserves the memory.
func fit(r *ops.Run, t **ir.Tensor, elementType ir.ElementType, shape ir.Shape) error {
	if *t != nil && (*t).ElementType() == elementType && slices.Equal((*t).Shape(), shape) {
		return nil
	}
	size, err := ir.ByteSize(elementType, shape)
	if err != nil {
		return err
	}
	if old := *t; old != nil {
		had, err := ir.ByteSize(old.ElementType(), old.Shape())
		if err != nil {
			return err
		}
		if err := r.Reserve(-int64(had)); err != nil {
			return err
		}
		*t = nil
	}
	if err := r.Reserve(int64(size)); err != nil {
		return err
	}
	*t, err = ir.NewTensor(elementType, shape...)
	return err
}

// setLast copies a Result of the last iteration to an output. If there was none, the output has the
// initial value of the state; an output that is no state is empty, or an error if its shape says
// that it has elements.
func (it *Iteration) setLast(r *ops.Run, l *last, results []*ir.Tensor) error {
	var from *ir.Tensor
	if results != nil {
		from = results[l.result]
	} else {
		for i := range it.parameters {
			if q := &it.parameters[i]; q.state == l.result {
				from = r.Inputs[q.external]
			}
		}
	}
	switch out := r.Outputs[l.output]; {
	case from == nil && l.static && out.Len() > 0:
		return faults.Errorf("output %d has no value, since the body did not run", l.output)
	case from == nil && l.static:
		return nil
	case from == nil:
		return r.SetShape(l.output, l.empty...)
	case from.ElementType() != l.elementType:
		return faults.Errorf("output %d has type %v after the last iteration, inference found %v", l.output, from.ElementType(), l.elementType)
	case l.static && !slices.Equal(from.Shape(), out.Shape()):
		if results == nil && out.Len() == 0 {
			return nil
		}
		return faults.Errorf("output %d has shape %v after the last iteration, inference found %v", l.output, from.Shape(), out.Shape())
	case !l.static:
		if err := r.SetShape(l.output, from.Shape()...); err != nil {
			return err
		}
	}
	r.Copy(r.Outputs[l.output], from)
	return nil
}
