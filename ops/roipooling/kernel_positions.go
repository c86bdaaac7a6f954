package roipooling

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/sampling"
)

// preparePositions returns the kernel of PSROIPooling.
func preparePositions(p *ops.Preparation) (*ops.Prepared, error) {
	g, err := newGeometry(p)
	if err != nil {
		return nil, err
	}
	at := p.Attributes.(*positions)
	work := float64(g.h+g.pooledH) * float64(g.w+g.pooledW) / float64(g.pooledH*g.pooledW) / 4
	if at.mode == "bilinear" {
		work = float64(at.spatialBinsX) * float64(at.spatialBinsY)
	}
	if p.Inputs[0].Type == ir.F64 {
		return planes(p, g, work, average[float64](g, at))
	}
	return planes(p, g, work, average[float32](g, at))
}

// planes returns the kernel of a layer whose elements of the output are each computed from channels
// of their own. quads is the number of quads of an element.
func planes[T sampling.Float](p *ops.Preparation, g *geometry, quads float64, each elements[T]) (*ops.Prepared, error) {
	points := g.out * g.pooledH * g.pooledW
	s := &sampling.Layer{Images: []int{0}, Items: g.regions, Points: points, Single: true, Quads: quads * float64(g.regions) * float64(points), Count: g.count}
	return sampling.Kernel(p, s, func(w *sampling.Worker[T], item, lo, hi int) error {
		c, image, err := load(g, w, item)
		if err != nil {
			return err
		}
		each(w, image.Data, c, item, lo, hi)
		return nil
	})
}

// elements computes elements lo to hi-1 of the output for a region. data is its image.
type elements[T sampling.Float] func(w *sampling.Worker[T], data []T, c region[T], item, lo, hi int)

// average returns the function that computes elements of the output of PSROIPooling.
func average[T sampling.Float](g *geometry, at *positions) elements[T] {
	scale := T(at.spatialScale)
	return func(w *sampling.Worker[T], data []T, c region[T], _, lo, hi int) {
		plane := g.h * g.w
		var columns [cachedBins][2]int // the first ranges along x, which all rows of bins share
		for j := range min(g.pooledW, cachedBins) {
			columns[j][0], columns[j][1] = span(c.x1, c.x2, scale, j, g.pooledW, g.w)
		}
		top, bottom := 0, 0
		for point := lo; point < hi; point++ {
			out, i, j := point/(g.pooledH*g.pooledW), point/g.pooledW%g.pooledH, point%g.pooledW
			if at.mode == "bilinear" {
				w.Row(point)[0] = bilinear(w, g, at, data, &c, out, i, j)
				continue
			}
			if j == 0 || point == lo {
				top, bottom = span(c.y1, c.y2, scale, i, g.pooledH, g.h)
			}
			left, right := 0, 0
			if j < cachedBins {
				left, right = columns[j][0], columns[j][1]
			} else {
				left, right = span(c.x1, c.x2, scale, j, g.pooledW, g.w)
			}
			if top >= bottom || left >= right {
				continue
			}
			// Each element of the output has a channel.
			w.Row(point)[0] = sumOf(&w.Meter, data[point*plane:][:plane], g.w, top, bottom, left, right) / T((bottom-top)*(right-left))
		}
	}
}

// cachedBins is the number of bins of a row whose ranges are computed once.
const cachedBins = 64

// sumPiece is the number of elements, even, that sumOf adds between two checks for a stop.
const sumPiece = 1 << 16

// sumOf returns the sum of a part of a plane with rows of the given length.
func sumOf[T sampling.Float](meter *parallel.Meter, plane []T, length, top, bottom, left, right int) T {
	var even, odd T
	n := right - left
	for y := top; y < bottom; y++ {
		line := plane[y*length+left:][:n]
		for len(line) > 0 {
			row := line[:min(len(line), sumPiece)]
			if meter.Spent(len(row) + 4) {
				return 0
			}
			line = line[len(row):]
			for len(row) >= 2 {
				even, odd, row = even+row[0], odd+row[1], row[2:]
			}
			if len(row) > 0 {
				even += row[0]
			}
		}
	}
	return even + odd
}

// span returns the range of elements of bin i of n of a box from start to end.
func span[T sampling.Float](start, end, scale T, i, n, length int) (lo, hi int) {
	first := T(T(math.Round(float64(start))) * scale)
	extent := max(T(T(math.Round(float64(end+1)))*scale)-first, 0.1)
	size := extent / T(n)
	return within(math.Floor(float64(T(T(i)*size)+first)), length), within(math.Ceil(float64(T(T(i+1)*size)+first)), length)
}

// within limits v to the range from 0 to n. NaN is 0.
func within(v float64, n int) int {
	if !(v > 0) {
		return 0
	}
	return int(min(v, float64(n)))
}

// bilinear returns the mean of the samples at bin i, j of the parts of a box, each from a channel
// of its own.
func bilinear[T sampling.Float](w *sampling.Worker[T], g *geometry, at *positions, data []T, c *region[T], out, i, j int) T {
	scale, plane := T(at.spatialScale), g.h*g.w
	binsY, binsX := int(at.spatialBinsY), int(at.spatialBinsX)
	y1, x1 := c.y1*scale, c.x1*scale
	height, width := (T(c.y2*scale)-y1)/T(binsY), (T(c.x2*scale)-x1)/T(binsX)
	var sum T
	var q sampling.Quad[T]
	for a := range binsY {
		y := partPlace(y1, height, a, i, g.pooledH, g.h)
		if w.Meter.Spent(8 * binsX) {
			return 0
		}
		for b := range binsX {
			x := partPlace(x1, width, b, j, g.pooledW, g.w)
			if inside(&q, y, x, g.h, g.w) {
				channel := out + (a*binsX+b)*g.out
				sum += q.Of(data[channel*plane:][:plane])
			}
		}
	}
	return sum / T(binsY*binsX)
}

