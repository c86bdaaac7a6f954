package topk

import (
	"math"
	"math/bits"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// layout describes data by its lines along axis, and the outputs, whose lines have k elements.
type layout struct {
	index.Lines
	k int
}

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	data := p.InputShape(0)
	out, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	axis, err := index.Axis(at.axis, len(data))
	if err != nil {
		return nil, err
	}
	l := layout{index.Along(data, axis), out[axis]}
	if l.k > l.Length {
		return nil, faults.Errorf("k is %d, axis %d of data of shape %v has %d elements", l.k, axis, data, l.Length)
	}
	if at.indexType == ir.I32 && l.Length > math.MaxInt32 {
		return nil, faults.Errorf("axis %d has %d elements, more than indices of type i32 can count", axis, l.Length)
	}
	if p.Inputs[0].Type.Size() == 4 {
		return kernelOf[uint32](p, at, l)
	}
	return kernelOf[uint64](p, at, l)
}

// element is the constraint of the bits of an element.
type element interface{ uint32 | uint64 }

// tileColumns is the number of columns that are gathered at a time if axis is not the last: a cache
// line of float32.
const tileColumns = 16

// elementCost is the cost of an element, whatever is done with it.
const elementCost = 2

// kernel picks from the elements along axis, one row or a tile of columns after the other.
type kernel[E element] struct {
	layout
	picker  picker[E]
	columns int // of a tile; 0 if the rows are contiguous
	// The memory of each worker. tile is for columns.
	candidates, spare ops.Area[uint64]
	tile              ops.Area[E]
}

func kernelOf[E element](p *ops.Preparation, at attributes, l layout) (*ops.Prepared, error) {
	k := &kernel[E]{layout: l, picker: newPicker[E](p.Inputs[0].Type, at, l.Length, l.k)}
	elements := l.Outer * l.Length * l.Inner // the elements of data
	if elements == 0 || l.k == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	prepared := &ops.Prepared{Flops: float64(elements) * float64(1+bits.Len(uint(l.k)))}
	if narrow, ok := any(k).(*kernel[uint32]); ok {
		if prepareQuick(narrow, prepared, p) {
			return prepared, nil
		}
	}
	items := l.Outer // rows or tiles
	if l.Inner > 1 {
		k.columns = min(tileColumns, l.Inner)
		items *= (l.Inner + k.columns - 1) / k.columns
	}
	cost := elementCost * float64(elements) / float64(items)
	workers, part := p.Workers(items, cost), ops.WorkerPart(k.pickItems)
	var s ops.Scratch
	k.candidates, k.spare = ops.AreasOf[uint64](&s, workers, k.picker.capacity), ops.AreasOf[uint64](&s, workers, k.picker.spareLen())
	k.tile = ops.AreasOf[E](&s, workers, l.Length, k.columns)
	prepared.ScratchBytes = s.Bytes()
	prepared.Kernel = func(r *ops.Run) error { return r.ForWorkers(items, ops.Grain(cost), workers, part) }
	return prepared, nil
}

// prepareQuick sets the kernel of elements of 32 bits if there is a quicker one than pickItems.
func prepareQuick(k *kernel[uint32], prepared *ops.Prepared, p *ops.Preparation) bool {
	l := &k.layout
	one := l.k == 1 && !k.picker.wide
	vectors := one && k.picker.isFloat32 && hasAssembly()
	blocks, blockElements := l.Outer*((l.Inner+blockColumns-1)/blockColumns), l.Length*min(l.Inner, blockColumns)
	lines, sort := k.lines()
	switch {
	case vectors && l.Inner == 1 && l.Length <= maxRow:
		best(prepared, "best of rows", l.Outer, l.Length, k.bestOfFloatRows)
	case vectors && l.Inner > 1:
		best(prepared, "best of columns", blocks, blockElements, k.bestOfFloats)
	case sort:
		k.prepareSorted(prepared, lines, p)
	case one && l.Inner > 1:
		best(prepared, "best of columns", blocks, blockElements, k.bestOfColumns)
	default:
		return false
	}
	return true
}

// best completes the result of Prepare for k of 1: part computes each of n items, such as rows,
// which have the given number of elements.
func best(prepared *ops.Prepared, algorithm string, n, elements int, part ops.Part) {
	prepared.Algorithm = algorithm
	prepared.Kernel = func(r *ops.Run) error { return r.For(n, ops.Grain(elementCost*float64(elements)), part) }
}

