package passes

import (
	"math"
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
)

// RecogniseMVN replaces the normalization of LayerNorm and InstanceNorm that a model computes with
// several layers by one MVN:
//
//	d = x - ReduceMean(x)
//	d / Sqrt(ReduceMean(d²) + eps), d / (Sqrt(ReduceMean(d²)) + eps),
//	d * Power(ReduceMean(d²) + eps, -0.5)
//
// The scale and the bias after it stay as they are.
func RecogniseMVN(g *ops.Graph) bool {
	if !g.Has("ReduceMean") || !g.CanInsert("MVN", "opset6") {
		return false
	}
	e := &patternEditor{rewrite.NewEditor(g)}
	for _, layer := range g.Model.Order {
		n, ok := e.normalization(layer, e.centred)
		if !ok {
			continue
		}
		mode := "inside_sqrt"
		if n.outside {
			mode = "outside_sqrt"
		}
		mvn := e.AddLayer(layer, "MVN", "opset6", edit.Attributes(
			"normalize_variance", "true", "eps", strconv.FormatFloat(n.eps, 'g', -1, 64), "eps_mode", mode,
		), n.x, e.axesVector(layer, n.axes))
		e.ReplaceLayer(layer, edit.First(mvn))
	}
	return e.Done()
}

// axesVector returns in if the constant that it reads is a vector. If the constant is a scalar, it
// adds a vector of that one axis on behalf of layer at.
func (e *patternEditor) axesVector(at *ir.Layer, in ir.Input) ir.Input {
	t := e.Value(in)
	if len(t.Shape()) == 1 {
		return in
	}
	axes, err := t.Ints()
	if err != nil {
		return in
	}
	return e.AddInts(at, axes)
}

// normalization holds the input and the parameters of a normalization.
type normalization struct {
	x, axes ir.Input
	eps     float64
	outside bool // eps is added to the square root
	// for squares: the number of squares that variance is the mean of; 1 if it is the sum
	squares float64
}

// normalization matches the layer that divides data by the square root of data's variance. match
// finds x and axes, or returns false if variance is not that of dividend.
func (e *patternEditor) normalization(layer *ir.Layer, match func(dividend, variance ir.Input) (normalization, bool)) (n normalization, ok bool) {
	if layer.Type != "Divide" && layer.Type != "Multiply" || !e.IsFloat32(ir.Input{Source: layer}) || !rewrite.IsNumpy(layer) {
		return n, false
	}
	for i := range 2 {
		dividend, by, exponent := layer.Inputs[i], layer.Inputs[1-i], 0.5
		if layer.Type == "Divide" {
			if i == 1 {
				break
			}
		} else if by, exponent, ok = e.reciprocal(by); !ok {
			continue
		}
		variance, eps, outside, ok := e.deviation(by, exponent)
		if !ok {
			continue
		}
		if n, ok = match(dividend, variance); ok {
			n.eps, n.outside = eps, outside
			return n, true
		}
	}
	return n, false
}

// reciprocal matches 1/y, Power(y, -1) and Power(y, -0.5). For the first two it returns y and the
// exponent 0.5. For the last it returns in and the exponent -0.5. The results are the arguments of
// deviation.
func (e *patternEditor) reciprocal(in ir.Input) (y ir.Input, exponent float64, ok bool) {
	switch layer := in.Source; layer.Type {
	case "Divide":
		one, ok := e.Scalar(layer.Inputs[0], layer.Inputs[1])
		return layer.Inputs[1], 0.5, ok && one == 1
	case "Power":
		power, ok := e.Scalar(layer.Inputs[1], layer.Inputs[0])
		if ok && power == -0.5 {
			return in, power, true
		}
		return layer.Inputs[0], 0.5, ok && power == -1
	}
	return y, 0, false
}

// deviation matches variance + eps to the power of exponent. If exponent is 0.5, it also matches
// Sqrt(variance) + eps, and outside is then true.
func (e *patternEditor) deviation(in ir.Input, exponent float64) (variance ir.Input, eps float64, outside, ok bool) {
	if sum := rewrite.Producer(in, "Add"); sum != nil {
		root, eps, ok := e.WithScalar(sum)
		if !ok || exponent != 0.5 {
			return variance, 0, false, false
		}
		variance, found, ok := e.Raised(root)
		return variance, eps, true, ok && found == 0.5 && (eps == 0 || isEpsilon(eps))
	}
	inner, found, ok := e.Raised(in)
	if !ok || found != exponent {
		return variance, 0, false, false
	}
	sum := rewrite.Producer(inner, "Add")
	if sum == nil {
		return variance, 0, false, false
	}
	variance, eps, ok = e.WithScalar(sum)
	return variance, eps, false, ok && isEpsilon(eps)
}

// isEpsilon reports whether eps can be the attribute of a normalization: an f32 that is positive
// and finite. With another one, the layers compute what they say.
func isEpsilon(eps float64) bool { return float32(eps) > 0 && float32(eps) <= math.MaxFloat32 }

// centred matches d = x - ReduceMean(x) and variance = ReduceMean(d²). The two d may be computed by
// one layer or by two equal ones.
func (e *patternEditor) centred(d, variance ir.Input) (n normalization, ok bool) {
	difference, mean := rewrite.Producer(d, "Subtract"), rewrite.Producer(variance, "ReduceMean")
	if difference == nil || mean == nil || !e.keepsAxes(mean) {
		return n, false
	}
	centre := rewrite.Producer(difference.Inputs[1], "ReduceMean")
	if centre == nil || !e.keepsAxes(centre) || !rewrite.IsSame(centre.Inputs[0], difference.Inputs[0]) || !e.isSameAxes(mean, centre) {
		return n, false
	}
	n = normalization{x: difference.Inputs[0], axes: mean.Inputs[1]}
	if squared := rewrite.Producer(mean.Inputs[0], "SquaredDifference"); squared != nil {
		_, ok = rewrite.OtherInput(squared, func(in ir.Input) bool { return rewrite.IsSame(in, n.x) })
		return n, ok && (rewrite.IsSame(squared.Inputs[0], difference.Inputs[1]) || rewrite.IsSame(squared.Inputs[1], difference.Inputs[1]))
	}
	base, exponent, ok := e.Raised(mean.Inputs[0])
	if !ok || exponent != 2 {
		return n, false
	}
	other := rewrite.Producer(base, "Subtract")
	if rewrite.IsSame(base, d) {
		return n, true
	}
	return n, other != nil && rewrite.IsSame(other.Inputs[0], difference.Inputs[0]) && rewrite.IsSame(other.Inputs[1], difference.Inputs[1])
}

// keepsAxes reports whether a reduction has constant axes and keeps them with length 1.
func (e *patternEditor) keepsAxes(reduce *ir.Layer) bool {
	return ir.AttributesOf(reduce).Bool("keep_dims", false) && e.Value(reduce.Inputs[1]) != nil
}

// isSameAxes reports whether two reductions with constant axes have the same axes.
func (e *patternEditor) isSameAxes(a, b *ir.Layer) bool {
	if rewrite.IsSame(a.Inputs[1], b.Inputs[1]) {
		return true
	}
	x, errX := e.Value(a.Inputs[1]).Ints()
	y, errY := e.Value(b.Inputs[1]).Ints()
	return errX == nil && errY == nil && slices.Equal(x, y)
}
