package ir

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

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
	exact  bool
	fixed  int
	edits  []xmlscan.Edit
}

// add keeps what a finding says of a port.
func (f *portFixer) add(finding *Finding) error {
	key := portKey{finding.Layer, false, finding.Port}
	switch finding.Rule {
	case RuleInputShape, RuleInputType:
		key.input = true
	case RuleShape, RuleType:
	default:
		return nil
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

// dimElement is a dim element of a port: where it and the text that counts stand.
type dimElement struct {
	from, to         int
	textFrom, textTo int
	declared         Dimension
}

// port edits the dims of a port element.
func (f *portFixer) port(port *stalePort) error {
	tag, tagEnd := f.reader.scan.Span()
	var dims []dimElement
	err := f.reader.children(func(name []byte) error {
		if string(name) != "dim" {
			return f.reader.scan.Skip()
		}
		d, err := f.dim()
		dims = append(dims, d)
		return err
	})
	if err != nil {
		return err
	}
	f.edit(dims, port)
	if len(dims) == 0 {
		f.firstDims(tag, tagEnd, port.shape.Dims())
	}
	return nil
}

// dim reads a dim element, whose first text counts.
func (f *portFixer) dim() (dimElement, error) {
	d := dimElement{}
	d.from, d.to = f.reader.scan.Span()
	for depth := 1; depth > 0; {
		kind, err := f.reader.scan.Next()
		if err != nil {
			return d, err
		}
		switch {
		case kind == xmlscan.Start:
			depth++
		case kind == xmlscan.End:
			depth--
		case depth == 1 && d.textTo == 0:
			d.textFrom, d.textTo = f.reader.scan.Span()
			if d.declared, err = parseDim(f.reader.scan.Text()); err != nil {
				return d, errOtherDocument
			}
		}
	}
	_, d.to = f.reader.scan.Span()
	if d.textTo == 0 {
		return d, errOtherDocument
	}
	text := f.reader.scan.Document()[d.textFrom:d.textTo]
	d.textFrom += len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
	d.textTo -= len(text) - len(bytes.TrimRight(text, " \t\r\n"))
	return d, nil
}

// edit makes dims those that were inferred: the texts of those that differ, and
// elements more or less behind.
func (f *portFixer) edit(dims []dimElement, port *stalePort) {
	inferred := port.shape.Dims()
	doc := f.reader.scan.Document()
	for i, d := range dims {
		if i >= len(inferred) {
			f.edits = append(f.edits, xmlscan.Edit{From: blanksBefore(doc, d.from), To: d.to})
			continue
		}
		if n := fixedDim(d.declared, inferred[i], port.exact || len(dims) != len(inferred)); n != d.declared {
			f.edits = append(f.edits, xmlscan.Edit{From: d.textFrom, To: d.textTo, Text: lengthText(n)})
		}
	}
	if len(dims) == 0 || len(dims) >= len(inferred) {
		return
	}
	last := dims[len(dims)-1]
	blanks := string(doc[blanksBefore(doc, last.from):last.from])
	var more []byte
	for _, d := range inferred[len(dims):] {
		more = fmt.Appendf(more, "%s<dim>%s</dim>", blanks, lengthText(d))
	}
	f.edits = append(f.edits, xmlscan.Edit{From: last.to, To: last.to, Text: string(more)})
}

// fixedDim returns what a dim element should say: a length or -1. Where inference was
// not exact, the length in the file may be right though it found an interval.
func fixedDim(declared, inferred Dimension, exact bool) Dimension {
	switch {
	case inferred.IsStatic():
		return inferred
	case !exact && declared.Compatible(inferred):
		return declared
	}
	return AnyDim
}

// firstDims gives dims to a port that has none, from whose start tag ends at tagEnd.
func (f *portFixer) firstDims(tag, tagEnd int, inferred []Dimension) {
	if len(inferred) == 0 {
		return
	}
	doc := f.reader.scan.Document()
	blanks := doc[blanksBefore(doc, tag):tag]
	if !bytes.ContainsAny(blanks, "\r\n") {
		blanks = nil
	}
	inner := slices.Clone(blanks)
	if len(blanks) > 0 {
		inner = append(inner, '\t')
	}
	var text []byte
	for _, d := range inferred {
		text = fmt.Appendf(text, "%s<dim>%s</dim>", inner, lengthText(d))
	}
	if bytes.HasSuffix(doc[:tagEnd], []byte("/>")) {
		text = fmt.Appendf([]byte(">"), "%s%s</port>", text, blanks)
		f.edits = append(f.edits, xmlscan.Edit{From: tagEnd - len("/>"), To: tagEnd, Text: string(text)})
		return
	}
	if len(blanks) > 0 && doc[tagEnd] == '<' {
		text = append(text, blanks...)
	}
	f.edits = append(f.edits, xmlscan.Edit{From: tagEnd, To: tagEnd, Text: string(text)})
}

// blanksBefore returns where the blanks before a position start.
func blanksBefore(doc []byte, at int) int {
	return len(bytes.TrimRight(doc[:at], " \t\r\n"))
}

func lengthText(d Dimension) string {
	if d.IsDynamic() {
		return "-1"
	}
	return strconv.FormatInt(d.Min, 10)
}
