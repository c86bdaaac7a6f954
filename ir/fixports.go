package ir

import (
	"errors"
	"fmt"

	"github.com/vinoir/vinoir/internal/xmlscan"
)

// FixPorts returns xml, the document that m was read from, with the dims and
// precisions that r found stale as they were inferred, and the number of ports that
// this changed. A dimension that is not a single length is -1 there. Nothing else is
// touched: a document without such findings is returned as it is, and one with some
// differs by the dim elements and precision attributes of their ports.
//
// Where r has errors nothing is inferred for certain, and the ports are not changed:
// that is an error.
func (r *Report) FixPorts(m *Model, xml []byte) (fixed []byte, ports int, err error) {
	if n := r.Errors(); n > 0 {
		return nil, 0, fmt.Errorf("the model has %d errors: its ports are not changed", n)
	}
	f := &portFixer{
		reader: reader{scan: xmlscan.New(xml, xmlscan.Limits{Depth: len(xml), Attrs: len(xml)})},
		stale:  make(map[portKey]*stalePort),
	}
	for i := range r.Findings {
		if err := f.add(&r.Findings[i]); err != nil {
			return nil, 0, err
		}
	}
	if len(f.stale) == 0 {
		return xml, 0, nil
	}
	if _, err := f.reader.scan.Next(); err != nil {
		return nil, 0, err
	}
	if err := f.graph(m); err != nil {
		return nil, 0, err
	}
	if f.fixed != len(f.stale) {
		return nil, 0, errOtherDocument
	}
	return xmlscan.Apply(xml, f.edits), f.fixed, nil
}

var errOtherDocument = errors.New("the document is not the one that the model was read from")

// portKey is a port of a layer in the file.
type portKey struct {
	layer *Layer
	input bool
	port  int
}

// stalePort is what a port should say.
type stalePort struct {
	shape     *PartialShape // nil where it is right
	precision string        // "" where it is right
	exact     bool          // the shape is known for certain
}

// portFixer walks the document as the reader did.
type portFixer struct {
	reader reader
	stale  map[portKey]*stalePort
	fixed  int
	edits  []xmlscan.Edit
}

// add keeps what a finding says of a port.
func (f *portFixer) add(finding *Finding) error {
	if !finding.Fixable() {
		return nil
	}
	key := portKey{finding.Layer, false, finding.Port}
	switch finding.Rule {
	case RuleInputShape, RuleInputType, RuleVagueInputShape:
		key.input = true
	}
	port := f.stale[key]
	if port == nil {
		port = new(stalePort)
		f.stale[key] = port
	}
	if finding.Rule == RuleInputType || finding.Rule == RuleType {
		t, err := ParseElementType(finding.Inferred)
		port.precision = t.Precision()
		return err
	}
	shape, err := ParsePartialShape(finding.Inferred)
	port.shape, port.exact = &shape, finding.exact
	return err
}

// graph edits the layers of net, or of a body.
func (f *portFixer) graph(m *Model) error {
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
func (f *portFixer) layer(layer *Layer) error {
	var input, output bool
	var bodies [2]bool
	return f.reader.children(func(name []byte) error {
		switch element := bodyElementOf(layer.Type, string(name)); {
		case string(name) == "input" && !input:
			input = true
			return f.ports(portKey{layer: layer, input: true})
		case string(name) == "output" && !output:
			output = true
			return f.ports(portKey{layer: layer})
		case element.kind == bodyGraph && !bodies[element.body] && element.body < len(layer.Bodies):
			bodies[element.body] = true
			return f.graph(layer.Bodies[element.body].Model)
		}
		return f.reader.scan.Skip()
	})
}

// ports edits the ports of an input or output element.
func (f *portFixer) ports(key portKey) error {
	return f.reader.children(func(name []byte) error {
		if string(name) != "port" {
			return f.reader.scan.Skip()
		}
		port := f.stale[key]
		key.port++
		if port == nil {
			return f.reader.scan.Skip()
		}
		f.fixed++
		if from, to, ok := f.reader.scan.AttrSpan("precision"); ok && port.precision != "" {
			f.edits = append(f.edits, xmlscan.Edit{From: from, To: to, Text: port.precision})
		}
		if port.shape == nil {
			return f.reader.scan.Skip()
		}
		return f.port(port)
	})
}
