package detection

import (
	"cmp"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Order is the order in which Picks writes the boxes of an image.
type Order int

// The values of Order. Equal scores are in the order of class and box.
const (
	ByScore Order = iota
	ByClass       // and by score within a class
)

// Picks merges the boxes that MatrixNms or MulticlassNms has picked for each row, which is a class
// of an image, and writes the outputs of the layer.
type Picks[T Float] struct {
	Images, Classes int
	Limit           int // the greatest number of boxes of a row
	KeepTopK        int // the greatest number of boxes of an image; negative means all
	Order           Order
	AcrossBatch     bool // the order is that of the boxes of all images
	Known           bool // the shapes of the outputs were inferred: there is no box
	// Locate returns the number of a picked box in the input boxes, and its number for
	// selected_indices.
	Locate func(r *ops.Run, image, class, box int) (int, int)

	rows          ops.Area[Candidate[T]] // the boxes of each row, Limit each
	counts        ops.Area[int32]        // of each row
	merged, spare ops.Area[Candidate[T]] // the boxes of all rows; Index is the position in rows
}

// LayOut adds the memory of k to s. Images * Classes * Limit must fit an int32.
func (k *Picks[T]) LayOut(s *ops.Scratch) {
	k.rows = ops.AreaOf[Candidate[T]](s, k.Images, k.Classes, k.Limit)
	k.counts = ops.AreaOf[int32](s, k.Images, k.Classes)
	k.merged = ops.AreaOf[Candidate[T]](s, k.Images, k.Classes, k.Limit)
	k.spare = ops.AreaOf[Candidate[T]](s, k.Classes, k.Limit)
}

// Row returns the memory for the picked boxes of a row, which must be in the order of Compare.
func (k *Picks[T]) Row(r *ops.Run, row int) []Candidate[T] {
	return k.rows.Piece(r, row*k.Limit, k.Limit)
}

// SetCount sets the number of picked boxes of a row. It must be called for each row in each run.
func (k *Picks[T]) SetCount(r *ops.Run, row, n int) { k.counts.In(r)[row] = int32(n) }

// Write sets the shapes of the outputs and writes them: class, score and corners of each box; its
// index; and the number of boxes of each image.
func (k *Picks[T]) Write(r *ops.Run) error {
	meter := r.Stop.Meter()
	merged := k.merge(r, &meter)
	if err := r.Stop.Err(); err != nil {
		return err
	}
	for i := range r.Outputs[:min(2, len(r.Outputs))] {
		if k.Known {
			continue
		}
		if err := r.SetShape(i, len(merged), 6-5*i); err != nil {
			return err
		}
	}
	selected, boxes := k.rows.In(r), ReaderOf[T](r.Inputs[0])
	for i, c := range merged {
		row, box := int(c.Index)/k.Limit, int(selected[c.Index].Index)
		from, index := k.Locate(r, row/k.Classes, row%k.Classes, box)
		WriteNumber(r.Outputs[0], 6*i, T(row%k.Classes))
		WriteNumber(r.Outputs[0], 6*i+1, c.Score)
		for axis := range 4 {
			WriteNumber(r.Outputs[0], 6*i+2+axis, boxes.At(4*from+axis))
		}
		if len(r.Outputs) > 1 {
			setInt(r.Outputs[1], i, index)
		}
		if meter.Spent(50) {
			return parallel.ErrStopped
		}
	}
	if len(r.Outputs) > 2 {
		k.writeCounts(r, merged, &meter)
	}
	return r.Stop.Err()
}

func (k *Picks[T]) writeCounts(r *ops.Run, merged []Candidate[T], meter *parallel.Meter) {
	parallel.Clear(r.Stop, r.Outputs[2].Bytes())
	for _, c := range merged {
		if meter.Spent(10) {
			return
		}
		image := int(c.Index) / k.Limit / k.Classes
		if r.Outputs[2].ElementType() == ir.I32 {
			ir.Data[int32](r.Outputs[2])[image]++
		} else {
			ir.Data[int64](r.Outputs[2])[image]++
		}
	}
}

func setInt(t *ir.Tensor, i, v int) {
	if t.ElementType() == ir.I32 {
		ir.Data[int32](t)[i] = int32(v)
	} else {
		ir.Data[int64](t)[i] = int64(v)
	}
}

// merge returns the boxes of all images in the order of the output.
func (k *Picks[T]) merge(r *ops.Run, meter *parallel.Meter) []Candidate[T] {
	rows, counts, merged := k.rows.In(r), k.counts.In(r), k.merged.In(r)
	at := 0
	for image := range k.Images {
		first := at
		for row := image * k.Classes; row < (image+1)*k.Classes; row++ {
			if meter.Spent(int(counts[row]) + 1) {
				break
			}
			for i := range counts[row] {
				position := int32(row*k.Limit) + i
				merged[at] = Candidate[T]{rows[position].Score, position}
				at++
			}
		}
		own := merged[first:at]
		if k.KeepTopK >= 0 && len(own) > k.KeepTopK {
			own = own[:Best(meter, own, k.spare.In(r), max(k.KeepTopK, 1))]
			Sort(meter, own, k.spare.In(r))
			own = own[:k.KeepTopK]
		} else if k.Order == ByScore {
			Sort(meter, own, k.spare.In(r))
		}
		if k.Order == ByClass && !k.AcrossBatch {
			SortBy(meter, own, func(a, b Candidate[T]) int { return cmp.Compare(a.Index, b.Index) })
		}
		at = first + len(own)
	}
	merged = merged[:at]
	if k.AcrossBatch && k.Images > 1 || k.AcrossBatch && k.Order == ByClass {
		k.sortAll(meter, merged)
	}
	return merged
}

// sortAll sorts the boxes of all images together.
func (k *Picks[T]) sortAll(meter *parallel.Meter, merged []Candidate[T]) {
	if k.Order == ByScore {
		SortBy(meter, merged, Compare[T])
		return
	}
	SortBy(meter, merged, func(a, b Candidate[T]) int {
		classA, classB := int(a.Index)/k.Limit%k.Classes, int(b.Index)/k.Limit%k.Classes
		return cmp.Or(cmp.Compare(classA, classB), cmp.Compare(a.Index, b.Index))
	})
}
