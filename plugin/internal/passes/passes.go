// Package passes holds the rewrites of a model at compile time, one file each. A pass may make
// a model faster, and changes nothing that it computes but the rounding of floating-point
// numbers: any of them can be left out.
package passes

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
)

// Pass is one rewrite.
type Pass struct {
	Name string
	// Run rewrites Graph.Model in place and reports whether it changed anything.
	Run func(*Graph) bool
}

// All returns every pass in the order in which they run.
func All() []Pass {
	return []Pass{
		ComputeInF32, ConvertAfterGather, FoldConstants, RemoveNoOps, MergeEqual, MergeTransposes,
		RecogniseMVN, RecogniseActivations, RecogniseAttention, FoldAffine, NestConcats,
	}
}

// Graph is what a pass works on.
type Graph struct {
	// Model is a Clone, which the pass may change.
	Model *ir.Model
	// Shapes belongs to Model as it was before the pass.
	Shapes *infer.Shapes
	// Op returns the layer type of a layer.
	Op func(*ir.Layer) (*ops.Op, error)
	// Evaluate computes a layer from constant inputs. It returns an error for layers whose
	// outputs are not determined by their inputs, and for outputs that are too large.
	Evaluate func(*ir.Layer, []ir.Fact) ([]*ir.Tensor, error)
}

// has reports whether the model has a layer of one of the types. A pass that looks for
// other types can stop there.
func (g *Graph) has(types ...string) bool {
	return slices.ContainsFunc(g.Model.Order, func(layer *ir.Layer) bool { return slices.Contains(types, layer.Type) })
}

// canInsert reports whether there is a kernel for a layer type. A program may have listed few
// families, which need not be those that a pass inserts.
func (g *Graph) canInsert(layerType, opset string) bool {
	op, err := g.Op(&ir.Layer{Type: layerType, Opset: opset})
	return err == nil && op.Prepare != nil
}
