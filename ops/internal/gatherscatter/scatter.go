package gatherscatter

import (
	"math"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops"
)

// Scatter describes a scatter operation. data has shape [Outer, Length] and updates has shape
// [Outer, Count], where each element is a row of N elements:
//
//	dst = data; dst[o, indices[j]] = updates[o, j] for j = 0, 1, ... Count-1
//
// If several updates have the same index, the last one counts.
type Scatter struct {
	Outer, Length, Count, N int

	// Work is divided into items. Each position of Outer has pieces items, which are ranges of
	// its rows.
	pieces int
	// Merge reports whether mergeItems is used instead of scatterItems. It needs a scratch of
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
		pieces := min(slab/float64(ops.Grain(ops.CopyCost)), float64(s.Length), float64(4*threads))
		if !s.Merge {
			// Each piece reads all indices, which must take little time compared with the
			// copies.
			pieces = min(pieces, slab/16/float64(max(s.Count, 1)))
		}
		s.pieces = max(int(pieces), 1)
	}
	return s.Outer * s.pieces, ops.Grain(ops.CopyCost * (slab/float64(s.pieces) + float64(s.Count*8)))
}

// mergeBytes is the least size of a row for which mergeItems is faster than scatterItems. For
// smaller rows, a call of copy takes longer than copying the row.
const mergeBytes = 64

// checkBytes is the number of bytes of updates that are written between two checks for a stop, and
// checkIndices that of indices.
const checkBytes, checkIndices = 1 << 18, 1 << 16

// scatterItems computes items lo to hi-1. It ends early if stop is requested. If dst and data are
// the same memory, it only writes the rows that indices refer to. Every index must be in range.
func scatterItems[I index.Integer](stop parallel.Stop, s *Scatter, m mover[I], dst, data, updates []byte, indices []I, lo, hi int) {
	copied := len(dst) > 0 && &dst[0] == &data[0]
	slab, rows := s.Length*m.size, s.Count*m.size
	for i := lo; i < hi; i++ {
		o, first, last := s.Item(i)
		to := dst[o*slab : (o+1)*slab]
		if !copied {
			parallel.Copy(stop, to[first*m.size:last*m.size], data[o*slab+first*m.size:])
		}
		from := updates[o*rows : (o+1)*rows]
		step := max(checkBytes/m.size, 1)
		for at := 0; at < len(indices) && !stop.Requested(); at += step {
			end := min(at+step, len(indices))
			switch {
			case m.put == nil:
				putRows(to, from[at*m.size:], m.size, indices[at:end], first, last)
			case s.pieces == 1:
				m.put(to, from[at*m.size:], indices[at:end])
			default:
				m.putRange(to, from[at*m.size:], indices[at:end], first, last)
			}
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

// mergeItems is scatterItems for rows of size bytes and the result of LastUpdates. It writes every
// row once, in ascending order. It ends early if stop is requested.
func mergeItems(stop parallel.Stop, s *Scatter, size int, dst, data, updates []byte, lastUpdates []int32, lo, hi int) {
	copied := len(dst) > 0 && &dst[0] == &data[0]
	slab := s.Length * size
	meter := stop.Meter()
	for i := lo; i < hi; i++ {
		o, first, last := s.Item(i)
		to, old := dst[o*slab:(o+1)*slab], data[o*slab:(o+1)*slab]
		from := updates[o*s.Count*size : (o+1)*s.Count*size]
		kept := first // rows kept to row-1 have no update
		for row := first; row <= last; row++ {
			if row < last && lastUpdates[row] < 0 {
				continue
			}
			if meter.Spent(size * (row + 1 - kept) / 4) {
				return
			}
			if !copied {
				parallel.Copy(stop, to[kept*size:row*size], old[kept*size:])
			}
			if kept = row + 1; row < last {
				j := int(lastUpdates[row])
				copy(to[row*size:kept*size], from[j*size:(j+1)*size])
			}
		}
	}
}
