package priorbox

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// prepare returns a kernel that has the corners of the boxes of a point relative to the point:
//
//	output[0, i, :] = (point + corners[i%len(corners)]) / image size
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, faults.Errorf("the number of boxes is not known: %w", err)
	}
	a := p.Attributes.(attributes)
	k := &kernel{boxes: shape[1] / 4, clip: a.clip}
	if k.boxes == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	var height, width int
	if height, width, err = pair("output_size", p.Inputs[0].Tensor); err != nil {
		return nil, err
	}
	if height <= 0 || width <= 0 {
		return nil, faults.Errorf("output_size is [%d,%d], the output has %d boxes", height, width, k.boxes)
	}
	var imageHeight, imageWidth int
	if imageHeight, imageWidth, err = pair("image_size", p.Inputs[1].Tensor); err != nil {
		return nil, err
	}
	if k.variance, err = variances(a.variance); err != nil {
		return nil, err
	}
	k.width, k.points = width, height*width
	image := size{float64(imageHeight), float64(imageWidth)}
	cell := size{image.height / float64(height), image.width / float64(width)}
	k.scale.x, k.scale.y = float32(1/image.width), float32(1/image.height)
	t := &template{limit: k.boxes, meter: p.Stop.Meter()}
	var step size
	if a.sizes != nil {
		step, k.offset = a.place(image, cell)
		err = a.sizes.lay(p, t, image)
	} else {
		step, k.offset = a.clusters.step(a.step, cell), float32(a.offset)
		err = a.clusters.lay(p, t)
	}
	if err != nil {
		return nil, err
	}
	k.stepX, k.stepY = float32(step.width), float32(step.height)
	k.corners, k.clipped = t.corners, t.clipped
	k.part = k.write
	return &ops.Prepared{Kernel: k.run}, nil
}

type size struct{ height, width float64 }

// pair returns the two numbers of an input.
func pair(name string, t *ir.Tensor) (int, int, error) {
	if t == nil {
		return 0, 0, faults.Errorf("%s is not known", name)
	}
	values, err := t.Ints()
	if err != nil {
		return 0, 0, faults.Errorf("%s: %w", name, err)
	}
	if len(values) != 2 {
		return 0, 0, faults.Errorf("%s has %d numbers, expected 2", name, len(values))
	}
	for _, v := range values {
		if v != int64(int32(v)) {
			return 0, 0, faults.Errorf("%s is %v, which does not fit 32 bits", name, values)
		}
	}
	return int(values[0]), int(values[1]), nil
}

// variances returns the variances of the four coordinates.
func variances(list []float64) ([4]float32, error) {
	v := [4]float32{0.1, 0.1, 0.1, 0.1}
	if n := len(list); n != 0 && n != 1 && n != 4 {
		return v, faults.Errorf("variance has %d numbers, expected none, 1 or 4", n)
	}
	for i := range v {
		if len(list) == 0 {
			break
		}
		v[i] = float32(list[i%len(list)])
		if v[i] < 0 {
			return v, faults.Errorf("variance[%d] is negative: %v", i%len(list), v[i])
		}
	}
	return v, nil
}

// place returns the step of the points of PriorBox and the offset that applies to them.
func (a *attributes) place(image, cell size) (step size, offset float32) {
	s := a.step
	if !a.sizes.scaleAll {
		if s == -1 {
			s = cell.height
		} else {
			s *= image.height
		}
	}
	if s == 0 {
		return cell, 0.5
	}
	return size{s, s}, float32(a.offset)
}

func (c *clustered) step(step float64, cell size) size {
	s := size{step, step}
	if c.stepW != 0 {
		s.width = c.stepW
	}
	if c.stepH != 0 {
		s.height = c.stepH
	}
	if s == (size{}) {
		return cell
	}
	return s
}

// template collects the corners of the boxes of a point. It needs no more than limit, the number of
// all boxes of the output.
type template struct {
	corners [][4]float32
	clipped int // the number of leading boxes that are always clipped
	limit   int
	meter   parallel.Meter
}

