//go:build !noasm

package embeddingbag

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../bags_amd64.s -stubs ../stubs_amd64.go -pkg embeddingbag"

// hasVectorBags reports whether vectorBags sums rows of a table with row elements.
func hasVectorBags(int) bool { return cpu.FMA.Available() }

func sumBags(out, table, weights *float32, indices, starts *int64, row, bags int) {
	if cpu.AVX512.Available() {
		sumBags512(out, table, weights, indices, starts, row, bags)
	} else {
		sumBags2(out, table, weights, indices, starts, row, bags)
	}
}
