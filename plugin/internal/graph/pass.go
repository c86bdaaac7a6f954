package graph

import "github.com/vinoir/vinoir/ops"

// Pass is one rewrite of a model.
type Pass struct {
	ops.Pass
	// Folds means that Run computes constants, whose values can show a fault of the model.
	Folds bool
}
