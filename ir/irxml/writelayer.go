package irxml

import (
	"strconv"

	"github.com/beevik/etree"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// fileTypes maps OpenVINO's names of layer types to those in files, where they differ.
var fileTypes = map[string]string{"Constant": "Const", "PRelu": "PReLU", "Relu": "ReLU", "Softmax": "SoftMax"}

// writeLayer writes a layer element.
func (g *graphWriter) writeLayer(id int, layer *ir.Layer) {
	fileType := layer.Type
	if name, ok := fileTypes[layer.Type]; ok {
		fileType = name
	}
	g.layerStart(id, layer.Name, fileType, layer.Opset)
	if g.version > 10 && layer.Type == "Result" && givenNames(layer) {
		g.names("output_names", layer.OutputNames)
	}
	g.content()
	// The order of the elements is that of OpenVINO's writer.
	bodies := g.bodies(layer)
	g.bodyPorts(layer, bodies)
	if layer.Type == "TensorIterator" || layer.Type == "Loop" {
		g.ports(layer)
	}
	g.data(layer)
	if g.stored[layer] == storedPrecise {
		g.rtInfo(marked(layer.RTInfo, precision()))
	} else {
		g.rtInfo(layer.RTInfo)
	}
	if layer.Type != "TensorIterator" && layer.Type != "Loop" {
		g.ports(layer)
	}
	for i, body := range bodies {
		name := bodyName(layer.Type, i)
		g.open(name)
		body.write()
		g.close(name)
	}
	g.close("layer")
}

// layerStart writes the start tag of a layer with the attributes that each layer has.
func (g *graphWriter) layerStart(id int, name, fileType, opset string) {
	g.start("layer")
	g.number("id", id)
	g.attr("name", name)
	g.attr("type", fileType)
	g.attr("version", opset)
}

// halvedConstant writes a Constant as f16, with the id before id, and a Convert to its type. The
// names of its tensor stay with it unless a Result reads the tensor, whose names they are too.
func (g *graphWriter) halvedConstant(id int, layer *ir.Layer) {
	out := &layer.Outputs[0]
	t, shape := g.outputFact(layer, 0)
	var names, outputNames []string
	if g.isResult[layer.Index] {
		outputNames = out.Names
	} else {
		names = out.Names
	}
	g.layerStart(id-1, layer.Name+"_compressed", "Const", layer.Opset)
	g.content()
	g.constant(layer, true)
	g.rtInfo(layer.RTInfo)
	g.open("output")
	g.port(0, ir.F16, false, names, shape, out.RTInfo)
	g.close("output")
	g.close("layer")
	g.layerStart(id, layer.Name, "Convert", "opset1")
	g.content()
	g.start("data")
	g.attr("destination_type", layer.Constant.ElementType().String())
	g.empty()
	g.rtInfo(marked(layer.RTInfo, decompression()))
	g.open("input")
	g.port(0, ir.F16, false, nil, shape, nil)
	g.close("input")
	g.open("output")
	g.port(1, t, false, outputNames, shape, nil)
	g.close("output")
	g.close("layer")
}

// givenNames reports whether the names of a Result's output differ from those of the tensor that it
// reads, or were given by output_names: the reader shares the slice if they were not.
func givenNames(result *ir.Layer) bool {
	source := resultSource(result)
	return len(result.OutputNames) > 0 &&
		(source == nil || len(source.Names) != len(result.OutputNames) || &source.Names[0] != &result.OutputNames[0])
}

// data writes the attributes of a layer. A Parameter must have the element.
func (g *graphWriter) data(layer *ir.Layer) {
	if layer.Type == "Constant" {
		g.constant(layer, false)
		return
	}
	if len(layer.Data) == 0 && layer.Type != "Parameter" {
		return
	}
	g.start("data")
	for i := range layer.Data {
		g.anyAttr(layer.Data[i].Name, layer.Data[i].Value)
	}
	g.empty()
}

// rtInfo writes the rt_info of a layer or a port, which version 10 does not have.
func (g *graphWriter) rtInfo(e *etree.Element) {
	if e != nil && g.version > 10 {
		g.element("rt_info", e)
	}
}

// ports writes the ports of a layer. Their ids count on from inputs to outputs.
func (g *graphWriter) ports(layer *ir.Layer) {
	if len(layer.Inputs) > 0 {
		g.open("input")
		for i := range layer.Inputs {
			in := &layer.Inputs[i]
			t, shape := g.inputFact(in)
			// Only what was read without a precision has none: readers ignore it.
			undeclared := t == ir.Dynamic && g.shapes == nil && in.Source.Outputs[in.SourceIndex].DeclaredType != ir.Dynamic
			g.port(i, t, undeclared, nil, shape, in.RTInfo)
		}
		g.close("input")
	}
	if len(layer.Outputs) > 0 {
		g.open("output")
		for i := range layer.Outputs {
			out := &layer.Outputs[i]
			t, shape := g.outputFact(layer, i)
			g.port(len(layer.Inputs)+i, t, false, out.Names, shape, out.RTInfo)
		}
		g.close("output")
	}
}

// outputFact returns the type and shape that output i of layer declares.
func (g *graphWriter) outputFact(layer *ir.Layer, i int) (ir.ElementType, ir.PartialShape) {
	return outputFact(g.shapes, layer, i)
}

// outputFact returns the type and shape of output i of layer in shapes, which can be nil; those
// that it declares if they are not there.
func outputFact(shapes *infer.Shapes, layer *ir.Layer, i int) (ir.ElementType, ir.PartialShape) {
	if shapes != nil {
		if facts := shapes.Outputs(layer); i < len(facts) {
			return facts[i].Type, facts[i].Shape
		}
	}
	return layer.Outputs[i].DeclaredType, layer.Outputs[i].Declared
}

// inputFact returns the type and shape that an input declares. An input without a shape was added
// to the model, and declares what it reads.
func (g *graphWriter) inputFact(in *ir.Input) (ir.ElementType, ir.PartialShape) {
	if g.shapes == nil && in.Declared.RankKnown() {
		return in.DeclaredType, in.Declared
	}
	return g.outputFact(g.source(in))
}

// port writes a port element; without a precision if undeclared is set.
func (g *graphWriter) port(id int, t ir.ElementType, undeclared bool, names []string, shape ir.PartialShape, info *etree.Element) {
	g.start("port")
	g.number("id", id)
	switch {
	case t.Precision() == "":
		g.fail("element type %v cannot be written: the format does not have it", t)
	case !undeclared:
		g.attr("precision", t.Precision())
	}
	g.names("names", names)
	if g.version == 10 {
		info = nil
	}
	if len(shape.Dims()) == 0 && info == nil {
		g.empty()
		return
	}
	g.content()
	for _, d := range shape.Dims() {
		g.indent()
		g.text("<dim>")
		if d.IsStatic() {
			g.buf = strconv.AppendInt(g.buf, d.Min, 10)
		} else {
			g.text("-1")
		}
		g.text("</dim>\n")
	}
	g.rtInfo(info)
	g.close("port")
}
