package multiclassnms

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
	roisnumPort
)

// kernel selects the boxes of each row, a class of an image.
type kernel struct {
	*attributes
	images, classes, boxes int
	// the classes have their own boxes, and roisnum has the boxes of each image
	own bool

	rows       detection.Rows[float32]
	selections detection.SelectionMemory[float32] // of each worker
	// the first box of each image, if own, and the end of the last
	starts ops.Area[int64]
	picks  detection.Picks[float32]
}

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(*attributes)
	boxes := p.InputShape(boxesPort)
	scores := p.InputShape(scoresPort)
	k := &kernel{attributes: at, images: boxes[0], boxes: boxes[1], own: len(p.Inputs) == 3}
	if k.own {
		images := p.InputShape(roisnumPort)
		k.images, k.classes = images[0], scores[0]
	} else {
		k.classes = scores[1]
	}
	limit := k.boxes
	if at.nmsTopK >= 0 {
		limit = min(limit, int(at.nmsTopK))
	}
	rows := memory.Size[uint8](k.images, k.classes)
	if memory.Size[uint8](k.images, k.classes, max(limit, 1)) > math.MaxInt32 || memory.Size[uint8](max(k.images, k.classes), k.boxes) > math.MaxInt32 {
		return nil, faults.Errorf("%d boxes of %d classes and %d images are more than 32 bits can count", k.boxes, k.classes, k.images)
	}
	var s ops.Scratch
	var err error
	if k.rows, err = detection.NewRows[float32](p, &s, "scores", p.Inputs[scoresPort].Type, int(rows), k.boxes, k.selectPart); err != nil {
		return nil, err
	}
	k.picks = detection.Picks[float32]{
		Images: k.images, Classes: k.classes, Limit: limit, KeepTopK: int(at.keepTopK), AcrossBatch: at.acrossBatch && at.sort != "none",
		Known: p.Outputs[0].Shape.IsStatic(), Locate: k.locate,
	}
	if at.sort == "classid" {
		k.picks.Order = detection.ByClass
	}
	k.selections = detection.SelectionMemoryOf[float32](&s, k.rows.Workers, limit)
	k.starts = ops.AreaOf[int64](&s, k.images+1)
	k.picks.LayOut(&s)
	flops := float64(rows) * float64(k.boxes) * (1 + 10*float64(limit))
	return &ops.Prepared{Kernel: k.run, ScratchBytes: s.Bytes(), Flops: flops}, nil
}

func (k *kernel) run(r *ops.Run) error {
	if err := k.setStarts(r); err != nil {
		return err
	}
	if err := k.rows.Run(r); err != nil {
		return err
	}
	return k.picks.Write(r)
}

// setStarts checks roisnum and adds up its numbers.
func (k *kernel) setStarts(r *ops.Run) error {
	if !k.own {
		return nil
	}
	starts := k.starts.In(r)
	starts[0] = 0
	for i := range k.images {
		var n int64
		if r.Inputs[roisnumPort].ElementType() == ir.I32 {
			n = int64(ir.Data[int32](r.Inputs[roisnumPort])[i])
		} else {
			n = ir.Data[int64](r.Inputs[roisnumPort])[i]
		}
		if left := int64(k.boxes) - starts[i]; n < 0 || n > left {
			return faults.Errorf("roisnum[%d] is %d, expected 0 to %d, the boxes that the images before leave", i, n, left)
		}
		starts[i+1] = starts[i] + n
	}
	return nil
}

// boxesOf returns the first box of a class of an image, in the input boxes, and the number of its
// boxes.
func (k *kernel) boxesOf(r *ops.Run, image, class int) (first, n int) {
	if !k.own {
		return image * k.boxes, k.boxes
	}
	starts := k.starts.In(r)
	return class*k.boxes + int(starts[image]), int(starts[image+1] - starts[image])
}

// locate implements detection.Picks.
func (k *kernel) locate(r *ops.Run, image, class, box int) (from, index int) {
	first, _ := k.boxesOf(r, image, class)
	if k.own {
		return first + box, (first+box-class*k.boxes)*k.classes + class
	}
	return first + box, first + box
}

// selectPart selects the boxes of rows lo to hi-1.
func (k *kernel) selectPart(r *ops.Run, worker, lo, hi int) error {
	meter := r.Stop.Meter()
	for row := lo; row < hi; row++ {
		n := 0
		if image, class := row/k.classes, row%k.classes; class != k.background && k.picks.Limit > 0 {
			n = k.selectBoxes(r, worker, image, class, k.picks.Row(r, row), &meter)
		}
		k.picks.SetCount(r, row, n)
		if meter.Spent(1) {
			return parallel.ErrStopped
		}
	}
	return nil
}

// selectBoxes writes the selected boxes of a row to into, and returns their number.
func (k *kernel) selectBoxes(r *ops.Run, worker, image, class int, into []detection.Candidate[float32], meter *parallel.Meter) int {
	first, n := k.boxesOf(r, image, class)
	at := first // the row of scores
	if !k.own {
		at = (image*k.classes + class) * k.boxes
	}
	candidates := k.rows.Best(r, worker, r.Inputs[scoresPort], at, n, detection.Before(k.score), k.picks.Limit, meter)

	threshold, extent := k.overlap, float32(1)
	if k.normalized {
		extent = 0
	}
	boxes, selection := detection.ReaderOf[float32](r.Inputs[boxesPort]), k.selections.New(r, worker, detection.Before(threshold), extent)
	for _, c := range candidates {
		n := selection.Len()
		if meter.Spent(n + 50) {
			break
		}
		i := 4 * (first + int(c.Index))
		box := detection.BoxOf(boxes.At(i), boxes.At(i+1), boxes.At(i+2), boxes.At(i+3), extent)
		if !selection.Add(&box) {
			continue
		}
		into[n] = c
		if k.eta < 1 && threshold > 0.5 {
			threshold *= k.eta
			selection.Above = detection.Before(threshold)
		}
	}
	return selection.Len()
}
