package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/reshape"
)

// reshapeLine specifies what OpenVINO infers for a model whose inputs are reshaped.
type reshapeLine struct {
	Case string `json:"case"`
	Kind string `json:"kind"`
	// Inputs has the shapes of Parameters, by layer name.
	Inputs map[string]string `json:"inputs"`
	// Layers has the types and shapes of the outputs of the other layers, by layer name:
	// "f32[1,?,3..5]".
	Layers map[string][]string `json:"layers"`
	// Error is set instead of Layers if OpenVINO rejects the shapes.
	Error string `json:"error"`
}

// run reshapes the model and compares the inferred shapes.
func (l *reshapeLine) run(ctx context.Context, r *Runner, folder string) error {
	model, err := readModel(folder)
	if err != nil {
		return err
	}
	shapes := make(map[string]ir.PartialShape, len(l.Inputs))
	for name, text := range l.Inputs {
		if shapes[name], err = ir.ParsePartialShape(text); err != nil {
			return err
		}
	}
	if model, err = reshape.Inputs(ctx, model, r.registry, shapes); err != nil {
		return err
	}
	if err := checkGraph(model); err != nil {
		return err
	}
	inferred, err := infer.Propagate(ctx, model, r.registry, nil)
	if l.Error != "" {
		if err == nil {
			return faults.Errorf("%v is accepted, OpenVINO says: %.200s", l.Inputs, l.Error)
		}
		if err = mistakes(inferred, err); isUnsupported(err) || isBug(err) {
			return err
		}
		return nil
	}
	if err != nil {
		return err
	}
	return l.compare(model, inferred)
}

// compare compares inferred shapes with the line. Several layers can have the same name: one of
// them must agree.
func (l *reshapeLine) compare(model *ir.Model, inferred *infer.Shapes) error {
	found := make(map[string][]string, len(model.Layers))
	agree := make(map[string]bool, len(l.Layers))
	for _, layer := range model.Layers {
		want, listed := l.Layers[layer.Name]
		if !listed {
			continue
		}
		var got []string
		for _, fact := range inferred.Outputs(layer) {
			got = append(got, fact.Type.String()+fact.Shape.String())
		}
		found[layer.Name] = got
		agree[layer.Name] = agree[layer.Name] || slices.Equal(got, want)
	}
	var differ []string
	for name, want := range l.Layers {
		if !agree[name] {
			differ = append(differ, fmt.Sprintf("layer %q: inferred %v, OpenVINO %v", name, found[name], want))
		}
	}
	if len(differ) == 0 {
		return nil
	}
	slices.Sort(differ)
	return errors.New(fmt.Sprintf("%v: ", l.Inputs) + strings.Join(differ, "; "))
}
