package ops

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// SetOutputs sets the types and shapes of the outputs of in. facts has one entry for each output
// that the layer type has. A file may leave out the last output ports; it is an error if it has
// more ports than the layer type has outputs.
func SetOutputs(in *Inference, facts ...ir.Fact) error {
	if len(in.Outputs) > len(facts) {
		return faults.Errorf("the layer has %d outputs in the file, its type has %d", len(in.Outputs), len(facts))
	}
	for i := range in.Outputs {
		in.Outputs[i].Type, in.Outputs[i].Shape = facts[i].Type, facts[i].Shape
	}
	return nil
}
