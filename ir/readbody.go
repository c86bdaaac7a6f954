package ir

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// bodySet is what a layer element says of its bodies: one of a TensorIterator or
// Loop, two of an If.
type bodySet struct {
	bodies    [2]rawBody
	backEdges []rawBackEdge
	edgesSeen bool
}

type rawBody struct {
	graph           *graph
	mapSeen         bool
	inputs, outputs []rawBodyPort
}

// rawBodyPort is an entry of a port map.
type rawBodyPort struct {
	BodyPort
	external int64
	internal uint64 // a layer id
	line     int
}

type rawBackEdge struct {
	from, to uint64
	line     int
}

// bodyElement says which body of a layer a child element belongs to.
type bodyElement struct {
	body int
	kind bodyElementKind
}

type bodyElementKind uint8

const (
	notOfBody bodyElementKind = iota
	bodyGraph
	bodyPortMap
	bodyBackEdges
)

// bodyElementOf returns what child element name of a layer of type t is.
func bodyElementOf(t, name string) bodyElement {
	switch t {
	case "TensorIterator", "Loop":
		switch name {
		case "body":
			return bodyElement{0, bodyGraph}
		case "port_map":
			return bodyElement{0, bodyPortMap}
		case "back_edges":
			return bodyElement{0, bodyBackEdges}
		}
	case "If":
		switch name {
		case "then_body":
			return bodyElement{0, bodyGraph}
		case "then_port_map":
			return bodyElement{0, bodyPortMap}
		case "else_body":
			return bodyElement{1, bodyGraph}
		case "else_port_map":
			return bodyElement{1, bodyPortMap}
		}
	}
	return bodyElement{}
}

// bodyChild reads a child element that concerns a body; false where it does not.
func (c *layerContent) bodyChild(name []byte) (bool, error) {
	element := bodyElementOf(c.layer.Type, string(name))
	if element.kind == notOfBody {
		return false, nil
	}
	if c.bodySet == nil {
		c.bodySet = new(bodySet)
	}
	body := &c.bodySet.bodies[element.body]
	switch {
	case element.kind == bodyGraph && body.graph == nil:
		if c.bodies++; c.bodies > c.limits.Bodies {
			return true, layerFault(c.layer, "bodies nest deeper than %d levels", c.limits.Bodies)
		}
		body.graph = newGraph("", c.version)
		if err := c.graph(body.graph); err != nil {
			return true, err
		}
		c.reader.bodies--
		return true, c.finish(body.graph, false)
	case element.kind == bodyPortMap && !body.mapSeen:
		body.mapSeen = true
		return true, c.portMap(body)
	case element.kind == bodyBackEdges && !c.bodySet.edgesSeen:
		c.bodySet.edgesSeen = true
		return true, c.backEdgeList()
	}
	return true, c.scan.Skip()
}

// portMap reads a port_map element.
func (c *layerContent) portMap(body *rawBody) error {
	return c.children(func(name []byte) error {
		isInput := string(name) == "input"
		if !isInput && string(name) != "output" {
			return c.scan.Skip()
		}
		port := rawBodyPort{line: c.scan.Line()}
		port.Start, port.End, port.Stride, port.PartSize = 0, -1, 1, 1
		if err := c.bodyPort(&port); err != nil {
			return &FormatError{Line: port.line, Layer: c.layer, Err: err}
		}
		if isInput {
			body.inputs = append(body.inputs, port)
		} else {
			body.outputs = append(body.outputs, port)
		}
		return c.scan.Skip()
	})
}

// bodyPort reads the attributes of an entry of a port map.
func (c *layerContent) bodyPort(port *rawBodyPort) error {
	var err error
	if port.internal, err = c.uintAttr("internal_layer_id"); err != nil {
		return err
	}
	if _, ok := c.scan.Attr("external_port_id"); !ok {
		return fmt.Errorf("<%s> has no attribute external_port_id", c.scan.Name())
	}
	for _, a := range c.scan.Attrs() {
		var field *int64
		switch string(a.Name) {
		case "external_port_id":
			field = &port.external
		case "axis":
			port.Sliced = true
			field = &port.Axis
		case "start":
			field = &port.Start
		case "end":
			field = &port.End
		case "stride":
			field = &port.Stride
		case "part_size":
			field = &port.PartSize
		case "purpose":
			port.Purpose = c.texts.intern(a.Value)
			continue
		default:
			continue
		}
		if *field, err = parseInt(a.Value); err != nil {
			return fmt.Errorf("attribute %s of <%s>: %w", a.Name, c.scan.Name(), err)
		}
	}
	if port.Sliced && (port.Stride == 0 || port.PartSize <= 0) {
		return fmt.Errorf("<%s> has stride %d and part_size %d", c.scan.Name(), port.Stride, port.PartSize)
	}
	return nil
}

