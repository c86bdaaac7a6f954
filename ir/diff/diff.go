package diff

import (
	"strconv"

	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Options specify how models are compared.
type Options struct {
	// ShapesA and ShapesB are what was inferred of the two models. If one is nil, the types and
	// dims in the files are compared.
	ShapesA, ShapesB *infer.Shapes
	// ATol and RTol let the numbers a and b of floating-point weights differ by ATol + RTol * |b|.
	ATol, RTol float64
}

// Report is the result of Models.
type Report struct {
	// Differences has the differences in the order of the layers of model A, and those of layers
	// that only B has after the layer that they follow in B. Differences in bodies come after those
	// of the layer that has the bodies.
	Differences []Difference
	// LayersA and LayersB count the layers that the outputs need, including those in bodies, and
	// Matched the pairs of layers that correspond.
	LayersA, LayersB, Matched int
	// Unread counts the pairs of Constants of which at least one value is not known, because a
	// model was read without its .bin.
	Unread int
}

// Kind is what a Difference is about.
type Kind string

// The kinds of differences.
const (
	OnlyInA     Kind = "only-in-a"
	OnlyInB     Kind = "only-in-b"
	Type        Kind = "type"
	Opset       Kind = "opset"
	Name        Kind = "name"         // of a layer, or of the model
	Attribute   Kind = "attribute"    // of a layer, as text
	Input       Kind = "input"        // what an input reads
	Output      Kind = "output"       // the type and shape of an output
	TensorNames Kind = "tensor-names" // of an output
	Weights     Kind = "weights"      // the value of a Constant
	Body        Kind = "body"         // how a body is connected to its layer
	Order       Kind = "order"        // of the inputs or outputs of the model or of a body
	Version     Kind = "version"      // of the IR
)

// Kinds returns all kinds of differences.
func Kinds() []Kind {
	return []Kind{OnlyInA, OnlyInB, Type, Opset, Name, Attribute, Input, Output, TensorNames, Weights, Body, Order, Version}
}

// Difference is one difference of two models A and B.
type Difference struct {
	Kind Kind
	// LayerA and LayerB are the layers that correspond. One is nil if only the other model has the
	// layer, both if the difference is about the models.
	LayerA, LayerB *ir.Layer
	// Port is the number of the input or output; -1 if the difference is not about one.
	Port int
	// Attribute is the name of an attribute.
	Attribute string
	// A and B are what differs, as text, and "none" if one has nothing.
	A, B string
	// Follows means that the difference of types and shapes follows from those of the inputs of the
	// layer.
	Follows bool
	// Weights is set if the values of Constants differ.
	Weights *WeightsDifference
}

// The largest numbers of characters of texts in a Difference, and of differences of a pair of
// layers.
const (
	maxText     = 200
	maxPerLayer = 100
)

// none is the text of what a model does not have.
const none = "none"

// Layer returns LayerA or, if only model B has the layer, LayerB.
func (d *Difference) Layer() *ir.Layer {
	if d.LayerA != nil {
		return d.LayerA
	}
	return d.LayerB
}

// What returns what differs: "attribute axis", "input 1".
func (d *Difference) What() string {
	text := string(d.Kind)
	switch d.Kind {
	case Attribute:
		text += " " + printable.Cut(d.Attribute, maxText)
	case TensorNames:
		text = "tensor names"
	}
	if d.Port >= 0 {
		text += " " + strconv.Itoa(d.Port)
	}
	return text
}

// String returns the difference as text. What is not printable is escaped.
func (d *Difference) String() string {
	text := ""
	if layer := d.Layer(); layer != nil {
		text = layer.String()
	} else {
		text = "model"
	}
	switch d.Kind {
	case OnlyInA:
		return "- " + text
	case OnlyInB:
		return "+ " + text
	}
	text += ": " + d.What() + ": " + d.A + " -> " + d.B
	if d.Weights != nil {
		text += ": " + d.Weights.String()
	}
	return printable.Escape(text)
}

// Models compares the models a and b. Layers that no output depends on, ids, lines, rt_info, and
// where the .bin has the weights do not count.
//
// Layers correspond if all that they depend on is equal, or has the same structure, or if they have
// the same name and type; then, if what they read or what reads them corresponds. Time and memory
// are proportional to the sizes of the models.
func Models(a, b *ir.Model, options Options) *Report {
	c := &comparer{options: options, hasher: newHasher()}
	if a.Name != b.Name {
		c.model(Name, strconv.Quote(printable.Cut(a.Name, maxText)), strconv.Quote(printable.Cut(b.Name, maxText)))
	}
	if a.Version != b.Version {
		c.model(Version, strconv.Itoa(a.Version), strconv.Itoa(b.Version))
	}
	c.graphs(a, b, options.ShapesA, options.ShapesB, nil)
	return &c.report
}
