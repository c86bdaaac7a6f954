package irxml

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// bodySet is the content of a layer element about its bodies: a TensorIterator and a Loop have
// one body, an If has two.
type bodySet struct {
	bodies    [2]rawBody
	backEdges []rawBackEdge
	edgesSeen bool
}

// rawBody is a body and its port map, as read from the file.
type rawBody struct {
	graph           *graph
	mapSeen         bool
	inputs, outputs []rawBodyPort
}

// rawBodyPort is an entry of a port map. external is external_port_id.
type rawBodyPort struct {
	ir.BodyPort
	external int64
	internal uint64 // a layer id
	line     int
}

// rawBackEdge is an entry of back_edges; from and to are layer ids.
type rawBackEdge struct {
	from, to uint64
	line     int
}

// bodyElement is the role of a child element of a layer: the number of the body that it belongs
// to, and its part of it.
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

// bodyElementOf returns the role of the child element name of a layer of type t.
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

// bodyChild reads a child element that belongs to a body. It returns false for other elements.
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
		body.graph = c.newGraph("")
		body.graph.owner, body.graph.ownerBody = c.layer, element.body
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
			return &ir.FormatError{Line: port.line, Layer: c.layer, Err: err}
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
		return faults.Errorf("<%s> has no attribute external_port_id", c.scan.Name())
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
			return faults.Errorf("attribute %s of <%s>: %w", a.Name, c.scan.Name(), err)
		}
	}
	if port.Sliced && (port.Stride == 0 || port.PartSize <= 0) {
		return faults.Errorf("<%s> has stride %d and part_size %d", c.scan.Name(), port.Stride, port.PartSize)
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
			return &ir.FormatError{Line: e.line, Layer: c.layer, Err: err}
		}
		c.bodySet.backEdges = append(c.bodySet.backEdges, e)
		return c.scan.Skip()
	})
}
