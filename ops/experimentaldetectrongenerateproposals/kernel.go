package experimentaldetectrongenerateproposals

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

// prepare returns a kernel that sorts the boxes by score, refines the best of them, and selects
// those that do not overlap much.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	if p.Inputs[0].Type == ir.F64 {
		return prepareFor[float64](p)
	}
	return prepareFor[float32](p)
}

func prepareFor[T detection.Float](p *ops.Preparation) (*ops.Prepared, error) {
	a := p.Attributes.(attributes)
	t := p.Inputs[0].Type
	shapes := [4]ir.Shape{}
	for i := range shapes {
		shapes[i] = p.InputShape(i)
	}
	anchors, deltas, scores := shapes[1], shapes[2], shapes[3]
	if anchors[0] != scores.Elements() || deltas[0] != 4*scores[0] {
		return nil, faults.Errorf("anchors has shape %v, deltas %v, scores %v: their numbers of boxes differ", anchors, deltas, scores)
	}
	if a.preNMSCount <= 0 {
		return nil, faults.Errorf("pre_nms_count is %d, expected a number above 0", a.preNMSCount)
	}
	if _, err := p.OutputShape(0); err != nil {
		return nil, faults.Errorf("post_nms_count is %d: %w", a.postNMSCount, err)
	}
	k := &kernel[T]{regions: int(a.postNMSCount), minSize: T(float32(a.minSize))}
	var scratch ops.Scratch
	var err error
	if k.grid, err = detection.NewGrid[T](&scratch, t, 1, scores[0], scores[1], scores[2], int(min(a.preNMSCount, math.MaxInt32))); err != nil {
		return nil, err
	}
	// OpenVINO counts the pixels of both corners when it refines and measures boxes, not when it
	// compares them.
	k.refine = detection.Refinement[T]{Extent: 1, Inset: 1, MaxLog: detection.MaxDeltaLog}
	k.picker = detection.Picker[T]{Above: T(float32(a.nmsThreshold)), Limit: k.regions}
	best := float64(k.grid.Limit())
	return &ops.Prepared{
		Kernel: k.run, ScratchBytes: scratch.Bytes(),
		Flops: 20*float64(k.grid.Boxes()) + 50*best + 10*best*min(best, float64(k.regions)),
	}, nil
}

type kernel[T detection.Float] struct {
	regions int // the length of the outputs
	grid    *detection.Grid[T]
	refine  detection.Refinement[T]
	picker  detection.Picker[T]
	minSize T
}

func (k *kernel[T]) run(r *ops.Run) error {
	meter := r.Stop.Meter()
	list := k.grid.Image(r, 0)
	k.grid.Sort(&list, r.Inputs[3], 0, &meter)
	height, width := k.grid.At(r.Inputs[0], 0), k.grid.At(r.Inputs[0], 1)
	for i, c := range list.Candidates {
		// The list gets the boxes that count out of the first ones.
		if i >= k.grid.Limit() || meter.Spent(32) {
			break
		}
		box := detection.Clip(k.refined(r, int(c.Index)), width-1, height-1)
		if c.Score != 0 && k.minSize <= box[2]-box[0]+1 && k.minSize <= box[3]-box[1]+1 {
			list.Add(box, c)
		}
	}
	list.Pick(&k.picker, &meter)
	for i := range k.regions {
		if meter.Spent(8) {
			return parallel.ErrStopped
		}
		box, score := [4]T{}, T(0)
		if i < list.Len() {
			box, score = list.Box(i), list.Candidates[i].Score
		}
		for j, v := range box {
			detection.WriteNumber(r.Outputs[0], 4*i+j, v)
		}
		detection.WriteNumber(r.Outputs[1], i, score)
	}
	return nil
}

// refined returns a box.
func (k *kernel[T]) refined(r *ops.Run, box int) [4]T {
	var b [4]T
	for i := range b {
		b[i] = k.grid.At(r.Inputs[1], 4*box+i)
	}
	return k.refine.Apply(b,
		k.grid.Delta(r.Inputs[2], 0, box, 0), k.grid.Delta(r.Inputs[2], 0, box, 1),
		k.grid.Delta(r.Inputs[2], 0, box, 2), k.grid.Delta(r.Inputs[2], 0, box, 3))
}
