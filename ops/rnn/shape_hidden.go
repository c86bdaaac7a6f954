package rnn

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// hidden returns the length of the state. The states and R give it, or else the rows of W and R.
func (p *ports) hidden(at *attributes) (ir.Dimension, error) {
	axis := 0 // the axis of the gates in W and R
	if at.sequence {
		axis = 1
	}
	hidden := p.states[0].Shape.At(axis + 1)
	for _, in := range []*ir.Fact{&p.states[len(p.states)-1], p.r} {
		both, ok := hidden.Merge(in.Shape.At(axis + 1))
		if !ok {
			return hidden, faults.Errorf("%s %v has states of length %v, the inputs before it of %v", p.name(in), in.Shape, in.Shape.At(axis+1), hidden)
		}
		hidden = both
	}
	if hidden.IsStatic() {
		if err := p.checkGates(at, hidden, axis); err != nil {
			return hidden, err
		}
	} else {
		var err error
		if hidden, err = p.hiddenOfGates(at, hidden, axis); err != nil {
			return hidden, err
		}
	}
	if at.sized && !hidden.Contains(at.hiddenSize) {
		return hidden, faults.Errorf("the states are of length %v, hidden_size is %d", hidden, at.hiddenSize)
	}
	// OpenVINO uses the attribute only in LSTMCell
	if at.states == 2 && !at.sequence && hidden.IsDynamic() {
		hidden = ir.DimOfInt(at.hiddenSize)
	}
	return hidden, p.checkPeepholes(at, hidden)
}

// checkGates checks the rows of W, R and B against a known hidden size.
func (p *ports) checkGates(at *attributes, hidden ir.Dimension, axis int) error {
	gates := int64(at.gates)
	biases := gates
	if at.linearBeforeReset {
		biases++
	}
	for _, c := range []struct {
		in   *ir.Fact
		rows int64
	}{{p.w, gates}, {p.r, gates}, {p.b, biases}} {
		if c.in == nil || !c.in.Shape.RankKnown() {
			continue
		}
		want := hidden.Mul(ir.Dim(c.rows))
		if want.IsDynamic() {
			return faults.Errorf("%d gates of length %v need more rows than a tensor can have", c.rows, hidden)
		}
		if !c.in.Shape.At(axis).Contains(want.Min) {
			return faults.Errorf("%s has shape %v: %d gates of length %v need %v rows", p.name(c.in), c.in.Shape, c.rows, hidden, want)
		}
	}
	return nil
}

// hiddenOfGates narrows the hidden size by the rows of W and R. It skips inputs whose axis 0 is
// unknown: the rows in a cell, the directions in a sequence.
func (p *ports) hiddenOfGates(at *attributes, hidden ir.Dimension, axis int) (ir.Dimension, error) {
	for _, in := range []*ir.Fact{p.w, p.r} {
		if !in.Shape.RankKnown() || in.Shape.At(0).IsDynamic() {
			continue
		}
		rows := in.Shape.At(axis)
		each, ok := rows.Div(int64(at.gates))
		if ok {
			each, ok = hidden.Merge(each)
		}
		if !ok {
			return hidden, faults.Errorf("%s %v has %v rows for %d gates of length %v", p.name(in), in.Shape, rows, at.gates, hidden)
		}
		hidden = each
	}
	return hidden, nil
}

// checkPeepholes checks the input P of LSTMCell-1. A missing P has the length that hidden_size
// gives, so that hidden_size must agree with the states.
func (p *ports) checkPeepholes(at *attributes, hidden ir.Dimension) error {
	if !at.peepholes {
		return nil
	}
	if p.p == nil {
		if !hidden.Contains(at.hiddenSize) {
			return faults.Errorf("the states are of length %v, hidden_size is %d", hidden, at.hiddenSize)
		}
		return nil
	}
	if p.p.Shape.Rank() < 1 {
		return faults.Errorf("%s has shape %v, expected rank 1", p.name(p.p), p.p.Shape)
	}
	if rows := p.p.Shape.At(0); rows.IsStatic() && hidden.IsStatic() && rows != hidden.Mul(ir.Dim(3)) {
		return faults.Errorf("%s has shape %v, 3 peepholes of length %v need %v rows", p.name(p.p), p.p.Shape, hidden, hidden.Mul(ir.Dim(3)))
	}
	return nil
}
