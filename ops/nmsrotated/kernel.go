package nmsrotated

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

// The input ports.
const (
	boxesPort = iota
	scoresPort
	maxOutputPort
	iouPort
	scorePort
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	if p.Inputs[scoresPort].Type == ir.F64 {
		return prepareAs[float64](p)
	}
	return prepareAs[float32](p)
}

// kernel selects the boxes of each row, a class of a batch. T is the type of scores; boxes are
// computed in float64.
type kernel[T detection.Float] struct {
	attributes
	classes, boxes int
	limit          int // the greatest number of boxes to select of a row

	rows detection.Rows[T]
	kept ops.Area[rotatedBox] // the selected boxes of a row, for each worker
	out  detection.Triplets[T]
}

func prepareAs[T detection.Float](p *ops.Preparation) (*ops.Prepared, error) {
	scores := p.InputShape(scoresPort)
	k := &kernel[T]{attributes: p.Attributes.(attributes), classes: scores[1], boxes: scores[2]}
	maxOutput, _, err := detection.MaxOutput(p.Inputs)
	if err != nil {
		return nil, err
	}
	if maxOutput < 0 {
		return nil, faults.Errorf("%s is %d, expected 0 or more", detection.Names[maxOutputPort], maxOutput)
	}
	k.limit = int(min(int64(k.boxes), maxOutput))
	for _, i := range []int{boxesPort, iouPort, scorePort} {
		if err := detection.CheckNumbers(detection.Names[i], p.Inputs[i].Type); err != nil {
			return nil, err
		}
	}
	rows := scores[0] * k.classes
	if k.boxes > math.MaxInt32 || memory.Size[uint8](rows, k.limit) > math.MaxInt32 {
		return nil, faults.Errorf("%d boxes of %d classes and batches are more than 32 bits can count", k.boxes, rows)
	}
	var s ops.Scratch
	if k.rows, err = detection.NewRows[T](p, &s, detection.Names[scoresPort], p.Inputs[scoresPort].Type, rows, k.boxes, k.selectPart); err != nil {
		return nil, err
	}
	k.out = detection.Triplets[T]{Rows: rows, Classes: k.classes, Limit: k.limit, Descending: k.descending, Known: p.Outputs[0].Shape.IsStatic()}
	k.kept = ops.AreasOf[rotatedBox](&s, k.rows.Workers, k.limit)
	k.out.LayOut(&s)
	// The intersection of two boxes takes about a hundred operations.
	flops := float64(rows) * float64(k.boxes) * (1 + 100*float64(k.limit))
	return &ops.Prepared{Kernel: k.run, ScratchBytes: s.Bytes(), Flops: flops}, nil
}

func (k *kernel[T]) run(r *ops.Run) error {
	if k.limit > 0 {
		if err := k.rows.Run(r); err != nil {
			return err
		}
	}
	return k.out.Write(r)
}

// selectPart selects the boxes of rows lo to hi-1.
func (k *kernel[T]) selectPart(r *ops.Run, worker, lo, hi int) error {
	meter := r.Stop.Meter()
	for row := lo; row < hi; row++ {
		k.out.SetCount(r, row, k.selectBoxes(r, worker, row, &meter))
		if meter.Spent(1) {
			return parallel.ErrStopped
		}
	}
	return nil
}

// selectBoxes selects the boxes of a row, and returns their number. It sorts only as many
// candidates as it needs.
func (k *kernel[T]) selectBoxes(r *ops.Run, worker, row int, meter *parallel.Meter) int {
	above, threshold := detection.NumberAt[float64](r.Inputs[iouPort], 0), detection.NumberAt[T](r.Inputs[scorePort], 0)
	candidates, spare := k.rows.Candidates(r, worker, r.Inputs[scoresPort], row*k.boxes, k.boxes, threshold, meter)
	boxes, kept, into, n := detection.ReaderOf[float64](r.Inputs[boxesPort]), k.kept.Of(r, worker), k.out.Row(r, row), 0
	for len(candidates) > 0 {
		best := detection.Best(meter, candidates, spare, 2*(k.limit-n))
		detection.Sort(meter, candidates[:best], spare)
		for _, c := range candidates[:best] {
			if n == k.limit {
				return n
			}
			at := 5 * (row/k.classes*k.boxes + int(c.Index))
			kept[n] = k.rotate(boxes.At(at), boxes.At(at+1), boxes.At(at+2), boxes.At(at+3), boxes.At(at+4))
			if !overlaps(kept[:n], &kept[n], above, meter) {
				into[n] = c
				n++
			}
			if meter.Spent(100) {
				return n
			}
		}
		candidates = candidates[best:]
	}
	return n
}

// overlaps reports whether the IoU of box and one of the kept boxes is above a threshold.
func overlaps(kept []rotatedBox, box *rotatedBox, above float64, meter *parallel.Meter) bool {
	for i := range kept {
		if kept[i].iou(box) > above || meter.Spent(20) {
			return true
		}
	}
	return false
}
