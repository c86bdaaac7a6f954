package rows

import "github.com/vinoir/vinoir/internal/index"

// Flatten sets dst[t] to the row that tuple t of len(lengths) indices names, where
// rows are counted in row-major order along axes of the given lengths, and
// returns -1. Negative indices count from the back. Where an index is not allowed
// it returns its position among indices.
func Flatten[I index.Integer](dst []int64, indices []I, lengths []int) int {
	k := len(lengths)
	for t := range dst {
		row := 0
		for c, v := range indices[t*k : (t+1)*k] {
			n := lengths[c]
			i := int(v)
			if uint64(v) >= uint64(n) {
				if i = index.Resolve(v, n, true); i < 0 {
					return t*k + c
				}
			}
			row = row*n + i
		}
		dst[t] = int64(row)
	}
	return -1
}
