package explain

import (
	"context"
	"math"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// prober finds the inputs that the outputs of layers depend on.
type prober struct {
	ctx    context.Context
	rules  infer.Rules
	facts  *infer.Shapes
	probed int // work so far, at most maxProbed+1
	found  map[*ir.Layer]dependencies
	cut    map[*ir.Layer]bool // layers whose dependencies are not known: the work was too much
	// constant has the layers that depend on no input of the model.
	constant map[*ir.Layer]bool
}

// dependencies has, for each part of each output of a layer, the parts of inputs that it
// depends on.
type dependencies map[outputPart][]dependency

// outputPart is a part of an output.
type outputPart struct {
	output int
	part
}

// inputPart is a part of an input.
type inputPart struct {
	input int
	part
}

// dependency is a part of an input that a part of an output depends on. merged is Cause.Merged.
type dependency struct {
	inputPart
	merged bool
}

// spend adds work. The sum stays near maxProbed, so that it fits an int of 32 bits.
func (p *prober) spend(work int) { p.probed = min(p.probed+min(work, maxProbed+1), maxProbed+1) }

// spent reports whether the work for the explanation is used up.
func (p *prober) spent() bool { return p.probed > maxProbed }

// dependencies returns the dependencies of the outputs of layer, which must have been inferred.
func (p *prober) dependencies(layer *ir.Layer) dependencies {
	if d, ok := p.found[layer]; ok {
		return d
	}
	rule, err := p.rules.Rule(layer)
	if err != nil {
		return nil
	}
	l := &layerProbe{prober: p, layer: layer, rule: rule, inputs: p.facts.Inputs(layer), deps: make(dependencies), work: layerWork + portWork*(len(layer.Inputs)+len(layer.Outputs))}
	for i := range l.inputs {
		l.work += sizeOf(&l.inputs[i])
	}
	outputs := p.facts.Outputs(layer)
	for i := range outputs {
		l.work += sizeOf(&outputs[i])
	}
	if l.base = l.run(nil); l.base != nil {
		l.probe()
	}
	if p.spent() { // some dependencies were not found
		p.cut[layer], l.deps = true, nil
	}
	p.found[layer] = l.deps
	return l.deps
}

// layerProbe finds the dependencies of one layer.
type layerProbe struct {
	*prober
	layer  *ir.Layer
	rule   *infer.Rule
	work   int // of one run, without the bodies of the layer: see maxProbed
	inputs []ir.Fact
	given  []ir.Fact // what a run is given: inputs with replacements
	base   []ir.Fact // the outputs for unchanged inputs
	deps   dependencies
	// readsValues means that the outputs depend on the values of the input that is changed.
	readsValues bool
	// tied are dims that cannot take some other lengths alone: other dims may have to change with
	// them.
	tied []inputPart
}

// sizeOf returns the number of dims and known elements of a fact. Only the elements of small
// tensors count, because rules do not read those of others.
func sizeOf(fact *ir.Fact) int {
	n := max(fact.Shape.Rank(), 0) + len(fact.Values)
	if fact.Tensor != nil {
		n += min(fact.Tensor.Len(), ir.MaxValues)
	}
	return n
}

// replacement replaces the fact of an input.
type replacement struct {
	input int
	fact  ir.Fact
}

// run returns the outputs of the layer with some inputs replaced. It returns nil if the rule
// returns an error, beyond maxProbed, and after the context is done.
func (l *layerProbe) run(replaced []replacement) []ir.Fact {
	if l.spend(l.work); l.spent() || l.ctx.Err() != nil {
		return nil
	}
	l.given = append(l.given[:0], l.inputs...)
	in := infer.Inference{
		Layer: l.layer, Attributes: l.facts.Attributes(l.layer),
		Inputs: l.given, Outputs: make([]ir.Fact, max(len(l.layer.Outputs), 1)),
		Context: infer.ContextOf(l.ctx, l.layer, l.rules),
	}
	for _, r := range replaced {
		in.Inputs[r.input] = r.fact
	}
	err := l.rule.Run(&in)
	if in.Work != nil {
		l.spend(layerWork * min(in.Work(), maxProbed))
	}
	if err != nil {
		return nil
	}
	return in.Outputs
}

// probe changes each part of the inputs and finds the outputs that change with it.
func (l *layerProbe) probe() {
	for i := range l.inputs {
		fact := &l.inputs[i]
		before := l.base
		l.readsValues = false
		if fact.Tensor != nil || fact.Intervals() != nil {
			before = l.run([]replacement{{i, withoutValues(fact)}})
			l.readsValues = before == nil || differs(l.base, before) || l.valuesDiffer(i)
		}
		if l.readsValues {
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
	for len(l.tied) > 0 && !l.spent() {
		l.merge()
	}
	l.dropOnes()
}

// valuesDiffer reports whether the outputs depend on how precisely the values of an input are
// known. It compares the outputs with those for elements without bounds, which some rules treat
// differently from unknown values, and with those for elements that are all known.
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

// try runs the layer with each of facts as input at.input. It returns the number of facts that
// the rule accepts, and whether any of them changes the outputs compared with before.
func (l *layerProbe) try(before []ir.Fact, at inputPart, facts []ir.Fact) (taken int, changed bool) {
	for _, fact := range facts {
		if outputs := l.run([]replacement{{at.input, fact}}); outputs != nil {
			taken++
			changed = l.compare(before, outputs, dependency{inputPart: at}) || changed
		}
	}
	return taken, changed
}

// probeDim changes a dim to other lengths or, if the rule accepts none of them, to an unknown
// length. before is the outputs without the values of the input, because these do not fit
// another shape.
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
	// If the values of the input are read, its length may have to match that of other indices, such
	// as begin and end of a StridedSlice. That is not a dependency.
	if !changed && taken < len(others) && d.IsStatic() && d.Min > 0 && !l.readsValues {
		l.tied = append(l.tied, at)
	}
}

// probeValues changes the elements of an input one by one. unknown is the outputs without the
// values of the input; nil if the rule does not accept that.
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

// maxProbedValues is the largest number of elements of a tensor that are changed one by one.
const maxProbedValues = 64
