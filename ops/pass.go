package ops

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Pass is one rewrite of a model that is compiled. A layer type lists those that insert layers of
// its type, so that only programs with the type link them.
type Pass struct {
	// Name is that of a plugin.Optimization, whose place in the order and whose switch it has.
	Name string
	// Run rewrites Graph.Model in place and reports whether it changed anything.
	Run func(*Graph) bool
}

// Graph is the input of a pass.
type Graph struct {
	// Model is a clone, which the pass may change.
	Model *ir.Model
	// Shapes holds what was inferred about Model before the pass.
	Shapes *infer.Shapes
	// Op returns the Op of a layer's type. It is an error if the type is unknown.
	Op func(*ir.Layer) (*Op, error)
	// Evaluate computes a layer from constant inputs. It returns an error if the outputs do not
	// depend on the inputs alone, or if they are too large.
	Evaluate func(*ir.Layer, []ir.Fact) ([]*ir.Tensor, error)
	// Accurate means that a pass must not round more than the layers do: see Preparation.Accurate.
	Accurate bool
	// KVCache is the type that states that attention appends to are kept in, if they are f32: U8,
	// F16, BF16 or F32. Dynamic means F32.
	KVCache ir.ElementType
	// Rounded is the type that operands of products are rounded to, as Preparation.Rounded. Dynamic
	// means that they are not.
	Rounded ir.ElementType
	// Note, if not nil, is called with why a layer is not computed in integers although its inputs
	// are quantized.
	Note func(layer *ir.Layer, reason string)
}

// Explain calls Note.
func (g *Graph) Explain(layer *ir.Layer, reason string) {
	if g.Note != nil {
		g.Note(layer, reason)
	}
}

// Has reports whether the model has a layer of one of the types. If not, a pass that looks for
// these types has nothing to do. It is not inlined: its callers would be 2.7 KiB larger.
//
//go:noinline
func (g *Graph) Has(types ...string) bool {
	return slices.ContainsFunc(g.Model.Order, func(layer *ir.Layer) bool { return slices.Contains(types, layer.Type) })
}

// CanInsert reports whether a layer type has a kernel. A pass must check this before it inserts
// such a layer, because a program can list only some of the families.
func (g *Graph) CanInsert(layerType, opset string) bool {
	op, err := g.Op(&ir.Layer{Type: layerType, Opset: opset})
	return err == nil && op.Prepare != nil
}
