package rnn

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/lowbit"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/recurrence"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// The positions of a gate of GRU in W, R and B. The last is the B of linear_before_reset that is
// added to the product of H.
const (
	updateGate = iota
	resetGate
	newGate
	linearBias
)

// kernel computes the layer in float32.
type kernel struct {
	*problem
	functions []func([]float32)
	add       func(out, a, b []float32)
	multiply  func(out, a, b []float32)
	w, r      *factor
	// the rows of R of the last gate of a GRU without linear_before_reset; r has those before
	last      *factor
	wide      [6]ops.Area[float32] // x, h, c, w, r and b as float32, if they are f16 or bf16
	narrow    [3]ops.Area[float32] // the outputs, in that case
	inputs    [6]int               // the inputs of wide; -1 for those that the layer does not have
	lengths   ops.Area[int64]
	packedX   ops.Area[float32]
	gates     ops.Area[float32] // X·Wᵀ + B: [D,N,T,G*S]
	panels    int               // of the batch, with panelRows entries each
	panelRows int
	pieces    int // parts of the batch
	rows      int // of a part of the batch, at most
	// The memory of each part.
	state, cell, partGates, reset, packed ops.Area[float32]

	packWeights, packX, multiplyX, multiplyRow, step ops.Part

	shared *sharedSteps // nil if threads have parts of their own
}

// tensors are the inputs and outputs in a run.
type tensors struct {
	x, h, c, w, r, b []float32 // x is the gates of a compressed layer
	y, ho, co        []float32 // y is nil for a cell
}

func kernelOf(p *ops.Preparation, q *problem) (*ops.Prepared, error) {
	if q.batch*q.dir*q.size == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	k := &kernel{problem: q, add: recurrence.Adder(), multiply: recurrence.Multiplier()}
	var err error
	if k.functions, err = q.activations.Rows(q.functionCount()); err != nil {
		return nil, err
	}
	s := &ops.Scratch{}
	k.lengths = ops.AreaOf[int64](s, q.batch)
	k.takeWide(p, s)
	steps, columns := q.batch*q.steps, q.gates*q.size
	if !q.compressed {
		if k.w, err = newFactor(p, q, s, q.positions.w, 0, columns, q.input, steps); err != nil {
			return nil, err
		}
		k.gates = ops.AreaOf[float32](s, q.dir, steps, columns)
		if k.w.many {
			k.packedX = ops.AreaOf[float32](s, k.w.kernel.PackedLenA(steps, q.input))
		}
	}
	recurrent := columns
	if q.gates == 3 && !q.linearBeforeReset {
		recurrent = newGate * q.size
		if k.last, err = recurrentFactor(p, q, s, recurrent, q.size); err != nil {
			return nil, err
		}
	}
	if k.r, err = recurrentFactor(p, q, s, 0, recurrent); err != nil {
		return nil, err
	}
	// The parts begin at panels, so that the numbers do not depend on how many threads there are.
	k.panels, k.panelRows = q.batch, 1
	if k.r.many {
		k.panels, k.panelRows = k.r.kernel.PanelsA(q.batch), k.r.kernel.MR
		if t := &k.r.kernel.Tiling; t.MR%fewRows == 0 && q.batch%fewRows == 0 && recurrent%t.NR == 0 && q.size%t.NR == 0 {
			// Each element of a tile with all columns and fewRows rows or more has one sum, so that
			// smaller parts do not change the numbers either.
			k.panels, k.panelRows = q.batch/fewRows, fewRows
		}
	}
	if k.r.codes != nil && !k.r.many {
		k.panels, k.panelRows = (q.batch+lowbit.MaxRows-1)/lowbit.MaxRows, lowbit.MaxRows
	}
	// Each thread has one part, which goes through all steps: more parts would read R more often.
	k.pieces = min((max(p.Threads, 1)+q.dir-1)/q.dir, k.panels)
	k.rows = min((k.panels+k.pieces-1)/k.pieces*k.panelRows, q.batch)
	parts := q.dir * k.pieces
	k.state, k.partGates = ops.AreasOf[float32](s, parts, k.rows, q.size), ops.AreasOf[float32](s, parts, k.rows, columns)
	if q.states == 2 {
		k.cell = ops.AreasOf[float32](s, parts, k.rows, q.size)
	}
	if k.last != nil {
		k.reset = ops.AreasOf[float32](s, parts, k.rows, q.size)
	}
	if k.r.many {
		k.packed = ops.AreasOf[float32](s, parts, k.r.kernel.PackedLenA(k.rows, q.size))
	} else if k.r.codes != nil {
		k.packed = ops.AreasOf[float32](s, parts, k.rows, k.r.codes[0].Padded())
	}
	k.packWeights, k.packX, k.multiplyX, k.multiplyRow, k.step = k.packWeightsPart, k.packXPart, k.multiplyXPart, k.multiplyRowPart, k.stepPart
	k.shared = newSharedSteps(k, p, s, parts)
	prepared := &ops.Prepared{Kernel: k.run, ScratchBytes: s.Bytes(), Flops: q.flops()}
	if q.compressed {
		prepared.Algorithm, prepared.Released = "codes "+k.r.codes[0].String(), []int{q.positions.r, q.positions.scale}
	}
	return prepared, nil
}

