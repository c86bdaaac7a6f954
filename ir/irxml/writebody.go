package irxml

import (
	"strconv"

	"github.com/vinoir/vinoir/ir"
)

// bodies returns the writers of the bodies of a layer.
func (g *graphWriter) bodies(layer *ir.Layer) []*graphWriter {
	var list []*graphWriter
	for i := range layer.Bodies {
		shapes := g.shapes
		if shapes != nil {
			shapes = shapes.Body(layer, i)
		}
		list = append(list, g.graph(layer.Bodies[i].Model, shapes))
	}
	return list
}

// bodyPorts writes the port maps and the back edges of a layer. bodies are the writers of its
// bodies.
func (g *graphWriter) bodyPorts(layer *ir.Layer, bodies []*graphWriter) {
	for i := len(bodies) - 1; i >= 0; i-- {
		name := "port_map"
		if layer.Type == "If" {
			name = [...]string{"then_port_map", "else_port_map"}[i]
		}
		g.portMap(name, layer, &layer.Bodies[i], bodies[i])
	}
	for i, body := range bodies {
		edges := layer.Bodies[i].BackEdges
		if len(edges) == 0 {
			continue
		}
		g.open("back_edges")
		for _, e := range edges {
			g.start("edge")
			g.number("from-layer", body.ids[e.From.Index])
			g.number("to-layer", body.ids[e.To.Index])
			g.empty()
		}
		g.close("back_edges")
	}
}

// portMap writes the port map of a body: inputs, outputs, and then the ports with a purpose.
func (g *graphWriter) portMap(name string, layer *ir.Layer, body *ir.Body, inner *graphWriter) {
	if len(body.Inputs)+len(body.Outputs) == 0 {
		g.start(name)
		g.empty()
		return
	}
	g.open(name)
	for _, special := range [...]bool{false, true} {
		for i := range body.Inputs {
			if port := &body.Inputs[i]; special == (port.External < 0) {
				g.bodyPort("input", port, 0, inner)
			}
		}
		for i := range body.Outputs {
			if port := &body.Outputs[i]; special == (port.External < 0) {
				g.bodyPort("output", port, len(layer.Inputs), inner)
			}
		}
	}
	g.close(name)
}

// bodyPort writes an entry of a port map. first is the id of the first port on its side of the
// layer.
func (g *graphWriter) bodyPort(name string, port *ir.BodyPort, first int, inner *graphWriter) {
	external := port.External
	if external >= 0 {
		external += first
	}
	g.start(name)
	if port.Sliced {
		g.attr("axis", strconv.FormatInt(port.Axis, 10))
	}
	g.number("external_port_id", external)
	g.number("internal_layer_id", inner.ids[port.Internal.Index])
	if port.Sliced || port.Start != 0 || port.End != -1 || port.Stride != 1 || port.PartSize != 1 {
		g.attr("start", strconv.FormatInt(port.Start, 10))
		g.attr("end", strconv.FormatInt(port.End, 10))
		g.attr("stride", strconv.FormatInt(port.Stride, 10))
		g.attr("part_size", strconv.FormatInt(port.PartSize, 10))
	}
	if port.Purpose != "" {
		g.attr("purpose", port.Purpose)
	}
	g.empty()
}
