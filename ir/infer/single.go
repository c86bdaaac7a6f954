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
	s := single{rule: *rule, in: Inference{Layer: layer, Inputs: inputs, Context: ContextOf(ctx, layer, rules)}}
	if rule.Attributes != nil {
		reader := ir.AttributesOf(layer)
		if s.in.Attributes, err = rule.Attributes(reader); err != nil {
			return nil, nil, err
		}
		notes = reader.Notes()
	}
	n := len(layer.Outputs)
	if n == 0 {
		if n, err = s.count(); err != nil {
			return nil, nil, err
		}
	}
	if err := s.run(n); err != nil {
		return nil, nil, err
	}
	return s.in.Outputs, notes, ctx.Err()
}

// single is a layer that is inferred by itself.
type single struct {
	rule Rule
	in   Inference
}

// run infers the layer with n outputs.
func (s *single) run(n int) error {
	s.in.Outputs = make([]ir.Fact, n)
	return s.rule.Run(&s.in)
}

// count returns the number of outputs of the layer: the largest that its rule accepts. The rules of
// layers with bodies set as many as they are asked for.
func (s *single) count() (int, error) {
	if len(s.in.Layer.Bodies) > 0 {
		return 0, errors.New("the output ports of a layer with bodies must be given")
	}
	probe := single{s.rule, s.in}
	probe.rule.Fold, probe.rule.Bounds = nil, nil
	// Nearly all layers have one output. run tells the error of those that have none.
	if surplus, ok := probe.run(2).(*surplusError); ok && surplus.layer == 1 {
		return 1, nil
	}
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
