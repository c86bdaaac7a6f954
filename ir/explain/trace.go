package explain

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// constants returns the layers of m that depend on no input of the model.
func constants(m *ir.Model) map[*ir.Layer]bool {
	constant := make(map[*ir.Layer]bool)
	for _, layer := range m.Order {
		all := layer.Type == "Constant" || len(layer.Inputs) > 0
		for i := range layer.Inputs {
			all = all && constant[layer.Inputs[i].Source]
		}
		if all {
			constant[layer] = true
		}
	}
	return constant
}

// part is a part of a tensor: a dim, the rank, an element, or all elements.
type part struct {
	aspect Aspect
	index  int
}

// aspectKey is a part of an output of a layer.
type aspectKey struct {
	layer  *ir.Layer
	output int
	part
}

// explainer is the state of a call of Output.
type explainer struct {
	prober
	faulty  map[*ir.Layer]error
	origins map[aspectKey]*Origin
	roots   map[aspectKey]root
	queue   []*Origin // origins to expand
}

// dims returns the origins of the dims of an output or, if its rank is unknown, that of the
// rank.
func (e *explainer) dims(layer *ir.Layer, output int, fact ir.Fact) []*Origin {
	if !fact.Shape.RankKnown() {
		return []*Origin{e.origin(aspectKey{layer, output, part{aspect: AspectRank}})}
	}
	origins := make([]*Origin, fact.Shape.Rank())
	for i := range origins {
		origins[i] = e.origin(aspectKey{layer, output, part{AspectDim, i}})
	}
	return origins
}

// origin returns the Origin of a part of an output. A new one is queued for expansion.
func (e *explainer) origin(key aspectKey) *Origin {
	o := e.origins[key]
	if o == nil {
		o = &Origin{Layer: key.layer, Output: key.output, Aspect: key.aspect, Index: key.index, Fact: e.fact(key)}
		e.origins[key] = o
		e.queue = append(e.queue, o)
	}
	return o
}

// fact returns the fact of the output of key.
func (e *explainer) fact(key aspectKey) ir.Fact {
	if facts := e.facts.Outputs(key.layer); key.output < len(facts) {
		return facts[key.output]
	}
	return ir.Fact{Shape: ir.UnknownRank}
}

// expand sets the Source and the Causes of o.
func (e *explainer) expand(o *Origin) {
	key := aspectKey{o.Layer, o.Output, part{o.Aspect, o.Index}}
	o.Source = e.source(key)
	if o.Source == SourceDerived && len(e.origins) > maxOrigins {
		o.Source = SourceCut
	}
	if o.Source != SourceDerived {
		return
	}
	for _, d := range e.dependenciesOf(key) {
		cause := e.follow(o.Layer, d)
		if !slices.ContainsFunc(o.Causes, func(c Cause) bool { return c.Origin == cause.Origin }) {
			o.Causes = append(o.Causes, cause)
		}
	}
}

// source returns the Source of a part of an output.
func (e *explainer) source(key aspectKey) Source {
	switch {
	case e.faulty[key.layer] != nil:
		return SourceDeclared
	case key.layer.Type == "Parameter":
		return SourceInput
	case key.layer.Type == "Constant":
		return SourceConstant
	case len(key.layer.Inputs) == 0:
		return SourceLayer
	case e.probed > maxProbed:
		return SourceCut
	case len(e.dependenciesOf(key)) == 0:
		return SourceLayer
	}
	return SourceDerived
}

// dependenciesOf returns the parts of inputs that a part of an output depends on.
func (e *explainer) dependenciesOf(key aspectKey) []dependency {
	return e.dependencies(key.layer)[outputPart{key.output, key.part}]
}

// maxVia is the largest number of layers in Cause.Via.
const maxVia = 100

// follow returns the cause for a dependency of layer. It skips layers that only pass a length
// or value on.
func (e *explainer) follow(layer *ir.Layer, d dependency) Cause {
	key := sourceKey(layer, d)
	end := e.root(key)
	cause := Cause{Origin: e.origin(end.key), Input: d.input, Merged: d.merged, Through: end.steps}
	for key != end.key && len(cause.Via) < maxVia {
		cause.Via = append(cause.Via, key.layer)
		key = e.roots[key].next
	}
	return cause
}

// root is the part of an output that a length or value comes from through layers that only pass
// it on.
type root struct {
	key   aspectKey
	next  aspectKey // the next part on the path to key
	steps int       // number of parts on the path
}

// root returns the root of a part. It is the part itself, unless all its dependencies have the
// same length or value and the same root. root has a stack of its own instead of recursion.
func (e *explainer) root(key aspectKey) root {
	for stack := []aspectKey{key}; len(stack) > 0; {
		key := stack[len(stack)-1]
		if _, done := e.roots[key]; done {
			stack = stack[:len(stack)-1]
			continue
		}
		var keys []aspectKey
		if e.source(key) == SourceDerived {
			keys = e.passedOn(key)
		}
		waiting := len(stack)
		for _, k := range keys {
			if _, done := e.roots[k]; !done {
				stack = append(stack, k)
			}
		}
		if len(stack) == waiting {
			e.roots[key] = e.join(key, keys)
			stack = stack[:waiting-1]
		}
	}
	return e.roots[key]
}

// passedOn returns the parts that key depends on if all have the same length or value as key;
// nil otherwise.
func (e *explainer) passedOn(key aspectKey) []aspectKey {
	var keys []aspectKey
	for _, d := range e.dependenciesOf(key) {
		k := sourceKey(key.layer, d)
		if k.aspect != key.aspect || e.text(k) != e.text(key) {
			return nil
		}
		keys = append(keys, k)
	}
	return keys
}

// join returns the root of key if keys have the same root, else key itself. Key depends on keys
// and has the same length or value.
func (e *explainer) join(key aspectKey, keys []aspectKey) root {
	joined := root{key: key}
	for i, k := range keys {
		r := e.roots[k]
		if i > 0 && r.key != joined.key {
			return root{key: key}
		}
		if i == 0 || r.steps+1 < joined.steps {
			joined = root{r.key, k, r.steps + 1}
		}
	}
	return joined
}

// sourceKey returns the output that dependency d of layer reads, and the part of it.
func sourceKey(layer *ir.Layer, d dependency) aspectKey {
	in := &layer.Inputs[d.input]
	return aspectKey{in.Source, in.SourceIndex, d.part}
}

// text returns a part of an output as far as it is known.
func (e *explainer) text(key aspectKey) string {
	fact := e.fact(key)
	return partText(&fact, key.part)
}
