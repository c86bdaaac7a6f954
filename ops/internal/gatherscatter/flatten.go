package gatherscatter

import "github.com/vinoir/vinoir/ops"

// signed is the constraint of the index types of tuples.
type signed interface{ int32 | int64 }

// Flatten sets dst[t] to base plus the row that tuple t of len(lengths) indices refers to. Rows
// are counted in row-major order along axes of the given lengths. Negative indices count from
// the end of the axis. Flatten returns the position of the first index that is out of range, or
// -1 if there is none.
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
	case 3:
		n, m, l := int64(lengths[0]), int64(lengths[1]), int64(lengths[2])
		for t := range dst {
			triple := indices[3*t : 3*t+3]
			i, j, k := wrap(triple[0], n), wrap(triple[1], m), wrap(triple[2], l)
			if uint64(i) >= uint64(n) {
				return 3 * t
			}
			if uint64(j) >= uint64(m) {
				return 3*t + 1
			}
			if uint64(k) >= uint64(l) {
				return 3*t + 2
			}
			dst[t] = int64(base) + (i*m+j)*l + k
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

// wrap adds n to a negative index. It has no branch, because the signs of indices can be hard
// to predict.
func wrap[I signed](v I, n int64) int64 {
	i := int64(v)
	return i + n&(i>>63)
}

// Tuples describes tuples of indices that refer to rows as in Flatten. Tuple t refers to a row
// of batch t/(Count/Batch).
type Tuples struct {
	Batch, Count, Length int   // the number of batches, and of the tuples and rows of all batches
	Lengths              []int // of the axes that a tuple indexes
	Port                 int   // the input that holds the indices
}

// FlattenPart returns the part of a kernel that flattens tuples lo to hi-1 of indices into dst.
// It returns an index error if an index is out of range.
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
