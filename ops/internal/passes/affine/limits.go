package affine

import (
	"math"

	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// mergeLimits replaces a Quantize behind a multiplication by constants, and what there is of an
// addition and a clamp behind that, by one whose limits are those of what is multiplied. The levels
// fall with the data where it is multiplied by a negative constant.
func (e *editor) mergeLimits(quantize *ir.Layer) {
	low, high := e.Value(quantize.Inputs[1]), e.Value(quantize.Inputs[2])
	x := quantize.Inputs[0]
	shape := e.Lengths(x)
	if low == nil || high == nil || len(shape) < 2 {
		return
	}
	l := limits{rewrite.FloatsOf(low), rewrite.FloatsOf(high)}
	if clamp := rewrite.Producer(x, "Clamp", "Relu"); clamp != nil {
		lo, hi := 0.0, math.Inf(1)
		if clamp.Type == "Clamp" {
			at := ir.AttributesOf(clamp)
			if lo, hi = at.Float("min", 0), at.Float("max", 0); at.Err() != nil {
				return
			}
		}
		if !e.HasOneReader(clamp) || !l.inside(lo, hi) {
			return
		}
		x = clamp.Inputs[0]
	}
	if in, shift := e.withChannels(x, "Add"); shift != nil {
		x = in
		l = l.each(shift, func(limit, shift float64) float64 { return limit - shift })
	}
	x, scale := e.withChannels(x, "Multiply")
	if scale == nil {
		return
	}
	l = l.each(scale, func(limit, scale float64) float64 { return limit / scale })
	n := len(l.low)
	if !l.arePrecise() || n > 1 && shape[2:].Elements() < minPlane {
		return
	}
	merged := e.AddLayer(quantize, quantize.Type, quantize.Opset, quantize.Data, x, e.AddFloats(quantize, ir.Shape{n}, l.low), e.AddFloats(quantize, ir.Shape{n}, l.high))
	e.ReplaceLayer(quantize, edit.First(merged))
}

// minPlane is the least number of elements of a channel with limits of its own: a call computes
// those of one channel.
const minPlane = 16

// withChannels matches a layer of two inputs, of which one is a constant with one element, or one
// for each channel of the other. It returns the other input and the elements; nil if x reads
// something else, or if the layer has other readers.
func (e *editor) withChannels(x ir.Input, layerType string) (ir.Input, []float64) {
	layer := rewrite.Producer(x, layerType)
	if layer == nil || !e.HasOneReader(layer) {
		return x, nil
	}
	for i, in := range layer.Inputs {
		if values := e.knownChannels(layer.Inputs[1-i], in, false); values != nil {
			return in, values
		}
	}
	return x, nil
}

// limits are the limits of a Quantize: one each, or one for each channel.
type limits struct{ low, high []float64 }

// inside reports whether all limits are lo to hi.
func (l *limits) inside(lo, hi float64) bool {
	for _, list := range [][]float64{l.low, l.high} {
		for _, limit := range list {
			if !(limit >= lo && limit <= hi) {
				return false
			}
		}
	}
	return true
}

// each returns f of each limit and of a value: one, or one for each channel.
func (l *limits) each(values []float64, f func(limit, value float64) float64) limits {
	n := max(len(l.low), len(l.high), len(values))
	to := limits{make([]float64, n), make([]float64, n)}
	for i := range n {
		value := values[i%len(values)]
		to.low[i], to.high[i] = f(l.low[i%len(l.low)], value), f(l.high[i%len(l.high)], value)
	}
	return to
}

// arePrecise reports whether Quantize finds levels between the limits as precisely as those of a
// FakeQuantize.
func (l *limits) arePrecise() bool {
	for i, low := range l.low {
		width := math.Abs(l.high[i] - low)
		if !(width >= rewrite.MinWidth && width <= math.MaxFloat32 && math.Abs(low) <= rewrite.MaxOffset*width) {
			return false
		}
	}
	return true
}