// full reports whether the template needs no further boxes.
func (t *template) full() bool { return len(t.corners) == t.limit }

// add adds a box whose centre is at (x, y) from the point.
func (t *template) add(x, y, width, height float64) {
	if !t.full() {
		t.corners = append(t.corners, [4]float32{
			float32(x - width/2), float32(y - height/2), float32(x + width/2), float32(y + height/2),
		})
	}
}

// reserve makes room for n boxes.
func (t *template) reserve(p *ops.Preparation, n float64) error {
	room := int(min(n, float64(t.limit)))
	if err := p.Reserve(memory.Size[[4]float32](room)); err != nil {
		return err
	}
	t.corners = make([][4]float32, 0, room)
	return nil
}

func (c *clustered) lay(p *ops.Preparation, t *template) error {
	if err := t.reserve(p, float64(len(c.width))); err != nil {
		return err
	}
	for i, w := range c.width {
		t.add(0, 0, w, c.height[i])
	}
	return nil
}

// lay adds the boxes of a point of PriorBox.
func (s *sizes) lay(p *ops.Preparation, t *template, image size) error {
	if n, m := len(s.fixedSize), len(s.density); n > m {
		return faults.Errorf("fixed_size has %d numbers, density has %d", n, m)
	}
	if err := positive("fixed_ratio", s.fixedRatio); err != nil {
		return err
	}
	if err := p.Reserve(memory.Size[float64](2 * len(s.aspectRatio))); err != nil {
		return err
	}
	aspects, err := s.aspects(p.Stop)
	if err != nil {
		return err
	}
	ratios := s.fixedRatio
	if len(ratios) == 0 {
		ratios = append([]float64{1}, aspects...)
	}
	n := float64(len(s.minSize)) * float64(2+len(aspects))
	for i := range s.fixedSize {
		d := math.Max(0, math.Trunc(s.density[i]))
		n += float64(len(ratios)) * d * d
	}
	if !(n < 1<<62) {
		return faults.Errorf("density is %v, which is too large", s.density)
	}
	if err := t.reserve(p, n); err != nil {
		return err
	}
	for i, fixed := range s.fixedSize {
		for j, r := range ratios {
			w, h := fixed*math.Sqrt(r), fixed/math.Sqrt(r)
			if j == 0 && len(s.fixedRatio) == 0 {
				w, h = math.Trunc(fixed), math.Trunc(fixed)
			}
			if err := t.tile(fixed, s.density[i], w, h); err != nil {
				return err
			}
		}
	}
	t.clipped = len(t.corners)
	return s.layMin(t, aspects, image)
}

// tile adds density*density boxes of the same size in rows and columns.
func (t *template) tile(fixed, density, w, h float64) error {
	density = math.Trunc(density)
	shift := math.Trunc(fixed / density)
	first := (shift - math.Trunc(fixed)) / 2
	if t.meter.Spent(1) {
		return parallel.ErrStopped
	}
	for row := 0.0; row < density && !t.full(); row++ {
		for column := 0.0; column < density && !t.full(); column++ {
			if t.meter.Spent(1) {
				return parallel.ErrStopped
			}
			t.add(first+column*shift, first+row*shift, w, h)
		}
	}
	return nil
}

// layMin adds the boxes of min_size and max_size.
func (s *sizes) layMin(t *template, aspects []float64, image size) error {
	scale := 1.0
	if !s.scaleAll {
		scale = image.height
	}
	for i, v := range s.minSize {
		v *= scale
		t.add(0, 0, v, v)
		largest := 0.0
		if i < len(s.maxSize) {
			largest = math.Sqrt(v * s.maxSize[i])
		}
		if i < len(s.maxSize) && s.maxBeforeAspects {
			t.add(0, 0, largest, largest)
		}
		if !s.scaleAll {
			v = s.minSize[0] * scale
		}
		if s.scaleAll || i == len(s.minSize)-1 {
			for _, r := range aspects {
				if t.meter.Spent(1) {
					return parallel.ErrStopped
				}
				t.add(0, 0, v*math.Sqrt(r), v/math.Sqrt(r))
			}
		}
		if i < len(s.maxSize) && !s.maxBeforeAspects {
			t.add(0, 0, largest, largest)
		}
	}
	return nil
}

