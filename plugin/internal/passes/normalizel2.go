package passes

import (
	"math"
	"strconv"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
)

// RecogniseNormalizeL2 replaces a vector's division by the root of the sum or the mean of its
// squares, which a model computes with several layers, by one NormalizeL2:
//
//	x / Sqrt(s + eps), x * (1 / Sqrt(s + eps)), x * Power(s + eps, -0.5)
//
// where s is ReduceSum(x²) or, for RMSNorm, ReduceMean(x²). The mean of n squares is the sum
// divided by n, so a multiplication by Sqrt(n) follows, which MergeAffine joins with the weights of
// RMSNorm.
func RecogniseNormalizeL2(g *ops.Graph) bool {
	if !g.Has("ReduceMean", "ReduceSum") || !g.CanInsert("NormalizeL2", "opset1") {
		return false
	}
	e := &patternEditor{rewrite.NewEditor(g)}
	for _, layer := range g.Model.Order {
		n, ok := e.normalization(layer, e.squares)
		if !ok || n.outside || !isEpsilon(n.eps*n.squares) {
			continue
		}
		l2 := e.AddLayer(layer, "NormalizeL2", "opset1", edit.Attributes(
			"eps", strconv.FormatFloat(n.eps*n.squares, 'g', -1, 64), "eps_mode", "add",
		), n.x, e.axesVector(layer, n.axes))
		if n.squares != 1 {
			root := rewrite.FloatTensor(ir.Shape{}, []float64{math.Sqrt(n.squares)})
			l2 = e.AddLayer(layer, "Multiply", "opset1", nil, ir.Input{Source: l2}, e.AddConstant(layer, root))
		}
		e.ReplaceLayer(layer, edit.First(l2))
	}
	return e.Done()
}

// squares matches variance = ReduceSum(x²) or ReduceMean(x²), the latter of axes whose lengths are
// known.
func (e *patternEditor) squares(x, variance ir.Input) (n normalization, ok bool) {
	reduce := rewrite.Producer(variance, "ReduceMean", "ReduceSum")
	if reduce == nil || !e.keepsAxes(reduce) {
		return n, false
	}
	base, exponent, ok := e.Raised(reduce.Inputs[0])
	if !ok || exponent != 2 || !rewrite.IsSame(base, x) {
		return n, false
	}
	n = normalization{x: x, axes: reduce.Inputs[1], squares: 1}
	axes, err := e.Value(n.axes).Ints()
	if err != nil || len(axes) == 0 { // without axes, NormalizeL2 divides each element by itself
		return n, false
	}
	if reduce.Type == "ReduceSum" {
		return n, true
	}
	shape := e.Fact(x).Shape
	if !shape.RankKnown() {
		return n, false
	}
	for _, axis := range axes {
		i, err := index.Axis(axis, shape.Rank())
		if err != nil || !shape.At(i).IsStatic() {
			return n, false
		}
		n.squares *= float64(shape.At(i).Max)
	}
	return n, true
}
