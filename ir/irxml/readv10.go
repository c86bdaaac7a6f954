package irxml

import (
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// finishV10 completes a model of IR version 10. Its inputs and outputs can be addressed by the
// names of layers, f16 inputs become f32, and outputs become f32 or i32. The type that an output
// has without that must be inferred, because OpenVINO ignores the precision of its port. Therefore
// each Result gets a Convert of the namespace ir10, whose type follows from that of its input.
func (g *graph) finishV10(e *edit.Editor) error {
	if g.model.Version != 10 {
		return nil
	}
	if err := g.addLayerNames(); err != nil {
		return err
	}
	for _, p := range g.model.Parameters {
		if ir.AttributesOf(p).ElementType("element_type", ir.Dynamic) == ir.F16 {
			widenParameter(e, p)
		}
	}
	for _, result := range g.model.Results {
		if len(result.Inputs) > 0 {
			in := &result.Inputs[0]
			e.Connect(in, inserted(e.Insert(in.Source, "", "Convert", "ir10", nil, edit.SourceOf(*in))))
		}
	}
	return nil
}

// widenParameter changes an f16 Parameter to f32 and inserts a Convert after it.
func widenParameter(e *edit.Editor, p *ir.Layer) {
	p.SetAttribute("element_type", ir.F32.String())
	p.Outputs[0].DeclaredType = ir.F32
	readers := slices.Clone(e.Readers(edit.First(p)))
	convert := e.Insert(p, "convert", "Convert", "opset1", edit.Attributes("destination_type", ir.F16.String()), edit.First(p))
	convert.Outputs[0].DeclaredType = ir.F16
	for _, in := range readers {
		e.Connect(in, inserted(convert))
	}
}

// inserted returns the output of an inserted Convert, which has the shape of its input.
func inserted(convert *ir.Layer) edit.Source {
	in := convert.Inputs[0]
	convert.Outputs[0].Declared = in.Source.Outputs[in.SourceIndex].Declared
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
	known := make(map[*ir.Output]bool) // many Results can read an output with many names
	for _, result := range g.model.Results {
		source := resultSource(result)
		if source == nil || known[source] {
			continue
		}
		known[source] = true
		for _, name := range source.Names {
			owners[name] = source
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
