package nonmaxsuppression

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

// merge returns the selected boxes of all rows, in the order of the rows or, if the attribute says so, of the
// scores. Index is the position in k.selected, of which each row has k.limit.
func (k *kernel[T]) merge(r *ops.Run, meter *parallel.Meter) []detection.Candidate[T] {
	if k.limit == 0 {
		return nil
	}
	merged, selected := k.merged.In(r.Scratch), k.selected.In(r.Scratch)
	at := 0
	for row, n := range k.counts.In(r.Scratch) {
		first := row * k.limit
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
	if k.descending {
		detection.Sort(meter, merged, k.mergeSort.In(r.Scratch))
	}
	return merged
}

// write sets the shapes of the outputs, if the rule has not, and writes them. If an output has fewer rows than
// there are boxes, the last boxes are left out; if it has more, they are filled with -1.
func (k *kernel[T]) write(r *ops.Run, merged []detection.Candidate[T]) error {
	for i := range r.Outputs[:min(2, len(r.Outputs))] {
		if k.known {
			continue
		}
		if err := r.SetShape(i, len(merged), 3); err != nil {
			return err
		}
	}
	if k.outputType == ir.I32 {
		writeIndices(k, r, ir.Data[int32](r.Outputs[0]), merged)
	} else {
		writeIndices(k, r, ir.Data[int64](r.Outputs[0]), merged)
	}
	if len(r.Outputs) > 1 {
		k.writeScores(r, ir.Data[float32](r.Outputs[1]), merged)
	}
	if len(r.Outputs) > 2 {
		if k.outputType == ir.I32 {
			ir.Data[int32](r.Outputs[2])[0] = int32(len(merged))
		} else {
			ir.Data[int64](r.Outputs[2])[0] = int64(len(merged))
		}
	}
	return nil
}

// writeIndices writes the batch, the class and the box of each selected box to a row of out.
func writeIndices[T detection.Float, I int32 | int64](k *kernel[T], r *ops.Run, out []I, merged []detection.Candidate[T]) {
	selected := k.selected.In(r.Scratch)
	meter := r.Stop.Meter()
	n := min(len(merged), len(out)/3)
	for i, c := range merged[:n] {
		row := int(c.Index) / k.limit
		out[3*i], out[3*i+1], out[3*i+2] = I(row/k.classes), I(row%k.classes), I(selected[c.Index].Index)
		if meter.Spent(10) {
			return
		}
	}
	fill(&meter, out[3*n:], -1)
}

// writeScores writes the batch, the class and the score of each selected box to a row of out.
func (k *kernel[T]) writeScores(r *ops.Run, out []float32, merged []detection.Candidate[T]) {
	meter := r.Stop.Meter()
	n := min(len(merged), len(out)/3)
	for i, c := range merged[:n] {
		row := int(c.Index) / k.limit
		out[3*i], out[3*i+1], out[3*i+2] = float32(row/k.classes), float32(row%k.classes), float32(c.Score)
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
