package experimentaldetectronpriorgridgenerator

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// prepare returns a kernel that adds the position of each point to the priors:
//
//	output[h, w, i, :] = priors[i, :] + [x, y, x, y], x = (w+0.5)*stride_x, y = (h+0.5)*stride_y
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	var shapes [3]ir.Shape
	for i := range shapes {
		shapes[i] = p.InputShape(i)
	}
	a := p.Attributes.(attributes)
	k := &kernel{priors: shapes[0][0], height: shapes[1][2], width: shapes[1][3]}
	if a.height != 0 && a.height != int64(k.height) || a.width != 0 && a.width != int64(k.width) {
		return nil, faults.Errorf("h and w are %d and %d, feature_map has shape %v", a.height, a.width, shapes[1])
	}
	if k.stepX = a.strideX; k.stepX == 0 {
		k.stepX = float64(shapes[2][3]) / float64(k.width)
	}
	if k.stepY = a.strideY; k.stepY == 0 {
		k.stepY = float64(shapes[2][2]) / float64(k.height)
	}
	var part ops.Part
	switch p.Inputs[0].Type {
	case ir.F32:
		if add := vmath.BinaryRows(vmath.Add, vmath.Rows); add != nil && k.priors*k.width > 0 {
			return prepareRows(k, add)
		}
		part = plain[float32](k)
	case ir.F64:
		part = plain[float64](k)
	}
	points, grain := k.height*k.width, ops.Grain(2*float64(k.priors))
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(points, grain, part) }}, nil
}

type kernel struct {
	priors, height, width int
	stepX, stepY          float64
}

// point returns the position of a point.
func (k *kernel) point(i int) (x, y float64) {
	return (float64(i%k.width) + 0.5) * k.stepX, (float64(i/k.width) + 0.5) * k.stepY
}

// plain returns the part that writes the boxes of points lo to hi-1.
func plain[T float32 | float64](k *kernel) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		priors := cast.Bytes[[4]T](r.Inputs[0].Bytes())
		out := cast.Bytes[[4]T](r.Outputs[0].Bytes())[lo*len(priors) : hi*len(priors)]
		meter := r.Stop.Meter()
		for point := lo; point < hi; point++ {
			x64, y64 := k.point(point)
			x, y := T(x64), T(y64)
			boxes := out[:len(priors)]
			for i := range boxes {
				if meter.Spent(2) {
					return nil
				}
				p, b := &priors[i], &boxes[i]
				b[0], b[1], b[2], b[3] = p[0]+x, p[1]+y, p[2]+x, p[3]+y
			}
			out = out[len(priors):]
		}
		return nil
	}
}
