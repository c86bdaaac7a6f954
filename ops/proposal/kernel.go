package proposal

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

// prepare returns a kernel that sorts the boxes of each image by score, refines the best of them,
// and selects those that do not overlap much.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	if p.Inputs[0].Type == ir.F64 {
		return prepareFor[float64](p)
	}
	return prepareFor[float32](p)
}

func prepareFor[T detection.Float](p *ops.Preparation) (*ops.Prepared, error) {
	a := p.Attributes.(attributes)
	t := p.Inputs[0].Type
	for i, name := range [...]string{"class_probs", "bbox_deltas", "image_shape"} {
		if other := p.Inputs[i].Type; other != t {
			return nil, faults.Errorf("%s is %v, class_probs is %v", name, other, t)
		}
	}
	shape := p.InputShape(0)
	image := p.InputShape(2)
	if _, err := p.OutputShape(0); err != nil {
		return nil, faults.Errorf("post_nms_topn is %d: %w", a.postNMSTopN, err)
	}
	if a.preNMSTopN <= 0 {
		return nil, faults.Errorf("pre_nms_topn is %d, expected a number above 0", a.preNMSTopN)
	}
	tensorflow := a.framework == "tensorflow"
	if !tensorflow && a.framework != "" && a.framework != "caffe" {
		return nil, faults.Errorf("framework is %q, expected %q, %q or none", a.framework, "tensorflow", "caffe")
	}
	k := &kernel[T]{
		attributes: a, tensorflow: tensorflow, images: shape[0], channels: shape[1],
		kept: int(min(a.preNMSTopN, math.MaxInt32)), regions: int(a.postNMSTopN), scales: image[0] - 2,
	}
	// class_probs can be empty, whatever the anchors are: then the attributes do not limit their
	// memory.
	if n := int64(len(a.ratio)) * int64(len(a.scale)); int64(shape[1]) != 2*n {
		return nil, faults.Errorf("class_probs has shape %v, ratio and scale describe %d anchors, which need %d channels", shape, n, 2*n)
	}
	deltas := p.InputShape(1)
	// The shape rule follows OpenVINO's, which does not compare the maps.
	if !slices.Equal(deltas[2:], shape[2:]) {
		return nil, faults.Errorf("bbox_deltas has shape %v, class_probs has shape %v: the heights or widths of their maps differ", deltas, shape)
	}
	var err error
	if k.anchors, err = anchors[T](p, &a, tensorflow); err != nil {
		return nil, err
	}
	var scratch ops.Scratch
	if k.grid, err = detection.NewGrid[T](&scratch, t, shape[0], shape[1]/2, shape[2], shape[3], k.kept); err != nil {
		return nil, err
	}
	k.refine.MaxLog = T(math.Inf(1))
	k.picker = detection.Picker[T]{Above: T(float32(a.nmsThresh)), Limit: k.regions}
	if !tensorflow {
		k.refine.Extent, k.picker.Extent = 1, 1
	}
	k.part = k.run
	kept := float64(min(k.grid.Boxes(), k.kept))
	return &ops.Prepared{
		Kernel:       func(r *ops.Run) error { return k.start(r) },
		ScratchBytes: scratch.Bytes(),
		Flops:        float64(k.images) * (50*float64(k.grid.Boxes()) + 10*kept*min(kept, float64(k.regions))),
	}, nil
}

// anchors returns the boxes that are refined, around the origin.
func anchors[T detection.Float](p *ops.Preparation, a *attributes, tensorflow bool) ([][4]T, error) {
	if err := p.Reserve(memory.Size[[4]T](len(a.ratio), len(a.scale))); err != nil {
		return nil, err
	}
	out := make([][4]T, 0, len(a.ratio)*len(a.scale))
	base := float64(a.baseSize)
	for i, ratio := range a.ratio {
		if !(ratio > 0) {
			return nil, faults.Errorf("ratio[%d] is %v, expected a number above 0", i, ratio)
		}
		if p.Stop.Requested() {
			return nil, parallel.ErrStopped
		}
		w := math.Sqrt(base * base / ratio)
		if !tensorflow {
			w = round(math.Sqrt(float64(float32(base * base / ratio))))
		}
		h := w * ratio
		if !tensorflow {
			h = round(h)
		}
		for _, scale := range a.scale {
			x, y := w*scale/2, h*scale/2
			if tensorflow {
				out = append(out, [4]T{T(-x), T(-y), T(x), T(y)})
				continue
			}
			// The pixels from 0 to base-1 have their centre at (base-1)/2.
			c := (base - 1) / 2
			x, y = x-0.5, y-0.5
			out = append(out, [4]T{T(c - x), T(c - y), T(c + x), T(c + y)})
		}
	}
	return out, nil
}

// round rounds to whole pixels. What it rounds must have the precision of float32, as in OpenVINO.
func round(v float64) float64 { return math.Round(float64(float32(v))) }

type kernel[T detection.Float] struct {
	attributes
	tensorflow       bool
	images, channels int
	kept, regions    int // the greatest numbers of boxes before and after the suppression
	scales           int // the number of scales in image_shape
	anchors          [][4]T
	grid             *detection.Grid[T]
	refine           detection.Refinement[T]
	picker           detection.Picker[T]
	part             ops.Part
}

// picture is the size of the image, and of the smallest boxes.
type picture[T detection.Float] struct {
	width, height       T
	minWidth, minHeight T
}

func (k *kernel[T]) start(r *ops.Run) error {
	if _, err := k.picture(r); err != nil {
		return err
	}
	return r.For(k.images, 1, k.part)
}