func (k *kernel) run(r *ops.Run) error {
	if err := k.readLengths(r, k.lengths.In(r)); err != nil {
		return err
	}
	if k.isHalf() {
		k.widen(r)
	}
	if err := r.For(k.dir, 1, k.packWeights); err != nil {
		return err
	}
	if err := k.multiplyAllX(r); err != nil {
		return err
	}
	steps := k.allSteps
	if k.shared != nil {
		steps = k.shared.run
	}
	if err := steps(r); err != nil {
		return err
	}
	if k.isHalf() {
		k.narrowAll(r)
	}
	return nil
}

// allSteps goes through the steps, in which each thread computes parts of its own.
func (k *kernel) allSteps(r *ops.Run) error { return r.For(k.dir*k.pieces, 1, k.step) }

// multiplyAllX computes X·Wᵀ + B for all steps.
func (k *kernel) multiplyAllX(r *ops.Run) error {
	steps := k.batch * k.steps
	switch {
	case k.w == nil: // an input
		return nil
	case k.w.many:
		if err := r.For(k.w.kernel.PanelsA(steps), ops.Grain(float64(k.input*k.w.kernel.MR)), k.packX); err != nil {
			return err
		}
		return r.For(k.dir*k.w.kernel.PanelsB(k.w.rows), ops.Grain(ops.MultiplyCost*float64(k.input*steps*k.w.kernel.NR)), k.multiplyX)
	}
	return r.For(k.dir*k.values(), ops.Grain(ops.MultiplyCost*float64(k.input*max(steps, 1))), k.multiplyRow)
}

// values returns the number of values of all gates.
func (k *kernel) values() int { return k.problem.gates * k.size }

func (k *kernel) packWeightsPart(r *ops.Run, lo, hi int) error {
	t := k.tensors(r)
	for d := lo; d < hi; d++ {
		if k.w != nil {
			k.w.pack(r, t.w, d)
		}
		k.r.pack(r, t.r, d)
		if k.last != nil {
			k.last.pack(r, t.r, d)
		}
	}
	return nil
}

func (k *kernel) packXPart(r *ops.Run, lo, hi int) error {
	k.w.packIn(r.Stop, k.packedX.In(r), k.tensors(r).x, k.batch*k.steps, lo, hi)
	return nil
}

