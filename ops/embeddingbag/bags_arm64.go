//go:build !noasm

package embeddingbag

import "github.com/vinoir/vinoir/internal/cpu"

// hasVectorBags reports whether vectorBags sums rows of a table with row elements.
func hasVectorBags(row int) bool { return cpu.NEON.Available() && row%4 == 0 }

func sumBags(out, table, weights *float32, indices, starts *int64, row, bags int) {
	sumBagsNEON(out, table, weights, indices, starts, row, bags)
}