// picture reads image_shape.
func (k *kernel[T]) picture(r *ops.Run) (picture[T], error) {
	var v [4]T
	for i := range 2 + k.scales {
		v[i] = k.grid.At(r.Inputs[2], i)
		if f := float64(v[i]); f < 0 || i < 2 && f < 0x1p-126 || !(f <= math.MaxFloat64) {
			return picture[T]{}, faults.Errorf("image_shape[%d] is %v, expected a size above 0 or a scale of at least 0", i, f)
		}
	}
	if k.scales == 1 {
		v[3] = v[2]
	}
	least := T(k.minSize)
	s := picture[T]{height: v[0], width: v[1], minHeight: least * v[2], minWidth: least * v[3]}
	if k.tensorflow {
		s.height, s.width = s.width, s.height
	}
	return s, nil
}

// run computes images lo to hi-1.
func (k *kernel[T]) run(r *ops.Run, lo, hi int) error {
	size, err := k.picture(r)
	if err != nil {
		return err
	}
	plane := k.grid.Height * k.grid.Width
	meter := r.Stop.Meter()
	for image := lo; image < hi; image++ {
		list := k.grid.Image(r, image)
		// The scores of the background come first.
		scores, deltas := (image*k.channels+k.channels/2)*plane, image*2*k.channels*plane
		k.grid.Sort(&list, r.Inputs[0], scores, &meter)
		if !k.best(&list, r.Inputs[1], deltas, &size, &meter) {
			k.all(&list, r.Inputs[0], r.Inputs[1], scores, deltas, &size, &meter)
		}
		list.Pick(&k.picker, &meter)
		if meter.Spent(0) {
			return parallel.ErrStopped
		}
		k.write(r, &list, image, &size)
	}
	return nil
}

// best refines boxes in the order of their scores. It returns false if it has come to the boxes
// that are too small, whose score counts as 0, before it had as many boxes as are kept.
func (k *kernel[T]) best(list *detection.Proposals[T], deltas *ir.Tensor, at int, size *picture[T], meter *parallel.Meter) bool {
	for _, c := range list.Candidates {
		if list.Full() || meter.Spent(32) {
			return true
		}
		if !(c.Score > 0) {
			return false
		}
		if box := k.refined(deltas, at, int(c.Index), size); k.large(&box, size) {
			list.Add(box, c)
		}
	}
	return list.Full()
}

// all refines all boxes, sets the scores of small ones to 0, and sorts the boxes again.
func (k *kernel[T]) all(list *detection.Proposals[T], probs, deltas *ir.Tensor, scoresAt, deltasAt int, size *picture[T], meter *parallel.Meter) {
	list.Clear()
	plane := k.grid.Height * k.grid.Width
	for i := range list.Candidates {
		if meter.Spent(32) {
			return
		}
		score := k.grid.At(probs, scoresAt+i%k.grid.Anchors*plane+i/k.grid.Anchors)
		if box := k.refined(deltas, deltasAt, i, size); !k.large(&box, size) {
			score *= 0 // NaN stays as it is
		}
		list.Candidates[i] = detection.Candidate[T]{Score: score, Index: int32(i)}
	}
	list.Resort(meter)
	for _, c := range list.Candidates {
		if list.Full() || meter.Spent(32) {
			return
		}
		list.Add(k.refined(deltas, deltasAt, int(c.Index), size), c)
	}
}

// refined returns a box of an image.
func (k *kernel[T]) refined(deltas *ir.Tensor, at, box int, size *picture[T]) [4]T {
	point := box / k.grid.Anchors
	x, y := point%k.grid.Width, point/k.grid.Width
	if k.tensorflow {
		x, y = y, x
	}
	b := k.anchors[box%k.grid.Anchors]
	stride := T(k.featStride)
	b[0], b[1], b[2], b[3] = b[0]+T(T(x)*stride), b[1]+T(T(y)*stride), b[2]+T(T(x)*stride), b[3]+T(T(y)*stride)
	if k.tensorflow {
		b = detection.Clip(b, size.width, size.height)
	}
	move, stretch := T(k.boxCoordinateScale), T(k.boxSizeScale)
	b = k.refine.Apply(b,
		k.grid.Delta(deltas, at, box, 0)/move, k.grid.Delta(deltas, at, box, 1)/move,
		k.grid.Delta(deltas, at, box, 2)/stretch, k.grid.Delta(deltas, at, box, 3)/stretch)
	if k.clipBeforeNMS {
		b = detection.Clip(b, size.width-k.refine.Extent, size.height-k.refine.Extent)
	}
	return b
}

// large reports whether a box has the smallest size or more.
func (k *kernel[T]) large(b *[4]T, size *picture[T]) bool {
	return size.minWidth <= b[2]-b[0]+k.refine.Extent && size.minHeight <= b[3]-b[1]+k.refine.Extent
}

// write writes the regions of an image.
func (k *kernel[T]) write(r *ops.Run, list *detection.Proposals[T], image int, size *picture[T]) {
	for i := range k.regions {
		at := image*k.regions + i
		row := [5]T{}
		score := T(0)
		if i < list.Len() {
			b := list.Box(i)
			if k.clipAfterNMS {
				b = detection.Clip(b, size.width, size.height)
			}
			if k.normalize {
				b = [4]T{b[0] / size.width, b[1] / size.height, b[2] / size.width, b[3] / size.height}
			}
			row = [5]T{T(image), b[0], b[1], b[2], b[3]}
			score = list.Candidates[i].Score
		} else if i == list.Len() {
			row[0] = -1 // the end
		}
		for j, v := range row {
			detection.WriteNumber(r.Outputs[0], 5*at+j, v)
		}
		if k.probabilities {
			detection.WriteNumber(r.Outputs[1], at, score)
		}
	}
}
