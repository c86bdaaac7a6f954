package topk

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

const (
	// tileLanes is the number of columns that insertRows needs a multiple of, sortedColumns the number that
	// are sorted at a time, and sortedRows the number of rows that are turned into keys at a time.
	tileLanes     = 16
	sortedColumns = 128
	sortedRows    = 32
	// minColumns is the number of columns from which on it is faster to compare rows of them.
	minColumns = 8
)

// sorted is the memory of a tile of columns, in rows of `columns` elements: the k best keys of each column,
// which are sorted, their positions, and the keys of the next rows.
type sorted struct {
	keys, positions, next []uint32
	columns               int
}

// prepareSorted returns the kernel for few elements of many columns, which are picked by assembly. The
// smaller of two keys of 32 bits is picked first.
func (k *kernel[E]) prepareSorted(prepared *ops.Prepared, threads int) *ops.Prepared {
	columns := min(sortedColumns, (k.inner+tileLanes-1)&^(tileLanes-1))
	tiles := (k.inner + columns - 1) / columns
	k.items = k.outer * tiles
	k.parts = max(min(threads, k.items, k.outer*k.length*k.inner/grain), 1)
	n := (2*k.k + sortedRows) * columns
	k.scratch.bytes = memory.Padded[uint32](n) * 4
	prepared.ScratchBytes = k.parts * k.scratch.bytes
	part := func(r *ops.Run, lo, hi int) error {
		meter := r.Stop.Meter()
		for share := lo; share < hi; share++ {
			words := cast.Bytes[uint32](r.Scratch[share*k.scratch.bytes:])[:n]
			// The columns behind the last keep this key, which is never inserted.
			fill(words, math.MaxUint32)
			s := sorted{words[:k.k*columns], words[k.k*columns:][:k.k*columns], words[2*k.k*columns:], columns}
			for tile := parallel.Share(k.items, k.parts, share); tile < parallel.Share(k.items, k.parts, share+1); tile++ {
				o, first := tile/tiles, tile%tiles*columns
				if !k.sortColumns(r, &meter, &s, o, first, min(columns, k.inner-first)) {
					return nil
				}
			}
		}
		return nil
	}
	prepared.Algorithm = "best of columns"
	prepared.Kernel = func(r *ops.Run) error { return r.For(k.parts, 1, part) }
	return prepared
}

// sortColumns picks from n columns from first on. It returns false if the work must stop.
func (k *kernel[E]) sortColumns(r *ops.Run, meter *parallel.Meter, s *sorted, o, first, n int) bool {
	fill(s.keys, math.MaxUint32)
	data := ir.Data[E](r.Inputs[0])[o*k.length*k.inner+first:]
	for row := 0; row < k.length; row += sortedRows {
		rows := min(sortedRows, k.length-row)
		if meter.Spent(rows * n * (2 + k.k) / 4) {
			return false
		}
		for i := range rows {
			k.keys(s.next[i*s.columns:][:n], data[(row+i)*k.inner:][:n])
		}
		insertRows(s.keys, s.positions, s.next[:rows*s.columns], row, k.k, s.columns)
	}
	for c, last := range s.keys[(k.k-1)*s.columns:][:n] {
		if last == math.MaxUint32 && !k.fillColumn(meter, s, data[c:], c) {
			return false
		}
		if k.picker.byIndex {
			s.sortByPosition(c, k.k)
		}
	}
	values := ir.Data[E](r.Outputs[0])
	for i := range k.k {
		positions, at := s.positions[i*s.columns:][:n], (o*k.k+i)*k.inner+first
		for c, p := range positions {
			values[at+c] = data[int(p)*k.inner+c]
		}
		writeIndices(r, positions, at, 1, math.MaxUint32)
	}
	return true
}

