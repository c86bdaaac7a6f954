package generateproposals

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

// prepare returns a kernel that sorts the boxes of each image by score, refines the best of them,
// and selects those that do not overlap much. The regions stay in the scratch memory until their
// number is known.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	if p.Inputs[0].Type == ir.F64 {
		return prepareFor[float64](p)
	}
	return prepareFor[float32](p)
}

func prepareFor[T detection.Float](p *ops.Preparation) (*ops.Prepared, error) {
	a := p.Attributes.(attributes)
	t := p.Inputs[0].Type
	for i, name := range [...]string{"im_info", "anchors", "deltas", "scores"} {
		if other := p.Inputs[i].Type; other != t {
			return nil, faults.Errorf("%s is %v, im_info is %v", name, other, t)
		}
	}
	info := p.InputShape(0)
	anchors := p.InputShape(1)
	shape := p.InputShape(3)
	if deltas := p.InputShape(2); deltas[0] != shape[0] || info[0] != shape[0] || deltas[1] != 4*shape[1] {
		return nil, faults.Errorf("im_info has shape %v, deltas %v, scores %v", info, p.Inputs[2].Shape, shape)
	}
	k := &kernel[T]{images: shape[0], values: info[1], anchors: anchors, known: p.Outputs[0].Shape.IsStatic() && p.Outputs[1].Shape.IsStatic()}
	var scratch ops.Scratch
	kept := int(min(a.preNMSCount, math.MaxInt32))
	var err error
	if k.grid, err = detection.NewGrid[T](&scratch, t, shape[0], shape[1], shape[2], shape[3], kept); err != nil {
		return nil, err
	}
	k.counts = ops.AreaOf[int64](&scratch, k.images)
	k.minSize = T(float32(a.minSize))
	k.refine.MaxLog = detection.MaxDeltaLog
	if !a.normalized {
		k.refine.Extent, k.refine.Inset = 1, 1
	}
	k.picker = detection.Picker[T]{Above: T(float32(a.nmsThreshold)), Extent: k.refine.Extent, Limit: int(min(a.postNMSCount, math.MaxInt32))}
	k.part = k.run
	best := float64(min(k.grid.Boxes(), kept))
	return &ops.Prepared{
		Kernel: k.start, ScratchBytes: scratch.Bytes(),
		Flops: float64(k.images) * (20*float64(k.grid.Boxes()) + 50*best + 10*best*min(best, float64(a.postNMSCount))),
	}, nil
}

type kernel[T detection.Float] struct {
	images  int
	values  int // the number of values of im_info for an image
	anchors ir.Shape
	known   bool // the shapes of the regions were inferred
	grid    *detection.Grid[T]
	counts  ops.Area[int64] // the number of regions of each image
	refine  detection.Refinement[T]
	picker  detection.Picker[T]
	minSize T
	part    ops.Part
}

func (k *kernel[T]) start(r *ops.Run) error {
	if err := r.For(k.images, 1, k.part); err != nil {
		return err
	}
	counts, total := k.counts.In(r), 0
	for _, n := range counts {
		total += int(n)
	}
	if !k.known {
		if err := r.SetShape(0, total, 4); err != nil {
			return err
		}
		if err := r.SetShape(1, total); err != nil {
			return err
		}
	}
	if rows := r.Outputs[0].Shape()[0]; rows != total {
		return faults.Errorf("the output has %d rows, there are %d regions", rows, total)
	}
	at, meter := 0, r.Stop.Meter()
	for image, n := range counts {
		if meter.Spent(16) {
			return parallel.ErrStopped
		}
		list := k.grid.Image(r, image)
		for i := range int(n) {
			if meter.Spent(20) {
				return parallel.ErrStopped
			}
			for j, v := range list.Box(i) {
				detection.WriteNumber(r.Outputs[0], 4*at+j, v)
			}
			detection.WriteNumber(r.Outputs[1], at, list.Candidates[i].Score)
			at++
		}
		if num := r.Outputs[2]; num.ElementType() == ir.I32 {
			ir.Data[int32](num)[image] = int32(n)
		} else {
			ir.Data[int64](num)[image] = n
		}
	}
	return nil
}

// run finds the regions of images lo to hi-1.
func (k *kernel[T]) run(r *ops.Run, lo, hi int) error {
	counts, meter := k.counts.In(r), r.Stop.Meter()
	for image := lo; image < hi; image++ {
		list := k.grid.Image(r, image)
		k.grid.Sort(&list, r.Inputs[3], image*k.grid.Boxes(), &meter)
		var info [4]T
		for i := range k.values {
			info[i] = k.grid.At(r.Inputs[0], image*k.values+i)
		}
		if k.values == 3 {
			info[3] = info[2]
		}
		extent := k.refine.Extent
		for i, c := range list.Candidates {
			// The list gets the boxes that are large enough out of the first ones.
			if i >= k.grid.Limit() || meter.Spent(32) {
				break
			}
			box := detection.Clip(k.refined(r, image, int(c.Index)), info[1]-extent, info[0]-extent)
			if k.minSize*info[3] <= box[2]-box[0]+extent && k.minSize*info[2] <= box[3]-box[1]+extent {
				list.Add(box, c)
			}
		}
		list.Pick(&k.picker, &meter)
		if meter.Spent(0) {
			return parallel.ErrStopped
		}
		counts[image] = int64(list.Len())
	}
	return nil
}

// refined returns a box of an image.
func (k *kernel[T]) refined(r *ops.Run, image, box int) [4]T {
	var b [4]T
	for i := range b {
		b[i] = k.grid.At(r.Inputs[1], 4*box+i)
	}
	at := 4 * image * k.grid.Boxes()
	return k.refine.Apply(b,
		k.grid.Delta(r.Inputs[2], at, box, 0), k.grid.Delta(r.Inputs[2], at, box, 1),
		k.grid.Delta(r.Inputs[2], at, box, 2), k.grid.Delta(r.Inputs[2], at, box, 3))
}
