package explain

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// prober finds out what the outputs of layers depend on.
type prober struct {
	rules  infer.Rules
	facts  *infer.Shapes
	probed int // layers and inputs so far
	found  map[*ir.Layer]dependencies
	// constant holds the layers that depend on no input of the model.
	constant map[*ir.Layer]bool
}

// dependencies are, for each part of each output of a layer, the parts of inputs
// that make a difference to it.
type dependencies map[outputPart][]dependency

type outputPart struct {
	output int
	part
}

type inputPart struct {
	input int
	part
}

type dependency struct {
	inputPart
	merged bool
}

// dependencies returns what layer's outputs depend on. The layer was inferred.
func (p *prober) dependencies(layer *ir.Layer) dependencies {
	if d, ok := p.found[layer]; ok {
		return d
	}
	rule, err := p.rules.Rule(layer)
	if err != nil {
		return nil
	}
	l := &layerProbe{prober: p, layer: layer, rule: rule, inputs: p.facts.Inputs(layer), deps: make(dependencies), work: workOf(layer)}
	if l.base = l.run(nil); l.base != nil {
		l.probe()
	}
	p.found[layer] = l.deps
	return l.deps
}

// layerProbe probes one layer.
type layerProbe struct {
	*prober
	layer  *ir.Layer
	rule   *infer.Rule
	work   int // of one run
	inputs []ir.Fact
	base   []ir.Fact // the outputs without a change
	deps   dependencies
	valued bool // the outputs depend on the values of the input that is changed
	// alike are the dims that the layer's rule would not have otherwise one by one.
	alike []inputPart
}

// workOf returns the number of layers that are run for layer, and of their inputs.
func workOf(layer *ir.Layer) int {
	work := 1 + len(layer.Inputs)
	for i := range layer.Bodies {
		for _, l := range layer.Bodies[i].Model.Order {
			work += workOf(l)
		}
	}
	return work
}

// replacement is another fact for an input.
type replacement struct {
	input int
	fact  ir.Fact
}

// run returns the outputs with some of the inputs replaced; nil if the rule refuses
// them.
func (l *layerProbe) run(replaced []replacement) []ir.Fact {
	if l.probed += l.work; l.probed > maxProbed {
		return nil
	}
	in := infer.Inference{
		Layer: l.layer, Attributes: l.facts.Attributes(l.layer),
		Inputs: slices.Clone(l.inputs), Outputs: make([]ir.Fact, max(len(l.layer.Outputs), 1)),
		Context: infer.ContextOf(l.layer, l.rules),
	}
	for _, r := range replaced {
		in.Inputs[r.input] = r.fact
	}
	if l.rule.Run(&in) != nil {
		return nil
	}
	return in.Outputs
}

// probe changes the parts of the inputs one by one.
func (l *layerProbe) probe() {
	for i := range l.inputs {
		fact := &l.inputs[i]
		before := l.base
		l.valued = false
		if fact.Tensor != nil || fact.Intervals() != nil {
			before = l.run([]replacement{{i, withoutValues(fact)}})
			l.valued = before == nil || differs(l.base, before) || l.valuesDiffer(i)
		}
		if l.valued {
			l.probeValues(i, before)
		} else if before != nil && fact.Tensor == nil && fact.Values == nil {
			l.try(l.base, inputPart{i, part{aspect: AspectValues}}, knownValues(fact))
		}
		if !fact.Shape.RankKnown() {
			l.try(l.base, inputPart{i, part{aspect: AspectRank}}, otherRanks(fact))
		}
		for j := range fact.Shape.Dims() {
			if before != nil {
				l.probeDim(before, inputPart{i, part{AspectDim, j}})
			}
		}
	}
	for len(l.alike) > 0 && l.probed <= maxProbed {
		l.merge()
	}
	l.dropOnes()
}

// valuesDiffer reports whether it makes a difference that the elements of an input
// are known as far as they are: nothing of them but that they are there, which some
// rules tell from their not being there, or all.
func (l *layerProbe) valuesDiffer(input int) bool {
	fact := &l.inputs[input]
	values := fact.Intervals()
	if values == nil {
		return false
	}
	vague, known := withoutValues(fact), slices.Clone(values)
	vague.Values = slices.Repeat([]ir.Interval{{Min: math.MinInt64, Max: math.MaxInt64}}, len(values))
	for i, v := range known {
		if !v.Known() {
			n := min(max(v.Min, 7), v.Max)
			known[i] = ir.Interval{Min: n, Max: n}
		}
	}
	for _, other := range []ir.Fact{vague, withElements(fact, known)} {
		if outputs := l.run([]replacement{{input, other}}); outputs != nil && differs(l.base, outputs) {
			return true
		}
	}
	return false
}

// try runs the layer with each of the facts in place of at's input, and reports
// how many the rule took and whether any of them made a difference to before.
func (l *layerProbe) try(before []ir.Fact, at inputPart, facts []ir.Fact) (taken int, changed bool) {
	for _, fact := range facts {
		if outputs := l.run([]replacement{{at.input, fact}}); outputs != nil {
			taken++
			changed = l.compare(before, outputs, dependency{inputPart: at}) || changed
		}
	}
	return taken, changed
}

// probeDim makes a dim another length; if no other length is taken, an unknown one.
// Of an input with another number of elements no values are known, so that before is
// the outputs without them.
func (l *layerProbe) probeDim(before []ir.Fact, at inputPart) {
	fact := &l.inputs[at.input]
	d := fact.Shape.At(at.index)
	others := otherLengths(d)
	taken, changed := l.try(before, at, withDims(fact, at.index, others))
	if changed {
		return
	}
	if taken == 0 && d != ir.AnyDim {
		_, changed = l.try(before, at, withDims(fact, at.index, []ir.Dimension{ir.AnyDim}))
	}
	// The numbers of indices that must be equal are the layer's own affair.
	if !changed && taken < len(others) && d.IsStatic() && d.Min > 0 && !l.valued {
		l.alike = append(l.alike, at)
	}
}

// probeValues makes the elements of an input others, each alone. unknown is the
// outputs where no element of it is known, nil where the rule refuses that.
func (l *layerProbe) probeValues(input int, unknown []ir.Fact) {
	fact := &l.inputs[input]
	values := fact.Intervals()
	if values == nil || len(values) > maxProbedValues {
		if unknown != nil {
			l.compare(l.base, unknown, dependency{inputPart: inputPart{input, part{aspect: AspectValues}}})
		}
		return
	}
	for k, v := range values {
		at := inputPart{input, part{AspectValue, k}}
		taken, changed := l.try(l.base, at, withValues(fact, values, k, otherValues(v)))
		if !changed && taken == 0 {
			l.try(l.base, at, withValues(fact, values, k, []ir.Interval{{Min: math.MinInt64, Max: math.MaxInt64}}))
		}
	}
}

// maxProbedValues is the number of elements up to which those of a tensor are
// changed one by one.
const maxProbedValues = 64
