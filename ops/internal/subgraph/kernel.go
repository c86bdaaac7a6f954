package subgraph

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// Inputs returns, for each Parameter of a body, the index of the layer's input that feeds it. The
// layer has n inputs. A Parameter that no input feeds is an error.
func Inputs(body *ir.Body, n int) ([]int, error) {
	feeds := make(map[*ir.Layer]int, len(body.Inputs))
	for _, port := range body.Inputs {
		if port.External >= 0 && port.External < n {
			feeds[port.Internal] = port.External
		}
	}
	inputs := make([]int, len(body.Model.Parameters))
	for i, p := range body.Model.Parameters {
		var ok bool
		if inputs[i], ok = feeds[p]; !ok {
			return nil, faults.Errorf("no input of the layer feeds %v", p)
		}
	}
	return inputs, nil
}

// Results returns, for each of the n outputs of the layer, the index of the body's Result that it
// comes from. An output that no Result is connected to is an error.
func Results(body *ir.Body, n int) ([]int, error) {
	index := make(map[*ir.Layer]int, len(body.Model.Results))
	for i, r := range body.Model.Results {
		index[r] = i
	}
	results := slices.Repeat([]int{-1}, n)
	for _, port := range body.Outputs {
		if i, ok := index[port.Internal]; ok && port.External >= 0 && port.External < n {
			results[port.External] = i
		}
	}
	if k := slices.Index(results, -1); k >= 0 {
		return nil, faults.Errorf("no Result gives output %d of the layer", k)
	}
	return results, nil
}
