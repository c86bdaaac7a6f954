package recurrent

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// looped adds a loop over the steps for each direction, for what no sequence layer can compute. It
// returns the sequence [B,D,T,H] and the states [B,D,H].
func (q *recurrence) looped() []convert.Value {
	if q.directions == 2 {
		return joined(q.n, q.loop(0), q.loop(1))
	}
	return q.loop(0)
}

// steps computes the steps of one direction, in the body of a loop.
type steps struct {
	*recurrence
	n         *convert.Node // of the body
	functions []arithmetic.Activation
	lengths   convert.Value   // [B] of i64, absent if all are T
	r, b      convert.Value   // [G*H,H], and the bias [1,H] of linearBeforeReset
	peepholes []convert.Value // [1,H] for i, o and f; nil if there are none
	h, c      convert.Value   // [B,H]
	attention *attention      // nil if there is no memory
}

// loop is looped for a direction. Its results have that axis, of length 1.
func (q *recurrence) loop(d int) []convert.Value {
	n, gates := q.n, len(q.order)
	slice := func(v convert.Value, axis int64) convert.Value { return n.Slice(v, axis, int64(d), int64(d)+1) }
	part := func(v convert.Value, axis int64) convert.Value { return n.Squeeze(slice(v, axis), axis) }
	backward := d == 1 || q.direction == "reverse"
	w := part(q.w, 0)
	var inputWeights convert.Value
	if q.memory != nil {
		w, inputWeights = q.apart(w)
	}
	// X·Wᵀ + B of all steps: [B,T,G*H]
	product := arithmetic.MatMul(n, q.reversed(q.x, backward), w, false, true)
	x := arithmetic.Add(n, product, part(n.Concat(1, q.b[:gates]...), 0))

	body := n.NewBody()
	s := &steps{recurrence: q, n: body.Node, functions: q.functions[d]}
	inputs := []convert.Value{n.Squeeze(arithmetic.Lengths(n, q.x, 1), 0), n.ValueOf(true)}
	pass := func(v convert.Value, port ir.BodyPort, shape ir.PartialShape) convert.Value {
		port.External = len(inputs)
		inputs = append(inputs, v)
		return body.Parameter(port, n.Type(v), shape)
	}
	constant := func(v convert.Value) convert.Value { return pass(v, ir.BodyPort{}, n.Shape(v)) }
	step := body.Parameter(ir.BodyPort{External: -1, Purpose: "current_iteration"}, ir.I64, ir.ShapeOf())
	batch, size := n.Shape(q.x).At(0), ir.Dim(q.hidden)
	each := ir.BodyPort{Sliced: true, Axis: 1, End: -1, Stride: 1, PartSize: 1}
	row := body.Squeeze(pass(x, each, ir.ShapeOf(batch, ir.Dim(1), ir.Dim(int64(gates)*q.hidden))), 1)
	var states []convert.Value
	for _, state := range q.states {
		states = append(states, pass(part(state, 1), ir.BodyPort{}, ir.ShapeOf(batch, size)))
	}
	if s.h = states[0]; len(states) == 2 {
		s.c = states[1]
	}
	s.r = constant(part(q.r, 0))
	if q.linearBeforeReset {
		s.b = constant(slice(q.b[gates], 0))
	}
	if !q.peepholes.Absent() {
		s.peepholes = body.Node.Split(constant(slice(q.peepholes, 0)), 1, 3)
	}
	if !q.lengths.Absent() {
		s.lengths = constant(n.Convert(q.lengths, ir.I64))
	}
	if q.memory != nil {
		s.attention = q.memory.attention(n, part, constant)
		s.attention.inputWeights = constant(inputWeights)
		shape := n.Concat(0, arithmetic.Lengths(n, q.x, 0), arithmetic.Lengths(n, inputWeights, 1))
		start := arithmetic.Broadcast(n, n.Like(q.x, 0), shape)
		s.attention.state = pass(start, ir.BodyPort{}, ir.ShapeOf(batch, n.Shape(inputWeights).At(1)))
		states = append(states, s.attention.state)
	}

	body.Result(ir.BodyPort{External: -1, Purpose: "execution_condition"}, body.ValueOf(true))
	each.External = 0
	body.Result(each, body.Unsqueeze(s.next(row, step), 1))
	for i, after := range s.states()[:len(states)] {
		body.State(body.Result(ir.BodyPort{External: 1 + i}, after), states[i])
	}
	results := n.LayerWithBodies("Loop", 5, 1+len(states), []*convert.Body{body}, inputs...).Outputs(1 + len(states))
	results[0] = q.reversed(results[0], backward)
	for i := range results {
		results[i] = n.Unsqueeze(results[i], 1)
	}
	return results[:1+len(q.states)]
}

