package recurrent

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// maxSteps bounds the number of layers: each step has about 30.
const maxSteps = 1000

// unrolled adds layers for each step, for what no sequence layer can compute. It returns the
// sequence [B,D,T,H] and the states [B,D,H].
func (q *recurrence) unrolled() []convert.Value {
	n := q.n
	steps := n.Shape(q.x).At(1)
	if steps.Min != steps.Max || steps.Min < 1 || steps.Min > maxSteps {
		n.Fail("there are %v steps, expected a known number from 1 to %d: no layer has these activations, peepholes or input_forget", steps, maxSteps)
		return nil
	}
	if q.directions == 2 {
		return joined(n, q.unrolledIn(0, int(steps.Min)), q.unrolledIn(1, int(steps.Min)))
	}
	return q.unrolledIn(0, int(steps.Min))
}

// steps computes the steps of one direction.
type steps struct {
	*recurrence
	functions []function
	r, b      convert.Value   // [G*H,H], and the bias [1,H] of linearBeforeReset
	peepholes []convert.Value // [1,H] for i, o and f; nil if there are none
	h, c      convert.Value   // [B,H]
}

// unrolledIn is unrolled for a direction. Its results have that axis, of length 1.
func (q *recurrence) unrolledIn(d, count int) []convert.Value {
	n := q.n
	part := func(v convert.Value, axis int64) convert.Value {
		return n.Squeeze(n.Slice(v, axis, int64(d), int64(d)+1), axis)
	}
	s := &steps{recurrence: q, functions: q.functions[d], r: part(q.r, 0), h: part(q.states[0], 1)}
	if len(q.states) == 2 {
		s.c = part(q.states[1], 1)
	}
	if !q.peepholes.Absent() {
		s.peepholes = split(n, n.Slice(q.peepholes, 0, int64(d), int64(d)+1), 1, 3)
	}
	gates := len(q.order)
	if q.linearBeforeReset {
		s.b = n.Slice(q.b[gates], 0, int64(d), int64(d)+1)
	}
	backward := d == 1 || q.direction == "reverse"
	// X·Wᵀ + B of all steps: [B,T,G*H]
	x := n.Layer("Add", 1, nil, n.Layer("MatMul", 1, convert.Attributes("transpose_a", false, "transpose_b", true), q.reversed(q.x, backward), part(q.w, 0)),
		part(n.Concat(1, q.b[:gates]...), 0))
	rows := make([]convert.Value, 0, count)
	for i, step := range split(n, x, 1, count) {
		if n.Failed() {
			return nil
		}
		rows = append(rows, n.Unsqueeze(s.next(n.Squeeze(step, 1), int64(i)), 1))
	}
	results := []convert.Value{n.Unsqueeze(q.reversed(n.Concat(1, rows...), backward), 1), n.Unsqueeze(s.h, 1)}
	if len(q.states) == 2 {
		results = append(results, n.Unsqueeze(s.c, 1))
	}
	return results
}

// reversed returns v [B,T,...] with its steps in reverse order, each sequence within its length.
func (q *recurrence) reversed(v convert.Value, backward bool) convert.Value {
	if !backward {
		return v
	}
	return q.n.Layer("ReverseSequence", 1, convert.Attributes("batch_axis", 0, "seq_axis", 1), v, q.allLengths())
}

// next computes the states after a step from x [B,G*H], which holds X·Wᵀ + B. It returns the row
// [B,H] of the sequence. Sequences that have ended keep their states, and their rows are 0.
func (s *steps) next(x convert.Value, step int64) convert.Value {
	n := s.n
	var h, c convert.Value
	switch len(s.order) {
	case 1:
		h = s.gate(0, n.Layer("Add", 1, nil, x, s.recurrent(s.h, s.r)))
	case 3:
		h = s.gru(x)
	case 4:
		h, c = s.lstm(x)
	}
	row := h
	if !s.lengths.Absent() {
		lengths := n.Unsqueeze(n.Convert(s.lengths, ir.I64), 1)
		running := n.Layer("Greater", 1, nil, lengths, n.IntValue(step))
		choose := func(v, otherwise convert.Value) convert.Value {
			return n.Layer("Select", 1, nil, running, v, otherwise)
		}
		row, h = choose(h, n.Like(h, 0)), choose(h, s.h)
		if !c.Absent() {
			c = choose(c, s.c)
		}
	}
	s.h, s.c = h, c
	return row
}

// recurrent returns v·Rᵀ for rows of R.
func (s *steps) recurrent(v, r convert.Value) convert.Value {
	return s.n.Layer("MatMul", 1, convert.Attributes("transpose_a", false, "transpose_b", true), v, r)
}

// gate applies an activation to v, which is limited.
func (s *steps) gate(f int, v convert.Value) convert.Value {
	if s.clip > 0 {
		v = s.n.Layer("Clamp", 1, convert.Attributes("min", -s.clip, "max", s.clip), v)
	}
	return s.functions[f].apply(s.n, v)
}

// gru computes the state of a GRU: gates z, r and the candidate.
func (s *steps) gru(x convert.Value) convert.Value {
	n := s.n
	add := func(a, b convert.Value) convert.Value { return n.Layer("Add", 1, nil, a, b) }
	times := func(a, b convert.Value) convert.Value { return n.Layer("Multiply", 1, nil, a, b) }
	gates, r := split(n, x, 1, 3), split(n, s.r, 0, 3)
	update := s.gate(0, add(gates[0], s.recurrent(s.h, r[0])))
	reset := s.gate(0, add(gates[1], s.recurrent(s.h, r[1])))
	var sum convert.Value
	if s.linearBeforeReset {
		sum = times(reset, add(s.recurrent(s.h, r[2]), s.b))
	} else {
		sum = s.recurrent(times(reset, s.h), r[2])
	}
	candidate := s.gate(1, add(gates[2], sum))
	return add(times(n.Layer("Subtract", 1, nil, n.Like(update, 1), update), candidate), times(update, s.h))
}

// lstm computes the states of an LSTM: gates f, i, c and o.
func (s *steps) lstm(x convert.Value) (h, c convert.Value) {
	n := s.n
	add := func(a, b convert.Value) convert.Value { return n.Layer("Add", 1, nil, a, b) }
	times := func(a, b convert.Value) convert.Value { return n.Layer("Multiply", 1, nil, a, b) }
	gates := split(n, add(x, s.recurrent(s.h, s.r)), 1, 4)
	peep := func(v convert.Value, i int, c convert.Value) convert.Value {
		if s.peepholes == nil {
			return v
		}
		return add(v, times(s.peepholes[i], c))
	}
	input := s.gate(0, peep(gates[1], 0, s.c))
	var forget convert.Value
	if s.inputForget {
		forget = n.Layer("Subtract", 1, nil, n.Like(input, 1), input)
	} else {
		forget = s.gate(0, peep(gates[0], 2, s.c))
	}
	c = add(times(forget, s.c), times(input, s.gate(1, gates[2])))
	output := s.gate(0, peep(gates[3], 1, c))
	return times(output, s.functions[2].apply(n, c)), c
}
