package predictor

import (
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// duels are the decisions between each two classes, in the order 0 against 1, 0 against 2 and so
// on. A score above 0 is for the first of the two.
type duels struct {
	classes, vectors int
	pairs            [][2]int
	weights          convert.Value // f32 [vectors, pairs]
}

// maxClasses bounds the pairs.
const maxClasses = 4096

// readDuels reads the coefficients. Those of a support vector are as many as there are other
// classes: row i-1 is for the duel of its class with class i, or row i if i is the lower one.
func readDuels(n *convert.Node, perClass []int64, rho []float32) *duels {
	coefficients := n.FloatList("coefficients")
	d := &duels{classes: len(perClass)}
	if d.classes < 2 || d.classes > maxClasses {
		n.Fail("vectors_per_class has %d classes, expected 2 to %d", d.classes, maxClasses)
		return d
	}
	starts := make([]int, d.classes+1)
	for i, count := range perClass {
		if count < 0 || count > int64(len(coefficients)) {
			n.Fail("vectors_per_class[%d] is %d, of %d coefficients", i, count, len(coefficients))
			return d
		}
		starts[i+1] = starts[i] + int(count)
	}
	d.vectors = starts[d.classes]
	sameLength(n, "coefficients", len(coefficients), (d.classes-1)*d.vectors)
	for i := range d.classes {
		for j := i + 1; j < d.classes; j++ {
			d.pairs = append(d.pairs, [2]int{i, j})
		}
	}
	sameLength(n, "rho", len(rho), d.count())
	if n.Failed() {
		return d
	}
	weights := make([]float32, d.vectors*d.count())
	for p, pair := range d.pairs {
		for side, class := range pair {
			row := pair[1-side]
			if row > class {
				row--
			}
			for v := starts[class]; v < starts[class+1]; v++ {
				weights[v*d.count()+p] = coefficients[row*d.vectors+v]
			}
		}
	}
	d.weights = n.ValueOf(weights, d.vectors, d.count())
	return d
}

// count returns the number of pairs.
func (d *duels) count() int { return len(d.pairs) }

// votes returns the number of duels that each class wins, [rows, classes].
func (d *duels) votes(n *convert.Node, scores convert.Value) convert.Value {
	// A duel counts 1 for the first class if its score is above 0, and else 1 for the second.
	signs, seconds := make([]float32, d.count()*d.classes), make([]float32, d.classes)
	for p, pair := range d.pairs {
		signs[p*d.classes+pair[0]], signs[p*d.classes+pair[1]] = 1, -1
		seconds[pair[1]]++
	}
	won := n.Convert(n.Layer("Greater", 1, nil, scores, n.Like(scores, 0)), n.Type(scores))
	product := arithmetic.MatMul(n, won, n.ValueOf(signs, d.count(), d.classes), false, false)
	return arithmetic.Add(n, product, n.ValueOf(seconds))
}

// probabilities returns those of the classes: Platt's, coupled as by LibSVM.
func (d *duels) probabilities(n *convert.Node, scores convert.Value) convert.Value {
	a, b := n.FloatList("prob_a"), n.FloatList("prob_b")
	sameLength(n, "prob_a", len(a), d.count())
	sameLength(n, "prob_b", len(b), d.count())
	x := arithmetic.Add(n, arithmetic.Multiply(n, scores, n.ValueOf(a)), n.ValueOf(b))
	first := n.Layer("Sigmoid", 1, nil, n.Layer("Negative", 1, nil, x))
	const least = 1e-7
	first = n.Layer("Clamp", 1, convert.Attributes("min", float32(least), "max", float32(1-least)), first)
	return n.Own("PairwiseCoupling", convert.Attributes("classes", d.classes), first)
}