// partPlace returns the position of point i of n of part k of a box, whose parts have the given
// size.
func partPlace[T sampling.Float](start, size T, k, i, n, length int) T {
	lo, hi := start+T(T(k)*size), start+T(T(k+1)*size)
	last := T(length - 1)
	if n == 1 {
		return T(0.5*(lo+hi)) * last
	}
	return T(T(i)*(T((hi-lo)*last)/T(n-1))) + T(lo*last)
}

// prepareDeformable returns the kernel of DeformablePSROIPooling.
func prepareDeformable(p *ops.Preparation) (*ops.Prepared, error) {
	g, err := newGeometry(p)
	if err != nil {
		return nil, err
	}
	at := p.Attributes.(*deformable)
	if at.mode != "bilinear_deformable" {
		return nil, faults.Errorf("mode %q has no kernel", at.mode)
	}
	if at.spatialBinsX < 1 || at.spatialBinsX > sampling.MaxRatio || at.spatialBinsY < 1 || at.spatialBinsY > sampling.MaxRatio {
		return nil, faults.Errorf("spatial_bins_x is %d, spatial_bins_y is %d, expected 1 to %d", at.spatialBinsX, at.spatialBinsY, sampling.MaxRatio)
	}
	if need := g.out * g.pooledH * g.pooledW; g.channels < need {
		return nil, faults.Errorf("data has %d channels, output_dim %d in groups of %d needs %d", g.channels, g.out, g.pooledH, need)
	}
	d := &deformableLayer{geometry: g, deformable: at}
	if len(p.Inputs) > 2 {
		d.offsets = p.InputShape(2)
		part := d.offsets[2]
		classes := d.offsets[1] / 2
		if d.offsets[0] != g.regions || int64(part) != at.partSize || d.offsets[3] != part || d.offsets[1]%2 != 0 || classes == 0 || g.out%classes != 0 {
			return nil, faults.Errorf("offsets has shape %v, %d regions, output_dim %d and part_size %d need [%d,2*classes,%d,%d], with classes that divide output_dim",
				d.offsets, g.regions, g.out, at.partSize, g.regions, at.partSize, at.partSize)
		}
		if t := p.Inputs[2].Type; !slices.Contains(sampling.Numbers, t) {
			return nil, faults.Errorf("offsets is %v, expected one of %v", t, sampling.Numbers)
		}
		d.perClass = g.out / classes
	}
	work := float64(at.spatialBinsX) * float64(at.spatialBinsY)
	if p.Inputs[0].Type == ir.F64 {
		return planes(p, g, work, moved[float64](d))
	}
	return planes(p, g, work, moved[float32](d))
}

// deformableLayer is a layer of DeformablePSROIPooling.
type deformableLayer struct {
	*geometry
	*deformable
	offsets  ir.Shape // nil if there are none
	perClass int      // channels of the output
}

// moved returns the function that computes elements of the output of DeformablePSROIPooling.
func moved[T sampling.Float](d *deformableLayer) elements[T] {
	return func(w *sampling.Worker[T], data []T, c region[T], item, lo, hi int) {
		scale := T(d.spatialScale)
		round := func(v T) T { return T(math.Round(float64(v))) }
		x1, y1 := T(round(c.x1)*scale)-0.5, T(round(c.y1)*scale)-0.5
		width, height := max(T((round(c.x2)+1)*scale)-0.5-x1, 0.1), max(T((round(c.y2)+1)*scale)-0.5-y1, 0.1)
		binWidth, binHeight := width/T(d.pooledW), height/T(d.pooledH)
		plane := d.h * d.w
		for point := lo; point < hi; point++ {
			out, i, j := point/(d.pooledH*d.pooledW), point/d.pooledW%d.pooledH, point%d.pooledW
			x, y := T(T(j)*binWidth)+x1, T(T(i)*binHeight)+y1
			if d.offsets != nil {
				part := d.offsets[2]
				at := (2*(item*(d.offsets[1]/2)+out/d.perClass)*part+i*part/d.pooledH)*part + j*part/d.pooledW
				var move [2]T // x, y
				sampling.Load(move[:1], w.Run.Inputs[2], at)
				sampling.Load(move[1:], w.Run.Inputs[2], at+part*part)
				x += T(T(move[0]*T(d.transStd)) * width)
				y += T(T(move[1]*T(d.transStd)) * height)
			}
			w.Row(point)[0] = mean(w, d, data[point*plane:][:plane], y, x, binHeight, binWidth)
		}
	}
}

// mean returns the mean of those samples of the bin at y, x that are in the image, or 0.
func mean[T sampling.Float](w *sampling.Worker[T], d *deformableLayer, plane []T, y, x, height, width T) T {
	var q sampling.Quad[T]
	var sum T
	count := 0
	stepY, stepX := height/T(d.spatialBinsY), width/T(d.spatialBinsX)
	for a := range int(d.spatialBinsY) {
		if w.Meter.Spent(8 * int(d.spatialBinsX)) {
			return 0
		}
		sy := y + T(T(a)*stepY)
		for b := range int(d.spatialBinsX) {
			sx := x + T(T(b)*stepX)
			if sx < -0.5 || sx > T(d.w)-0.5 || sy < -0.5 || sy > T(d.h)-0.5 {
				continue
			}
			q.SetSample(sy, sx, d.h, d.w)
			sum += q.Of(plane)
			count++
		}
	}
	if count == 0 {
		return 0
	}
	return sum / T(count)
}
