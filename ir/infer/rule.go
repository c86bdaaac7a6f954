package infer

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// Inference is what the rule of a layer reads and fills in. It belongs to the rule only
// during the call.
type Inference struct {
	Layer *ir.Layer
	// Attributes is what Rule.Attributes returned for the layer.
	Attributes any
	// Inputs has the fact of each connected input, in the order of the ports.
	Inputs []ir.Fact
	// Outputs has an entry for each output port of the layer in the file, and at least one. The
	// rule sets Type and Shape of as many outputs as its layer type has. If that number varies, it
	// is the length of Outputs.
	Outputs []ir.Fact
	Context
}

// Context gives a rule access to the graph around its layer. The zero value is enough for rules
// that need no access.
type Context struct {
	// Body infers body i of the layer from the facts of its Parameters, in the order of
	// Model.Parameters, and returns the facts of its Results. If parameters is nil, the Parameters
	// are as declared in the body. Shapes.Body returns the result of the last call. Body is nil if
	// the layer has no bodies.
	Body func(i int, parameters []ir.Fact) ([]ir.Fact, error)
	// Variables has, by variable_id, the types and shapes of the ReadValue layers before this one
	// in the same graph. It is nil if the graph has no Assign, or if the layer is inferred by
	// itself.
	Variables map[string]ir.Fact
	// ReadValue returns the fact of a ReadValue of opset3 to opset5 that this layer, an Assign,
	// depends on and that has its variable_id; nil if there is none. If the graph is too large for
	// the search, the fact has unknown type and rank. ReadValue is nil if the layer is inferred by
	// itself.
	ReadValue func() *ir.Fact
	// AdmitFold reports whether Rule.Fold may do work: the number of bytes that the kernel reads
	// and writes, plus that of its floating-point operations. It returns false when the budget of
	// the propagation is used up or its context is done. It is nil if the layer is inferred by
	// itself.
	AdmitFold func(work float64) bool
	// Work returns how many layers in the bodies of this layer were inferred so far, plus their
	// inputs. It is nil if the layer has no bodies, or if it is inferred by Propagate.
	Work func() int
	// Done is closed when the result is no longer needed. It may be nil.
	Done <-chan struct{}
}

// Rule specifies how the layers of one type are inferred.
type Rule struct {
	// Type is OpenVINO's name of the layer type; "" if it is unknown.
	Type string
	// Inputs bounds the number of connected inputs.
	Inputs Arity
	// Attributes parses and checks the data element; nil if the type has no attributes.
	Attributes func(*ir.Attributes) (any, error)
	// Values lists the inputs whose values Infer reads.
	Values []int
	// SameElements means that output 0 has as many elements as input 0.
	SameElements bool
	// Infer sets the Type and Shape of Outputs.
	Infer func(*Inference) error
	// Bounds sets Values of Outputs, as far as they follow from the bounds of Inputs. It is called
	// after Infer. It may be nil.
	Bounds func(*Inference)
	// Fold computes a layer whose inputs all have a Tensor, and sets Tensor of the outputs that it
	// can compute. It is nil if the layer type has no kernel.
	Fold func(*Inference)
}

// Run infers the layer of in by rule r: it checks the number of inputs and outputs, calls Infer
// and Bounds, and folds a layer of constants. All inference of layers goes through Run. An output
// of a rank above ir.MaxRank is an error. A panic of the rule becomes an error.
func (r *Rule) Run(in *Inference) (err error) {
	defer recovered(&err)
	n, err := r.infer(in)
	if err != nil {
		return err
	}
	if n < len(in.Outputs) && len(in.Layer.Bodies) == 0 {
		return fmt.Errorf("the file has %d output ports, the layer has %d", len(in.Outputs), n)
	}
	return r.complete(in)
}

// infer checks the number of inputs and calls Infer. It returns the number of leading outputs that
// Infer has set.
func (r *Rule) infer(in *Inference) (int, error) {
	if err := r.Inputs.Check(len(in.Inputs)); err != nil {
		return 0, err
	}
	for i := range in.Outputs[1:] {
		in.Outputs[1+i] = ir.Fact{Type: unset, Shape: ir.UnknownRank}
	}
	if err := r.Infer(in); err != nil {
		return 0, err
	}
	return settle(in.Outputs), nil
}

// complete adds the values of the outputs after infer.
func (r *Rule) complete(in *Inference) error {
	for i := range in.Outputs {
		if err := ir.CheckRank(in.Outputs[i].Shape.Rank()); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	fold := r.Fold != nil && len(in.Inputs) > 0 && allKnown(in.Inputs)
	// The kernel computes constant floats, so that they are rounded as when the model runs.
	if r.Bounds != nil && !(fold && in.Outputs[0].Type.IsFloat()) {
		r.Bounds(in)
	}
	if fold && !allKnown(in.Outputs) && materialise(in.Inputs) {
		r.Fold(in)
	}
	for i := range in.Outputs {
		out := &in.Outputs[i]
		if out.Type.IsFloat() && out.Tensor == nil && out.Known() {
			out.Tensor, out.Values = out.Constant(), nil
		}
		if len(out.Values) > ir.MaxValues {
			out.Values = nil
		}
	}
	return nil
}

// reads reports whether Infer reads the values of input i.
func (r *Rule) reads(i int) bool { return slices.Contains(r.Values, i) }

// recovered sets err if a rule or a parser panics. It must be deferred.
func recovered(err *error) {
	switch p := recover().(type) {
	case nil:
	case interface{ Addr() uintptr }: // see debug.SetPanicOnFault
		*err = fmt.Errorf("the memory at %#x cannot be read: the file that is mapped there has become shorter", p.Addr())
	default:
		*err = fmt.Errorf("BUG: panic in the layer's rule: %v\n%s", p, debug.Stack())
	}
}

// unset is the type of every output but the first until the rule sets it.
const unset = ir.ElementType(math.MaxUint8)

// settle returns the number of leading outputs that the rule has set, and sets the type of the
// remaining ones to Dynamic. The rule of a layer type with one output sets only the first.
func settle(outputs []ir.Fact) int {
	n := len(outputs)
	for i := len(outputs) - 1; i > 0; i-- {
		if outputs[i].Type == unset {
			outputs[i].Type = ir.Dynamic
			n = i
		}
	}
	return n
}

// allKnown reports whether all elements of all facts are known.
func allKnown(facts []ir.Fact) bool {
	for i := range facts {
		if !facts[i].Known() {
			return false
		}
	}
	return true
}

// materialise sets the Tensor of every input, and reports whether that was possible.
func materialise(inputs []ir.Fact) bool {
	for i := range inputs {
		if inputs[i].Tensor = inputs[i].Constant(); inputs[i].Tensor == nil {
			return false
		}
	}
	return true
}

// Arity bounds a number of inputs to the range from Min to Max. If Max is -1, there is no upper
// bound.
type Arity struct{ Min, Max int }

// Check returns an error unless n is within the bounds.
func (a Arity) Check(n int) error {
	if n < a.Min || a.Max >= 0 && n > a.Max {
		return fmt.Errorf("%d inputs are connected, expected %v", n, a)
	}
	return nil
}

// String returns "2", "2 to 4" or "at least 2".
func (a Arity) String() string {
	switch {
	case a.Max < 0:
		return fmt.Sprintf("at least %d", a.Min)
	case a.Min == a.Max:
		return fmt.Sprint(a.Min)
	}
	return fmt.Sprintf("%d to %d", a.Min, a.Max)
}