// multiplyXPart computes panels lo to hi-1 of the columns of X·Wᵀ + B, for all directions.
func (k *kernel) multiplyXPart(r *ops.Run, lo, hi int) error {
	panels, steps, columns := k.w.kernel.PanelsB(k.w.rows), k.batch*k.steps, k.values()
	for lo < hi {
		d := lo / panels
		end := min((d+1)*panels, hi)
		from, to := (lo-d*panels)*k.w.kernel.NR, min((end-d*panels)*k.w.kernel.NR, columns)
		out := k.gates.In(r)[d*steps*columns:]
		k.w.multiply(r, out, columns, k.packedX.In(r), d, steps, from, to)
		k.addBias(r, out, d, from, to)
		lo = end
	}
	return nil
}

// multiplyRowPart computes columns lo to hi-1 of X·Wᵀ + B, for all directions.
func (k *kernel) multiplyRowPart(r *ops.Run, lo, hi int) error {
	t, steps, columns := k.tensors(r), k.batch*k.steps, k.values()
	for lo < hi {
		d := lo / columns
		from, to := lo-d*columns, min(hi-d*columns, columns)
		out := k.gates.In(r)[d*steps*columns:]
		for i := range steps {
			k.w.multiplyRow(r.Stop, out[i*columns:], t.x[i*k.input:], t.w, d, from, to)
		}
		k.addBias(r, out, d, from, to)
		lo += to - from
	}
	return nil
}

// addBias adds B to columns from to to-1 of the gates of all steps.
func (k *kernel) addBias(r *ops.Run, gates []float32, d, from, to int) {
	b := k.tensors(r).b
	if b == nil {
		return
	}
	columns, meter := k.values(), r.Stop.Meter()
	bias := b[d*k.biases()*k.size:][from:to]
	for i := range k.batch * k.steps {
		if meter.Spent(len(bias)) {
			return
		}
		row := gates[i*columns:][from:to]
		k.add(row, row, bias)
	}
}

// stepPart goes through the steps for parts lo to hi-1 of the batch and the directions.
func (k *kernel) stepPart(r *ops.Run, lo, hi int) error {
	t := k.tensors(r)
	for ; lo < hi; lo++ {
		w := k.bind(r, lo)
		meter := r.Stop.Meter()
		k.begin(&t, &w, &meter)
		for step := range k.steps {
			if r.Stop.Requested() {
				return parallel.ErrStopped
			}
			k.compute(r, &t, &w, step, &meter)
		}
		k.end(r, &t, &w, &meter)
	}
	return r.Stop.Err()
}

// begin sets the states of a part of the batch before the first step. Like end, it ends early if
// the work must stop.
func (k *kernel) begin(t *tensors, w *work, meter *parallel.Meter) {
	for i := range w.m {
		if meter.Spent(2*k.size + 16) {
			return
		}
		at := ((w.first+i)*k.dir + w.d) * k.size
		copy(w.state[i*k.size:], t.h[at:][:k.size])
		if w.cell != nil {
			copy(w.cell[i*k.size:], t.c[at:][:k.size])
		}
	}
}

// end writes the states of a part of the batch after the last step.
func (k *kernel) end(r *ops.Run, t *tensors, w *work, meter *parallel.Meter) {
	for i := range w.m {
		if meter.Spent(2*k.size + 16) {
			return
		}
		n := w.first + i
		at := (n*k.dir + w.d) * k.size
		copy(t.ho[at:][:k.size], w.state[i*k.size:])
		if w.cell != nil {
			copy(t.co[at:][:k.size], w.cell[i*k.size:])
		}
		if t.y != nil {
			length := int(w.lengths[n])
			parallel.Clear(r.Stop, t.y[((n*k.dir+w.d)*k.steps+length)*k.size:][:(k.steps-length)*k.size])
		}
	}
}

// work is a part of the batch in a run: m entries from first on, in direction d.
type work struct {
	d, first, m                       int
	state, cell, gates, reset, packed []float32
	lengths                           []int64
}

