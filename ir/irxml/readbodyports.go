package irxml

import (
	"math"
	"sort"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// finishBodies sets the Bodies of the layer.
func (c *layerContent) finishBodies() error {
	count := 0
	switch c.layer.Type {
	case "TensorIterator", "Loop":
		count = 1
	case "If":
		count = 2
	default:
		return nil
	}
	if c.bodySet == nil {
		c.bodySet = new(bodySet)
	}
	c.layer.Bodies = make([]ir.Body, count)
	for i := range c.layer.Bodies {
		raw, body := &c.bodySet.bodies[i], &c.layer.Bodies[i]
		if raw.graph == nil {
			return layerFault(c.layer, "the %s has no %s", c.layer.Type, bodyName(c.layer.Type, i))
		}
		body.Model = raw.graph.model
		var err error
		if body.Inputs, err = c.bodyInputs(raw); err != nil {
			return err
		}
		if body.Outputs, err = c.bodyOutputs(raw); err != nil {
			return err
		}
	}
	if body := &c.layer.Bodies[0]; c.layer.Type == "Loop" && len(body.Model.Parameters)+len(body.Model.Results) == 0 {
		return layerFault(c.layer, "the body has neither a Parameter nor a Result")
	}
	return c.finishBackEdges()
}

// finishBackEdges sets the back edges of the body. As in OpenVINO, a back edge counts only if
// it leads to a Parameter that reads an unsliced input of the layer, and only the first one for
// each Parameter.
func (c *layerContent) finishBackEdges() error {
	body, g := &c.layer.Bodies[0], c.bodySet.bodies[0].graph
	feeds := make(map[*ir.Layer]bool)
	for _, in := range body.Inputs {
		if !in.Sliced {
			feeds[in.Internal] = true
		}
	}
	for _, e := range c.bodySet.backEdges {
		i, ok := g.find(e.to)
		if !ok || !feeds[g.model.Layers[i]] {
			continue
		}
		from, err := c.bodyLayer(g, e.from, "Result", e.line)
		if err != nil {
			return err
		}
		delete(feeds, g.model.Layers[i])
		body.BackEdges = append(body.BackEdges, ir.BackEdge{From: from, To: g.model.Layers[i]})
	}
	return nil
}

// bodyName returns the name of the element for body i of a layer of type t.
func bodyName(t string, i int) string {
	switch {
	case t != "If":
		return "body"
	case i == 0:
		return "then_body"
	}
	return "else_body"
}

// bodyInputs returns the inputs of a body. An external_port_id is the position of an input of
// the layer.
func (c *layerContent) bodyInputs(raw *rawBody) ([]ir.BodyPort, error) {
	var ports []ir.BodyPort
	for _, entry := range distinctPorts(raw.inputs) {
		if entry.external < 0 && !entry.Sliced && entry.Purpose == "" {
			continue // a Parameter that reads no input of the layer
		}
		fail := func(format string, args ...any) error {
			return &ir.FormatError{Line: entry.line, Layer: c.layer, Err: faults.Errorf(format, args...)}
		}
		if entry.Sliced && (entry.external < 0 || entry.Axis < 0) {
			return nil, fail("a sliced body input has axis %d and external_port_id %d", entry.Axis, entry.external)
		}
		if entry.external > math.MaxInt32 {
			return nil, fail("external_port_id %d is no position of an input", entry.external)
		}
		var err error
		if entry.Internal, err = c.bodyLayer(raw.graph, entry.internal, "Parameter", entry.line); err != nil {
			return nil, err
		}
		entry.External = int(max(entry.external, -1))
		ports = append(ports, entry.BodyPort)
	}
	return ports, nil
}

// checkBodyInputs checks that the inputs of the bodies exist in layer.
func checkBodyInputs(layer *ir.Layer) error {
	for i := range layer.Bodies {
		for _, in := range layer.Bodies[i].Inputs {
			if in.External >= len(layer.Inputs) {
				return layerFault(layer, "%s takes input %d, the layer has %d", bodyName(layer.Type, i), in.External, len(layer.Inputs))
			}
		}
	}
	return nil
}

// bodyOutputs returns the outputs of a body. The external_port_ids determine only the order of
// the layer's outputs, not their positions.
func (c *layerContent) bodyOutputs(raw *rawBody) ([]ir.BodyPort, error) {
	var ports []ir.BodyPort
	number := 0
	for _, entry := range distinctPorts(raw.outputs) {
		entry.External = -1
		if entry.external >= 0 {
			entry.External = number
			number++
		} else if entry.Purpose == "" {
			continue
		}
		var err error
		if entry.Internal, err = c.bodyLayer(raw.graph, entry.internal, "Result", entry.line); err != nil {
			return nil, err
		}
		ports = append(ports, entry.BodyPort)
	}
	return ports, nil
}

// distinctPorts sorts the entries of a port map by external_port_id. Entries with a repeated
// external_port_id are dropped.
func distinctPorts(ports []rawBodyPort) []rawBodyPort {
	// Unlike slices.SortStableFunc, sort.SliceStable has no instance of its own for each type.
	sort.SliceStable(ports, func(i, j int) bool { return ports[i].external < ports[j].external })
	distinct := ports[:0]
	for i := range ports {
		if n := len(distinct); n == 0 || ports[i].external != distinct[n-1].external {
			distinct = append(distinct, ports[i])
		}
	}
	return distinct
}

// bodyLayer returns the layer of a body with the given id, which must be of type want:
// Parameter or Result.
func (c *layerContent) bodyLayer(g *graph, id uint64, want string, line int) (*ir.Layer, error) {
	i, ok := g.find(id)
	if !ok || g.model.Layers[i].Type != want {
		return nil, &ir.FormatError{Line: line, Layer: c.layer, Err: faults.Errorf("the body has no %s of id %d", want, id)}
	}
	return g.model.Layers[i], nil
}