// backEdgeList reads a back_edges element.
func (c *layerContent) backEdgeList() error {
	return c.children(func(name []byte) error {
		if string(name) != "edge" {
			return c.scan.Skip()
		}
		e := rawBackEdge{line: c.scan.Line()}
		var err error
		if e.from, err = c.uintAttr("from-layer"); err == nil {
			e.to, err = c.uintAttr("to-layer")
		}
		if err != nil {
			return &FormatError{Line: e.line, Layer: c.layer, Err: err}
		}
		c.bodySet.backEdges = append(c.bodySet.backEdges, e)
		return c.scan.Skip()
	})
}

// finishBodies gives the layer its bodies.
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
	c.layer.Bodies = make([]Body, count)
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

// finishBackEdges gives a body its back edges: for each Parameter that an input of
// the layer feeds whole, the first that leads to it. Others are of no account.
func (c *layerContent) finishBackEdges() error {
	body, g := &c.layer.Bodies[0], c.bodySet.bodies[0].graph
	feeds := make(map[*Layer]bool)
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
		body.BackEdges = append(body.BackEdges, BackEdge{from, g.model.Layers[i]})
	}
	return nil
}

// bodyName returns the element of body i of a layer of type t.
func bodyName(t string, i int) string {
	switch {
	case t != "If":
		return "body"
	case i == 0:
		return "then_body"
	}
	return "else_body"
}

// bodyInputs returns the entries of a port map that feed the body, by the layer's
// inputs: an external_port_id is the position of an input.
func (c *layerContent) bodyInputs(raw *rawBody) ([]BodyPort, error) {
	var ports []BodyPort
	for _, entry := range distinctPorts(raw.inputs) {
		if entry.external < 0 && !entry.Sliced && entry.Purpose == "" {
			continue // a Parameter that nothing outside of the body feeds
		}
		fail := func(format string, args ...any) error {
			return &FormatError{Line: entry.line, Layer: c.layer, Err: fmt.Errorf(format, args...)}
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

// checkBodyInputs holds the port maps of layer against the inputs that it has.
func checkBodyInputs(layer *Layer) error {
	for i := range layer.Bodies {
		for _, in := range layer.Bodies[i].Inputs {
			if in.External >= len(layer.Inputs) {
				return layerFault(layer, "%s takes input %d, the layer has %d", bodyName(layer.Type, i), in.External, len(layer.Inputs))
			}
		}
	}
	return nil
}

// bodyOutputs returns the entries of a port map that the body feeds. An
// external_port_id orders the layer's outputs and says no more.
func (c *layerContent) bodyOutputs(raw *rawBody) ([]BodyPort, error) {
	var ports []BodyPort
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

// distinctPorts sorts the entries of a port map by external_port_id; of those with
// the same the first counts.
func distinctPorts(ports []rawBodyPort) []rawBodyPort {
	slices.SortStableFunc(ports, byExternal)
	return slices.CompactFunc(ports, func(a, b rawBodyPort) bool { return a.external == b.external })
}

func byExternal(a, b rawBodyPort) int { return cmp.Compare(a.external, b.external) }

// bodyLayer returns the Parameter or Result of a body that has the id.
func (c *layerContent) bodyLayer(g *graph, id uint64, want string, line int) (*Layer, error) {
	i, ok := g.find(id)
	if !ok || g.model.Layers[i].Type != want {
		return nil, &FormatError{Line: line, Layer: c.layer, Err: fmt.Errorf("the body has no %s of id %d", want, id)}
	}
	return g.model.Layers[i], nil
}
