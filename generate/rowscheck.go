package generate

import (
	"context"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/textinput"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
)

// checkDependencies returns an error if an output of the model still depends on the length of one
// text or on its padding.
func checkDependencies(b *edit.Builder, layers []*ir.Layer) error {
	var stack []*ir.Layer
	for _, layer := range layers {
		if layer.Type == "Result" {
			stack = append(stack, layer)
		}
	}
	for seen := make(map[*ir.Layer]bool); len(stack) > 0 && b.Err() == nil; {
		layer := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, in := range layer.Inputs {
			if s := in.Source; !seen[s] {
				seen[s] = true
				stack = append(stack, s)
				if s.Type == "AppendState" || s.Type == "StateShape" || s.Type == "Parameter" && slices.ContainsFunc(s.Outputs[0].Names, isOfOneText) {
					return &ir.LayerError{Layer: layer, Err: faults.Errorf("it depends on %v, which differs from text to text", s)}
				}
			}
		}
	}
	return b.Err()
}

// isOfOneText reports whether name is that of an input that describes the text of a step.
func isOfOneText(name string) bool { return name == textinput.Mask || name == textinput.Beams }

// anyRows is a number of rows that is the length of no other axis.
const anyRows = 1<<20 + 7

// propagateStep returns the shapes of a step of anyRows tokens.
func propagateStep(ctx context.Context, model *ir.Model, rules infer.Rules, adapters int) (*infer.Shapes, error) {
	parameters := make(map[*ir.Layer]ir.Fact)
	for _, p := range model.Parameters {
		names := p.Outputs[0].Names
		switch {
		case slices.Contains(names, textinput.IDs), slices.Contains(names, textinput.Positions):
			parameters[p] = ir.Fact{Type: ir.I64, Shape: ir.StaticShape(1, anyRows)}
		case slices.Contains(names, textinput.Beams):
			parameters[p] = ir.Fact{Type: ir.I32, Shape: ir.StaticShape(1)}
		case slices.Contains(names, alphasInput):
			parameters[p] = ir.Fact{Type: ir.F32, Shape: ir.StaticShape(1, anyRows, adapters)}
		}
	}
	return infer.Propagate(ctx, model, rules, parameters)
}

// checkMixing returns an error if a layer of the model of an Engine makes something of all rows of
// a step together, such as the greatest position, on which some models let the angles of all
// positions depend: rows of other texts must not count.
func checkMixing(ctx context.Context, model *ir.Model, rules infer.Rules, adapters int) error {
	shapes, err := propagateStep(ctx, model, rules, adapters)
	if err != nil {
		return err
	}
	has := func(facts []ir.Fact) bool {
		return slices.ContainsFunc(facts, func(f ir.Fact) bool {
			return f.Shape.RankKnown() && slices.Contains(f.Shape.Dims(), ir.Dim(anyRows))
		})
	}
	for _, layer := range model.Order {
		outputs := shapes.Outputs(layer)
		if layer.Type == "ShapeOf" || len(outputs) == 0 || has(outputs) {
			continue
		}
		for _, in := range layer.Inputs {
			if has(shapes.Outputs(in.Source)[in.SourceIndex:][:1]) && !picksRows(layer) {
				return &ir.LayerError{Layer: layer, Err: faults.Errorf("it makes %v of all tokens of a step, which are of several texts", outputs[0].Shape)}
			}
		}
	}
	return nil
}

// picksRows reports whether layer is the one that rewrite inserts to pick the rows of logits.
func picksRows(layer *ir.Layer) bool {
	return layer.Type == "Gather" && slices.Contains(layer.Inputs[1].Source.Outputs[layer.Inputs[1].SourceIndex].Names, rowsInput)
}
