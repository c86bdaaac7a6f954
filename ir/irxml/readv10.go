package irxml

import (
	"errors"
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/internal/faults"
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

// addLayerNames adds the names that version 10 gives to inputs and outputs to those of their
// tensors.
func (g *graph) addLayerNames() error {
	if err := eachLayerName(g.model, func(out *ir.Output, name string) { out.Names = append(out.Names, name) }); err != nil {
		return asFormatError(err)
	}
	for _, result := range g.model.Results {
		if source := resultSource(result); source != nil {
			result.OutputNames = source.Names
		}
	}
	return nil
}

// eachLayerName calls add with the names that version 10 gives to the tensors of inputs and
// outputs, and that these do not have: the name of each Parameter, and for each Result the name of
// the layer that it reads, with the number of the output if that layer has several outputs. It is
// an error if the tensor of another input or output has the name.
func eachLayerName(m *ir.Model, add func(*ir.Output, string)) error {
	owners := make(map[string]*ir.Output)
	for _, p := range m.Parameters {
		if len(p.Outputs) == 0 {
			return &ir.LayerError{Layer: p, Err: errors.New("the Parameter has no output port")}
		}
		for _, name := range p.Outputs[0].Names {
			owners[name] = &p.Outputs[0]
		}
	}
	known := make(map[*ir.Output]bool) // many Results can read an output with many names
	for _, result := range m.Results {
		source := resultSource(result)
		if source == nil || known[source] {
			continue
		}
		known[source] = true
		for _, name := range source.Names {
			owners[name] = source
		}
	}
	claim := func(layer *ir.Layer, out *ir.Output, name string) error {
		switch owner, taken := owners[name]; {
		case !taken:
			owners[name] = out
			add(out, name)
		case owner != out:
			return &ir.LayerError{Layer: layer, Err: faults.Errorf("layer name %q is the name of another input's or output's tensor as well", name)}
		}
		return nil
	}
	for _, result := range m.Results {
		source := resultSource(result)
		if source == nil {
			continue
		}
		producer := result.Inputs[0].Source
		name := producer.Name
		if len(producer.Outputs) > 1 {
			name += "." + strconv.Itoa(result.Inputs[0].SourceIndex)
		}
		if err := claim(producer, source, name); err != nil {
			return err
		}
	}
	for _, p := range m.Parameters {
		if err := claim(p, &p.Outputs[0], p.Name); err != nil {
			return err
		}
	}
	return nil
}
