package colorconvert

import (
	"math"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// encoder describes images in RGB or BGR and the planes that they are converted to.
type encoder struct {
	height, width int
	rows          int // the number of pairs of rows in all images
	red, blue     int // the channels of the images
	// chroma is the output of U and V. Their image starts at element offset of each batch elements,
	// and that of Y at element 0 of each luma elements of output 0.
	chroma, offset, batch, luma int
}

func newEncoder(p *ops.Preparation, bgr bool) (*encoder, error) {
	image := p.InputShape(0)
	n, h, w := image[0], image[1], image[2]
	e := &encoder{height: h, width: w, rows: n * (h / 2), blue: 2, chroma: 1, batch: h / 2 * w, luma: h * w}
	if bgr {
		e.red, e.blue = 2, 0
	}
	if p.Attributes.(attributes).singlePlane {
		e.chroma, e.offset, e.batch, e.luma = 0, h*w, h*w+h/2*w, h*w+h/2*w
	}
	return e, nil
}

// preparePlanes returns Op.Prepare of the conversions from RGB, or from BGR.
func preparePlanes(bgr bool) func(*ops.Preparation) (*ops.Prepared, error) {
	return func(p *ops.Preparation) (*ops.Prepared, error) {
		e, err := newEncoder(p, bgr)
		if err != nil {
			return nil, err
		}
		if e.rows*e.width == 0 {
			return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
		}
		var part ops.Part
		switch p.Outputs[0].Type {
		case ir.U8:
			part = encodePart(e, func(x uint8) float32 { return float32(x) }, func(x float32) uint8 { return uint8(math.RoundToEven(float64(x))) })
		case ir.F32:
			part = encodePart(e, same[float32], same[float32])
		case ir.F64:
			part = encodePart(e, same[float64], same[float64])
		case ir.F16:
			part = encodePart(e, half.F16ToF32, half.F32ToF16)
		default: // bf16
			part = encodePart(e, half.BFloat16.Float32, half.BFloat16Of)
		}
		grain := partPixels/(2*e.width) + 1
		return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(e.rows, grain, part) }}, nil
	}
}

func same[T any](x T) T { return x }

// encodePart returns the part that converts pairs of rows in F.
func encodePart[E ir.Element, F float32 | float64](e *encoder, load func(E) F, store func(F) E) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		images, ys, uvs := ir.Data[E](r.Inputs[0]), ir.Data[E](r.Outputs[0]), ir.Data[E](r.Outputs[e.chroma])
		meter := r.Stop.Meter()
		for ; lo < hi; lo++ {
			if meter.Spent(32 * e.width) {
				return r.Stop.Err()
			}
			image, pair := lo/(e.height/2), lo%(e.height/2)
			first := (image*e.height + 2*pair) * e.width
			pixels := images[3*first:][:6*e.width]
			y := ys[image*e.luma+2*pair*e.width:][:2*e.width]
			uv := uvs[image*e.batch+e.offset+pair*e.width:][:e.width]
			for x := 0; x+1 < e.width; x += 2 {
				var sum [3]F // of the four pixels: red, green, blue
				for _, at := range [4]int{x, x + 1, e.width + x, e.width + x + 1} {
					pixel := pixels[3*at:][:3]
					red, green, blue := load(pixel[e.red]), load(pixel[1]), load(pixel[e.blue])
					// Each product is rounded, on every processor.
					y[at] = store(clamp(F(0.257*red) + F(0.504*green) + F(0.098*blue) + 16))
					sum[0], sum[1], sum[2] = sum[0]+red, sum[1]+green, sum[2]+blue
				}
				red, green, blue := sum[0]/4, sum[1]/4, sum[2]/4
				uv[x] = store(clamp(F(-0.148*red) - F(0.291*green) + F(0.439*blue) + 128))
				uv[x+1] = store(clamp(F(0.439*red) - F(0.368*green) - F(0.071*blue) + 128))
			}
		}
		return nil
	}
}
