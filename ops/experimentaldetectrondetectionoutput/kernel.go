package experimentaldetectrondetectionoutput

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

// prepare returns a kernel that selects the boxes of each class, of which it refines only those
// with a score above the threshold, and then the best of all classes.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	if p.Inputs[0].Type == ir.F64 {
		return prepareFor[float64](p)
	}
	return prepareFor[float32](p)
}

func prepareFor[T detection.Float](p *ops.Preparation) (*ops.Prepared, error) {
	a := p.Attributes.(attributes)
	t := p.Inputs[0].Type
	rois := p.InputShape(0)
	scores := p.InputShape(2)
	if _, err := p.OutputShape(0); err != nil {
		return nil, faults.Errorf("max_detections_per_image is %d: %w", a.maxDetections, err)
	}
	if n := len(a.deltasWeights); n != 4 {
		return nil, faults.Errorf("deltas_weights has %d numbers, expected 4", n)
	}
	if a.postNMSCount < -1 {
		return nil, faults.Errorf("post_nms_count is %d, expected -1 or more", a.postNMSCount)
	}
	k := &kernel[T]{
		regions: rois[0], classes: scores[1], most: int(a.maxDetections), threshold: T(float32(a.scoreThreshold)),
		refine: detection.Refinement[T]{Extent: 1, Inset: 1, MaxLog: T(float32(a.maxDeltaLogWH))},
		picker: detection.Picker[T]{Above: T(float32(a.nmsThreshold)), Extent: 1, Limit: rois[0]},
	}
	if a.postNMSCount >= 0 {
		k.picker.Limit = int(min(a.postNMSCount, int64(k.regions)))
	}
	for i, weight := range a.deltasWeights {
		k.weights[i] = T(float32(weight))
	}
	if n := memory.Size[int8](k.regions, k.classes); n > math.MaxInt32 {
		return nil, faults.Errorf("scores has %d elements, more than fit 32 bits", n)
	}
	var scratch ops.Scratch
	// The lists are those of images of one row, one for each class.
	var err error
	if k.grid, err = detection.NewGrid[T](&scratch, t, k.classes, 1, 1, k.regions, k.regions); err != nil {
		return nil, err
	}
	k.counts, k.picked = ops.AreaOf[int32](&scratch, k.classes), ops.AreaOf[int32](&scratch, k.regions, k.classes)
	k.all, k.spare = ops.AreaOf[detection.Candidate[T]](&scratch, k.regions, k.classes), ops.AreaOf[detection.Candidate[T]](&scratch, k.regions, k.classes)
	k.part = k.selectClasses
	boxes := float64(k.regions) * float64(k.classes)
	return &ops.Prepared{
		Kernel: k.run, ScratchBytes: scratch.Bytes(),
		// All boxes can be above the threshold.
		Flops: boxes * (50 + 10*float64(k.picker.Limit)),
	}, nil
}

type kernel[T detection.Float] struct {
	regions, classes int
	most             int // the length of the outputs
	threshold        T
	weights          [4]T
	refine           detection.Refinement[T]
	picker           detection.Picker[T]
	grid             *detection.Grid[T]
	counts           ops.Area[int32] // the number of boxes selected for each class
	// for each element of scores, 0 or 1 plus the position of the box in its list
	picked     ops.Area[int32]
	all, spare ops.Area[detection.Candidate[T]]
	part       ops.Part
}

func (k *kernel[T]) run(r *ops.Run) error {
	if err := r.For(k.classes, 1, k.part); err != nil {
		return err
	}
	total := 0
	for _, n := range k.counts.In(r) {
		total += int(n)
	}
	meter := r.Stop.Meter()
	row := 0
	if total > k.most {
		row = k.best(r, &meter)
	} else {
		for class, n := range k.counts.In(r) {
			list := k.grid.Image(r, class)
			for i := range int(n) {
				if meter.Spent(20) {
					return parallel.ErrStopped
				}
				k.write(r, row, list.Box(i), class, list.Candidates[i].Score)
				row++
			}
		}
	}
	for ; row < k.most && !meter.Spent(8); row++ {
		k.write(r, row, [4]T{}, 0, 0)
	}
	return r.Stop.Err()
}

