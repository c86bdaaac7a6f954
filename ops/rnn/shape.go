package rnn

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// ports are the inputs of a layer; lengths, b and p are nil if the layer does not have them.
type ports struct {
	x          *ir.Fact
	states     []ir.Fact // H, and C of LSTM
	lengths    *ir.Fact
	w, r, b, p *ir.Fact // w is scale of a compressed layer
}

func portsOf(at *attributes, in []ir.Fact) ports {
	p := ports{x: &in[0], states: in[1 : 1+at.states]}
	in = in[1+at.states:]
	if at.sequence {
		p.lengths, in = &in[0], in[1:]
	}
	p.w, p.r = &in[0], &in[1]
	if at.compressed {
		p.w, p.r = p.r, p.w
	}
	if len(in) > 2 {
		p.b = &in[2]
	}
	if len(in) > 3 {
		p.p = &in[3]
	}
	return p
}

func infer(in *ops.Inference) error {
	at := in.Attributes.(*attributes)
	return inferPorts(in, at, portsOf(at, in.Inputs))
}

// inferCompressed is infer with gates, codes and scale in the place of X, R and W.
func inferCompressed(in *ops.Inference) error {
	at := in.Attributes.(*attributes)
	p := portsOf(at, in.Inputs)
	if p.r.Type != ir.I8 && p.r.Type != ir.Dynamic {
		return faults.Errorf("codes are %v, expected i8", p.r.Type)
	}
	if (p.b != nil) != at.linearBeforeReset {
		return faults.Errorf("there are %d inputs, and linear_before_reset is %v", len(in.Inputs), at.linearBeforeReset)
	}
	if err := check.Rank("scale", p.w.Shape, 1); err != nil {
		return err
	}
	unknown := ir.Fact{Type: p.w.Type, Shape: ir.UnknownRank}
	p.w, p.r = &unknown, &ir.Fact{Type: p.x.Type, Shape: p.r.Shape}
	if p.b == nil {
		p.b = &unknown
	}
	return inferPorts(in, at, p)
}

func inferPorts(in *ops.Inference, at *attributes, p ports) error {
	t, err := p.mergeTypes(at)
	if err != nil {
		return err
	}
	if err := p.checkRanks(at); err != nil {
		return err
	}
	batch, err := p.batch()
	if err != nil {
		return err
	}
	hidden, err := p.hidden(at)
	if err != nil {
		return err
	}
	facts := make([]ir.Fact, 0, 3)
	state := ir.ShapeOf(batch, hidden)
	if at.sequence {
		directions, err := p.directions(at)
		if err != nil {
			return err
		}
		facts = append(facts, ir.Fact{Type: t, Shape: ir.ShapeOf(batch, directions, p.x.Shape.At(1), hidden)})
		state = ir.ShapeOf(batch, directions, hidden)
	}
	for range at.states {
		facts = append(facts, ir.Fact{Type: t, Shape: state})
	}
	return ops.SetOutputs(in, facts...)
}

// mergeTypes merges the types that OpenVINO compares: all except those of lengths, of P, and of W
// of GRUCell.
func (p *ports) mergeTypes(at *attributes) (ir.ElementType, error) {
	t := p.x.Type
	for _, in := range []*ir.Fact{&p.states[0], &p.states[len(p.states)-1], p.w, p.r, p.b} {
		if in == nil || in == p.w && at.gates == 3 && !at.sequence {
			continue
		}
		both, ok := ir.MergeElementTypes(t, in.Type)
		if !ok {
			return t, faults.Errorf("%s is %v, the inputs before it are %v", p.name(in), in.Type, t)
		}
		t = both
	}
	return t, nil
}

// name returns the name of an input in the specification.
func (p *ports) name(in *ir.Fact) string {
	switch in {
	case p.x:
		return "X"
	case &p.states[0]:
		return "initial_hidden_state"
	case p.lengths:
		return "sequence_lengths"
	case p.w:
		return "W"
	case p.r:
		return "R"
	case p.b:
		return "B"
	case p.p:
		return "P"
	}
	return "initial_cell_state"
}

func (p *ports) checkRanks(at *attributes) error {
	rank := 2
	if at.sequence {
		rank = 3
	}
	for i := range p.states {
		if err := check.Rank(p.name(&p.states[i]), p.states[i].Shape, rank); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		in   *ir.Fact
		rank int
	}{{p.x, rank}, {p.lengths, 1}, {p.w, rank}, {p.r, rank}, {p.b, rank - 1}} {
		if c.in == nil {
			continue
		}
		if err := check.Rank(p.name(c.in), c.in.Shape, c.rank); err != nil {
			return err
		}
	}
	return nil
}

// batch merges the batches of all inputs that have one.
func (p *ports) batch() (ir.Dimension, error) {
	batch := p.x.Shape.At(0)
	for _, in := range []*ir.Fact{&p.states[0], &p.states[len(p.states)-1], p.lengths} {
		if in == nil {
			continue
		}
		both, ok := batch.Merge(in.Shape.At(0))
		if !ok {
			return batch, faults.Errorf("%s %v has a batch of %v, the inputs before it of %v", p.name(in), in.Shape, in.Shape.At(0), batch)
		}
		batch = both
	}
	return batch, nil
}

// directions returns the number of directions, and checks that the inputs agree with it.
func (p *ports) directions(at *attributes) (ir.Dimension, error) {
	directions := ir.Dim(1)
	if at.direction == "bidirectional" {
		directions = ir.Dim(2)
	}
	for axis, list := range [][]*ir.Fact{{p.w, p.r, p.b}, {&p.states[0], &p.states[len(p.states)-1]}} {
		for _, in := range list {
			if d := in.Shape.At(axis); !d.Contains(directions.Min) {
				return directions, faults.Errorf("%s %v has %v directions, direction %s has %v", p.name(in), in.Shape, d, at.direction, directions)
			}
		}
	}
	return directions, nil
}
