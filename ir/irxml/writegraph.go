package irxml

import (
	"github.com/beevik/etree"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// graphWriter writes a net element or a body.
type graphWriter struct {
	*writer
	model  *ir.Model
	shapes *infer.Shapes // nil to write what ports declare
	layers []*ir.Layer   // in the order of the file
	ids    []int         // by Layer.Index; of the Convert, for a Constant that is written as f16
	// isResult reports, by Layer.Index, whether a Result reads an output of a layer.
	isResult []bool
}

// isV10Convert reports whether the reader has inserted layer before a Result of version 10.
func isV10Convert(layer *ir.Layer) bool { return layer.Opset == "ir10" }

// source returns what an input reads in the file. It is not a Convert that the reader inserts.
func (g *graphWriter) source(in *ir.Input) (*ir.Layer, int) {
	for isV10Convert(in.Source) && len(in.Source.Inputs) == 1 {
		in = &in.Source.Inputs[0]
	}
	return in.Source, in.SourceIndex
}

// graph returns the writer of m, the model or a body, with the ids of its layers. shapes can be
// nil.
func (w *writer) graph(m *ir.Model, shapes *infer.Shapes) *graphWriter {
	g := &graphWriter{writer: w, model: m, shapes: shapes, layers: fileOrder(m), ids: make([]int, len(m.Layers))}
	if w.stored != nil {
		g.isResult = make([]bool, len(m.Layers))
		for _, result := range m.Results {
			if len(result.Inputs) > 0 {
				g.isResult[result.Inputs[0].Source.Index] = true
			}
		}
	}
	id := 0
	for _, layer := range g.layers {
		if w.stored[layer] == storedHalf {
			id++
		}
		g.ids[layer.Index] = id
		id++
	}
	return g
}

// write writes the content of the element.
func (g *graphWriter) write() {
	w := g.writer
	g.open("layers")
	outer := w.layer
	for _, layer := range g.layers {
		if w.err != nil {
			return
		}
		w.layer = layer
		if w.stored[layer] == storedHalf {
			g.halvedConstant(g.ids[layer.Index], layer)
		} else {
			g.writeLayer(g.ids[layer.Index], layer)
		}
		if len(w.buf) > xmlBlock {
			w.flush()
		}
	}
	g.close("layers")
	w.layer = outer
	g.edges()
	info := g.model.RTInfo
	if info == nil {
		info = new(etree.Element)
	}
	g.element("rt_info", info)
}

// edges writes the edges, by the layers that they come from, as OpenVINO does.
func (g *graphWriter) edges() {
	type edge struct{ fromPort, to, toPort int }
	// The edges from the layer with index i are from first[i] to first[i+1].
	first := make([]int, len(g.model.Layers)+1)
	for _, layer := range g.layers {
		for i := range layer.Inputs {
			from, _ := g.source(&layer.Inputs[i])
			first[from.Index+1]++
		}
	}
	for i := range g.model.Layers {
		first[i+1] += first[i]
	}
	edges := make([]edge, first[len(g.model.Layers)])
	next := append([]int(nil), first...)
	for _, layer := range g.layers {
		for port := range layer.Inputs {
			from, output := g.source(&layer.Inputs[port])
			fromPort := len(from.Inputs) + output
			if g.stored[from] == storedHalf {
				fromPort = 1 // of the Convert
			}
			edges[next[from.Index]] = edge{fromPort, g.ids[layer.Index], port}
			next[from.Index]++
		}
	}
	if len(edges) == 0 {
		g.start("edges")
		g.empty()
		return
	}
	g.open("edges")
	for _, from := range g.layers {
		id := g.ids[from.Index]
		if g.stored[from] == storedHalf {
			g.edge(id-1, 0, id, 0)
		}
		for _, e := range edges[first[from.Index]:first[from.Index+1]] {
			g.edge(id, e.fromPort, e.to, e.toPort)
		}
		if len(g.buf) > xmlBlock {
			g.flush()
		}
	}
	g.close("edges")
}

// edge writes an edge.
func (g *graphWriter) edge(from, fromPort, to, toPort int) {
	g.start("edge")
	g.number("from-layer", from)
	g.number("from-port", fromPort)
	g.number("to-layer", to)
	g.number("to-port", toPort)
	g.empty()
}

// fileOrder returns the layers of m.Order in the order of the file: Parameters, other layers,
// Results. The others are in document order, as far as each comes after those that it reads, so
// that a file that was written so keeps its order. Assigns stay in the order of m.Sinks, since the
// last one determines the value of a variable.
func fileOrder(m *ir.Model) []*ir.Layer {
	order := make([]*ir.Layer, 0, len(m.Order))
	order = append(order, m.Parameters...)
	// done marks layers that are in order or need not be: those outside of m.Order too.
	done := make([]bool, len(m.Layers))
	for i := range done {
		done[i] = true
	}
	for _, layer := range m.Order {
		done[layer.Index] = layer.Type == "Parameter" || layer.Type == "Result"
	}
	before := make(map[*ir.Layer]*ir.Layer) // the Assign before each Assign
	var last *ir.Layer
	for _, sink := range m.Sinks {
		if sink.Type == "Assign" {
			before[sink], last = last, sink
		}
	}
	type frame struct {
		layer *ir.Layer
		next  int
	}
	var stack []frame
	for _, root := range m.Layers {
		if done[root.Index] {
			continue
		}
		stack = append(stack, frame{layer: root})
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			layer := top.layer
			if done[layer.Index] {
				stack = stack[:len(stack)-1]
				continue
			}
			var source *ir.Layer
			switch {
			case top.next < len(layer.Inputs):
				source = layer.Inputs[top.next].Source
			case top.next == len(layer.Inputs):
				source = before[layer]
			default:
				done[layer.Index] = true
				if !isV10Convert(layer) {
					order = append(order, layer)
				}
				stack = stack[:len(stack)-1]
				continue
			}
			top.next++
			if source != nil && !done[source.Index] {
				stack = append(stack, frame{layer: source})
			}
		}
	}
	return append(order, m.Results...)
}
