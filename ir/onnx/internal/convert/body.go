package convert

import (
	"cmp"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// Body is a body of a layer that a rule is about to add by Node.LayerWithBodies. The methods of its
// Node add layers to the body.
type Body struct {
	*Node
	outer *Node
	body  ir.Body
}

// captures are the values of the graph around a body that the body reads.
type captures struct {
	inside map[edit.Source]Value
	list   []capture
}

// capture is a Parameter of a body that is fed by a value of the graph around it.
type capture struct {
	outside   edit.Source
	parameter *ir.Layer
}

// NewBody returns a body without layers. Graphs in it can read names of the graph around it.
func (n *Node) NewBody() *Body {
	b := &Body{outer: n, Node: &Node{Version: n.Version, node: n.node}}
	g := n.graph
	b.graph = &graph{
		conversion: g.conversion, builder: edit.NewBuilder(g.ctx, g.Rules, ""), outer: g, parent: g, depth: g.depth, importsOf: g.importsOf,
		values: make(map[string]Value), naming: naming{layerNames: newLayerNames()},
		captures: &captures{inside: make(map[edit.Source]Value)},
	}
	return b
}

// Parameter adds a Parameter. External of port is the input of the layer that feeds it.
func (b *Body) Parameter(port ir.BodyPort, t ir.ElementType, shape ir.PartialShape) Value {
	if b.Failed() {
		return Value{}
	}
	v := b.graph.parameterOf(t, shape)
	b.body.Inputs = append(b.body.Inputs, complete(port, v.source().Layer, shape))
	return v
}

// complete returns port as OpenVINO writes one of a Parameter or Result with a shape: with the
// defaults of its attributes if it is not sliced, and else with an axis that is not negative.
// OpenVINO's CPU plugin reads and writes elsewhere if it is.
func complete(port ir.BodyPort, internal *ir.Layer, shape ir.PartialShape) ir.BodyPort {
	port.Internal = internal
	switch {
	case !port.Sliced:
		port.Start, port.End, port.Stride, port.PartSize = 0, -1, 1, 1
	case port.Axis < 0 && shape.RankKnown():
		port.Axis += int64(shape.Rank())
	}
	return port
}

// Graph is Node.Graph in the body. Values of the graph around the node that it reads become inputs
// of the layer.
func (b *Body) Graph(name string, outputs int, wanted func(i int) bool, inputs ...Value) []Value {
	if b.Failed() {
		return nil
	}
	values := b.Node.Graph(name, outputs, wanted, inputs...)
	if b.Failed() {
		return nil
	}
	return values
}

// Result adds a Result. External of port is the output of the layer that it gives.
func (b *Body) Result(port ir.BodyPort, v Value) *ir.Layer {
	if b.Failed() || v.Spoiled() {
		return nil
	}
	if err := v.checkTensor(); err != nil {
		b.Fail("a result is %w", err)
		return nil
	}
	result := b.graph.builder.Result("", v.source()).Layer
	b.body.Outputs = append(b.body.Outputs, complete(port, result, b.Shape(v)))
	return result
}

// State makes a Result the value of a Parameter in the next iteration.
func (b *Body) State(result *ir.Layer, parameter Value) {
	if !b.Failed() && result != nil {
		b.body.BackEdges = append(b.body.BackEdges, ir.BackEdge{From: result, To: parameter.source().Layer})
	}
}

// Capture returns what a value of the graph around the body is in the body.
func (b *Body) Capture(v Value) Value {
	if b.Failed() {
		return Value{}
	}
	inside, err := b.graph.capture(v)
	if err != nil {
		b.fail(err)
	}
	return inside
}

// Failed reports whether there is an error, in the body or around it. One in the body becomes one
// of the node.
func (b *Body) Failed() bool {
	if b.Node.Failed() {
		b.outer.fail(cmp.Or(b.err, b.graph.builder.Err()))
	}
	return b.outer.Failed()
}

// parameterOf adds a Parameter to the body of a layer.
func (g *graph) parameterOf(t ir.ElementType, shape ir.PartialShape) Value {
	return valueOf(g.builder.Parameter(g.unique("parameter"), t, shape))
}

// capture returns what a value of the graph around a body is in the body: a Constant of its own if
// its elements are known, so that rules see them, and else a Parameter.
func (g *graph) capture(v Value) (Value, error) {
	if v.Spoiled() || v.Absent() {
		return v, nil
	}
	if !v.IsTensor() {
		tensors := v.Tensors()
		if err := g.spend(len(tensors)); err != nil {
			return Value{}, err
		}
		for i, tensor := range tensors {
			var err error
			if tensors[i], err = g.capture(tensor); err != nil {
				return Value{}, err
			}
		}
		return v.With(tensors), nil
	}
	if inside, ok := g.captures.inside[v.source()]; ok {
		return inside, nil
	}
	fact := g.parent.builder.Fact(v.source())
	var inside Value
	if t := fact.Constant(); t != nil {
		inside = valueOf(g.builder.Constant(t))
	} else {
		inside = g.parameterOf(fact.Type, fact.Shape)
		g.captures.list = append(g.captures.list, capture{v.source(), inside.source().Layer})
	}
	inside = inside.holding(v.narrow())
	g.captures.inside[v.source()] = inside
	return inside, g.builder.Err()
}

// LayerWithBodies is Layer for a layer type with bodies, which gets the given number of outputs.
// Inputs for the values that the bodies read from the graph around them are added.
func (n *Node) LayerWithBodies(layerType string, opset, outputs int, bodies []*Body, inputs ...Value) Value {
	sources := make([]edit.Source, len(inputs))
	for i, v := range inputs {
		if err := v.checkTensor(); err != nil {
			n.Fail("input %d of a %s is %w", i, layerType, err)
			return Value{}
		}
		sources[i] = v.source()
	}
	added := make(map[edit.Source]int)
	finished := make([]ir.Body, len(bodies))
	for i, b := range bodies {
		if b.Failed() {
			return Value{}
		}
		for _, c := range b.graph.captures.list {
			at, ok := added[c.outside]
			if !ok {
				at = len(sources)
				added[c.outside] = at
				sources = append(sources, c.outside)
			}
			b.body.Inputs = append(b.body.Inputs, complete(ir.BodyPort{External: at}, c.parameter, ir.UnknownRank))
		}
		m, err := b.graph.builder.Model()
		if err != nil {
			n.fail(faults.Errorf("body %d: %w", i, err))
			return Value{}
		}
		finished[i] = b.body
		finished[i].Model = m
	}
	return n.named(n.graph.builder.LayerWithBodies(layerType, opset, nil, finished, outputs, sources...))
}

// Distribute returns count values: the outputs of a layer in turn where has is true, and absent
// ones elsewhere. If v is not the output of a layer because it could not be converted, all are like
// it.
func (v Value) Distribute(count int, has func(i int) bool) []Value {
	values := make([]Value, count)
	output := 0
	for i := range values {
		if has(i) || v.Spoiled() {
			values[i] = v.Output(output)
			output++
		}
	}
	return values
}
