package gatherscatter

import "github.com/vinoir/vinoir/ops"

// signed lists the types of indices that tuples are made of.
type signed interface{ int32 | int64 }

// FlattenGrain is the number of tuples that are worth a thread.
const FlattenGrain = 1 << 14

// Flatten sets dst[t] to base and the row that tuple t of len(lengths) indices
// names, where rows are counted in row-major order along axes of the given lengths,
// and returns -1. Negative indices count from the back. Where an index is not
// allowed it returns its position among indices.
func Flatten[I signed](dst []int64, indices []I, lengths []int, base int) int {
	k := len(lengths)
	indices = indices[:len(dst)*k]
	switch k {
	case 1:
		n := int64(lengths[0])
		for t, v := range indices {
			i := wrap(v, n)
			if uint64(i) >= uint64(n) {
				return t
			}
			dst[t] = int64(base) + i
		}
		return -1
	case 2:
		n, m := int64(lengths[0]), int64(lengths[1])
		for t := range dst {
			pair := indices[2*t : 2*t+2]
			i, j := wrap(pair[0], n), wrap(pair[1], m)
			if uint64(i) >= uint64(n) {
				return 2 * t
			}
			if uint64(j) >= uint64(m) {
				return 2*t + 1
			}
			dst[t] = int64(base) + i*m + j
		}
		return -1
	}
	for t := range dst {
		row := int64(0)
		for c, v := range indices[t*k : (t+1)*k] {
			n := int64(lengths[c])
			i := wrap(v, n)
			if uint64(i) >= uint64(n) {
				return t*k + c
			}
			row = row*n + i
		}
		dst[t] = int64(base) + row
	}
	return -1
}

// wrap counts a negative index from the back, without a branch: signs are as good
// as random where there are any.
func wrap[I signed](v I, n int64) int64 {
	i := int64(v)
	return i + n&(i>>63)
}

// Tuples are indices that name rows as Flatten has it, in one of Batch ranges of
// Length rows each.
type Tuples struct {
	Batch, Count, Length int   // of tuples and of rows in all of the batch
	Lengths              []int // of the axes that a tuple counts along
	Port                 int   // of the indices
}

// FlattenPart returns the part of a kernel that flattens tuples lo to hi-1 of
// indices into dst.
func FlattenPart[I signed](t *Tuples, indices func(*ops.Run) []I, dst func(*ops.Run) []int64) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		k := len(t.Lengths)
		all, from := dst(r), indices(r)
		tuples, rows := t.Count/t.Batch, t.Length/t.Batch
		for lo < hi {
			batch := lo / tuples
			end := min(hi, (batch+1)*tuples)
			if i := Flatten(all[lo:end], from[lo*k:end*k], t.Lengths, batch*rows); i >= 0 {
				n := int64(t.Lengths[i%k])
				return IndexError(r.Inputs[t.Port], lo*k+i, -n, n-1)
			}
			lo = end
		}
		return nil
	}
}
