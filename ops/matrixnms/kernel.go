package matrixnms

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
)

// kernel lowers the scores of each row, a class of an image.
type kernel struct {
	*attributes
	images, classes, boxes int
	loadScores             detection.Loader[float32]
	converts               bool // scores is not f32

	decayRows ops.Step
	// The memory of each worker; rowScores if converts.
	rowScores         ops.Area[float32]
	candidates, spare ops.Area[detection.Candidate[float32]]
	corners           ops.Area[detection.Box[float32]] // of the candidates
	most              ops.Area[float32]                // the greatest IoU with a better candidate
	picks             detection.Picks[float32]
}

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(*attributes)
	scores := p.InputShape(scoresPort)
	k := &kernel{attributes: at, images: scores[0], classes: scores[1], boxes: scores[2]}
	var err error
	if k.loadScores, err = detection.LoaderOf[float32]("scores", p.Inputs[scoresPort].Type); err != nil {
		return nil, err
	}
	limit := k.boxes
	if at.nmsTopK >= 0 {
		limit = min(limit, int(at.nmsTopK))
	}
	if memory.Size[uint8](k.images, max(k.classes, 1), max(k.boxes, 1)) > math.MaxInt32 {
		return nil, faults.Errorf("%d boxes of %d classes and %d images are more than 32 bits can count", k.boxes, k.classes, k.images)
	}
	rows := k.images * k.classes
	k.decayRows = detection.Rows(p, rows, k.boxes, k.decayPart)
	workers := k.decayRows.Workers
	k.picks = detection.Picks[float32]{
		Images: k.images, Classes: k.classes, Limit: limit, KeepTopK: int(at.keepTopK), AcrossBatch: at.acrossBatch && at.sort != "none",
		Known: p.Outputs[0].Shape.IsStatic(), Locate: k.locate,
	}
	if at.sort == "classid" && at.acrossBatch {
		k.picks.Order = detection.ByClass
	}
	var s ops.Scratch
	if k.converts = p.Inputs[scoresPort].Type != ir.F32; k.converts {
		k.rowScores = ops.AreasOf[float32](&s, workers, k.boxes)
	}
	k.candidates = ops.AreasOf[detection.Candidate[float32]](&s, workers, k.boxes)
	k.spare = ops.AreasOf[detection.Candidate[float32]](&s, workers, k.boxes)
	k.corners = ops.AreasOf[detection.Box[float32]](&s, workers, limit)
	k.most = ops.AreasOf[float32](&s, workers, limit)
	k.picks.LayOut(&s)
	flops := float64(rows) * (float64(k.boxes) + 10*float64(limit)*float64(limit))
	return &ops.Prepared{Kernel: k.run, ScratchBytes: s.Bytes(), Flops: flops}, nil
}

func (k *kernel) run(r *ops.Run) error {
	if err := k.decayRows.Run(r); err != nil {
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
	var converted []float32
	if k.converts {
		converted = k.rowScores.Of(r, worker)
	}
	spare, limit := k.spare.Of(r, worker), k.picks.Limit
	candidates := detection.Above(meter, k.candidates.Of(r, worker)[:0],
		k.loadScores(converted, r.Inputs[scoresPort], row*k.boxes, k.boxes), k.score)
	candidates = candidates[:detection.Best(meter, candidates, spare, limit)]
	detection.Sort(meter, candidates, spare)
	candidates = candidates[:min(len(candidates), limit)]

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
