package ops

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
)

// SetOutputs fills in the types and shapes of the outputs of a layer whose type
// has as many of them as facts. A file may leave out the last ones; it is an error
// if it has more.
func SetOutputs(in *Inference, facts ...ir.Fact) error {
	if len(in.Outputs) > len(facts) {
		return fmt.Errorf("the layer has %d outputs in the file, its type has %d", len(in.Outputs), len(facts))
	}
	for i := range in.Outputs {
		in.Outputs[i].Type, in.Outputs[i].Shape = facts[i].Type, facts[i].Shape
	}
	return nil
}
