package irxml

import (
	"errors"

	"github.com/vinoir/vinoir/internal/xmlscan"
	"github.com/vinoir/vinoir/ir"
)

// FixPorts returns xml, the document that m was read from, with the dims and precisions that
// fixes specify, and the number of ports that it changed. Only dim elements and precision
// attributes of these ports are changed. Without fixes, it returns xml itself. It returns an
// error if m was not read from xml.
func FixPorts(m *ir.Model, xml []byte, fixes []ir.PortFix) (fixed []byte, ports int, err error) {
	if len(fixes) == 0 {
		return xml, 0, nil
	}
	f := &portFixer{
		reader: reader{scan: xmlscan.New(xml, xmlscan.Limits{Depth: len(xml), Attrs: len(xml)})},
		ports:  make(map[portKey]*ir.PortFix),
	}
	for _, fix := range fixes {
		f.add(fix)
	}
	if _, err := f.reader.scan.Next(); err != nil {
		return nil, 0, err
	}
	if err := f.graph(m); err != nil {
		return nil, 0, err
	}
	if f.fixed != len(f.ports) {
		return nil, 0, errOtherDocument
	}
	return xmlscan.Apply(xml, f.edits), f.fixed, nil
}

var errOtherDocument = errors.New("the document is not the one that the model was read from")

// portKey is a port of a layer in the file.
type portKey struct {
	layer *ir.Layer
	input bool
	port  int
}

// portFixer reads the document again, in the same order as the reader, and collects edits.
type portFixer struct {
	reader reader
	ports  map[portKey]*ir.PortFix
	fixed  int
	edits  []xmlscan.Edit
}

// add adds a fix. Several fixes of one port are merged.
func (f *portFixer) add(fix ir.PortFix) {
	key := portKey{fix.Layer, fix.Input, fix.Port}
	port := f.ports[key]
	if port == nil {
		f.ports[key] = &fix
		return
	}
	if fix.Type != ir.Dynamic {
		port.Type = fix.Type
	}
	if fix.Shape != nil {
		port.Shape, port.Exact = fix.Shape, fix.Exact
	}
}

// graph edits the layers in a net element or in a body.
func (f *portFixer) graph(m *ir.Model) error {
	seen := false
	return f.reader.children(func(name []byte) error {
		if string(name) != "layers" || seen {
			return f.reader.scan.Skip()
		}
		seen = true
		next := 0
		return f.reader.children(func(name []byte) error {
			if string(name) != "layer" {
				return f.reader.scan.Skip()
			}
			if next == len(m.Layers) {
				return errOtherDocument
			}
			next++
			return f.layer(m.Layers[next-1])
		})
	})
}

// layer edits the ports of a layer and of its bodies.
func (f *portFixer) layer(layer *ir.Layer) error {
	var input, output bool
	var bodies [2]bool
	return f.reader.children(func(name []byte) error {
		switch element := bodyElementOf(layer.Type, string(name)); {
		case string(name) == "input" && !input:
			input = true
			return f.portList(portKey{layer: layer, input: true})
		case string(name) == "output" && !output:
			output = true
			return f.portList(portKey{layer: layer})
		case element.kind == bodyGraph && !bodies[element.body] && element.body < len(layer.Bodies):
			bodies[element.body] = true
			return f.graph(layer.Bodies[element.body].Model)
		}
		return f.reader.scan.Skip()
	})
}

// portList edits the ports of an input or output element.
func (f *portFixer) portList(key portKey) error {
	return f.reader.children(func(name []byte) error {
		if string(name) != "port" {
			return f.reader.scan.Skip()
		}
		port := f.ports[key]
		key.port++
		if port == nil {
			return f.reader.scan.Skip()
		}
		f.fixed++
		if from, to, ok := f.reader.scan.AttrSpan("precision"); ok && port.Type != ir.Dynamic {
			f.edits = append(f.edits, xmlscan.Edit{From: from, To: to, Text: port.Type.Precision()})
		}
		if port.Shape == nil {
			return f.reader.scan.Skip()
		}
		return f.port(port)
	})
}
