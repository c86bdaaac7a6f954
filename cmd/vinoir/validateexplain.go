package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/explain"
	"github.com/vinoir/vinoir/ir/infer"
)

// explanation is explain.Explanation as JSON. Origins lists each origin once, because it can be the
// cause of several others. Other fields have indices into this list.
type explanation struct {
	Layer   string `json:"layer"`
	LayerID uint64 `json:"layer_id"`
	Output  int    `json:"output"`
	Type    string `json:"type"`
	Shape   string `json:"shape"`
	// Error is the reason if the layer cannot be inferred. Then Inputs has an entry for each of its
	// inputs, and Dims is empty.
	Error   string             `json:"error,omitempty"`
	Inputs  []inputExplanation `json:"inputs,omitempty"`
	Dims    []int              `json:"dims"`
	Origins []origin           `json:"origins"`

	text string // the explanation as text
}

type inputExplanation struct {
	Type   string `json:"type"`
	Shape  string `json:"shape"`
	Dims   []int  `json:"dims"`
	Values []int  `json:"values"`
}

// origin is explain.Origin as JSON.
type origin struct {
	Layer     string `json:"layer"`
	LayerID   uint64 `json:"layer_id"`
	LayerType string `json:"layer_type"`
	Line      int    `json:"line,omitempty"`
	Output    int    `json:"output"`
	Aspect    string `json:"aspect"` // dim, rank, value or values
	Index     int    `json:"index"`
	Is        string `json:"is"`     // "3", "?", "3..5"
	Source    string `json:"source"` // derived, input, constant, layer, declared or cut
	// Offset and Size are the place of a constant in the .bin; nil for other sources.
	Offset *uint64 `json:"offset,omitempty"`
	Size   *uint64 `json:"size,omitempty"`
	Causes []cause `json:"causes,omitempty"`
}

// cause is explain.Cause as JSON. Origin is an index into explanation.Origins.
type cause struct {
	Origin  int      `json:"origin"`
	Input   int      `json:"input"`
	Merged  bool     `json:"merged,omitempty"`
	Through int      `json:"through,omitempty"`
	Via     []string `json:"via,omitempty"`
}

// explainOutputs explains the outputs that text, the value of --explain, specifies. If that is too
// much work, it explains the first ones, and returns the number of the others.
func explainOutputs(ctx context.Context, m *ir.Model, rules infer.Rules, shapes *infer.Shapes, text string) (list []explanation, rest int, err error) {
	layers, output := findLayers(m, text)
	if len(layers) == 0 {
		e := &ir.NameError{Kind: "layer", Name: text}
		for layer := range m.AllLayers() {
			e.Names = append(e.Names, []string{layer.Name, strconv.FormatUint(layer.ID, 10)})
		}
		return nil, 0, usagef("--explain %s: %w", text, e)
	}
	explainer := explain.NewExplainer(m, rules, shapes)
	for _, layer := range layers {
		first, last := output, output
		if output < 0 {
			first, last = 0, max(len(layer.Outputs), 1)-1
		}
		for i := first; i <= last; i++ {
			if explainer.Spent() {
				rest += last - i + 1
				break
			}
			e, err := explainer.Output(ctx, layer, i)
			if err != nil {
				return nil, 0, usagef("--explain %s: %w", text, err)
			}
			list = append(list, explanationOf(e))
			if e.Err != nil {
				break // e explains the inputs, which are the same for all outputs
			}
		}
	}
	return list, rest, nil
}

// findLayers returns the layers whose name or id is in text, including layers in bodies, and the
// number of the output in text; -1 if it has none.
func findLayers(m *ir.Model, text string) ([]*ir.Layer, int) {
	if layers := layersOf(m, text); len(layers) > 0 {
		return layers, -1
	}
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		if output, err := strconv.ParseUint(text[i+1:], 10, 31); err == nil {
			return layersOf(m, text[:i]), int(output)
		}
	}
	return nil, -1
}

// layersOf returns the layers whose name is text; if there are none, those whose id is text.
func layersOf(m *ir.Model, text string) []*ir.Layer {
	id, err := strconv.ParseUint(text, 10, 64)
	isID := err == nil
	var named, numbered []*ir.Layer
	for layer := range m.AllLayers() {
		if layer.Name == text {
			named = append(named, layer)
		}
		if isID && layer.ID == id {
			numbered = append(numbered, layer)
		}
	}
	if len(named) > 0 {
		return named
	}
	return numbered
}

func explanationOf(e *explain.Explanation) explanation {
	x := explanation{
		Layer: printable.Cut(e.Layer.Name, maxName), LayerID: e.Layer.ID, Output: e.Output,
		Type: e.Fact.Type.String(), Shape: e.Fact.Shape.String(), Origins: []origin{}, text: e.String(),
	}
	if e.Err != nil {
		x.Error = printable.Cut(e.Err.Error(), maxMessage)
	}
	list := originList{numbers: make(map[*explain.Origin]int)}
	x.Dims = list.add(e.Dims)
	for _, in := range e.Inputs {
		x.Inputs = append(x.Inputs, inputExplanation{
			Type: in.Fact.Type.String(), Shape: in.Fact.Shape.String(), Dims: list.add(in.Dims), Values: list.add(in.Values),
		})
	}
	// describe can append to list.origins.
	for i := 0; i < len(list.origins); i++ {
		x.Origins = append(x.Origins, list.describe(list.origins[i]))
	}
	return x
}

// originList is a list of distinct origins.
type originList struct {
	numbers map[*explain.Origin]int
	origins []*explain.Origin
}

// add returns the indices of origins, and appends those that are not in the list.
func (l *originList) add(origins []*explain.Origin) []int {
	numbers := []int{}
	for _, o := range origins {
		numbers = append(numbers, l.number(o))
	}
	return numbers
}

func (l *originList) number(o *explain.Origin) int {
	n, ok := l.numbers[o]
	if !ok {
		n = len(l.origins)
		l.numbers[o] = n
		l.origins = append(l.origins, o)
	}
	return n
}

func (l *originList) describe(o *explain.Origin) origin {
	d := origin{
		Layer: printable.Cut(o.Layer.Name, maxName), LayerID: o.Layer.ID, LayerType: printable.Cut(o.Layer.Type, maxType), Line: o.Layer.Line, Output: o.Output,
		Aspect: o.Aspect.String(), Index: o.Index, Is: o.Text(), Source: o.Source.String(),
	}
	if o.Source == explain.SourceConstant && inBin(o.Layer) {
		d.Offset, d.Size = &o.Layer.Const.Offset, &o.Layer.Const.Size
	}
	for i := range o.Causes {
		c := &o.Causes[i]
		var via []string
		for _, layer := range c.Via {
			via = append(via, printable.Cut(layer.Name, maxName))
		}
		d.Causes = append(d.Causes, cause{l.number(c.Origin), c.Input, c.Merged, c.Through, via})
	}
	return d
}
