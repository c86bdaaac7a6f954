package rows

import "github.com/vinoir/vinoir/internal/index"

// Scatter is a tensor as [outer, length] rows of n units, of which count rows in
// each of outer are replaced:
//
//	dst = data; dst[o, indices[j]] = updates[o, j] for j = 0, 1, ... count-1
//
// Of rows with one index the last stays.
type Scatter struct {
	Outer, Length, Count, N int

	// An item is what one thread works on: the rows of one of outer, or one of
	// pieces ranges of them.
	pieces int
}

// Plan decides how the work is split for rows of size bytes and a number of
// threads, and returns the number of items and how many are worth a thread.
func (s *Scatter) Plan(size, threads int) (items, grain int) {
	s.pieces = 1
	slab := float64(s.Length) * float64(size)
	if s.Outer < 4*threads && threads > 1 {
		// Each piece goes through all indices, which must cost little beside
		// what it copies.
		pieces := min(slab/grainBytes, slab/16/float64(max(s.Count, 1)), float64(s.Length), float64(4*threads))
		s.pieces = max(int(pieces), 1)
	}
	return s.Outer * s.pieces, max(int(grainBytes/max(slab/float64(s.pieces)+float64(s.Count*8), 1)), 1)
}

// Run computes items lo to hi-1. Where dst and data are the same memory only the
// rows that indices name are touched. Every index must be allowed.
func Run[T any, I index.Integer](s *Scatter, dst, data, updates []T, indices []I, lo, hi int) {
	copied := len(dst) > 0 && &dst[0] == &data[0]
	slab, rows := s.Length*s.N, s.Count*s.N
	for i := lo; i < hi; i++ {
		o, piece := i/s.pieces, i%s.pieces
		first, last := s.Length*piece/s.pieces, s.Length*(piece+1)/s.pieces
		to := dst[o*slab : (o+1)*slab]
		if !copied {
			copy(to[first*s.N:last*s.N], data[o*slab+first*s.N:])
		}
		from := updates[o*rows : (o+1)*rows]
		if s.pieces == 1 {
			Put(to, from, s.N, indices)
		} else {
			putRange(to, from, s.N, indices, first, last)
		}
	}
}

// putRange is Put of the rows first to last-1 of dst alone.
func putRange[T any, I index.Integer](dst, src []T, n int, indices []I, first, last int) {
	length := len(dst) / n
	span := uint(last - first)
	for j, v := range indices {
		i := int(v)
		if v < 0 {
			i += length
		}
		if uint(i-first) < span {
			copy(dst[i*n:(i+1)*n], src[j*n:(j+1)*n])
		}
	}
}
