package roipooling

import (
	"math"
	"slices"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/sampling"
)

// geometry holds the shapes of a layer.
type geometry struct {
	images, channels, h, w int // of data
	regions, out           int // regions, and channels of the output
	pooledH, pooledW       int
	// b if a or b is NaN; nil if there is no vector code
	maximum func(out, a, b []float32)
}

func newGeometry(p *ops.Preparation) (*geometry, error) {
	data := p.InputShape(0)
	out, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	if t := p.Inputs[1].Type; !slices.Contains(sampling.Numbers, t) {
		return nil, faults.Errorf("rois is %v, expected one of %v", t, sampling.Numbers)
	}
	if rois := p.Inputs[1].Shape; rois.At(1) != ir.Dim(5) {
		return nil, faults.Errorf("rois has shape %v, expected 5 elements for each region", rois)
	}
	return &geometry{
		images: data[0], channels: data[1], h: data[2], w: data[3], regions: out[0], out: out[1], pooledH: out[2], pooledW: out[3],
		maximum: vmath.Binary(vmath.Maximum, vmath.Rows),
	}, nil
}

// region is an element of rois: the number of an image, and the corners of a box.
type region[T sampling.Float] struct{ image, x1, y1, x2, y2 T }

func regionOf[T sampling.Float](rois *ir.Tensor, i int) region[T] {
	var v [5]T
	sampling.Load(v[:], rois, 5*i)
	return region[T]{v[0], v[1], v[2], v[3], v[4]}
}

// count returns the number of regions before the first one whose image is -1.
func (g *geometry) count(r *ops.Run) int {
	meter := r.Stop.Meter()
	for i := range g.regions {
		if meter.Spent(16) {
			return 0
		}
		if v := regionOf[float64](r.Inputs[1], i).image; v <= -1 && v > -2 {
			return i
		}
	}
	return g.regions
}

// load returns a region and its image.
func load[T sampling.Float](g *geometry, w *sampling.Worker[T], i int) (region[T], sampling.Image[T], error) {
	c := regionOf[T](w.Run.Inputs[1], i)
	if !(c.image > -1 && c.image < T(g.images)) {
		return c, sampling.Image[T]{}, faults.Errorf("rois[%d] is in image %v, data has %d images", i, c.image, g.images)
	}
	return c, w.Image(0, int(c.image)), nil
}

// prepare returns the kernel of ROIPooling.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	g, err := newGeometry(p)
	if err != nil {
		return nil, err
	}
	at := p.Attributes.(*attributes)
	points := float64(g.regions) * float64(g.pooledH) * float64(g.pooledW)
	s := &sampling.Layer{Images: []int{0}, Items: g.regions, Points: g.pooledH * g.pooledW, Quads: points, Count: g.count}
	if at.method == "max" {
		// A quad stands for four elements. Regions can cover the image.
		s.Quads = float64(g.regions) * float64(g.h+g.pooledH) * float64(g.w+g.pooledW) / 4
	}
	if p.Inputs[0].Type == ir.F64 {
		return sampling.Kernel(p, s, part[float64](g, at))
	}
	return sampling.Kernel(p, s, part[float32](g, at))
}

func part[T sampling.Float](g *geometry, at *attributes) sampling.Part[T] {
	return func(w *sampling.Worker[T], item, lo, hi int) error {
		c, image, err := load(g, w, item)
		if err != nil {
			return err
		}
		if at.method == "max" {
			maxima(g, w, &image, &c, T(at.spatialScale), lo, hi)
			return nil
		}
		var q sampling.Quad[T]
		for point := lo; point < hi; point++ {
			y := place(c.y1, c.y2, point/g.pooledW, g.pooledH, g.h)
			x := place(c.x1, c.x2, point%g.pooledW, g.pooledW, g.w)
			if inside(&q, y, x, g.h, g.w) {
				image.Add(w.Row(point), &q, 0)
			}
		}
		return nil
	}
}

// place returns the position of point i of n from start to end, which are fractions of an axis of
// length elements.
func place[T sampling.Float](start, end T, i, n, length int) T {
	last := T(length - 1)
	switch {
	case n == 1:
		return T(float64(start+end) * 0.5 * float64(last))
	case i == n-1:
		return end * last
	}
	return T(T(i)*(T((end-start)*last)/T(n-1))) + T(start*last)
}

// inside sets q to the sample at a position. It returns false if the position is not in the image.
func inside[T sampling.Float](q *sampling.Quad[T], y, x T, h, w int) bool {
	if y < 0 || y > T(h-1) || x < 0 || x > T(w-1) {
		return false
	}
	return q.SetSample(y, x, h, w)
}

// maxima sets the rows of points lo to hi-1 to the greatest elements of their bins.
func maxima[T sampling.Float](g *geometry, w *sampling.Worker[T], image *sampling.Image[T], c *region[T], scale T, lo, hi int) {
	if c.x1 != c.x1 || c.y1 != c.y1 || c.x2 != c.x2 || c.y2 != c.y2 {
		return
	}
	var columns [cachedBins][2]int // the first ranges along x, which all rows of bins share
	for j := range min(g.pooledW, cachedBins) {
		columns[j][0], columns[j][1] = bin(c.x1*scale, c.x2*scale, j, g.pooledW, g.w)
	}
	top, bottom := 0, 0
	for point := lo; point < hi; point++ {
		j := point % g.pooledW
		if j == 0 || point == lo {
			top, bottom = bin(c.y1*scale, c.y2*scale, point/g.pooledW, g.pooledH, g.h)
		}
		left, right := 0, 0
		if j < cachedBins {
			left, right = columns[j][0], columns[j][1]
		} else {
			left, right = bin(c.x1*scale, c.x2*scale, j, g.pooledW, g.w)
		}
		if top >= bottom || left >= right {
			continue
		}
		out := w.Row(point)
		for y := top; y < bottom; y++ {
			for x := left; x < right; x++ {
				if w.Meter.Spent(len(out)/4 + 4) {
					return
				}
				greatest(g, out, image, y*g.w+x, y == top && x == left)
			}
		}
	}
}

// greatest sets out to the greater ones of its elements and those of image at a position, or to the
// latter if it is the first position. As in OpenVINO, NaN counts only there.
func greatest[T sampling.Float](g *geometry, out []T, image *sampling.Image[T], at int, first bool) {
	in, step := image.Data[at*image.Step:], image.ChannelStep
	switch {
	case first && step == 1:
		copy(out, in)
	case first:
		for c := range out {
			out[c] = in[c*step]
		}
	case step == 1 && g.maximum != nil && unsafe.Sizeof(*new(T)) == 4:
		a, b := cast.Slice[float32](out), cast.Slice[float32](in[:len(out)])
		g.maximum(a, b, a)
	default:
		for c, v := range out {
			if x := in[c*step]; x > v {
				out[c] = x
			}
		}
	}
}

// bin returns the range of elements of bin i of n. The bins divide the elements that start and end
// are rounded to, and share those at their limits.
func bin[T sampling.Float](start, end T, i, n, length int) (lo, hi int) {
	first, last := whole(float64(start)), whole(float64(end))
	extent := max(last-first+1, 1)
	from := int64(i) * extent / int64(n)
	to := (int64(i+1)*extent + int64(n) - 1) / int64(n)
	limit := func(v int64) int { return int(min(max(v, 0), int64(length))) }
	return limit(from + first), limit(to + first)
}

// whole rounds to an integer, halves away from 0, of at most 2^31 in magnitude.
func whole(v float64) int64 { return int64(min(max(math.Round(v), -1<<31), 1<<31)) }
