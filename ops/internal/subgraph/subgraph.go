// Package subgraph holds code for layers with bodies, which If, Loop and TensorIterator share:
// inference of a body, its port map, and scalar inputs such as conditions.
package subgraph

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Body is a body during inference.
type Body struct {
	*ir.Body
	// Parameters are the facts that the body is inferred from, in the order of Model.Parameters.
	// Results are the facts of the last inference, in the order of Model.Results.
	Parameters, Results []ir.Fact
	in                  *ops.Inference
	index               int
	positions           map[*ir.Layer]int       // indices of Parameters and Results in Model
	states              map[*ir.Layer]*ir.Layer // the Result of the back edge to each Parameter
}

// Open returns body i of the layer, inferred from the types and shapes that its Parameters declare.
// It returns the errors of this inference, as OpenVINO does when it reads a model.
func Open(in *ops.Inference, i int) (*Body, error) {
	if in.Layer == nil || i >= len(in.Layer.Bodies) || in.Body == nil {
		return nil, faults.Errorf("there is no body %d", i)
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

// Infer infers the body from Parameters and sets Results.
func (b *Body) Infer() error { return b.infer(b.Parameters) }

// infer infers the body from parameters and sets Results. nil means what the Parameters declare.
func (b *Body) infer(parameters []ir.Fact) (err error) {
	b.Results, err = b.in.Body(b.index, parameters)
	return err
}

// Parameter returns the fact of a Parameter, which the caller may change.
func (b *Body) Parameter(p *ir.Layer) *ir.Fact { return &b.Parameters[b.positions[p]] }

// Result returns the inferred fact of a Result.
func (b *Body) Result(r *ir.Layer) *ir.Fact { return &b.Results[b.positions[r]] }

// Feeds returns the entries of the port map that connect inputs of the layer to Parameters. It
// leaves out entries for inputs that the layer does not have.
func (b *Body) Feeds() []ir.BodyPort {
	ports := make([]ir.BodyPort, 0, len(b.Inputs))
	for _, port := range b.Inputs {
		if port.External >= 0 && port.External < len(b.in.Inputs) {
			ports = append(ports, port)
		}
	}
	return ports
}

// Feed sets the type and shape of a port's Parameter to those of the port's input. As in OpenVINO,
// known values are not passed on: a body is inferred for any value of its Parameters.
func (b *Body) Feed(port *ir.BodyPort) {
	input := &b.in.Inputs[port.External]
	*b.Parameter(port.Internal) = ir.Fact{Type: input.Type, Shape: input.Shape}
}

// StateOf returns the Result whose value in one iteration becomes the value of the port's
// Parameter in the next. It returns nil if no back edge leads to the Parameter.
func (b *Body) StateOf(port *ir.BodyPort) *ir.Layer {
	if port.Sliced {
		return nil
	}
	return b.states[port.Internal]
}

// InitialOf returns the input of the layer with the first value of the state whose next value is
// result; -1 if result is no state.
func (b *Body) InitialOf(result *ir.Layer) int {
	for _, port := range b.Feeds() {
		if b.StateOf(&port) == result {
			return port.External
		}
	}
	return -1
}

// Returns returns the entries of the port map that connect Results to outputs of the layer. If the
// layer has fewer output ports in the file, nothing reads the additional outputs.
func (b *Body) Returns() []ir.BodyPort {
	ports := make([]ir.BodyPort, 0, len(b.Outputs))
	for _, port := range b.Outputs {
		if port.External >= 0 {
			ports = append(ports, port)
		}
	}
	return ports
}

// SetOutput sets the type and shape of the output that port connects to. It does nothing if the
// layer has no such output in the file.
func (b *Body) SetOutput(port *ir.BodyPort, t ir.ElementType, shape ir.PartialShape) {
	if port.External < len(b.in.Outputs) {
		b.in.Outputs[port.External] = ir.Fact{Type: t, Shape: shape}
	}
}

// Special returns the Parameter or Result of the port with the given purpose, or nil if there
// is none.
func Special(ports []ir.BodyPort, purpose string) *ir.Layer {
	for _, port := range ports {
		if port.Purpose == purpose {
			return port.Internal
		}
	}
	return nil
}