// positive returns an error unless all ratios are above 0.
func positive(name string, ratios []float64) error {
	for i, r := range ratios {
		if !(r > 0) {
			return faults.Errorf("%s[%d] is %v, expected a number above 0", name, i, r)
		}
	}
	return nil
}

// sameRatio is the difference of aspect ratios below which they count as one.
const sameRatio = 1e-6

// aspects returns the different aspect ratios except 1 in their order. Each is followed by its
// inverse if flip is true.
func (s *sizes) aspects(stop parallel.Stop) ([]float64, error) {
	if err := positive("aspect_ratio", s.aspectRatio); err != nil {
		return nil, err
	}
	meter := stop.Meter()
	found := make([]float64, 1, 1+2*len(s.aspectRatio))
	found[0] = 1
	for _, r := range s.aspectRatio {
		if meter.Spent(len(found)) {
			return nil, parallel.ErrStopped
		}
		if contains(found, r) {
			continue
		}
		found = append(found, r)
		if s.flip {
			found = append(found, float64(float32(1/r)))
		}
	}
	others := found[:0]
	for _, r := range found {
		if math.Abs(r-1) >= sameRatio {
			others = append(others, r)
		}
	}
	return others, nil
}

func contains(ratios []float64, r float64) bool {
	for _, v := range ratios {
		if math.Abs(v-r) < sameRatio {
			return true
		}
	}
	return false
}

type kernel struct {
	corners       [][4]float32 // of the boxes of a point, relative to the point
	clipped       int          // the number of leading boxes of a point that are always clipped
	clip          bool
	boxes         int // the number of boxes of the output
	points, width int
	offset        float32
	stepX, stepY  float32
	scale         struct{ x, y float32 } // the inverse of the size of the image
	variance      [4]float32
	part          ops.Part
}

func (k *kernel) run(r *ops.Run) error {
	return r.For(k.boxes, ops.Grain(4), k.part)
}

// write writes boxes lo to hi-1 and their variances.
func (k *kernel) write(r *ops.Run, lo, hi int) error {
	out := cast.Bytes[[4]float32](r.Outputs[0].Bytes())
	n := len(k.corners)
	for b := lo; b < hi; {
		point, first := k.points, 0
		if n > 0 {
			point, first = b/n, b%n
		}
		if point >= k.points { // the attributes describe fewer boxes than the output has
			clear(out[b:hi])
			break
		}
		last := min(n, first+hi-b)
		k.point(out[b:b+last-first], point, first)
		b += last - first
	}
	variances := out[k.boxes:][lo:hi]
	// Copies of what is already there are faster than single boxes.
	for done := copy(variances, []([4]float32){k.variance}); done < len(variances); {
		done += copy(variances[done:], variances[:done])
	}
	return nil
}

// point writes boxes of a point, from number first on.
func (k *kernel) point(out [][4]float32, point, first int) {
	x := float32((float32(point%k.width) + k.offset) * k.stepX)
	y := float32((float32(point/k.width) + k.offset) * k.stepY)
	sx, sy := k.scale.x, k.scale.y
	corners := k.corners[first:][:len(out)]
	for i := range corners {
		c, o := &corners[i], &out[i]
		o[0], o[1], o[2], o[3] = (x+c[0])*sx, (y+c[1])*sy, (x+c[2])*sx, (y+c[3])*sy
	}
	if k.clip {
		for i := range out {
			o := &out[i]
			o[0], o[1] = min(max(o[0], 0), 1), min(max(o[1], 0), 1)
			o[2], o[3] = min(max(o[2], 0), 1), min(max(o[3], 0), 1)
		}
		return
	}
	for i := range out[:max(0, min(len(out), k.clipped-first))] {
		o := &out[i]
		o[0], o[1] = max(o[0], 0), max(o[1], 0)
		o[2], o[3] = min(o[2], 1), min(o[3], 1)
	}
}
