package roialign

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/sampling"
)

// layer describes a layer whose shapes are known.
type layer struct {
	*attributes
	images, h, w     int // of data
	regions          int
	pooledH, pooledW int
	ratio            int
}

// prepare returns the kernel, which computes the positions of the samples of a region once for all
// channels.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(*attributes)
	data := p.InputShape(0)
	out, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	if t := p.Inputs[2].Type; !sampling.IsInteger(t) {
		return nil, faults.Errorf("batch_indices is %v, expected integers of 8 to 64 bits", t)
	}
	if at.samplingRatio > sampling.MaxRatio {
		return nil, faults.Errorf("sampling_ratio is %d, at most %d samples along an axis of a bin are computed", at.samplingRatio, sampling.MaxRatio)
	}
	l := &layer{
		attributes: at, images: data[0], h: data[2], w: data[3],
		regions: out[0], pooledH: out[2], pooledW: out[3], ratio: int(max(at.samplingRatio, -1)),
	}
	s := &sampling.Layer{
		Images: []int{0}, Items: l.regions, Points: l.pooledH * l.pooledW, Quads: l.quads(), Elements: l.h + l.w,
		Count: l.count,
	}
	if p.Inputs[0].Type == ir.F64 {
		return sampling.Kernel(p, s, part[float64](l))
	}
	return sampling.Kernel(p, s, part[float32](l))
}

// quads returns the number of samples of all regions. If it depends on them, it is that of regions
// that cover the image.
func (l *layer) quads() float64 {
	y, x := float64(max(l.ratio, 0))*float64(l.pooledH), float64(max(l.ratio, 0))*float64(l.pooledW)
	if l.ratio == 0 {
		y, x = float64(l.h+l.pooledH), float64(l.w+l.pooledW)
	}
	return y * x * float64(l.regions)
}

// count returns the number of regions before the first one without an image.
func (l *layer) count(r *ops.Run) int {
	for i := range l.regions {
		if sampling.Integer(r.Inputs[2], i) == -1 {
			return i
		}
	}
	return l.regions
}

// part returns the function that computes bins of a region.
func part[T sampling.Float](l *layer) sampling.Part[T] {
	return func(w *sampling.Worker[T], region, lo, hi int) error {
		n := sampling.Integer(w.Run.Inputs[2], region)
		if n < 0 || n >= int64(l.images) {
			return faults.Errorf("batch_indices[%d] is %d, data has %d images", region, n, l.images)
		}
		image := w.Image(0, int(n))
		if l.rotated {
			rotated(w, l, &image, region, lo, hi)
			return nil
		}
		y, x := spans[T](l, w.Run.Inputs[1], region)
		if l.mode == "max" {
			w.Maximum(&image, &y, &x, l.pooledW, lo, hi)
		} else {
			w.Average(&image, &y, &x, l.pooledW, lo, hi)
		}
		return nil
	}
}

// spans returns a region along both axes.
func spans[T sampling.Float](l *layer, rois *ir.Tensor, region int) (y, x sampling.Span[T]) {
	var c [4]T // x1, y1, x2, y2
	sampling.Load(c[:], rois, 4*region)
	var before, after T // added before and after the coordinates are scaled
	switch l.alignedMode {
	case "half_pixel_for_nn":
		after = -0.5
	case "half_pixel":
		before, after = 0.5, -0.5
	}
	for i := range c {
		c[i] = T((c[i]+before)*T(l.spatialScale)) + after
	}
	width, height := c[2]-c[0], c[3]-c[1]
	if l.alignedMode == "asymmetric" {
		width, height = max(width, 1), max(height, 1)
	}
	return sampling.NewSpan(c[1], height, l.pooledH, l.ratio, l.h), sampling.NewSpan(c[0], width, l.pooledW, l.ratio, l.w)
}