// pickItems computes the rows or tiles lo to hi-1.
func (k *kernel[E]) pickItems(r *ops.Run, worker, lo, hi int) error {
	candidates, spare, tile := k.candidates.Of(r, worker), k.spare.Of(r, worker), k.tile.Of(r, worker)
	meter := r.Stop.Meter()
	for item := lo; item < hi && !meter.Spent(k.Length*max(k.columns, 1)*4); item++ {
		if k.columns == 0 {
			k.pick(r, ir.Data[E](r.Inputs[0])[item*k.Length:][:k.Length], candidates, spare, item*k.k, 1)
		} else {
			k.pickTile(r, item, tile, candidates, spare)
		}
	}
	return nil
}

// pickTile gathers a tile of columns, so that each is contiguous, and picks from each.
func (k *kernel[E]) pickTile(r *ops.Run, item int, tile []E, candidates, spare []uint64) {
	perRow := (k.Inner + k.columns - 1) / k.columns
	o, first := item/perRow, item%perRow*k.columns
	columns := min(k.columns, k.Inner-first)
	data := ir.Data[E](r.Inputs[0])[o*k.Length*k.Inner:]
	meter := r.Stop.Meter()
	for i := range k.Length {
		for c, v := range data[i*k.Inner+first:][:columns] {
			tile[c*k.Length+i] = v
		}
		if meter.Spent(columns * 4) {
			return
		}
	}
	for c := range columns {
		k.pick(r, tile[c*k.Length:][:k.Length], candidates, spare, o*k.k*k.Inner+first+c, k.Inner)
	}
}

// pick writes the picked elements of row to the outputs, from element at, each stride elements
// after the one before.
func (k *kernel[E]) pick(r *ops.Run, row []E, candidates, spare []uint64, at, stride int) {
	picked := k.picker.pick(r.Stop, row, candidates, spare)
	values, mask := ir.Data[E](r.Outputs[0]), k.picker.indexMask
	for i, c := range picked {
		values[at+i*stride] = row[c&mask]
	}
	writeIndices(r, picked, at, stride, mask)
}

// writeIndices writes the positions of candidates to output 1, from element at.
func writeIndices[W uint32 | uint64](r *ops.Run, from []W, at, stride int, mask W) {
	switch {
	case len(r.Outputs) < 2:
	case r.Outputs[1].ElementType() == ir.I32:
		indices := ir.Data[int32](r.Outputs[1])
		for i, c := range from {
			indices[at+i*stride] = int32(c & mask)
		}
	default:
		indices := ir.Data[int64](r.Outputs[1])
		for i, c := range from {
			indices[at+i*stride] = int64(c & mask)
		}
	}
}

// blockColumns is the number of columns that bestOfColumns compares at a time.
const blockColumns = 512

// block returns where a block of columns starts in data and in the outputs, and its number of
// columns.
func (l *layout) block(number int) (from, at, columns int) {
	perRow := (l.Inner + blockColumns - 1) / blockColumns
	o, first := number/perRow, number%perRow*blockColumns
	return o*l.Length*l.Inner + first, o*l.Inner + first, min(blockColumns, l.Inner-first)
}

// bestOfColumns computes blocks lo to hi-1 of columns for k of 1: it goes through the rows and
// keeps the best key of each column and the number of its row.
func (k *kernel[E]) bestOfColumns(r *ops.Run, lo, hi int) error {
	var best [blockColumns]uint64
	meter := r.Stop.Meter()
	for block := lo; block < hi; block++ {
		from, at, columns := k.block(block)
		b, data := best[:columns], ir.Data[E](r.Inputs[0])[from:]
		if !k.bestOf(&meter, b, data) {
			return nil
		}
		values := ir.Data[E](r.Outputs[0])[at:]
		for c, v := range b {
			values[c] = data[int(v&math.MaxUint32)*k.Inner+c]
		}
		writeIndices(r, b, at, 1, math.MaxUint32)
	}
	return nil
}

// bestOf sets best to the candidates of the best elements of the first columns of data. It returns
// false if the work must stop.
func (k *kernel[E]) bestOf(meter *parallel.Meter, best []uint64, data []E) bool {
	for i := range best {
		best[i] = math.MaxUint64
	}
	for i := range k.Length {
		if meter.Spent(len(best) * 4) {
			return false
		}
		k.picker.improve(best, data[i*k.Inner:][:len(best)], i)
	}
	return true
}
