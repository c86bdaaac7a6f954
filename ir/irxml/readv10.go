package irxml

import (
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// finishV10 completes a model of IR version 10. Its inputs and outputs can be addressed by the
// names of layers, f16 inputs become f32, and outputs become f32 or i32.
func (g *graph) finishV10(e *edit.Editor) error {
	if g.model.Version != 10 {
		return nil
	}
	if err := g.addLayerNames(); err != nil {
		return err
	}
	for _, p := range g.model.Parameters {
		if sourceType(p, 0) == ir.F16 {
			widenParameter(e, p)
		}
	}
	for _, result := range g.model.Results {
		if len(result.Inputs) == 0 {
			continue
		}
		in := &result.Inputs[0]
		from := sourceType(in.Source, in.SourceIndex)
		if to := outputTypeV10(from); to != from {
			e.Connect(in, convertTo(e, in.Source, "", edit.SourceOf(*in), to))
		}
	}
	return nil
}

// outputTypeV10 returns the type of a version 10 model's output whose tensor has type t.
func outputTypeV10(t ir.ElementType) ir.ElementType {
	switch t {
	case ir.I32, ir.I64, ir.U32, ir.U64:
		return ir.I32
	case ir.Dynamic, ir.String:
		return t
	}
	return ir.F32
}

// sourceType returns the type of an output before inference: that in the data element of a
// Parameter, Constant or Convert, else the precision of the port.
func sourceType(layer *ir.Layer, index int) ir.ElementType {
	name := ""
	switch layer.Type {
	case "Parameter", "Constant":
		name = "element_type"
	case "Convert":
		name = "destination_type"
	default:
		return layer.Outputs[index].DeclaredType
	}
	return ir.AttributesOf(layer).ElementType(name, ir.Dynamic)
}

// widenParameter changes an f16 Parameter to f32 and inserts a Convert after it.
func widenParameter(e *edit.Editor, p *ir.Layer) {
	p.SetAttribute("element_type", ir.F32.String())
	p.Outputs[0].DeclaredType = ir.F32
	readers := slices.Clone(e.Readers(edit.First(p)))
	narrowed := convertTo(e, p, "convert", edit.First(p), ir.F16)
	for _, in := range readers {
		e.Connect(in, narrowed)
	}
}

// convertTo inserts a Convert of from to type t.
func convertTo(e *edit.Editor, origin *ir.Layer, part string, from edit.Source, t ir.ElementType) edit.Source {
	convert := e.Insert(origin, part, "Convert", "opset1", edit.Attributes("destination_type", t.String()), from)
	convert.Outputs[0].DeclaredType, convert.Outputs[0].Declared = t, from.Layer.Outputs[from.Output].Declared
	return edit.First(convert)
}

// addLayerNames adds the name of each Parameter to the names of its tensor. To the names of
// each Result's tensor it adds the name of the layer that the Result reads, with the number of
// the output if that layer has several outputs.
func (g *graph) addLayerNames() error {
	owners := make(map[string]*ir.Output)
	for _, p := range g.model.Parameters {
		if len(p.Outputs) == 0 {
			return layerFault(p, "the Parameter has no output port")
		}
		for _, name := range p.Outputs[0].Names {
			owners[name] = &p.Outputs[0]
		}
	}
	for _, result := range g.model.Results {
		if source := resultSource(result); source != nil {
			for _, name := range source.Names {
				owners[name] = source
			}
		}
	}
	for _, result := range g.model.Results {
		source := resultSource(result)
		if source == nil {
			continue
		}
		producer := result.Inputs[0].Source
		name := producer.Name
		if len(producer.Outputs) > 1 {
			name += "." + strconv.Itoa(result.Inputs[0].SourceIndex)
		}
		if err := addLayerName(owners, source, producer, name); err != nil {
			return err
		}
		result.OutputNames = source.Names
	}
	for _, p := range g.model.Parameters {
		if err := addLayerName(owners, &p.Outputs[0], p, p.Name); err != nil {
			return err
		}
	}
	return nil
}

// addLayerName adds name to the names of out, an output of layer. owners maps names to outputs.
func addLayerName(owners map[string]*ir.Output, out *ir.Output, layer *ir.Layer, name string) error {
	switch owner, taken := owners[name]; {
	case !taken:
		owners[name] = out
		out.Names = append(out.Names, name)
	case owner != out:
		return layerFault(layer, "layer name %q is the name of another input's or output's tensor as well", name)
	}
	return nil
}
