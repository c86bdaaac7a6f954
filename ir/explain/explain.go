package explain

import (
	"context"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Aspect is the part of a tensor that an Origin describes.
type Aspect uint8

const (
	// AspectDim is the length of an axis.
	AspectDim Aspect = iota
	// AspectRank is the number of axes.
	AspectRank
	// AspectValue is the value of an element.
	AspectValue
	// AspectValues means the values of all elements together.
	AspectValues
)

// String returns the name of a for reports.
func (a Aspect) String() string { return [...]string{"dim", "rank", "value", "values"}[a] }

// Source is the kind of thing that an Origin comes from.
type Source uint8

const (
	// SourceDerived means other tensors: those of the Causes.
	SourceDerived Source = iota
	// SourceInput means an input of the model: a Parameter.
	SourceInput
	// SourceConstant means the shape or the values of a Constant.
	SourceConstant
	// SourceLayer means the type and the attributes of the layer: no input makes a difference.
	SourceLayer
	// SourceDeclared means the types and dims in the file, because the layer could not be inferred.
	SourceDeclared
	// SourceCut means that the origin was not followed, because the explanation is too long.
	SourceCut
)

// String returns the name of s for reports.
func (s Source) String() string {
	return [...]string{"derived", "input", "constant", "layer", "declared", "cut"}[s]
}

// Origin describes where a length, rank or value in output Output of Layer comes from.
type Origin struct {
	Layer  *ir.Layer
	Output int
	Aspect Aspect
	Index  int // number of the axis or element
	Fact   ir.Fact
	Source Source
	// Causes are the origins that decide this one if Source is SourceDerived. An Origin can be a
	// cause of several others.
	Causes []Cause
}

// Cause is an origin that another Origin depends on.
type Cause struct {
	*Origin
	// Input is the input port of the other Origin's layer that the dependency goes through.
	Input int
	// Merged means that the length must equal that of other inputs, so that none of them can change
	// alone.
	Merged bool
	// Through is the number of layers between the other Origin's layer and this one that only pass
	// the length or value on; the smallest number if there are several paths. Via lists the first
	// of them, at most a hundred.
	Through int
	Via     []*ir.Layer
}

// Explanation is the result of Output.
type Explanation struct {
	Layer  *ir.Layer
	Output int
	Fact   ir.Fact
	// Err is the error of a layer that could not be inferred. In that case Inputs explains its
	// inputs, one entry each, and Dims is nil. If there are very many inputs, only the first ones
	// are explained.
	Err    error
	Inputs []InputOrigins
	// Dims has the origin of each dim or, if the rank is unknown, the origin of the rank.
	Dims []*Origin
}

// InputOrigins explains an input of a layer: its dims, and the elements of a small integer
// tensor.
type InputOrigins struct {
	Fact   ir.Fact
	Dims   []*Origin
	Values []*Origin
}

const (
	// maxOrigins limits the number of origins in an Explanation, maxCauses that of their causes and
	// maxVias the length of all Cause.Via together. The last origin that is added can exceed them.
	maxOrigins = 2000
	maxCauses  = 20_000
	maxVias    = 100_000
	// maxProbed limits the work of an Explainer, less than half a second. Each run of a rule counts
	// layerWork, portWork for each input and output, one for each dim and known element, and
	// layerWork for each unit of infer.Context.Work. Each dependency that is found counts
	// dependencyWork, and each part of a tensor on a path rootWork. Explanations count too, since
	// each is printed: originWork for each origin, causeWork for each cause and viaWork for each
	// entry of a Via.
	maxProbed      = 1 << 24
	layerWork      = 16
	portWork       = 4
	dependencyWork = 16
	rootWork       = 64
	originWork     = 1024
	causeWork      = 256
	viaWork        = 64
	// maxExplainedValues is the largest number of elements of an input that are explained.
	maxExplainedValues = 16
)

// Output explains one output of layer: see Explainer.Output.
func Output(ctx context.Context, m *ir.Model, rules infer.Rules, shapes *infer.Shapes, layer *ir.Layer, output int) (*Explanation, error) {
	return NewExplainer(m, rules, shapes).Output(ctx, layer, output)
}

// Explainer explains outputs of one model. The limit of work is for all of them together, and what
// is found about a layer serves all. An Explainer must not be used by several goroutines at a time.
type Explainer struct {
	prober
	shapes map[*ir.Layer]*infer.Shapes // of the model or the body that each layer is in
	faulty map[*ir.Layer]error
	roots  map[aspectKey]root
}

// NewExplainer returns an Explainer for m. shapes must be the result of infer.Propagate for m with
// the same rules.
func NewExplainer(m *ir.Model, rules infer.Rules, shapes *infer.Shapes) *Explainer {
	e := &Explainer{
		prober: prober{rules: rules, found: make(map[*ir.Layer]dependencies), cut: make(map[*ir.Layer]bool), constant: make(map[*ir.Layer]bool)},
		shapes: make(map[*ir.Layer]*infer.Shapes), faulty: make(map[*ir.Layer]error), roots: make(map[aspectKey]root),
	}
	for layer, holder := range shapes.AllLayers(m) {
		if holder != nil && holder.Outputs(layer) != nil {
			e.shapes[layer] = holder
		}
		if isConstant(layer, e.constant) {
			e.constant[layer] = true
		}
	}
	for _, fault := range shapes.Errors() {
		e.faulty[fault.Layer] = fault.Err
	}
	return e
}

// Spent reports whether the limit of work is reached. Further explanations have SourceCut wherever
// more work is needed.
func (e *Explainer) Spent() bool { return e.spent() }

// Output explains the dims of an output of layer. It follows them back to the inputs of the
// model, and to the constants and attributes that fix them. If the layer could not be inferred,
// Output explains its inputs. If the layer is in a body, the explanation ends at the Parameters of
// the body.
//
// Output is independent of layer types. It runs the rule of a layer with one length or value of
// its inputs changed; if an output changes, that length or value is a cause. If that takes too many
// runs, the origins that are left have SourceCut. If ctx is done, Output returns its error.
func (e *Explainer) Output(ctx context.Context, layer *ir.Layer, output int) (*Explanation, error) {
	holder := e.shapes[layer]
	if holder == nil {
		return nil, faults.Errorf("%v is not among the layers that were inferred", layer)
	}
	facts := holder.Outputs(layer)
	if output < 0 || output >= len(facts) {
		return nil, faults.Errorf("%v has no output %d, it has %d", layer, output, len(facts))
	}
	e.ctx, e.facts = ctx, holder
	x := &Explanation{Layer: layer, Output: output, Fact: facts[output], Err: e.faulty[layer]}
	t := &tracer{Explainer: e, origins: make(map[aspectKey]*Origin)}
	if x.Err == nil {
		x.Dims = t.dims(layer, output, x.Fact)
	} else {
		for i, fact := range holder.Inputs(layer) {
			if len(t.origins) > maxOrigins {
				break
			}
			in := &layer.Inputs[i]
			origins := InputOrigins{Fact: fact, Dims: t.dims(in.Source, in.SourceIndex, fact)}
			if values := fact.Intervals(); len(values) <= maxExplainedValues {
				for k := range values {
					origins.Values = append(origins.Values, t.origin(aspectKey{in.Source, in.SourceIndex, part{AspectValue, k}}))
				}
			}
			x.Inputs = append(x.Inputs, origins)
		}
	}
	for ; len(t.queue) > 0 && ctx.Err() == nil; t.queue = t.queue[1:] {
		t.expand(t.queue[0])
	}
	if err := ctx.Err(); err != nil {
		// Rules did not run, so that dependencies can be missing.
		clear(e.found)
		clear(e.cut)
		clear(e.roots)
		return nil, err
	}
	return x, nil
}
