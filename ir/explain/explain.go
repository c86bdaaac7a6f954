package explain

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Aspect is the part of a tensor that an Origin is about.
type Aspect uint8

const (
	// AspectDim is the length of one axis.
	AspectDim Aspect = iota
	// AspectRank is the number of axes.
	AspectRank
	// AspectValue is the value of one element.
	AspectValue
	// AspectValues is the values of all elements together.
	AspectValues
)

// String returns the name of a in reports.
func (a Aspect) String() string { return [...]string{"dim", "rank", "value", "values"}[a] }

// Source says what decides an Origin.
type Source uint8

const (
	// SourceDerived is what other tensors decide: those of the Causes.
	SourceDerived Source = iota
	// SourceInput is an input of the model: a Parameter.
	SourceInput
	// SourceConstant is a Constant: its shape or its values.
	SourceConstant
	// SourceLayer is the layer itself, by its type and attributes: nothing that it
	// reads makes a difference.
	SourceLayer
	// SourceDeclared is the file: the layer could not be inferred, and its ports are
	// taken as they are declared.
	SourceDeclared
	// SourceCut is what was not followed, since the trace is long already.
	SourceCut
)

// String returns the name of s in reports.
func (s Source) String() string {
	return [...]string{"derived", "input", "constant", "layer", "declared", "cut"}[s]
}

// Origin is where a length or a value in output Output of Layer comes from.
type Origin struct {
	Layer  *ir.Layer
	Output int
	Aspect Aspect
	Index  int // of the axis or element
	Fact   ir.Fact
	Source Source
	// Causes are what decides it, where the Source is SourceDerived. Origins that
	// several others have as their cause are shared among them.
	Causes []Cause
}

// Cause is one of the things that decide an Origin.
type Cause struct {
	*Origin
	// Input is the port of the Origin's layer by which the Cause comes in.
	Input int
	// Merged says that several inputs must agree on the length: no one of them can
	// be another alone.
	Merged bool
	// Through is the number of layers that only hand the length or value on, from
	// the Origin's layer to the Cause: the least where there are several ways. Via
	// are the first of them, a hundred at most.
	Through int
	Via     []*ir.Layer
}

// Explanation is what Explain found.
type Explanation struct {
	Layer  *ir.Layer
	Output int
	Fact   ir.Fact
	// Err is why the layer could not be inferred. Then Inputs say where its inputs
	// come from, one entry each, and Dims nothing.
	Err    error
	Inputs []InputOrigins
	// Dims has the origin of each dim; where the rank is not known, of the rank.
	Dims []*Origin
}

// InputOrigins says where an input of a layer comes from: its dims, and the elements
// that are known of a small tensor of integers.
type InputOrigins struct {
	Fact   ir.Fact
	Dims   []*Origin
	Values []*Origin
}

const (
	// maxOrigins bounds the origins of one Explanation.
	maxOrigins = 2000
	// maxProbed bounds the work of running rules for one Explanation: the layers that
	// are run and their inputs.
	maxProbed = 1 << 25
	// maxExplainedValues is the number of elements up to which those of an input
	// are explained one by one.
	maxExplainedValues = 16
)

// Output tells where the dims of an output of layer come from: back to the inputs
// of the model, and to the constants and attributes that pin them. shapes is what
// Propagate made of m with the same rules. Of a layer that could not be inferred it
// explains the inputs; of one in a body, back to the Parameters of the body.
//
// It knows nothing of layer types. It asks a layer's rule what becomes of the
// outputs when one length or value of the inputs is another: what makes a
// difference is a cause.
func Output(m *ir.Model, rules infer.Rules, shapes *infer.Shapes, layer *ir.Layer, output int) (*Explanation, error) {
	m, holder := shapes.Find(m, layer)
	if holder == nil {
		return nil, fmt.Errorf("%v is not among the layers that were inferred", layer)
	}
	facts := holder.Outputs(layer)
	if output < 0 || output >= len(facts) {
		return nil, fmt.Errorf("%v has no output %d, it has %d", layer, output, len(facts))
	}
	e := &explainer{
		prober: prober{rules: rules, facts: holder, found: make(map[*ir.Layer]dependencies), constant: constants(m)},
		faulty: make(map[*ir.Layer]error), origins: make(map[aspectKey]*Origin), roots: make(map[aspectKey]root),
	}
	for _, fault := range shapes.Errors() {
		e.faulty[fault.Layer] = fault.Err
	}
	x := &Explanation{Layer: layer, Output: output, Fact: facts[output], Err: e.faulty[layer]}
	if x.Err == nil {
		x.Dims = e.dims(layer, output, x.Fact)
	} else {
		for i, fact := range holder.Inputs(layer) {
			in := &layer.Inputs[i]
			origins := InputOrigins{Fact: fact, Dims: e.dims(in.Source, in.SourceIndex, fact)}
			if values := fact.Intervals(); len(values) <= maxExplainedValues {
				for k := range values {
					origins.Values = append(origins.Values, e.origin(aspectKey{in.Source, in.SourceIndex, part{AspectValue, k}}))
				}
			}
			x.Inputs = append(x.Inputs, origins)
		}
	}
	for ; len(e.queue) > 0; e.queue = e.queue[1:] {
		e.expand(e.queue[0])
	}
	return x, nil
}
