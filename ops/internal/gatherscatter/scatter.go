package gatherscatter

import (
	"math"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Scatter describes a scatter operation. data has shape [Outer, Length] and updates has shape
// [Outer, Count], where each element is a row of N units:
//
//	dst = data; dst[o, indices[j]] = updates[o, j] for j = 0, 1, ... Count-1
//
// If several updates have the same index, the last one counts.
type Scatter struct {
	Outer, Length, Count, N int

	// Work is divided into items. Each position of Outer has pieces items, which are ranges of
	// its rows.
	pieces int
	// Merge reports whether MergeItems is used instead of ScatterItems. It needs a scratch of
	// Length int32.
	Merge bool
}

// Plan divides the work among threads, for rows of size bytes. It returns the number of items
// and how many of them are worth another thread. It only sets Merge if merge is true.
func (s *Scatter) Plan(size, threads int, merge bool) (items, grain int) {
	s.Merge = merge && size >= mergeBytes && s.Count >= s.Length/4 && s.Count <= math.MaxInt32 && s.Outer > 0
	s.pieces = 1
	slab := float64(s.Length) * float64(size)
	if s.Outer < 4*threads && threads > 1 {
		pieces := min(slab/grainBytes, float64(s.Length), float64(4*threads))
		if !s.Merge {
			// Each piece reads all indices, which must take little time compared with the
			// copies.
			pieces = min(pieces, slab/16/float64(max(s.Count, 1)))
		}
		s.pieces = max(int(pieces), 1)
	}
	return s.Outer * s.pieces, max(int(grainBytes/max(slab/float64(s.pieces)+float64(s.Count*8), 1)), 1)
}

// mergeBytes is the least size of a row for which MergeItems is faster than ScatterItems. For
// smaller rows, a call of copy takes longer than copying the row.
const mergeBytes = 64

// checkUnits is the number of units of updates that are written between two checks for a stop.
const checkUnits = 1 << 16

// ScatterItems computes items lo to hi-1. It ends early if stop is requested. If dst and data are the same memory, it only writes
// the rows that indices refer to. Every index must be in range.
func ScatterItems[T any, I index.Integer](stop parallel.Stop, s *Scatter, dst, data, updates []T, indices []I, lo, hi int) {
	copied := len(dst) > 0 && &dst[0] == &data[0]
	slab, rows := s.Length*s.N, s.Count*s.N
	for i := lo; i < hi; i++ {
		o, first, last := s.Item(i)
		to := dst[o*slab : (o+1)*slab]
		if !copied {
			parallel.Copy(stop, to[first*s.N:last*s.N], data[o*slab+first*s.N:])
		}
		from := updates[o*rows : (o+1)*rows]
		step := max(checkUnits/max(s.N, 1), 1)
		for at := 0; at < len(indices) && !stop.Requested(); at += step {
			end := min(at+step, len(indices))
			if s.pieces == 1 {
				Put(to, from[at*s.N:], s.N, indices[at:end])
			} else {
				putRange(to, from[at*s.N:], s.N, indices[at:end], first, last)
			}
		}
	}
}

// putRange is Put for rows first to last-1 of dst only.
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

// Item returns the position o of Outer that item i belongs to, and its rows first to last-1.
func (s *Scatter) Item(i int) (o, first, last int) {
	o, piece := i/s.pieces, i%s.pieces
	// The last piece takes the remainder.
	each := s.Length / s.pieces
	first, last = each*piece, each*(piece+1)
	if piece == s.pieces-1 {
		last = s.Length
	}
	return o, first, last
}

// LastUpdates sets lastUpdates[i] to the position of the last index that refers to row i, or to
// -1 if there is none. Every index must be in range. It ends early if stop is requested.
func LastUpdates[I index.Integer](stop parallel.Stop, lastUpdates []int32, indices []I) {
	meter := stop.Meter()
	for i := range lastUpdates {
		if meter.Spent(1) {
			return
		}
		lastUpdates[i] = -1
	}
	for j, v := range indices {
		if meter.Spent(2) {
			return
		}
		i := int(v)
		if v < 0 {
			i += len(lastUpdates)
		}
		lastUpdates[i] = int32(j)
	}
}

// MergeItems is ScatterItems for the result of LastUpdates. It writes every row once, in
// ascending order. It ends early if stop is requested.
func MergeItems[T any](stop parallel.Stop, s *Scatter, dst, data, updates []T, lastUpdates []int32, lo, hi int) {
	copied := len(dst) > 0 && &dst[0] == &data[0]
	slab, n := s.Length*s.N, s.N
	meter := stop.Meter()
	for i := lo; i < hi; i++ {
		o, first, last := s.Item(i)
		to, old := dst[o*slab:(o+1)*slab], data[o*slab:(o+1)*slab]
		from := updates[o*s.Count*n : (o+1)*s.Count*n]
		kept := first // rows kept to row-1 have no update
		for row := first; row <= last; row++ {
			if row < last && lastUpdates[row] < 0 {
				continue
			}
			if meter.Spent(n * (row + 1 - kept) / 4) {
				return
			}
			if !copied {
				parallel.Copy(stop, to[kept*n:row*n], old[kept*n:])
			}
			if kept = row + 1; row < last {
				j := int(lastUpdates[row])
				copy(to[row*n:kept*n], from[j*n:(j+1)*n])
			}
		}
	}
}
