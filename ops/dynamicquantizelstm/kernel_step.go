package dynamicquantizelstm

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/recurrence"
)

// direction is a direction in a run.
type direction struct {
	*kernel
	run                        *ops.Run
	d                          int
	lengths                    []int64
	state, cell, gates, gatesX []float32
	y, ho, co                  []float32
	meter                      parallel.Meter
}

func (k *kernel) bind(r *ops.Run, d int) direction {
	return direction{
		k, r, d, k.lengths.In(r), k.state.Of(r, d), k.cell.Of(r, d), k.gates.Of(r, d), k.gatesX.Of(r, d),
		ir.Data[float32](r.Outputs[0]), ir.Data[float32](r.Outputs[1]), ir.Data[float32](r.Outputs[2]), r.Stop.Meter(),
	}
}

// reversed reports whether the last step is the first that is computed.
func (w *direction) reversed() bool { return w.d == 1 || w.direction == "reverse" }

// at returns Y from a step and an entry of the batch on.
func (w *direction) at(step, i int) []float32 {
	return w.y[((step*w.dirs+w.d)*w.batch+i)*w.size:]
}

// begin sets the states before the first step, and Y behind the longest sequence.
func (w *direction) begin() {
	copy(w.state, ir.Data[float32](w.run.Inputs[hiddenPort])[w.d*len(w.state):])
	copy(w.cell, ir.Data[float32](w.run.Inputs[cellPort])[w.d*len(w.cell):])
	for step := w.longest(w.run); step < w.steps; step++ {
		clear(w.at(step, 0)[:w.batch*w.size])
	}
	w.finish(0)
}

// finish writes the states of sequences that end after a number of steps, and rounds those that the
// next step multiplies.
func (w *direction) finish(steps int) {
	w.writeStates(steps)
	w.h.round(w.run, w.d, w.state)
	w.factorsH.set(w.run, w.d, w.r[w.d], w.h.of(w.run, w.d).numbers)
}

// multiply computes blocks lo to hi-1 of the columns of the product of the rounded states.
func (w *direction) multiply(lo, hi int) {
	w.r[w.d].multiply(w.run, w.gates, w.h.of(w.run, w.d), w.factorsH.of(w.run, w.d), w.batch, lo, hi)
}

// update computes the states after a step from the product. Those of an entry whose sequence has
// ended are 0: they are rounded together with the others.
func (w *direction) update(step int) {
	k, columns := w.kernel, w.columns()
	for i := range k.batch {
		if w.meter.Spent(gateWork * columns) {
			return
		}
		state, length := w.state[i*k.size:][:k.size], int(w.lengths[i])
		if step >= length {
			clear(state)
			clear(w.at(step, i)[:k.size])
			continue
		}
		from := step
		if w.reversed() {
			from = length - 1 - step
		}
		row := w.gates[i*columns:][:columns]
		k.add(row, row, w.gatesX[(from*k.batch+i)*columns:])
		k.add(row, row, k.bias[w.d])
		k.updateCell(row, state, w.cell[i*k.size:][:k.size])
		copy(w.at(from, i)[:k.size], state)
	}
	w.finish(step + 1)
}

// gateWork is the work of an element of a gate: an activation, and some additions and products.
const gateWork = 16

// updateCell computes the new state of a cell from its gates: in, out, forget and the candidate.
func (k *kernel) updateCell(row, state, cell []float32) {
	in, out, forget, candidate := row[:k.size], row[k.size:][:k.size], row[2*k.size:][:k.size], row[3*k.size:]
	recurrence.Clip(row, k.clip)
	k.functions[0](row[:3*k.size])
	k.functions[1](candidate)
	k.multiply(cell, cell, forget)
	k.multiply(candidate, candidate, in)
	k.add(cell, cell, candidate)
	copy(state, cell)
	k.functions[2](state)
	k.multiply(state, state, out)
}

// writeStates writes the states of the entries whose sequences end after a number of steps.
func (w *direction) writeStates(steps int) {
	for i, length := range w.lengths {
		if int(length) != steps {
			continue
		}
		ho, co := w.ho[(w.d*w.batch+i)*w.size:][:w.size], w.co[(w.d*w.batch+i)*w.size:][:w.size]
		if steps == 0 {
			clear(ho)
			clear(co)
			continue
		}
		copy(ho, w.state[i*w.size:])
		copy(co, w.cell[i*w.size:])
	}
}
