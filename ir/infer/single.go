package infer

import (
	"context"
	"errors"
	"fmt"

	"github.com/vinoir/vinoir/ir"
)

// maxOutputs is the largest number of outputs that Layer gives a layer.
const maxOutputs = 1 << 12

// Layer infers one layer by itself, from facts of its inputs in the order of its ports. It returns
// a fact for each output port of the layer. If the layer has no output ports yet, it returns one
// for each output that the layer type has. It is an error if the inputs do not tell how many these
// are, as for a VariadicSplit by lengths of unknown number, and if there are more than 4096.
//
// notes has a note for each attribute that is missing, that the layer type does not have, or that
// OpenVINO replaces. The error describes only the problem: the caller adds the layer.
//
// A layer of variables is inferred without the other layers of its variable, which Propagate
// follows.
func Layer(ctx context.Context, layer *ir.Layer, rules Rules, inputs []ir.Fact) (outputs []ir.Fact, notes []string, err error) {
	defer recovered(&err)
	rule, err := rules.Rule(layer)
	if err != nil {
		return nil, nil, err
	}
	s := single{rule: rule, in: Inference{Layer: layer, Inputs: inputs, Context: ContextOf(ctx, layer, rules)}}
	if rule.Attributes != nil {
		reader := ir.AttributesOf(layer)
		if s.in.Attributes, err = rule.Attributes(reader); err != nil {
			return nil, nil, err
		}
		notes = reader.Notes()
	}
	if n := len(layer.Outputs); n > 0 {
		err = s.run(n)
	} else {
		err = s.runAll()
	}
	if err != nil {
		return nil, nil, err
	}
	return s.in.Outputs, notes, ctx.Err()
}

// single is a layer that is inferred by itself.
type single struct {
	rule *Rule
	in   Inference
}

// run infers the layer with n outputs.
func (s *single) run(n int) error {
	s.in.Outputs = make([]ir.Fact, n)
	return s.rule.Run(&s.in)
}

// runAll infers the layer with all outputs that its type has.
func (s *single) runAll() error {
	if len(s.in.Layer.Bodies) > 0 {
		return errors.New("the output ports of a layer with bodies must be given")
	}
	// Nearly all layers have one output: their rules leave the second of two alone.
	s.in.Outputs = make([]ir.Fact, 2)
	if n, err := s.rule.infer(&s.in); err == nil && n == 1 {
		s.in.Outputs = []ir.Fact{s.in.Outputs[0]}
		return s.rule.complete(&s.in)
	}
	n, err := s.count()
	if err != nil {
		return err
	}
	return s.run(n)
}

// count returns the number of outputs of the layer: the largest that its rule accepts. The rules of
// layers with bodies set as many as they are asked for.
func (s *single) count() (int, error) {
	rule := *s.rule
	rule.Fold, rule.Bounds = nil, nil
	probe := single{&rule, s.in}
	if err := probe.run(1); err != nil {
		return 0, err
	}
	accepted, refused := 1, 2
	for probe.run(refused) == nil {
		accepted, refused = refused, 2*refused
		if refused > maxOutputs {
			return 0, fmt.Errorf("the inputs do not tell how many outputs the layer has: %d are possible", accepted)
		}
	}
	for accepted+1 < refused {
		if middle := (accepted + refused) / 2; probe.run(middle) == nil {
			accepted = middle
		} else {
			refused = middle
		}
	}
	return accepted, nil
}