func (k *kernel) bind(r *ops.Run, i int) work {
	piece := i % k.pieces
	w := work{d: i / k.pieces, first: parallel.Share(k.panels, k.pieces, piece) * k.panelRows, lengths: k.lengths.In(r)}
	w.m = min(parallel.Share(k.panels, k.pieces, piece+1)*k.panelRows, k.batch) - w.first
	w.state, w.gates, w.packed = k.state.Of(r, i), k.partGates.Of(r, i), k.packed.Of(r, i)
	if k.states == 2 {
		w.cell = k.cell.Of(r, i)
	}
	if k.last != nil {
		w.reset = k.reset.Of(r, i)
	}
	return w
}

// compute computes a step of a part of the batch. It ends early if the work must stop; meter counts
// the work.
func (k *kernel) compute(r *ops.Run, t *tensors, w *work, step int, meter *parallel.Meter) {
	columns := k.values()
	k.r.multiplyAll(r, w.gates, columns, w.state, t.r, w.packed, w.d, w.m)
	if k.last != nil {
		k.resetStates(r, t, w, step, meter)
		k.last.multiplyAll(r, w.gates[newGate*k.size:], columns, w.reset, t.r, w.packed, w.d, w.m)
	}
	k.update(r, t, w, step, meter)
}

// resetStates computes what the product of the last gate of a GRU reads, from the other gates.
func (k *kernel) resetStates(r *ops.Run, t *tensors, w *work, step int, meter *parallel.Meter) {
	columns := k.values()
	for i := range w.m {
		if meter.Spent(gateWork*k.size + 16) {
			return
		}
		if x, _ := k.at(r, t, w, i, step); x != nil {
			k.resetState(w.gates[i*columns:][:columns], x, w.state[i*k.size:][:k.size], w.reset[i*k.size:][:k.size])
		}
	}
}

// update computes the states after a step from the products. Entries whose sequence has ended keep
// theirs.
func (k *kernel) update(r *ops.Run, t *tensors, w *work, step int, meter *parallel.Meter) {
	columns := k.values()
	for i := range w.m {
		if meter.Spent(gateWork*columns + 16) {
			return
		}
		x, at := k.at(r, t, w, i, step)
		if x == nil {
			continue
		}
		gates, state := w.gates[i*columns:][:columns], w.state[i*k.size:][:k.size]
		switch k.problem.gates {
		case 1:
			k.add(gates, gates, x)
			recurrence.Clip(gates, k.clip)
			k.functions[0](gates)
			copy(state, gates)
		case 3:
			k.updateState(t, w.d, gates, x, state)
		default:
			k.updateCell(gates, x, state, w.cell[i*k.size:][:k.size])
		}
		if t.y != nil {
			copy(t.y[at*k.size:][:k.size], state)
		}
	}
}

// gateWork is the work of an element of a gate: an activation, and some additions and products.
const gateWork = 16

// at returns the gates of X of entry i of a part at a step, and the index in Y of the state after
// it. The gates are nil if the sequence of the entry has ended.
func (k *kernel) at(r *ops.Run, t *tensors, w *work, i, step int) (gates []float32, at int) {
	n := w.first + i
	length := int(w.lengths[n])
	if step >= length {
		return nil, 0
	}
	if w.d == 1 || k.direction == "reverse" {
		step = length - 1 - step
	}
	columns, at := k.values(), (n*k.dir+w.d)*k.steps+step
	if k.compressed {
		return t.x[((n*k.steps+step)*k.dir+w.d)*columns:][:columns], at
	}
	return k.gates.In(r)[((w.d*k.batch+n)*k.steps+step)*columns:][:columns], at
}

// resetState computes the first two gates of a GRU, and the state times the reset gate.
func (k *kernel) resetState(gates, x, state, reset []float32) {
	both := gates[:newGate*k.size]
	k.add(both, both, x)
	recurrence.Clip(both, k.clip)
	k.functions[0](both)
	k.multiply(reset, gates[resetGate*k.size:], state)
}

