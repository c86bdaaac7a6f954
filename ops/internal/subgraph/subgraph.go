// Package subgraph holds what the rules of the layers with bodies share: If, Loop
// and TensorIterator.
package subgraph

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Body is a body at work: what its Parameters are taken to be, and what its Results
// were the last time that it was inferred.
type Body struct {
	*ir.Body
	Parameters, Results []ir.Fact
	in                  *ops.Inference
	index               int
	positions           map[*ir.Layer]int       // of Parameters and Results in Model
	states              map[*ir.Layer]*ir.Layer // the Results of the back edges, by Parameter
}

// Open returns body i of the layer, inferred from what its Parameters declare: so
// OpenVINO makes it when it reads a model, and refuses what is wrong then.
func Open(in *ops.Inference, i int) (*Body, error) {
	if in.Layer == nil || i >= len(in.Layer.Bodies) || in.Body == nil {
		return nil, fmt.Errorf("there is no body %d", i)
	}
	b := &Body{Body: &in.Layer.Bodies[i], in: in, index: i, positions: make(map[*ir.Layer]int)}
	b.states = make(map[*ir.Layer]*ir.Layer, len(b.BackEdges))
	for _, e := range b.BackEdges {
		b.states[e.To] = e.From
	}
	for k, p := range b.Model.Parameters {
		b.positions[p] = k
		a := ir.AttributesOf(p)
		b.Parameters = append(b.Parameters, ir.Fact{
			Type: a.ElementType("element_type", ir.Dynamic), Shape: a.PartialShape("shape", ir.PartialShape{}),
		})
	}
	for k, r := range b.Model.Results {
		b.positions[r] = k
	}
	return b, b.infer(nil)
}

// Infer infers the body from Parameters.
func (b *Body) Infer() error { return b.infer(b.Parameters) }

func (b *Body) infer(parameters []ir.Fact) (err error) {
	b.Results, err = b.in.Body(b.index, parameters)
	return err
}

// Parameter returns what the Parameter is taken to be, to be read and set.
func (b *Body) Parameter(p *ir.Layer) *ir.Fact { return &b.Parameters[b.positions[p]] }

// Result returns what a Result was inferred to be.
func (b *Body) Result(r *ir.Layer) *ir.Fact { return &b.Results[b.positions[r]] }

// Feeds returns the entries of the port map that feed Parameters from inputs of the
// layer. Values do not come in, as they do not in OpenVINO: a body is inferred for
// any value of its Parameters.
func (b *Body) Feeds() []ir.BodyPort {
	ports := make([]ir.BodyPort, 0, len(b.Inputs))
	for _, port := range b.Inputs {
		if port.External >= 0 && port.External < len(b.in.Inputs) {
			ports = append(ports, port)
		}
	}
	return ports
}

// Feed sets the Parameter of a port to the type and shape of the input.
func (b *Body) Feed(port *ir.BodyPort) {
	input := &b.in.Inputs[port.External]
	*b.Parameter(port.Internal) = ir.Fact{Type: input.Type, Shape: input.Shape}
}

// StateOf returns the Result whose value in one iteration the Parameter of a port
// takes in the next; nil where no back edge leads to it.
func (b *Body) StateOf(port *ir.BodyPort) *ir.Layer {
	if port.Sliced {
		return nil
	}
	return b.states[port.Internal]
}

// Returns returns the entries of the port map that lead from Results to outputs of
// the layer. The file may hold fewer ports than that: nothing reads the others.
func (b *Body) Returns() []ir.BodyPort {
	ports := make([]ir.BodyPort, 0, len(b.Outputs))
	for _, port := range b.Outputs {
		if port.External >= 0 {
			ports = append(ports, port)
		}
	}
	return ports
}

// SetOutput sets the layer's output of a port, if the file has it.
func (b *Body) SetOutput(port *ir.BodyPort, t ir.ElementType, shape ir.PartialShape) {
	if port.External < len(b.in.Outputs) {
		b.in.Outputs[port.External] = ir.Fact{Type: t, Shape: shape}
	}
}

// Special returns the Parameter or Result of the port with the given purpose, nil
// where there is none.
func Special(ports []ir.BodyPort, purpose string) *ir.Layer {
	for _, port := range ports {
		if port.Purpose == purpose {
			return port.Internal
		}
	}
	return nil
}
