package embeddingbag

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

//go:generate go run ./_neon -out bags_arm64.s -stubs stubs_arm64.go -pkg embeddingbag

// callWork is the number of elements that a call of vectorBags sums at most.
const callWork = 1 << 16

// partOfBags returns the function that computes bags lo to hi-1 of float32 with assembly, many at a
// time. It leaves large bags to part, the function without assembly.
func (k *kernel) partOfBags(part ops.Part) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		l := k.lists(r)
		table, out := ir.Data[float32](r.Inputs[0]), ir.Data[float32](r.Outputs[0])
		var weights []float32
		if k.weightsPort > 0 {
			weights = ir.Data[float32](r.Inputs[k.weightsPort])
		}
		meter := r.Stop.Meter()
		for lo < hi {
			n := k.smallBags(l.starts[lo : hi+1])
			if n == 0 {
				if err := part(r, lo, lo+1); err != nil {
					return err
				}
				lo++
				continue
			}
			if meter.Spent(callWork / 4) {
				return nil
			}
			vectorBags(out[lo*k.row:], table, weights, l.indices, l.starts[lo:][:n+1], k.row)
			for end := lo + n; lo < end; lo++ {
				members, sum := int(l.starts[lo+1]-l.starts[lo]), out[lo*k.row:][:k.row]
				switch {
				case members > 0 && k.mean:
					divide(sum, float32(members))
				case members == 0 && k.defaultPort > 0:
					if err := part(r, lo, lo+1); err != nil { // which copies the row
						return err
					}
				}
			}
		}
		return nil
	}
}

// smallBags returns how many of the first bags vectorBags can sum in a call. Bag b has the members
// from starts[b] to starts[b+1]-1.
func (k *kernel) smallBags(starts []int64) int {
	n, most := 0, callWork/k.row
	for n < min(len(starts)-1, most) && starts[n+1]-starts[0] <= int64(most) {
		n++
	}
	return n
}
