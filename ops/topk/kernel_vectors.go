package topk

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/extremum"
)

const (
	// tileLanes is the number of lines that insertRows needs a multiple of, sortedLines the number
	// that are sorted at a time, and sortedElements the number of elements of each that are turned
	// into keys at a time.
	tileLanes      = 16
	sortedLines    = 128
	sortedElements = 32
)

// lines are what is picked from: outer groups of n lines of data. Steps are the distances of the
// elements of a line, and of the lines of a group; outElement and outLine those in the outputs.
type lines struct {
	outer, n            int
	element, line       int
	outElement, outLine int
}

// lines returns the lines that are picked from by assembly, several at a time. ok is false if
// another way is faster, or if there is no assembly.
func (k *kernel[E]) lines() (l lines, ok bool) {
	const (
		minLines  = 8  // rows of fewer elements are not worth it
		perPicked = 32 // in longer rows, most elements are skipped without a comparison of keys
	)
	switch {
	case k.picker.wide || k.k > maxInserted || !hasAssembly():
		return lines{}, false
	case k.Inner > 1:
		return lines{k.Outer, k.Inner, k.Inner, 1, k.Inner, 1}, k.Inner >= minLines
	}
	return lines{1, k.Outer, 1, k.Length, 1, k.k}, k.Outer >= minLines && k.Length <= perPicked*k.k
}

// sorted is the memory of a tile of lines, in rows that have an element of each: the k best keys of
// each line, which are sorted, their positions, and the next keys.
type sorted struct {
	keys, positions, next []uint32
	row                   int // the length of a row
}

// prepareSorted sets the kernel for few elements of many lines, which are picked by assembly. The
// smaller of two keys of 32 bits is picked first.
func (k *kernel[E]) prepareSorted(prepared *ops.Prepared, l lines, p *ops.Preparation) {
	row := min(sortedLines, (l.n+tileLanes-1)&^(tileLanes-1))
	tiles := (l.n + row - 1) / row
	items := l.outer * tiles
	cost := elementCost * float64(k.Outer) * float64(k.Length) * float64(k.Inner) / float64(items)
	workers := p.Workers(items, cost)
	var scratch ops.Scratch
	keys, positions := ops.AreasOf[uint32](&scratch, workers, k.k, row), ops.AreasOf[uint32](&scratch, workers, k.k, row)
	next := ops.AreasOf[uint32](&scratch, workers, sortedElements, row)
	prepared.ScratchBytes = scratch.Bytes()
	part := func(r *ops.Run, worker, lo, hi int) error {
		meter := r.Stop.Meter()
		s := sorted{keys.Of(r, worker), positions.Of(r, worker), next.Of(r, worker), row}
		for tile := lo; tile < hi; tile++ {
			o, first := tile/tiles, tile%tiles*row
			if !k.sortLines(r, &meter, &s, &l, o, first, min(row, l.n-first)) {
				return nil
			}
		}
		return nil
	}
	prepared.Algorithm = "best of lines"
	prepared.Kernel = func(r *ops.Run) error { return r.ForWorkers(items, ops.Grain(cost), workers, part) }
}

// sortLines picks from n lines of group o, from number first on. It returns false if the work must
// stop.
func (k *kernel[E]) sortLines(r *ops.Run, meter *parallel.Meter, s *sorted, l *lines, o, first, n int) bool {
	fill(s.keys, math.MaxUint32)
	data := ir.Data[E](r.Inputs[0])[o*k.Length*k.Inner+first*l.line:]
	for at := 0; at < k.Length; at += sortedElements {
		m := min(sortedElements, k.Length-at)
		if meter.Spent(m * n * (2 + k.k) / 4) {
			return false
		}
		// The keys behind the last line are old, but nothing reads what is picked from them.
		if l.line == 1 {
			for i := range m {
				k.keys(s.next[i*s.row:][:n], data[(at+i)*l.element:][:n])
			}
		} else {
			var keys [sortedElements]uint32
			for c := range n {
				k.keys(keys[:m], data[at+c*l.line:][:m])
				for i, key := range keys[:m] {
					s.next[i*s.row+c] = key
				}
			}
		}
		insertRows(s.keys, s.positions, s.next[:m*s.row], at, k.k, s.row)
	}
	for c, last := range s.keys[(k.k-1)*s.row:][:n] {
		if last == math.MaxUint32 && !k.fillLine(meter, s, data[c*l.line:], l.element, c) {
			return false
		}
		if k.picker.byIndex {
			s.sortByPosition(c, k.k)
		}
	}
	values, to := ir.Data[E](r.Outputs[0]), o*k.k*k.Inner+first*l.outLine
	for i := range k.k {
		positions, at := s.positions[i*s.row:][:n], to+i*l.outElement
		for c, p := range positions {
			values[at+c*l.outLine] = data[int(p)*l.element+c*l.line]
		}
		writeIndices(r, positions, at, l.outLine, math.MaxUint32)
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

// fillLine fills the last positions of line c, whose elements are `step` apart in data, with those
// of the elements that have the greatest key, such as NaN. They have not been inserted. It returns
// false if the work must stop.
func (k *kernel[E]) fillLine(meter *parallel.Meter, s *sorted, data []E, step, c int) bool {
	slot := k.k - 1
	for slot > 0 && s.keys[(slot-1)*s.row+c] == math.MaxUint32 {
		slot--
	}
	for i := 0; i < k.Length && slot < k.k; i++ {
		if meter.Spent(2) {
			return false
		}
		if uint32(k.picker.key(data[i*step])) == math.MaxUint32 {
			s.positions[slot*s.row+c] = uint32(i)
			slot++
		}
	}
	return true
}

// sortByPosition sorts the k positions of line c.
func (s *sorted) sortByPosition(c, k int) {
	for i := 1; i < k; i++ {
		p, to := s.positions[i*s.row+c], i
		for ; to > 0 && s.positions[(to-1)*s.row+c] > p; to-- {
			s.positions[to*s.row+c] = s.positions[(to-1)*s.row+c]
		}
		s.positions[to*s.row+c] = p
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
		for row := 1; row < k.Length; row += rowsPerCall {
			rows := min(rowsPerCall, k.Length-row)
			improveColumns(values, positions[:columns], data[row*k.Inner:], k.Inner, row, rows, k.picker.flip == k.picker.sign)
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
			values[c] = data[int(positions[c])*k.Inner+c]
		}
		writeIndices(r, positions[:columns], at, 1, math.MaxUint32)
	}
	return nil
}

// maxRow is the length of the longest rows that bestOfFloatRows computes: it does not check
// Run.Stop in one.
const maxRow = 1 << 16

// bestOfFloatRows computes rows lo to hi-1 for k of 1 with assembly.
func (k *kernel[E]) bestOfFloatRows(r *ops.Run, lo, hi int) error {
	var positions [64]uint32
	data, values := ir.Data[float32](r.Inputs[0]), ir.Data[float32](r.Outputs[0])
	meter := r.Stop.Meter()
	for lo < hi {
		rows := max(min(len(positions), hi-lo, maxRow/k.Length), 1)
		extremum.Positions(positions[:rows], data[lo*k.Length:], k.Length, k.picker.flip == k.picker.sign)
		for i, p := range positions[:rows] {
			values[lo+i] = data[(lo+i)*k.Length+int(p)]
		}
		writeIndices(r, positions[:rows], lo, 1, math.MaxUint32)
		if lo += rows; meter.Spent(rows * k.Length / 4) {
			return nil
		}
	}
	return nil
}

// rowsPerCall is the number of rows of a call of improveColumns.
const rowsPerCall = 1 << 10
