package convert

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ir/onnx/internal/tensors"
)

// graph is a graph that is converted: that of the model, the body of a function in place of a call,
// or a graph in an attribute in place of its node.
type graph struct {
	*conversion
	builder *edit.Builder
	// outer is the graph with the node that this one stands in place of, and depth the number of
	// such graphs around this one. parent is outer if the names of outer can be read: in a graph in
	// an attribute, but not in a function.
	outer, parent *graph
	depth         int

	nodes        []*proto.Node
	initializers map[string]initializer
	declared     map[string]*proto.Type
	importsOf    map[string]int
	// function and arguments are those of a call: arguments has the attributes by name, nil for
	// those that the call leaves out. function is nil elsewhere.
	function  *proto.Function
	arguments map[string]*proto.Attribute

	// wanted are the outputs, and readers has the nodes that read each name directly, once it was
	// asked for.
	wanted  []string
	readers map[string][]*proto.Node

	// values has what names stand for.
	values map[string]Value
	// captures has the values of parent that this graph reads, if it is the body of a layer.
	captures *captures
	naming
}

// initializer is a tensor that is loaded when it is first read.
type initializer struct {
	dataType proto.DataType
	load     func() (*ir.Tensor, error)
}

// newGraph returns the graph of a model.
func newGraph(c *conversion, p *proto.Graph, b *edit.Builder, imports map[string]int) *graph {
	g := &graph{conversion: c, builder: b, importsOf: imports, naming: naming{layerNames: newLayerNames()}}
	g.open(p)
	return g
}

// open sets the nodes and initializers of g.
func (g *graph) open(p *proto.Graph) {
	g.nodes = p.Nodes
	g.values = make(map[string]Value, len(p.Nodes)+len(p.Inputs))
	g.initializers = make(map[string]initializer, len(p.Initializers)+len(p.SparseInitializers))
	for _, t := range p.Initializers {
		g.initializers[t.Name] = initializer{t.DataType, func() (*ir.Tensor, error) { return g.Tensors.Tensor(t) }}
	}
	for _, s := range p.SparseInitializers {
		if s.Values != nil {
			g.initializers[s.Values.Name] = initializer{s.Values.DataType, func() (*ir.Tensor, error) { return g.Tensors.Sparse(s) }}
		}
	}
	g.declared = make(map[string]*proto.Type, len(p.ValueInfo)+len(p.Outputs))
	for _, list := range [...][]*proto.ValueInfo{p.ValueInfo, p.Outputs} {
		for _, v := range list {
			g.declared[v.Name] = v.Type
		}
	}
}

// convertModel converts the graph of a model, with its inputs and outputs.
func (g *graph) convertModel(p *proto.Graph) error {
	if _, ok := g.initializers[""]; ok {
		return faults.Errorf("an initializer has no name")
	}
	g.reserve(p)
	if err := g.checkNames(p); err != nil {
		return err
	}
	if g.Stateful {
		if err := g.findStates(p); err != nil {
			return err
		}
	}
	for _, input := range p.Inputs {
		if _, ok := g.initializers[input.Name]; ok {
			continue // the value of an input that is left out; no engine takes another one
		}
		if g.states.inputs[input.Name] != "" {
			continue
		}
		if err := g.input(input); err != nil {
			return faults.Errorf("input %s: %w", printable.Quote(input.Name, maxNameText), err)
		}
	}
	if err := g.addStates(p); err != nil {
		return err
	}
	var wanted []string
	for _, output := range p.Outputs {
		wanted = append(wanted, output.Name)
	}
	if err := g.run(wanted); err != nil {
		return err
	}
	if err := g.failed(); err != nil {
		return err
	}
	for i, name := range wanted {
		v, err := g.lookup(name)
		if err == nil {
			err = g.output(name, v, p.Outputs[i].Type)
		}
		if err != nil {
			return faults.Errorf("output %s: %w", printable.Quote(name, maxNameText), err)
		}
	}
	return g.builder.Err()
}

// tensorType returns the element type and the shape of a value. It is an error if it is no tensor.
func (g *graph) tensorType(t *proto.Type) (ir.ElementType, ir.PartialShape, error) {
	if t == nil || t.Kind == proto.KindUnknown {
		return 0, ir.UnknownRank, faults.Errorf("it has no type")
	}
	if t.Kind != proto.KindTensor {
		return 0, ir.UnknownRank, &tensors.UnsupportedTypeError{Type: t.Kind.String()}
	}
	e, err := tensors.ElementType(t.ElementType)
	if err != nil {
		return 0, ir.UnknownRank, err
	}
	if t.Shape == nil {
		return e, ir.UnknownRank, nil
	}
	if err := ir.CheckRank(len(t.Shape.Dims)); err != nil {
		return 0, ir.UnknownRank, err
	}
	dims := make([]ir.Dimension, len(t.Shape.Dims))
	for i, d := range t.Shape.Dims {
		// Exporters write -1, and some 0 with a name, for a length that is unknown.
		if dims[i] = ir.AnyDim; d.Known && d.Value >= 0 {
			dims[i] = ir.Dim(d.Value)
		}
	}
	return e, ir.ShapeOf(dims...), nil
}

// lookup returns the value of a name: an input, an initializer, the output of a node before, or one
// of those of a graph around this one.
func (g *graph) lookup(name string) (Value, error) {
	if v, ok := g.values[name]; ok {
		return v, nil
	}
	if i, ok := g.initializers[name]; ok {
		return g.constant(name, i)
	}
	if g.parent == nil {
		return Value{}, faults.Errorf("nothing defines the value %s", printable.Quote(name, maxNameText))
	}
	v, err := g.parent.lookup(name)
	if err == nil && g.captures != nil {
		return g.capture(v)
	}
	return v, err
}

// constant adds the Constant of an initializer.
func (g *graph) constant(name string, i initializer) (Value, error) {
	t, err := i.load()
	if err != nil {
		return Value{}, faults.Errorf("initializer %s: %w", printable.Quote(name, maxNameText), err)
	}
	v := valueOf(g.builder.Constant(t)).holding(tensors.Narrow(i.dataType))
	if err := g.builder.Err(); err != nil {
		return Value{}, faults.Errorf("initializer %s: %w", printable.Quote(name, maxNameText), err)
	}
	g.define(name, v)
	return v, g.builder.Err()
}
