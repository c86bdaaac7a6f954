package irxml

import (
	"github.com/beevik/etree"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/xmlscan"
	"github.com/vinoir/vinoir/ir"
)

// layerList reads a layers element.
func (r *reader) layerList(g *graph) error {
	return r.children(func(name []byte) error {
		if string(name) != "layer" {
			return r.scan.Skip()
		}
		if r.layers++; r.layers > r.limits.Layers {
			return r.fail("the model has more than %d layers", r.limits.Layers)
		}
		return r.layer(g)
	})
}

// layer reads a layer element.
func (r *reader) layer(g *graph) error {
	layer := &r.slab.take(1)[0]
	layer.Line = r.scan.Line()
	layer.Index = len(g.model.Layers)
	layer.Owner, layer.OwnerBody = g.owner, g.ownerBody
	if err := r.layerAttributes(layer); err != nil {
		return &ir.FormatError{Line: layer.Line, Layer: layer, Err: err}
	}
	g.add(layer)
	content := layerContent{reader: r, layer: layer}
	if err := r.children(content.child); err != nil {
		return err
	}
	if layer.Type == "Parameter" && !content.data {
		return layerFault(layer, "the Parameter has no data element")
	}
	return content.finishBodies()
}

// layerAttributes reads the attributes of a layer element. All except output_names are
// mandatory.
func (r *reader) layerAttributes(layer *ir.Layer) error {
	var id, name, fileType, version bool
	var err error
	for _, a := range r.scan.Attrs() {
		switch string(a.Name) {
		case "id":
			id = true
			if layer.ID, err = parseUint(a.Value); err != nil {
				err = faults.Errorf("attribute id: %w", err)
			}
		case "name":
			name = true
			layer.Name = r.texts.copy(a.Value)
		case "type":
			fileType = true
			layer.FileType = r.texts.intern(a.Value)
			layer.Type = typeName(layer.FileType)
		case "version":
			version = true
			layer.Opset = r.texts.intern(a.Value)
		case "output_names":
			if r.version > 10 {
				layer.OutputNames = r.parseNames(a.Value)
			}
		}
	}
	switch {
	case err != nil:
		return err
	case !id:
		return faults.Errorf("attribute id is missing")
	case !name:
		return faults.Errorf("attribute name is missing")
	case !fileType:
		return faults.Errorf("attribute type is missing")
	case !version:
		return faults.Errorf("attribute version is missing, as in execution graphs, which hold no model")
	}
	return nil
}

// layerContent reads the children of a layer element. data, input and output are set after the
// first such element: repeated elements are ignored.
type layerContent struct {
	*reader
	layer               *ir.Layer
	data, input, output bool
	bodySet             *bodySet
}

// child reads a child element.
func (c *layerContent) child(name []byte) error {
	switch string(name) {
	case "data":
		if !c.data {
			c.data = true
			c.layer.Data = c.attributes()
		}
	case "input":
		if !c.input {
			c.input = true
			return c.inputList(c.layer)
		}
	case "output":
		if !c.output {
			c.output = true
			return c.outputList(c.layer)
		}
	case "rt_info":
		if c.version > 10 {
			return c.keepFirst(&c.layer.RTInfo)
		}
	default:
		if handled, err := c.bodyChild(name); handled {
			return err
		}
	}
	return c.scan.Skip()
}

// attributes returns the attributes of the current element.
func (r *reader) attributes() []ir.Attribute {
	attrs := r.scan.Attrs()
	list := r.data.take(len(attrs))
	for i, a := range attrs {
		list[i] = ir.Attribute{Name: r.texts.intern(a.Name), Value: r.texts.intern(a.Value)}
	}
	return list
}

// inputList reads the input element of layer.
func (r *reader) inputList(layer *ir.Layer) error {
	r.inputPorts = r.inputPorts[:0]
	err := r.children(func(name []byte) error {
		if string(name) != "port" {
			return r.scan.Skip()
		}
		var in ir.Input
		var err error
		if in.Port, err = r.uintAttr("id"); err != nil {
			return &ir.FormatError{Line: r.scan.Line(), Layer: layer, Err: err}
		}
		if precision, ok := r.scan.Attr("precision"); ok {
			in.DeclaredType, _ = ir.ParsePrecision(string(precision))
		}
		in.Declared, err = r.port(layer, &in.RTInfo)
		r.inputPorts = append(r.inputPorts, in)
		return err
	})
	layer.Inputs = r.inputs.take(len(r.inputPorts))
	copy(layer.Inputs, r.inputPorts)
	return err
}

// outputList reads the output element of layer.
func (r *reader) outputList(layer *ir.Layer) error {
	r.outputPorts = r.outputPorts[:0]
	err := r.children(func(name []byte) error {
		if string(name) != "port" {
			return r.scan.Skip()
		}
		var out ir.Output
		var err error
		if out.Port, err = r.uintAttr("id"); err != nil {
			return &ir.FormatError{Line: r.scan.Line(), Layer: layer, Err: err}
		}
		precision, ok := r.scan.Attr("precision")
		if !ok {
			return &ir.FormatError{Line: r.scan.Line(), Layer: layer, Err: faults.Errorf("output port %d has no precision", out.Port)}
		}
		if out.DeclaredType, err = ir.ParsePrecision(string(precision)); err != nil {
			return &ir.FormatError{Line: r.scan.Line(), Layer: layer, Err: faults.Errorf("output port %d: %w", out.Port, err)}
		}
		if names, ok := r.scan.Attr("names"); ok {
			out.Names = r.parseNames(names)
		}
		out.Declared, err = r.port(layer, &out.RTInfo)
		r.outputPorts = append(r.outputPorts, out)
		return err
	})
	layer.Outputs = r.outputs.take(len(r.outputPorts))
	copy(layer.Outputs, r.outputPorts)
	return err
}

// port reads the content of a port element: its dims and rt_info.
func (r *reader) port(layer *ir.Layer, rtInfo **etree.Element) (ir.PartialShape, error) {
	r.portDims = r.portDims[:0]
	err := r.children(func(name []byte) error {
		switch {
		case string(name) == "dim":
			return r.dim(layer)
		case string(name) == "rt_info" && r.version > 10:
			return r.keepFirst(rtInfo)
		}
		return r.scan.Skip()
	})
	dims := r.dims.take(len(r.portDims))
	copy(dims, r.portDims)
	return ir.ShapeOf(dims...), err
}

// dim reads a dim element. Only its first text counts.
func (r *reader) dim(layer *ir.Layer) error {
	line := r.scan.Line()
	var d ir.Dimension
	text := false
	fault := error(nil)
	parse := func(b []byte) { text = true; d, fault = parseDim(b) }
	for depth := 1; depth > 0; {
		kind, err := r.scan.Next()
		if err != nil {
			return err
		}
		switch {
		case kind == xmlscan.Start:
			depth++
		case kind == xmlscan.End:
			depth--
		case depth == 1 && !text:
			parse(r.scan.Text())
		}
	}
	if !text {
		parse(nil)
	}
	if fault != nil {
		return &ir.FormatError{Line: line, Layer: layer, Err: fault}
	}
	r.portDims = append(r.portDims, d)
	if err := ir.CheckRank(len(r.portDims)); err != nil {
		return &ir.FormatError{Line: line, Layer: layer, Err: faults.Errorf("a port has more dims than a tensor can have: %w", err)}
	}
	return nil
}