// states returns those of all cells: h, c, and what is attended to.
func (s *steps) states() []convert.Value {
	states := []convert.Value{s.h, s.c}
	if s.attention != nil {
		states = append(states, s.attention.state)
	}
	return states
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
func (s *steps) next(x, step convert.Value) convert.Value {
	n := s.n
	var h, c convert.Value
	switch len(s.order) {
	case 1:
		h = s.gate(0, arithmetic.Add(n, x, s.recurrent(s.h, s.r)))
	case 3:
		h = s.gru(x)
	case 4:
		if s.attention != nil {
			x = arithmetic.Add(n, x, s.recurrent(s.attention.state, s.attention.inputWeights))
		}
		if h, c = s.lstm(x); s.attention != nil {
			s.attention.state = s.attention.next(n, h)
		}
	}
	row := h
	if !s.lengths.Absent() {
		running := n.Layer("Greater", 1, nil, n.Unsqueeze(s.lengths, 1), step)
		choose := func(v, otherwise convert.Value) convert.Value {
			return arithmetic.Select(n, running, v, otherwise)
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
	return arithmetic.MatMul(s.n, v, r, false, true)
}

// gate applies an activation to v, which is limited.
func (s *steps) gate(f int, v convert.Value) convert.Value {
	if s.clip > 0 {
		v = s.n.Layer("Clamp", 1, convert.Attributes("min", -s.clip, "max", s.clip), v)
	}
	return apply(s.n, s.functions[f], v)
}

// gru computes the state of a GRU: gates z, r and the candidate.
func (s *steps) gru(x convert.Value) convert.Value {
	n := s.n
	add := func(a, b convert.Value) convert.Value { return arithmetic.Add(n, a, b) }
	times := func(a, b convert.Value) convert.Value { return arithmetic.Multiply(n, a, b) }
	gates, r := n.Split(x, 1, 3), n.Split(s.r, 0, 3)
	update := s.gate(0, add(gates[0], s.recurrent(s.h, r[0])))
	reset := s.gate(0, add(gates[1], s.recurrent(s.h, r[1])))
	var sum convert.Value
	if s.linearBeforeReset {
		sum = times(reset, add(s.recurrent(s.h, r[2]), s.b))
	} else {
		sum = s.recurrent(times(reset, s.h), r[2])
	}
	candidate := s.gate(1, add(gates[2], sum))
	return add(times(arithmetic.Subtract(n, n.Like(update, 1), update), candidate), times(update, s.h))
}

// lstm computes the states of an LSTM: gates f, i, c and o.
func (s *steps) lstm(x convert.Value) (h, c convert.Value) {
	n := s.n
	add := func(a, b convert.Value) convert.Value { return arithmetic.Add(n, a, b) }
	times := func(a, b convert.Value) convert.Value { return arithmetic.Multiply(n, a, b) }
	gates := n.Split(add(x, s.recurrent(s.h, s.r)), 1, 4)
	peep := func(v convert.Value, i int, c convert.Value) convert.Value {
		if s.peepholes == nil {
			return v
		}
		return add(v, times(s.peepholes[i], c))
	}
	input := s.gate(0, peep(gates[1], 0, s.c))
	var forget convert.Value
	if s.inputForget {
		forget = arithmetic.Subtract(n, n.Like(input, 1), input)
	} else {
		forget = s.gate(0, peep(gates[0], 2, s.c))
	}
	c = add(times(forget, s.c), times(input, s.gate(1, gates[2])))
	output := s.gate(0, peep(gates[3], 1, c))
	return times(output, apply(n, s.functions[2], c)), c
}
