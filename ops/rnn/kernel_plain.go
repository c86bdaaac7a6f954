package rnn

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/plaingemm"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/recurrence"
)

// plainLayer computes a layer of f64 in plain loops. The threads share the sequences, those of all
// directions.
type plainLayer struct {
	*problem
	functions []func(float64) float64
	lengths   ops.Area[int64]
	// The memory of each worker. x holds X·Wᵀ + B for all steps of a sequence.
	x, gates, state, cell, reset ops.Area[float64]
}

// sequence is what a worker computes at a time: one entry of the batch in direction d.
type sequence struct {
	d                             int
	x, gates, state, cell, reset  []float64
	weights, recurrent, bias, out []float64 // of direction d; out is that of Y, nil for a cell
}

func plainKernel(p *ops.Preparation, q *problem) (*ops.Prepared, error) {
	if q.batch*q.dir*q.size == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	k := &plainLayer{problem: q}
	var err error
	if k.functions, err = recurrence.Functions[float64](&q.activations, q.functionCount()); err != nil {
		return nil, err
	}
	s := &ops.Scratch{}
	k.lengths = ops.AreaOf[int64](s, q.batch)
	columns := q.gates * q.size
	sequences := q.batch * q.dir
	cost := q.flops() / 2 / float64(q.batch) / float64(q.dir)
	workers := p.Workers(sequences, cost)
	areas := func(lengths ...int) ops.Area[float64] { return ops.AreasOf[float64](s, workers, lengths...) }
	k.x, k.gates = areas(q.steps, columns), areas(columns)
	k.state, k.cell, k.reset = areas(q.size), areas(q.size), areas(q.size)
	part := ops.WorkerPart(k.part)
	kernel := func(r *ops.Run) error {
		if err := k.readLengths(r, k.lengths.In(r)); err != nil {
			return err
		}
		return r.ForWorkers(sequences, ops.Grain(cost), workers, part)
	}
	return &ops.Prepared{Kernel: kernel, ScratchBytes: s.Bytes(), Flops: q.flops(), Algorithm: "plain loops"}, nil
}

// part computes sequences lo to hi-1.
func (k *plainLayer) part(r *ops.Run, worker, lo, hi int) error {
	for i := lo; i < hi; i++ {
		s := sequence{x: k.x.Of(r, worker), gates: k.gates.Of(r, worker), state: k.state.Of(r, worker), cell: k.cell.Of(r, worker), reset: k.reset.Of(r, worker)}
		if k.compute(r, &s, i/k.dir, i%k.dir); r.Stop.Requested() {
			return parallel.ErrStopped
		}
	}
	return nil
}

// compute computes entry n of the batch in direction d.
func (k *plainLayer) compute(r *ops.Run, s *sequence, n, d int) {
	columns, at := k.problem.gates*k.size, (n*k.dir+d)*k.size
	input := func(i int) []float64 { return ir.Data[float64](r.Inputs[i]) }
	s.d, s.weights, s.recurrent = d, input(k.positions.w)[d*columns*k.input:], input(k.positions.r)[d*columns*k.size:]
	copy(s.state, input(k.positions.h)[at:])
	if k.states == 2 {
		copy(s.cell, input(k.positions.c)[at:])
	}
	rows, columnsOf := plaingemm.Matrix[float64]{Data: input(k.positions.x)[n*k.steps*k.input:], RowStride: k.input, ColStride: 1},
		plaingemm.Matrix[float64]{Data: s.weights, RowStride: 1, ColStride: k.input}
	plaingemm.Multiply(r.Stop, s.x, columns, rows, columnsOf, k.steps, columns, k.input)
	if k.positions.b >= 0 {
		s.bias = input(k.positions.b)[d*k.biases()*k.size:]
		for step := range k.steps {
			for i := range columns {
				s.x[step*columns+i] += s.bias[i]
			}
		}
	}
	outputs, length := r.Outputs, int(k.lengths.In(r)[n])
	if k.sequence {
		s.out = ir.Data[float64](outputs[0])[at*k.steps:][:k.steps*k.size]
		outputs = outputs[1:]
	}
	for i := range length {
		if r.Stop.Requested() {
			return
		}
		step := i
		if d == 1 || k.direction == "reverse" {
			step = length - 1 - i
		}
		k.step(r.Stop, s, s.x[step*columns:][:columns])
		if s.out != nil {
			copy(s.out[step*k.size:], s.state)
		}
	}
	if s.out != nil {
		parallel.Clear(r.Stop, s.out[length*k.size:])
	}
	for i, state := range [][]float64{s.state, s.cell}[:len(outputs)] {
		copy(ir.Data[float64](outputs[i])[at:], state)
	}
}

// multiply sets out to the product of in and rows first to first+len(out)-1 of R.
func (k *plainLayer) multiply(stop parallel.Stop, s *sequence, out, in []float64, first int) {
	plaingemm.Multiply(stop, out, len(out), plaingemm.Matrix[float64]{Data: in, RowStride: k.size, ColStride: 1},
		plaingemm.Matrix[float64]{Data: s.recurrent[first*k.size:], RowStride: 1, ColStride: k.size}, 1, len(out), k.size)
}

// gate returns activation number f of x, which is limited to the range from -clip to clip.
func (k *plainLayer) gate(f int, x float64) float64 {
	if k.clip > 0 {
		x = min(max(x, -k.clip), k.clip)
	}
	return k.functions[f](x)
}

// step computes the next states from the gates of X.
func (k *plainLayer) step(stop parallel.Stop, s *sequence, x []float64) {
	n, gates := k.size, s.gates
	switch k.problem.gates {
	case 1:
		k.multiply(stop, s, gates, s.state, 0)
		for i := range gates {
			s.state[i] = k.gate(0, gates[i]+x[i])
		}
	case 3:
		recurrent := newGate
		if k.linearBeforeReset {
			recurrent++
		}
		k.multiply(stop, s, gates[:recurrent*n], s.state, 0)
		for i := range newGate * n {
			gates[i] = k.gate(0, gates[i]+x[i])
		}
		candidate, reset := gates[newGate*n:], gates[resetGate*n:]
		if k.linearBeforeReset {
			for i := range candidate {
				candidate[i] = float64((candidate[i] + s.bias[linearBias*n+i]) * reset[i])
			}
		} else {
			for i := range s.reset {
				s.reset[i] = reset[i] * s.state[i]
			}
			k.multiply(stop, s, candidate, s.reset, newGate*n)
		}
		for i, z := range gates[:n] {
			c := k.gate(1, candidate[i]+x[newGate*n+i])
			s.state[i] = float64((1-z)*c) + float64(z*s.state[i])
		}
	default:
		k.multiply(stop, s, gates, s.state, 0)
		for i := range n {
			forget, in := k.gate(0, gates[i]+x[i]), k.gate(0, gates[n+i]+x[n+i])
			candidate, out := k.gate(1, gates[2*n+i]+x[2*n+i]), k.gate(0, gates[3*n+i]+x[3*n+i])
			s.cell[i] = float64(s.cell[i]*forget) + float64(candidate*in)
			s.state[i] = k.functions[2](s.cell[i]) * out
		}
	}
}
