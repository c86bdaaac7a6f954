// Package passes holds the rewrites of a model at compile time, one file each.
// A pass may make a model faster, and never changes what it computes, but for the
// rounding of floating-point numbers: any of them can be left out.
package passes

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
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
		ConvertAfterGather, FoldConstants, RemoveNoOps, MergeEqual, MergeTransposes,
		RecogniseMVN, RecogniseActivations, RecogniseAttention, FoldAffine, NestConcats,
	}
}

// Graph is what a pass works on.
type Graph struct {
	// Model is a Clone, which the pass may change.
	Model *ir.Model
	// Shapes belongs to Model as it was before the pass.
	Shapes *infer.Shapes
	// Evaluate computes a layer from constant inputs. It refuses layers that are
	// not a function of their inputs, and outputs beyond a limit.
	Evaluate func(*ir.Layer, []ir.Fact) ([]*ir.Tensor, error)
}
