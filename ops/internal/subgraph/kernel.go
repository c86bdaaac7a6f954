package subgraph

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
)

// Inputs returns, for each Parameter of a body, the index of the layer's input that feeds it. The
// layer has n inputs. A Parameter that no input feeds is an error.
func Inputs(body *ir.Body, n int) ([]int, error) {
	inputs := make([]int, len(body.Model.Parameters))
	for i, p := range body.Model.Parameters {
		inputs[i] = -1
		for _, port := range body.Inputs {
			if port.Internal == p && port.External >= 0 && port.External < n {
				inputs[i] = port.External
			}
		}
		if inputs[i] < 0 {
			return nil, fmt.Errorf("no input of the layer feeds %v", p)
		}
	}
	return inputs, nil
}

// Results returns, for each of the n outputs of the layer, the index of the body's Result that it
// comes from. An output that no Result is connected to is an error.
func Results(body *ir.Body, n int) ([]int, error) {
	results := make([]int, n)
	for k := range results {
		results[k] = -1
		for _, port := range body.Outputs {
			if port.External != k {
				continue
			}
			for i, r := range body.Model.Results {
				if r == port.Internal {
					results[k] = i
				}
			}
		}
		if results[k] < 0 {
			return nil, fmt.Errorf("no Result gives output %d of the layer", k)
		}
	}
	return results, nil
}
