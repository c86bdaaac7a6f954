package detection

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Triplets merges the boxes that NonMaxSuppression or NMSRotated has selected for each row, which
// is a class of a batch, and writes the outputs of the layer: a triplet of batch, class and box for
// each box, one of batch, class and score, and the number of boxes.
type Triplets[T Float] struct {
	Rows, Classes int
	Limit         int  // the greatest number of boxes of a row; Rows * Limit must fit an int32
	Descending    bool // the boxes of all rows are sorted by score
	Known         bool // the shapes of the outputs were inferred

	selected      ops.Area[Candidate[T]] // the boxes of each row, Limit each
	counts        ops.Area[int32]        // of each row
	merged, spare ops.Area[Candidate[T]] // the boxes of all rows; Index is the position in selected
}

// LayOut adds the memory of k to s.
func (k *Triplets[T]) LayOut(s *ops.Scratch) {
	k.selected = ops.AreaOf[Candidate[T]](s, k.Rows, k.Limit)
	k.counts = ops.AreaOf[int32](s, k.Rows)
	k.merged = ops.AreaOf[Candidate[T]](s, k.Rows, k.Limit)
	if k.Descending {
		k.spare = ops.AreaOf[Candidate[T]](s, k.Rows, k.Limit)
	}
}

// Row returns the memory for the selected boxes of a row. With Descending, boxes of equal scores
// must be in ascending order of Index.
func (k *Triplets[T]) Row(r *ops.Run, row int) []Candidate[T] {
	return k.selected.Piece(r, row*k.Limit, k.Limit)
}

// SetCount sets the number of selected boxes of a row. It must be called for each row in each run,
// unless Limit is 0.
func (k *Triplets[T]) SetCount(r *ops.Run, row, n int) { k.counts.In(r)[row] = int32(n) }

// merge returns the selected boxes of all rows, in the order of the rows or, if the attribute says
// so, of the scores. Index is the position in k.selected, of which each row has k.Limit.
func (k *Triplets[T]) merge(r *ops.Run, meter *parallel.Meter) []Candidate[T] {
	if k.Limit == 0 {
		return nil
	}
	merged, selected := k.merged.In(r), k.selected.In(r)
	at := 0
	for row, n := range k.counts.In(r) {
		first := row * k.Limit
		for i, c := range selected[first : first+int(n)] {
			c.Index = int32(first + i)
			merged[at] = c
			at++
		}
		if meter.Spent(int(n) + 1) {
			break
		}
	}
	merged = merged[:at]
	if k.Descending {
		Sort(meter, merged, k.spare.In(r))
	}
	return merged
}

// Write sets the shapes of the outputs, unless they are known, and writes them. If an output has
// fewer rows than there are boxes, the last boxes are left out; if it has more, they are filled
// with -1.
func (k *Triplets[T]) Write(r *ops.Run) error {
	meter := r.Stop.Meter()
	merged := k.merge(r, &meter)
	if err := r.Stop.Err(); err != nil {
		return err
	}
	for i := range r.Outputs[:min(2, len(r.Outputs))] {
		if k.Known {
			continue
		}
		if err := r.SetShape(i, len(merged), 3); err != nil {
			return err
		}
	}
	if r.Outputs[0].ElementType() == ir.I32 {
		writeIndices(k, r, ir.Data[int32](r.Outputs[0]), merged)
	} else {
		writeIndices(k, r, ir.Data[int64](r.Outputs[0]), merged)
	}
	if len(r.Outputs) > 1 {
		k.writeScores(r, ir.Data[float32](r.Outputs[1]), merged)
	}
	if len(r.Outputs) > 2 {
		setInt(r.Outputs[2], 0, len(merged))
	}
	return nil
}

// writeIndices writes the batch, the class and the box of each selected box to a row of out.
func writeIndices[T Float, I int32 | int64](k *Triplets[T], r *ops.Run, out []I, merged []Candidate[T]) {
	selected := k.selected.In(r)
	meter := r.Stop.Meter()
	n := min(len(merged), len(out)/3)
	for i, c := range merged[:n] {
		row := int(c.Index) / k.Limit
		out[3*i], out[3*i+1], out[3*i+2] = I(row/k.Classes), I(row%k.Classes), I(selected[c.Index].Index)
		if meter.Spent(10) {
			return
		}
	}
	fill(&meter, out[3*n:], -1)
}

// writeScores writes the batch, the class and the score of each selected box to a row of out.
func (k *Triplets[T]) writeScores(r *ops.Run, out []float32, merged []Candidate[T]) {
	meter := r.Stop.Meter()
	n := min(len(merged), len(out)/3)
	for i, c := range merged[:n] {
		row := int(c.Index) / k.Limit
		out[3*i], out[3*i+1], out[3*i+2] = float32(row/k.Classes), float32(row%k.Classes), float32(c.Score)
		if meter.Spent(10) {
			return
		}
	}
	fill(&meter, out[3*n:], -1)
}

func fill[T int32 | int64 | float32](meter *parallel.Meter, out []T, v T) {
	for i := range out {
		out[i] = v
		if meter.Spent(1) {
			return
		}
	}
}
