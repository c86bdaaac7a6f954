package matrixnms

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

// The input ports.
const (
	boxesPort = iota
	scoresPort
)

// kernel lowers the scores of each row, a class of an image.
type kernel struct {
	*attributes
	images, classes, boxes int

	rows detection.Rows[float32]
	// The memory of each worker.
	corners ops.Area[detection.Box[float32]] // of the candidates
	most    ops.Area[float32]                // the greatest IoU with a better candidate
	picks   detection.Picks[float32]
}

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(*attributes)
	scores := p.InputShape(scoresPort)
	k := &kernel{attributes: at, images: scores[0], classes: scores[1], boxes: scores[2]}
	limit := k.boxes
	if at.nmsTopK >= 0 {
		limit = min(limit, int(at.nmsTopK))
	}
	if memory.Size[uint8](k.images, max(k.classes, 1), max(k.boxes, 1)) > math.MaxInt32 {
		return nil, faults.Errorf("%d boxes of %d classes and %d images are more than 32 bits can count", k.boxes, k.classes, k.images)
	}
	rows := k.images * k.classes
	var s ops.Scratch
	var err error
	if k.rows, err = detection.NewRows[float32](p, &s, "scores", p.Inputs[scoresPort].Type, rows, k.boxes, k.decayPart); err != nil {
		return nil, err
	}
	k.picks = detection.Picks[float32]{
		Images: k.images, Classes: k.classes, Limit: limit, KeepTopK: int(at.keepTopK), AcrossBatch: at.acrossBatch && at.sort != "none",
		Known: p.Outputs[0].Shape.IsStatic(), Locate: k.locate,
	}
	if at.sort == "classid" && at.acrossBatch {
		k.picks.Order = detection.ByClass
	}
	k.corners, k.most = ops.AreasOf[detection.Box[float32]](&s, k.rows.Workers, limit), ops.AreasOf[float32](&s, k.rows.Workers, limit)
	k.picks.LayOut(&s)
	flops := float64(rows) * (float64(k.boxes) + 10*float64(limit)*float64(limit))
	return &ops.Prepared{Kernel: k.run, ScratchBytes: s.Bytes(), Flops: flops}, nil
}

func (k *kernel) run(r *ops.Run) error {
	if err := k.rows.Run(r); err != nil {
		return err
	}
	return k.picks.Write(r)
}

// locate implements detection.Picks.
func (k *kernel) locate(_ *ops.Run, image, _, box int) (from, index int) {
	return image*k.boxes + box, image*k.boxes + box
}

// decayPart computes rows lo to hi-1.
func (k *kernel) decayPart(r *ops.Run, worker, lo, hi int) error {
	meter := r.Stop.Meter()
	for row := lo; row < hi; row++ {
		n := 0
		if row%k.classes != int(k.backgroundClass) && k.picks.Limit > 0 {
			n = k.decayRow(r, worker, row, &meter)
		}
		k.picks.SetCount(r, row, n)
		if meter.Spent(1) {
			return parallel.ErrStopped
		}
	}
	return nil
}

// decayRow lowers the scores of the candidates of a row, and picks those that stay above
// post_threshold. It returns their number.
func (k *kernel) decayRow(r *ops.Run, worker, row int, meter *parallel.Meter) int {
	candidates := k.rows.Best(r, worker, r.Inputs[scoresPort], row*k.boxes, k.boxes, k.score, k.picks.Limit, meter)

	extent := float32(1)
	if k.normalized {
		extent = 0
	}
	boxes, corners, most := detection.ReaderOf[float32](r.Inputs[boxesPort]), k.corners.Of(r, worker), k.most.Of(r, worker)
	into, n := k.picks.Row(r, row), 0
	for i, c := range candidates {
		at := 4 * (row/k.classes*k.boxes + int(c.Index))
		corners[i] = detection.BoxOf(boxes.At(at), boxes.At(at+1), boxes.At(at+2), boxes.At(at+3), extent)
		var decay float32
		if decay, most[i] = k.decay(corners[:i+1], most, extent); decay < 1 {
			c.Score *= decay
		}
		if c.Score > k.postThreshold {
			into[n] = c
			n++
		}
		if meter.Spent(8*i + 50) {
			break
		}
	}
	detection.SortBy(meter, into[:n], detection.Compare[float32])
	return n
}

// decay returns the factor for the score of the last box, of at most 1, and its greatest IoU with a
// box before. most has the latter for the boxes before.
func (k *kernel) decay(boxes []detection.Box[float32], most []float32, extent float32) (factor, greatest float32) {
	last := &boxes[len(boxes)-1]
	factor = 1
	for i := range boxes[:len(boxes)-1] {
		b := &boxes[i]
		iou := float32(0)
		// Boxes apart have no common area, even if less than the extent is between them.
		if !(b.X1 > last.X2 || b.X2 < last.X1 || b.Y1 > last.Y2 || b.Y2 < last.Y1) {
			iou = last.IoU(b, extent)
		}
		if iou > greatest {
			greatest = iou
		}
		// The factor is lowest where the difference of iou and most is greatest: without overlap it
		// is 1 or more.
		if iou <= most[i] && k.sigma >= 0 {
			continue
		}
		var f float32
		if k.gaussian {
			f = float32(math.Exp(float64((most[i]*most[i] - iou*iou) * k.sigma)))
		} else {
			f = (1 - iou) / (1 - most[i])
		}
		if f < factor {
			factor = f
		}
	}
	return factor, greatest
}