// updateState computes the new state of a GRU. Without linear_before_reset, resetState was called
// before.
func (k *kernel) updateState(t *tensors, d int, gates, x, state []float32) {
	candidate := gates[newGate*k.size:][:k.size]
	if k.last == nil {
		both := gates[:newGate*k.size]
		k.add(both, both, x)
		recurrence.Clip(both, k.clip)
		k.functions[0](both)
		bias := t.b[(d*k.biases()+linearBias)*k.size:][:k.size]
		k.add(candidate, candidate, bias)
		k.multiply(candidate, candidate, gates[resetGate*k.size:])
	}
	k.add(candidate, candidate, x[newGate*k.size:])
	recurrence.Clip(candidate, k.clip)
	k.functions[1](candidate)
	for i, z := range gates[:k.size] {
		state[i] = float32((1-z)*candidate[i]) + float32(z*state[i])
	}
}

// updateCell computes the new states of an LSTM.
func (k *kernel) updateCell(gates, x, state, cell []float32) {
	k.add(gates, gates, x)
	recurrence.Clip(gates, k.clip)
	forget, in, candidate, out := gates[:k.size], gates[k.size:][:k.size], gates[2*k.size:][:k.size], gates[3*k.size:][:k.size]
	k.functions[0](gates[:2*k.size]) // forget and in
	k.functions[0](out)
	k.functions[1](candidate)
	k.multiply(cell, cell, forget)
	k.multiply(candidate, candidate, in)
	k.add(cell, cell, candidate)
	copy(state, cell)
	k.functions[2](state)
	k.multiply(state, state, out)
}

// isHalf reports whether the elements are f16 or bf16.
func (q *problem) isHalf() bool { return q.elementType == ir.F16 || q.elementType == ir.BF16 }

// takeWide reserves memory for inputs and outputs of 16 bits.
func (k *kernel) takeWide(p *ops.Preparation, s *ops.Scratch) {
	k.inputs = [6]int{k.positions.x, k.positions.h, k.positions.c, k.positions.w, k.positions.r, k.positions.b}
	if k.compressed {
		k.inputs[4] = -1 // codes
	}
	if !k.isHalf() {
		return
	}
	for i, port := range k.inputs {
		if port >= 0 {
			k.wide[i] = ops.AreaOf[float32](s, p.InputShape(port)...)
		}
	}
	for i := range p.Outputs {
		n := k.batch * k.dir * k.size
		if i == 0 && k.sequence {
			n *= k.steps
		}
		k.narrow[i] = ops.AreaOf[float32](s, n)
	}
}

// widen converts inputs of 16 bits.
func (k *kernel) widen(r *ops.Run) {
	c := widened.Find(widened.Halves, k.elementType)
	for i, port := range k.inputs {
		if port < 0 {
			continue
		}
		c.Load(r.Stop, cast.Memory(k.wide[i].In(r)), r.Inputs[port], 0)
	}
}

// narrowAll converts outputs to 16 bits.
func (k *kernel) narrowAll(r *ops.Run) {
	c := widened.Find(widened.Halves, k.elementType)
	for i, out := range r.Outputs {
		c.Store(r.Stop, out, 0, cast.Memory(k.narrow[i].In(r)))
	}
}

// tensors returns the inputs and outputs of a run.
func (k *kernel) tensors(r *ops.Run) (t tensors) {
	in := [6]*[]float32{&t.x, &t.h, &t.c, &t.w, &t.r, &t.b}
	out := [3]*[]float32{&t.y, &t.ho, &t.co}
	if !k.sequence {
		out = [3]*[]float32{&t.ho, &t.co, nil}
	}
	for i, port := range k.inputs {
		switch {
		case port < 0:
		case k.isHalf():
			*in[i] = k.wide[i].In(r)
		default:
			*in[i] = ir.Data[float32](r.Inputs[port])
		}
	}
	for i := range r.Outputs {
		if k.isHalf() {
			*out[i] = k.narrow[i].In(r)
		} else {
			*out[i] = ir.Data[float32](r.Outputs[i])
		}
	}
	return t
}
