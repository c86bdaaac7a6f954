package explain

import "github.com/vinoir/vinoir/ir"

// isConstant reports whether layer depends on no input of the model. constant has those of the
// layers before it that depend on none.
func isConstant(layer *ir.Layer, constant map[*ir.Layer]bool) bool {
	for i := range layer.Inputs {
		if !constant[layer.Inputs[i].Source] {
			return false
		}
	}
	return layer.Type == "Constant" || len(layer.Inputs) > 0
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

// tracer is the state of a call of Output.
type tracer struct {
	*Explainer
	origins map[aspectKey]*Origin
	queue   []*Origin // origins to expand
	causes  int       // number of causes of all origins
	vias    int       // length of Cause.Via of all causes
}

// dims returns the origins of the dims of an output or, if its rank is unknown, that of the
// rank.
func (t *tracer) dims(layer *ir.Layer, output int, fact ir.Fact) []*Origin {
	if !fact.Shape.RankKnown() {
		return []*Origin{t.origin(aspectKey{layer, output, part{aspect: AspectRank}})}
	}
	origins := make([]*Origin, fact.Shape.Rank())
	for i := range origins {
		origins[i] = t.origin(aspectKey{layer, output, part{AspectDim, i}})
	}
	return origins
}

// origin returns the Origin of a part of an output. A new one is queued for expansion.
func (t *tracer) origin(key aspectKey) *Origin {
	o := t.origins[key]
	if o == nil {
		o = &Origin{Layer: key.layer, Output: key.output, Aspect: key.aspect, Index: key.index, Fact: t.fact(key)}
		t.origins[key] = o
		t.spend(originWork)
		t.queue = append(t.queue, o)
	}
	return o
}

// fact returns the fact of the output of key.
func (e *Explainer) fact(key aspectKey) ir.Fact {
	if facts := e.facts.Outputs(key.layer); key.output < len(facts) {
		return facts[key.output]
	}
	return ir.Fact{Shape: ir.UnknownRank}
}

// expand sets the Source and the Causes of o.
func (t *tracer) expand(o *Origin) {
	key := aspectKey{o.Layer, o.Output, part{o.Aspect, o.Index}}
	o.Source = t.source(key)
	if o.Source != SourceDerived {
		return
	}
	dependencies := t.dependenciesOf(key)
	if t.causes += len(dependencies); len(t.origins) > maxOrigins || t.causes > maxCauses {
		o.Source = SourceCut
		return
	}
	known := make(map[*Origin]bool, len(dependencies))
	for _, d := range dependencies {
		cause := t.follow(o.Layer, d)
		t.spend(causeWork + viaWork*len(cause.Via))
		if !known[cause.Origin] {
			known[cause.Origin] = true
			o.Causes = append(o.Causes, cause)
		}
	}
}

// source returns the Source of a part of an output.
func (e *Explainer) source(key aspectKey) Source {
	switch {
	case e.faulty[key.layer] != nil:
		return SourceDeclared
	case key.layer.Type == "Parameter":
		return SourceInput
	case key.layer.Type == "Constant":
		return SourceConstant
	case len(key.layer.Inputs) == 0:
		return SourceLayer
	case e.spent() && e.found[key.layer] == nil:
		return SourceCut
	case len(e.dependenciesOf(key)) == 0 && e.cut[key.layer]:
		return SourceCut
	case len(e.dependenciesOf(key)) == 0:
		return SourceLayer
	}
	return SourceDerived
}

// dependenciesOf returns the parts of inputs that a part of an output depends on.
func (e *Explainer) dependenciesOf(key aspectKey) []dependency {
	return e.dependencies(key.layer)[outputPart{key.output, key.part}]
}

// maxVia is the largest number of layers in Cause.Via.
const maxVia = 100

// follow returns the cause for a dependency of layer. It skips layers that only pass a length
// or value on.
func (t *tracer) follow(layer *ir.Layer, d dependency) Cause {
	key := sourceKey(layer, d)
	end := t.root(key)
	cause := Cause{Origin: t.origin(end.key), Input: d.input, Merged: d.merged, Through: end.steps}
	for key != end.key && len(cause.Via) < maxVia && t.vias < maxVias {
		t.vias++
		cause.Via = append(cause.Via, key.layer)
		key = t.roots[key].next
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
func (e *Explainer) root(key aspectKey) root {
	for stack := []aspectKey{key}; len(stack) > 0; {
		key := stack[len(stack)-1]
		if _, done := e.roots[key]; done {
			stack = stack[:len(stack)-1]
			continue
		}
		e.spend(rootWork)
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
func (e *Explainer) passedOn(key aspectKey) []aspectKey {
	var keys []aspectKey
	text := e.text(key)
	for _, d := range e.dependenciesOf(key) {
		k := sourceKey(key.layer, d)
		if k.aspect != key.aspect || e.text(k) != text {
			return nil
		}
		keys = append(keys, k)
	}
	return keys
}

// join returns the root of key if keys have the same root, else key itself. Key depends on keys
// and has the same length or value.
func (e *Explainer) join(key aspectKey, keys []aspectKey) root {
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
func (e *Explainer) text(key aspectKey) string {
	fact := e.fact(key)
	if key.aspect == AspectValue || key.aspect == AspectValues {
		e.spend(sizeOf(&fact))
	}
	return partText(&fact, key.part)
}
