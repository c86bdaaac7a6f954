package colorconvert

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// The factors of the formulas.
const (
	luma  = 1.164
	redV  = 1.596
	grnU  = 0.391
	grnV  = 0.813
	bluU  = 2.018
	black = 16  // Y of black
	grey  = 128 // U and V of grey
)

// plane is where a component of the images lies: in an input, offset elements from the start of the
// image. Images, rows and columns are batch, row and step elements apart.
type plane struct {
	input, offset, batch, row, step int
}

func (p *plane) at(image, row int) int { return p.offset + image*p.batch + row*p.row }

// layout describes the images. Each row of u and v belongs to two rows of y.
type layout struct {
	height, width, rows int // rows is the number of pairs of rows in all images
	y, u, v             plane
	red, blue           int // the channels of the output
}

// newLayout returns the layout of images whose chroma is in so many planes, two if U and V
// alternate.
func newLayout(p *ops.Preparation, planes int, bgr bool) (*layout, error) {
	shapes := make([]ir.Shape, len(p.Inputs))
	for i := range shapes {
		shapes[i] = p.InputShape(i)
	}
	output, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	n, h, w := output[0], output[1], output[2]
	l := &layout{height: h, width: w, rows: n * (h / 2), blue: 2}
	if bgr {
		l.red, l.blue = 2, 0
	}
	size, chroma := h*w, h/2*(w/2)
	l.y = plane{0, 0, size, w, 1}
	switch {
	case len(shapes) == 1 && planes == 2:
		l.y.batch = size + 2*chroma
		l.u = plane{0, size, l.y.batch, w, 2}
		l.v = plane{0, size + 1, l.y.batch, w, 2}
	case len(shapes) == 1:
		l.y.batch = size + 2*chroma
		l.u = plane{0, size, l.y.batch, w / 2, 1}
		l.v = plane{0, size + chroma, l.y.batch, w / 2, 1}
	case planes == 2:
		l.u = plane{1, 0, 2 * chroma, w, 2}
		l.v = plane{1, 1, 2 * chroma, w, 2}
	default:
		l.u = plane{1, 0, chroma, w / 2, 1}
		l.v = plane{2, 0, chroma, w / 2, 1}
	}
	need := func(x *plane) int { return n * x.batch }
	for _, x := range []*plane{&l.y, &l.u, &l.v} {
		if have := shapes[x.input].Elements(); have != need(x) {
			return nil, faults.Errorf("input %d has shape %v, an image of shape %v needs %d elements of it", x.input, shapes[x.input], output, need(x))
		}
	}
	return l, nil
}

// partPixels is the number of pixels that are worth another thread.
const partPixels = 1 << 14

// prepare returns Op.Prepare for images whose chroma is in so many planes.
func prepare(planes int, bgr bool) func(*ops.Preparation) (*ops.Prepared, error) {
	return func(p *ops.Preparation) (*ops.Prepared, error) {
		l, err := newLayout(p, planes, bgr)
		if err != nil {
			return nil, err
		}
		if l.rows*l.width == 0 {
			return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
		}
		var part ops.Part
		switch p.Outputs[0].Type {
		case ir.U8:
			part = bytesPart(l)
		case ir.F32:
			part = floatPart[float32](l)
		default: // f64
			part = floatPart[float64](l)
		}
		grain := partPixels/(2*l.width) + 1
		return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(l.rows, grain, part) }}, nil
	}
}

// floatPart returns the part that computes pairs of rows of floats.
func floatPart[F float32 | float64](l *layout) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		ys, us, vs := ir.Data[F](r.Inputs[l.y.input]), ir.Data[F](r.Inputs[l.u.input]), ir.Data[F](r.Inputs[l.v.input])
		output := ir.Data[F](r.Outputs[0])
		meter := r.Stop.Meter()
		for ; lo < hi; lo++ {
			image, pair := lo/(l.height/2), lo%(l.height/2)
			u, v := us[l.u.at(image, pair):], vs[l.v.at(image, pair):]
			for row := 2 * pair; row < 2*pair+2; row++ {
				if meter.Spent(16 * l.width) {
					return r.Stop.Err()
				}
				y := ys[l.y.at(image, row):][:l.width]
				out := output[3*(image*l.height+row)*l.width:][:3*l.width]
				for x, value := range y {
					c := F(luma * (value - black))
					d, e := u[x/2*l.u.step]-grey, v[x/2*l.v.step]-grey
					// Each product is rounded, on every processor.
					red := c + F(redV*e)
					green := c - F(grnU*d) - F(grnV*e)
					blue := c + F(bluU*d)
					pixel := out[3*x:][:3]
					pixel[l.red], pixel[1], pixel[l.blue] = clamp(red), clamp(green), clamp(blue)
				}
			}
		}
		return nil
	}
}

// clamp returns x limited to 0 to 255, and 0 for NaN.
func clamp[F float32 | float64](x F) F {
	switch {
	case x > 255:
		return 255
	case x > 0:
		return x
	default:
		return 0
	}
}

// bytesPart returns the part that computes pairs of rows of u8. Sums of float32 products are
// rounded to the nearest integer, ties to even. The assembly gives the same bits.
func bytesPart(l *layout) ops.Part {
	// round+x has the integer nearest to x in its lowest bits, as a two's complement. All results
	// are between -1024 and 1023.
	const round, mask = 3 << 22, 1<<11 - 1
	var limited [mask + 1]uint8
	for i := range limited {
		if i < 1024 {
			limited[i] = uint8(min(i, 255))
		}
	}
	var lumas [256]float32
	for i := range lumas {
		lumas[i] = float32(luma) * float32(i-black)
	}
	order := newOrder(l.red)
	return func(r *ops.Run, lo, hi int) error {
		ys, us, vs := ir.Data[uint8](r.Inputs[l.y.input]), ir.Data[uint8](r.Inputs[l.u.input]), ir.Data[uint8](r.Inputs[l.v.input])
		output := ir.Data[uint8](r.Outputs[0])
		meter := r.Stop.Meter()
		for ; lo < hi; lo++ {
			image, pair := lo/(l.height/2), lo%(l.height/2)
			u, v := us[l.u.at(image, pair):], vs[l.v.at(image, pair):]
			for row := 2 * pair; row < 2*pair+2; row++ {
				if meter.Spent(8 * l.width) {
					return r.Stop.Err()
				}
				y := ys[l.y.at(image, row):][:l.width]
				out := output[3*(image*l.height+row)*l.width:][:3*l.width]
				red, blue := l.red, l.blue
				for x := l.vectorRow(out, y, u, v, order); x+1 < len(y); x += 2 {
					d, e := float32(u[x/2*l.u.step])-grey, float32(v[x/2*l.v.step])-grey
					redE, grnD, grnE, bluD := float32(redV*e), float32(grnU*d), float32(grnV*e), float32(bluU*d)
					p := out[3*x:][:6]
					c := lumas[y[x]]
					p[red] = limited[math.Float32bits(float32(c+redE)+round)&mask]
					p[1] = limited[math.Float32bits(float32(float32(c-grnD)-grnE)+round)&mask]
					p[blue] = limited[math.Float32bits(float32(c+bluD)+round)&mask]
					c = lumas[y[x+1]]
					p[3+red] = limited[math.Float32bits(float32(c+redE)+round)&mask]
					p[4] = limited[math.Float32bits(float32(float32(c-grnD)-grnE)+round)&mask]
					p[3+blue] = limited[math.Float32bits(float32(c+bluD)+round)&mask]
				}
			}
		}
		return nil
	}
}
