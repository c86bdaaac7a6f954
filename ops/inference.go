package ops

import "github.com/vinoir/vinoir/ir/infer"

// Inference is what the shape rule of a layer reads and fills in: see infer.Inference.
type Inference = infer.Inference
