package irxml

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/internal/xmlscan"
	"github.com/vinoir/vinoir/ir"
)

// dimElement is a dim element of a port, with the positions of the element and of its text.
type dimElement struct {
	from, to         int
	textFrom, textTo int
	declared         ir.Dimension
}

// port changes the dims of a port element.
func (f *portFixer) port(port *ir.PortFix) error {
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
		f.firstDims(tag, tagEnd, port.Shape.Dims())
	}
	return nil
}

// dim reads a dim element. Only its first text counts.
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

// edit changes dims to the inferred ones: it replaces the texts that differ, removes surplus
// elements, and appends missing ones.
func (f *portFixer) edit(dims []dimElement, port *ir.PortFix) {
	inferred := port.Shape.Dims()
	doc := f.reader.scan.Document()
	for i, d := range dims {
		if i >= len(inferred) {
			f.edits = append(f.edits, xmlscan.Edit{From: blanksBefore(doc, d.from), To: d.to})
			continue
		}
		if n := fixedDim(d.declared, inferred[i], port.Exact || len(dims) != len(inferred)); n != d.declared {
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

// fixedDim returns the dimension that a dim element should have: a single length or AnyDim. If
// inference was not exact, a declared length that lies in the inferred interval stays.
func fixedDim(declared, inferred ir.Dimension, exact bool) ir.Dimension {
	switch {
	case inferred.IsStatic():
		return inferred
	case !exact && declared.Compatible(inferred):
		return declared
	}
	return ir.AnyDim
}

// firstDims adds dims to a port element that has none. Its start tag is from tag to tagEnd.
func (f *portFixer) firstDims(tag, tagEnd int, inferred []ir.Dimension) {
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

// blanksBefore returns the start of the white space before position at.
func blanksBefore(doc []byte, at int) int {
	return len(bytes.TrimRight(doc[:at], " \t\r\n"))
}

// lengthText returns the text of a dim element: a length, or -1.
func lengthText(d ir.Dimension) string {
	if d.IsDynamic() {
		return "-1"
	}
	return strconv.FormatInt(d.Min, 10)
}
