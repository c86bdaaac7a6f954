//go:build !noasm

package embeddingbag

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../bags_amd64.s -stubs ../stubs_amd64.go -pkg embeddingbag"

func hasVectorBags() bool { return cpu.FMA.Available() }

// vectorBags sets out to the sums of bags: bag b has the members from starts[b] to starts[b+1]-1. weights is
// empty if all are 1. row must be positive.
func vectorBags(out, table, weights []float32, indices, starts []int64, row int) {
	bags := len(starts) - 1
	if len(indices) == 0 {
		clear(out[:bags*row])
		return
	}
	_, _ = out[:bags*row], indices[:starts[bags]]
	var weight *float32
	if len(weights) > 0 {
		weight = &weights[:len(indices)][0]
	}
	if cpu.AVX512.Available() {
		sumBags512(&out[0], &table[0], weight, &indices[0], &starts[0], row, bags)
	} else {
		sumBags2(&out[0], &table[0], weight, &indices[0], &starts[0], row, bags)
	}
}
