package experimentaldetectronroifeatureextractor

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/sampling"
)

// layer describes a layer whose shapes are known.
type layer struct {
	levels     []level
	outputSize int
	ratio      int
	offset     float64
}

// level is a level of the pyramid.
type level struct {
	h, w  int
	scale float64
}

// prepare returns the kernel. The positions and weights of the samples of a region are computed
// once for all channels.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(*attributes)
	out, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	if at.samplingRatio > sampling.MaxRatio {
		return nil, faults.Errorf("sampling_ratio is %d, at most %d samples along an axis of a bin are computed", at.samplingRatio, sampling.MaxRatio)
	}
	l := &layer{outputSize: out[2], ratio: int(max(at.samplingRatio, 0))}
	if at.aligned {
		l.offset = 0.5
	}
	if n := len(p.Inputs) - 1; len(at.pyramidScales) < n {
		return nil, faults.Errorf("pyramid_scales has %d elements for %d levels", len(at.pyramidScales), n)
	}
	s := &sampling.Layer{Items: out[0], Points: out[2] * out[3]}
	for i := range p.Inputs[1:] {
		shape := p.InputShape(1 + i)
		if at.pyramidScales[i] < 1 {
			return nil, faults.Errorf("pyramid_scales[%d] is %d, expected a positive number", i, at.pyramidScales[i])
		}
		l.levels = append(l.levels, level{shape[2], shape[3], 1 / float64(at.pyramidScales[i])})
		s.Images = append(s.Images, 1+i)
		s.Elements = max(s.Elements, shape[2]+shape[3])
		s.Quads = max(s.Quads, l.quads(shape[2], shape[3]))
	}
	s.Quads *= float64(s.Items)
	var prepared *ops.Prepared
	if p.Inputs[0].Type == ir.F64 {
		prepared, err = sampling.Kernel(p, s, part[float64](l))
	} else {
		prepared, err = sampling.Kernel(p, s, part[float32](l))
	}
	if err != nil || len(p.Outputs) < 2 {
		return prepared, err
	}
	features := prepared.Kernel
	prepared.Kernel = func(r *ops.Run) error {
		if err := features(r); err != nil {
			return err
		}
		r.Copy(r.Outputs[1], r.Inputs[0])
		return nil
	}
	return prepared, nil
}

// quads returns the number of samples of a region. If it depends on the region, it is that of one
// that covers a level of h rows and w columns.
func (l *layer) quads(h, w int) float64 {
	if l.ratio == 0 {
		return float64(h+l.outputSize) * float64(w+l.outputSize)
	}
	n := float64(l.ratio) * float64(l.outputSize)
	return n * n
}

// part returns the function that computes bins of a region.
func part[T sampling.Float](l *layer) sampling.Part[T] {
	return func(w *sampling.Worker[T], region, lo, hi int) error {
		var c [4]T // x1, y1, x2, y2
		sampling.Load(c[:], w.Run.Inputs[0], 4*region)
		k, ok := levelOf(&c, len(l.levels))
		if !ok {
			return nil
		}
		m := &l.levels[k]
		if m.h == 0 || m.w == 0 {
			return nil
		}
		for i := range c {
			c[i] = T(c[i]*T(m.scale)) - T(l.offset)
		}
		image := w.Image(k, 0)
		y := sampling.NewSpan(c[1], max(c[3]-c[1], 1), l.outputSize, l.ratio, m.h)
		x := sampling.NewSpan(c[0], max(c[2]-c[0], 1), l.outputSize, l.ratio, m.w)
		w.Average(&image, &y, &x, l.outputSize, lo, hi)
		return nil
	}
}

// levelOf returns the level of a region; false if its area is not positive.
func levelOf[T sampling.Float](c *[4]T, levels int) (int, bool) {
	area := T((c[2] - c[0]) * (c[3] - c[1]))
	if !(area > 0) {
		return 0, false
	}
	size := T(math.Sqrt(float64(area)))/224 + 1e-6
	k := math.Floor(float64(T(math.Log2(float64(size))) + 2))
	return int(min(max(k, 0), float64(levels-1))), true
}
