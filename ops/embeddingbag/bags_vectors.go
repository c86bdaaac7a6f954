//go:build !noasm && (amd64 || arm64)

package embeddingbag

// vectorBags sets out to the sums of bags: bag b has the members from starts[b] to starts[b+1]-1.
// weights is empty if all are 1. row must be positive.
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
	sumBags(&out[0], &table[0], weight, &indices[0], &starts[0], row, bags)
}
