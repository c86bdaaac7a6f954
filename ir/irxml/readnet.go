package irxml

import (
	"bytes"
	"errors"

	"github.com/beevik/etree"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/xmlscan"
	"github.com/vinoir/vinoir/ir"
)

// reader reads one document. When a method that reads an element is called, the scanner is at
// the start tag; afterwards it is at the end of the element.
type reader struct {
	scan     *xmlscan.Scanner
	limits   Limits
	weights  *weights
	version  int
	rootSeen bool
	layers   int // number of layers read so far, including layers in bodies
	bodies   int // number of bodies that contain the current element
	notes    ir.NoteCount

	texts   texts
	slab    slab[ir.Layer]
	inputs  slab[ir.Input]
	outputs slab[ir.Output]
	dims    slab[ir.Dimension]
	data    slab[ir.Attribute]
	names   slab[string]
	// Ports of the current layer and dims of the current port, before their number is known.
	inputPorts  []ir.Input
	outputPorts []ir.Output
	portDims    []ir.Dimension
}

// children calls visit for each child element. visit must read the element.
func (r *reader) children(visit func(name []byte) error) error {
	for {
		kind, err := r.scan.Next()
		if err != nil {
			return err
		}
		switch kind {
		case xmlscan.Start:
			if err := visit(r.scan.Name()); err != nil {
				return err
			}
		case xmlscan.End:
			return nil
		}
	}
}

// fail returns an *ir.FormatError with the current line.
func (r *reader) fail(format string, args ...any) error {
	return &ir.FormatError{Line: r.scan.Line(), Err: faults.Errorf(format, args...)}
}

// uintAttr returns a mandatory unsigned attribute of the current element.
func (r *reader) uintAttr(name string) (uint64, error) {
	text, ok := r.scan.Attr(name)
	if !ok {
		return 0, faults.Errorf("<%s> has no attribute %s", r.scan.Name(), name)
	}
	n, err := parseUint(text)
	if err != nil {
		return 0, faults.Errorf("attribute %s of <%s>: %w", name, r.scan.Name(), err)
	}
	return n, nil
}

// document reads the document, which has one root element.
func (r *reader) document() (*ir.Model, error) {
	kind, err := r.scan.Next()
	if err != nil {
		return nil, err
	}
	if kind == xmlscan.EOF {
		return nil, &ir.FormatError{Err: errors.New("the XML has no element")}
	}
	r.rootSeen = true
	if err := r.checkRoot(); err != nil {
		return nil, err
	}
	m, err := r.net()
	if err != nil {
		return nil, err
	}
	kind, err = r.scan.Next()
	if err != nil {
		return nil, err
	}
	if kind != xmlscan.EOF {
		return nil, r.fail("the document has a second root element <%s>", r.scan.Name())
	}
	return m, nil
}

// checkRoot checks that the root element is that of an IR, and sets the version.
func (r *reader) checkRoot() error {
	name := r.scan.Name()
	if string(name) == "compiled_blob" {
		return r.fail("the file is a compiled model of OpenVINO's cache, not an IR")
	}
	if !bytes.EqualFold(name, []byte("net")) {
		return r.fail("the root element is <%s>, that of an IR is <net>", clip(name))
	}
	text, ok := r.scan.Attr("version")
	if !ok {
		return r.fail("<net> has no version: not an IR; versions 10 and 11 are supported")
	}
	version, err := parseUint(text)
	if err != nil {
		return r.fail("version of <net>: %w", err)
	}
	if version != 10 && version != 11 {
		return r.fail("IR version %d; versions 10 and 11 are supported", version)
	}
	r.version = int(version)
	return nil
}

// net reads the root element.
func (r *reader) net() (*ir.Model, error) {
	name, _ := r.scan.Attr("name")
	g := r.newGraph(string(name))
	if err := r.graph(g); err != nil {
		return nil, err
	}
	if err := r.finish(g, true); err != nil {
		return nil, err
	}
	return g.model, nil
}

// graph reads the content of a net element or of a body.
func (r *reader) graph(g *graph) error {
	var layers, edges bool
	return r.children(func(name []byte) error {
		switch string(name) {
		case "layers":
			if !layers {
				layers = true
				return r.layerList(g)
			}
		case "edges":
			if !edges {
				edges = true
				return r.edgeList(g)
			}
		case "rt_info":
			return r.keepFirst(&g.rtInfo)
		case "meta_data":
			return r.keepFirst(&g.metaData)
		case "quantization_parameters":
			return r.keepFirst(&g.quantization)
		case "pre-process":
			return r.keepFirst(&g.preProcess)
		}
		return r.scan.Skip()
	})
}

// keepFirst reads the current element into *element unless there is one already.
func (r *reader) keepFirst(element **etree.Element) error {
	if *element != nil {
		return r.scan.Skip()
	}
	var err error
	*element, err = r.element()
	return err
}

// element reads the current element as a tree. The scanner limits its depth.
func (r *reader) element() (*etree.Element, error) {
	root := r.startElement()
	for current := root; ; {
		kind, err := r.scan.Next()
		if err != nil {
			return nil, err
		}
		switch kind {
		case xmlscan.Start:
			child := r.startElement()
			current.AddChild(child)
			current = child
		case xmlscan.Text:
			current.CreateText(string(r.scan.Text()))
		case xmlscan.End:
			if current == root {
				return root, nil
			}
			current = current.Parent()
		}
	}
}

// startElement returns the current element without its content.
func (r *reader) startElement() *etree.Element {
	e := etree.NewElement(r.texts.intern(r.scan.Name()))
	attrs := r.scan.Attrs()
	if len(attrs) > 0 {
		e.Attr = make([]etree.Attr, 0, len(attrs))
	}
	for _, a := range attrs {
		e.CreateAttr(r.texts.intern(a.Name), r.texts.intern(a.Value))
	}
	return e
}

// edgeList reads an edges element.
func (r *reader) edgeList(g *graph) error {
	return r.children(func(name []byte) error {
		if string(name) != "edge" {
			return r.scan.Skip()
		}
		e, err := r.edge()
		if err != nil {
			return &ir.FormatError{Line: e.line, Err: err}
		}
		g.edges = append(g.edges, e)
		return r.scan.Skip()
	})
}

// edge reads the attributes of an edge element.
func (r *reader) edge() (e edge, err error) {
	e.line = r.scan.Line()
	if e.from, err = r.uintAttr("from-layer"); err != nil {
		return e, err
	}
	if e.fromPort, err = r.uintAttr("from-port"); err != nil {
		return e, err
	}
	if e.to, err = r.uintAttr("to-layer"); err != nil {
		return e, err
	}
	e.toPort, err = r.uintAttr("to-port")
	return e, err
}
