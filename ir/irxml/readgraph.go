package irxml

import (
	"github.com/beevik/etree"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// graph is the content of a net element or of a body while it is read.
type graph struct {
	model *ir.Model
	edges []edge
	// byID maps ids to positions in model.Layers. It is nil if they are equal for all layers.
	byID map[uint64]int
	// incoming has positions in edges. Those of the edges to layer i are from first[i] to
	// first[i+1].
	incoming, first []int32
	reached         []bool // by Layer.Index: a Parameter, Result or Assign depends on it
	notes           *ir.NoteCount
	owner           *ir.Layer // the layer that has the graph as a body
	ownerBody       int

	rtInfo, metaData, quantization, preProcess *etree.Element
}

type edge struct {
	from, fromPort, to, toPort uint64
	line                       int
}

func (r *reader) newGraph(name string) *graph {
	return &graph{model: &ir.Model{Name: name, Version: r.version, BinSize: -1}, notes: &r.notes}
}

// add adds a layer.
func (g *graph) add(layer *ir.Layer) {
	g.model.Layers = append(g.model.Layers, layer)
	switch layer.Type {
	case "Parameter":
		g.model.Parameters = append(g.model.Parameters, layer)
	case "Result":
		g.model.Results = append(g.model.Results, layer)
	}
}

// find returns the position of the layer with the given id; false if there is none.
func (g *graph) find(id uint64) (int, bool) {
	if g.byID != nil {
		i, ok := g.byID[id]
		return i, ok
	}
	return int(id), id < uint64(len(g.model.Layers))
}

// finish completes the model of a graph after all its elements were read.
func (r *reader) finish(g *graph, isNet bool) error {
	r.weights.addEnds(g.model.Layers)
	if err := g.index(); err != nil {
		return err
	}
	if err := g.link(); err != nil {
		return err
	}
	if err := g.readMeta(); err != nil {
		return err
	}
	if err := edit.Sort(g.model); err != nil {
		return asFormatError(err)
	}
	editor := edit.New(g.model)
	if isNet {
		if err := r.preProcess(g, editor); err != nil {
			return err
		}
	}
	if len(g.model.Results) == 0 && len(g.model.Sinks) == 0 {
		g.note(0, nil, "the model has no Result")
	}
	g.nameTensors()
	if isNet {
		if err := g.finishV10(editor); err != nil {
			return err
		}
	}
	if err := editor.Finish(); err != nil {
		return asFormatError(err)
	}
	return r.constants(g)
}

// constants sets the values of the Constants in the file.
func (r *reader) constants(g *graph) error {
	for _, layer := range g.model.Order {
		if layer.Type != "Constant" || layer.Origin != nil {
			continue
		}
		if err := r.weights.constant(layer); err != nil {
			return &ir.FormatError{Line: layer.Line, Layer: layer, Err: err}
		}
	}
	return nil
}

// index prepares byID for find. It returns an error if an id is repeated.
func (g *graph) index() error {
	for i, layer := range g.model.Layers {
		if g.byID == nil && layer.ID != uint64(i) {
			g.byID = make(map[uint64]int, len(g.model.Layers))
			for j, earlier := range g.model.Layers[:i] {
				g.byID[earlier.ID] = j
			}
		}
		if g.byID == nil {
			continue
		}
		if j, ok := g.byID[layer.ID]; ok {
			return layerFault(layer, "the id is that of layer %q in line %d as well", g.model.Layers[j].Name, g.model.Layers[j].Line)
		}
		g.byID[layer.ID] = i
	}
	return nil
}

// link connects the inputs of the layers that Parameters, Results and Assigns depend on. Errors
// in the edges of other layers are ignored.
func (g *graph) link() error {
	g.groupEdges()
	g.reached = make([]bool, len(g.model.Layers))
	var stack []int
	visit := func(i int) {
		if !g.reached[i] {
			g.reached[i] = true
			stack = append(stack, i)
		}
	}
	for i, layer := range g.model.Layers {
		switch layer.Type {
		case "Parameter", "Result", "Assign":
			visit(i)
		}
	}
	ports := portFinder{outputs: make(map[*ir.Layer]map[uint64]int)}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if err := g.linkLayer(i, &ports); err != nil {
			return err
		}
		for _, in := range g.model.Layers[i].Inputs {
			visit(in.Source.Index)
		}
	}
	for i, layer := range g.model.Layers {
		if g.reached[i] {
			continue
		}
		g.note(layer.Line, layer, "no output of the model depends on the layer")
		if g.linkLayer(i, &ports) != nil {
			layer.Inputs = nil
		}
	}
	return nil
}

// note records a note.
func (g *graph) note(line int, layer *ir.Layer, text string) {
	g.model.Notes = g.notes.Append(g.model.Notes, ir.Note{Line: line, Layer: layer, Text: text})
}

// groupEdges groups the edges by the layer that they lead to. As in OpenVINO, edges to missing
// layers are dropped.
func (g *graph) groupEdges() {
	g.first = make([]int32, len(g.model.Layers)+1)
	for _, e := range g.edges {
		if i, ok := g.find(e.to); ok {
			g.first[i+1]++
		} else {
			g.note(e.line, nil, "an edge leads to a layer that does not exist")
		}
	}
	for i := range g.model.Layers {
		g.first[i+1] += g.first[i]
	}
	g.incoming = make([]int32, g.first[len(g.model.Layers)])
	next := append([]int32(nil), g.first...)
	for at, e := range g.edges {
		if i, ok := g.find(e.to); ok {
			g.incoming[next[i]] = int32(at)
			next[i]++
		}
	}
}

// linkLayer connects the inputs of layer i. The number of an input is the position of its port,
// not the id of the port. There are as many inputs as edges: ports after the last one with an
// edge are missing optional inputs, and are dropped.
func (g *graph) linkLayer(i int, ports *portFinder) error {
	layer := g.model.Layers[i]
	edges := g.incoming[g.first[i]:g.first[i+1]]
	inputs := ports.inputsOf(layer)
	for _, at := range edges {
		e := &g.edges[at]
		fail := func(format string, args ...any) error {
			return &ir.FormatError{Line: e.line, Layer: layer, Err: faults.Errorf(format, args...)}
		}
		from, ok := g.find(e.from)
		if !ok {
			return fail("an edge comes from layer %d, which does not exist", e.from)
		}
		source := g.model.Layers[from]
		position, ok := inputs.find(e.toPort)
		if !ok {
			return fail("an edge leads to input port %d, which does not exist", e.toPort)
		}
		out, ok := ports.outputsOf(source).find(e.fromPort)
		if !ok {
			return fail("an edge comes from output port %d of layer %d %q, which does not exist", e.fromPort, source.ID, source.Name)
		}
		in := &layer.Inputs[position]
		if in.Source != nil {
			return fail("two edges lead to input port %d", e.toPort)
		}
		if position >= len(edges) {
			return fail("input port %d is input %d, but an input before it has no edge", e.toPort, position)
		}
		in.Source, in.SourceIndex = source, out
	}
	layer.Inputs = layer.Inputs[:len(edges):len(edges)]
	return checkBodyInputs(layer)
}