// keys sets keys to those of elements.
func (k *kernel[E]) keys(keys []uint32, elements []E) {
	p := &k.picker
	switch {
	case p.isFloat32:
		setFloatKeys(keys, cast.Slice[float32](elements), uint32(p.flip))
	case p.float:
		for i, v := range elements {
			keys[i] = uint32(p.key(v))
		}
	default:
		keys, flip := keys[:len(elements)], p.flip
		for i, v := range elements {
			keys[i] = uint32(v ^ flip)
		}
	}
}

// fillColumn fills the last positions of column c, whose elements is column, with those of the elements that
// have the greatest key, such as NaN. They have not been inserted. It returns false if the work must stop.
func (k *kernel[E]) fillColumn(meter *parallel.Meter, s *sorted, column []E, c int) bool {
	slot := k.k - 1
	for slot > 0 && s.keys[(slot-1)*s.columns+c] == math.MaxUint32 {
		slot--
	}
	for i := 0; i < k.length && slot < k.k; i++ {
		if meter.Spent(2) {
			return false
		}
		if uint32(k.picker.key(column[i*k.inner])) == math.MaxUint32 {
			s.positions[slot*s.columns+c] = uint32(i)
			slot++
		}
	}
	return true
}

// sortByPosition sorts the k positions of column c.
func (s *sorted) sortByPosition(c, k int) {
	for i := 1; i < k; i++ {
		p, to := s.positions[i*s.columns+c], i
		for ; to > 0 && s.positions[(to-1)*s.columns+c] > p; to-- {
			s.positions[to*s.columns+c] = s.positions[(to-1)*s.columns+c]
		}
		s.positions[to*s.columns+c] = p
	}
}

func fill(words []uint32, v uint32) {
	for i := range words {
		words[i] = v
	}
}

// bestOfFloats is bestOfColumns for float32 with assembly.
func (k *kernel[E]) bestOfFloats(r *ops.Run, lo, hi int) error {
	var positions [blockColumns]uint32
	meter := r.Stop.Meter()
	for block := lo; block < hi; block++ {
		from, at, columns := k.block(block)
		data, values := ir.Data[float32](r.Inputs[0])[from:], ir.Data[float32](r.Outputs[0])[at:][:columns]
		copy(values, data)
		clear(positions[:])
		for row := 1; row < k.length; row += rowsPerCall {
			rows := min(rowsPerCall, k.length-row)
			improveColumns(values, positions[:columns], data[row*k.inner:], k.inner, row, rows, k.picker.flip == k.picker.sign)
			if meter.Spent(rows * columns / 4) {
				return nil
			}
		}
		for c, v := range values {
			if v == v {
				continue
			}
			// The NaN of the first row has not been replaced.
			var best [1]uint64
			if !k.bestOf(&meter, best[:], ir.Data[E](r.Inputs[0])[from+c:]) {
				return nil
			}
			positions[c] = uint32(best[0])
			values[c] = data[int(positions[c])*k.inner+c]
		}
		writeIndices(r, positions[:columns], at, 1, math.MaxUint32)
	}
	return nil
}

// maxRow is the length of the longest rows that bestOfFloatRows computes: it does not check Run.Stop in one.
const maxRow = 1 << 16

// bestOfFloatRows computes rows lo to hi-1 for k of 1 with assembly.
func (k *kernel[E]) bestOfFloatRows(r *ops.Run, lo, hi int) error {
	var positions [64]uint32
	data, values := ir.Data[float32](r.Inputs[0]), ir.Data[float32](r.Outputs[0])
	meter := r.Stop.Meter()
	for lo < hi {
		rows := max(min(len(positions), hi-lo, maxRow/k.length), 1)
		bestOfRows(positions[:rows], data[lo*k.length:], k.length, k.picker.flip == k.picker.sign)
		for i, p := range positions[:rows] {
			values[lo+i] = data[(lo+i)*k.length+int(p)]
		}
		writeIndices(r, positions[:rows], lo, 1, math.MaxUint32)
		if lo += rows; meter.Spent(rows * k.length / 4) {
			return nil
		}
	}
	return nil
}

// rowsPerCall is the number of rows of a call of improveColumns.
const rowsPerCall = 1 << 10