func (k *kernel[T]) write(r *ops.Run, row int, box [4]T, class int, score T) {
	for i, v := range box {
		detection.WriteNumber(r.Outputs[0], 4*row+i, v)
	}
	ir.Data[int32](r.Outputs[1])[row] = int32(class)
	detection.WriteNumber(r.Outputs[2], row, score)
}

// best writes the boxes of the highest scores of all classes, and returns their number. Equal
// scores are in the order of their regions and classes.
func (k *kernel[T]) best(r *ops.Run, meter *parallel.Meter) int {
	picked := k.picked.In(r)
	parallel.Clear(r.Stop, picked)
	for class, n := range k.counts.In(r) {
		list := k.grid.Image(r, class)
		if meter.Spent(8*int(n) + 1) {
			return 0
		}
		for i, c := range list.Candidates[:n] {
			picked[int(c.Index)*k.classes+class] = int32(i + 1)
		}
	}
	all := k.all.In(r)
	n := 0
	for i, position := range picked {
		if meter.Spent(1) {
			return 0
		}
		if position > 0 {
			list := k.grid.Image(r, i%k.classes)
			all[n] = detection.Candidate[T]{Score: list.Candidates[position-1].Score, Index: int32(i)}
			n++
		}
	}
	detection.Sort(meter, all[:n], k.spare.In(r))
	if meter.Spent(0) {
		return 0
	}
	for row, c := range all[:k.most] {
		if meter.Spent(20) {
			return 0
		}
		class := int(c.Index) % k.classes
		list := k.grid.Image(r, class)
		k.write(r, row, list.Box(int(picked[c.Index]-1)), class, c.Score)
	}
	return k.most
}

// selectClasses selects the boxes of classes lo to hi-1. Class 0 is the background.
func (k *kernel[T]) selectClasses(r *ops.Run, lo, hi int) error {
	counts, meter := k.counts.In(r), r.Stop.Meter()
	for class := lo; class < hi; class++ {
		if counts[class] = 0; class == 0 {
			continue
		}
		list := k.grid.Image(r, class)
		n := 0
		for roi := range k.regions {
			if meter.Spent(1) {
				return parallel.ErrStopped
			}
			score := k.grid.At(r.Inputs[2], roi*k.classes+class)
			if !(score > k.threshold) && k.threshold >= 0 {
				continue
			}
			if k.empty(r, roi) {
				score = 0
			}
			if score > k.threshold {
				list.Candidates[n] = detection.Candidate[T]{Score: score, Index: int32(roi)}
				n++
			}
		}
		list.Candidates = list.Candidates[:n]
		list.Resort(&meter)
		for _, c := range list.Candidates {
			if meter.Spent(32) {
				return parallel.ErrStopped
			}
			list.Add(k.refined(r, int(c.Index), class), c)
		}
		list.Pick(&k.picker, &meter)
		if meter.Spent(0) {
			return parallel.ErrStopped
		}
		counts[class] = int32(list.Len())
	}
	return nil
}

func (k *kernel[T]) roi(r *ops.Run, roi int) [4]T {
	var b [4]T
	for i := range b {
		b[i] = k.grid.At(r.Inputs[0], 4*roi+i)
	}
	return b
}

// empty reports whether a region has no area.
func (k *kernel[T]) empty(r *ops.Run, roi int) bool {
	b := k.roi(r, roi)
	return b[2]-b[0] <= 0 || b[3]-b[1] <= 0
}

// refined returns a region as class refines it.
func (k *kernel[T]) refined(r *ops.Run, roi, class int) [4]T {
	b := k.roi(r, roi)
	if b[2]-b[0] <= 0 || b[3]-b[1] <= 0 {
		return [4]T{}
	}
	var d [4]T
	for i := range d {
		d[i] = k.grid.At(r.Inputs[1], (roi*k.classes+class)*4+i) / k.weights[i]
	}
	inf := T(math.Inf(1))
	return detection.Clip(k.refine.Apply(b, d[0], d[1], d[2], d[3]), inf, inf)
}
