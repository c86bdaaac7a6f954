// Package normalization converts operators that give elements a mean of 0, or a norm of 1:
// BatchNormalization, LayerNormalization, InstanceNormalization, GroupNormalization,
// RMSNormalization, MeanVarianceNormalization, LpNormalization and LRN. microsoft.go has those into
// which ONNX Runtime fuses the additions before them.
package normalization

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one, two, three := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 2, Max: 2}, infer.Arity{Min: 3, Max: 3}
	five, upTo3 := infer.Arity{Min: 5, Max: 5}, infer.Arity{Min: 1, Max: 3}
	return append(microsoftRules(), []convert.Rule{
		{Operator: "BatchNormalization", Versions: []int{1, 6, 7, 9}, Inputs: five, Outputs: infer.Arity{Min: 1, Max: 5}, Convert: batch},
		{Operator: "BatchNormalization", Versions: []int{14, 15}, Inputs: five, Outputs: upTo3, Convert: batch},
		{Operator: "GroupNormalization", Versions: []int{18, 21}, Inputs: three, Outputs: one, Convert: group},
		{Operator: "InstanceNormalization", Versions: []int{1, 6, 22}, Inputs: three, Outputs: one, Convert: instance},
		{Operator: "LRN", Versions: []int{1, 13}, Inputs: one, Outputs: one, Convert: lrn},
		{Operator: "LayerNormalization", Versions: []int{1, 17}, Inputs: infer.Arity{Min: 2, Max: 3}, Outputs: upTo3, Convert: layer},
		{Operator: "LpNormalization", Versions: []int{1, 22}, Inputs: one, Outputs: one, Convert: lp},
		{Operator: "MeanVarianceNormalization", Versions: []int{1, 9, 13}, Inputs: one, Outputs: one, Convert: meanVariance},
		{Operator: "RMSNormalization", Versions: []int{23}, Inputs: two, Outputs: one, Convert: rms},
	}...)
}

// mean returns the mean along axes, which keep length 1.
func mean(n *convert.Node, x, axes convert.Value) convert.Value {
	return n.Layer("ReduceMean", 1, convert.Attributes("keep_dims", true), x, axes)
}

// inverse returns 1 / sqrt(v + epsilon).
func inverse(n *convert.Node, v convert.Value, epsilon float32) convert.Value {
	root := n.Layer("Sqrt", 1, nil, arithmetic.Plus(n, v, float64(epsilon)))
	return arithmetic.Divide(n, n.Like(root, 1), root)
}

// normalized returns x with mean 0 and variance 1 along axes.
func normalized(n *convert.Node, x, axes convert.Value, epsilon float32) convert.Value {
	attributes := convert.Attributes("eps", epsilon, "normalize_variance", true, "eps_mode", "inside_sqrt")
	return n.Layer("MVN", 6, attributes, x, axes)
}

// alongChannels returns a value with one element for each channel of x, in a shape that broadcasts
// to x.
func alongChannels(n *convert.Node, v, x convert.Value) convert.Value {
	shape := []int64{1, -1}
	for i := 2; i < n.RequireRank(x, "input 0"); i++ {
		shape = append(shape, 1)
	}
	return n.Reshape(v, n.IntValues(shape...), false)
}

// batch normalises each channel by a mean and a variance that are inputs. In training, which is
// what a node without is_test does before version 7, they are those of x; outputs 1 and 2 are then
// averages of old and new ones. With spatial 0, which version 7 has, they are those of each
// element.
func batch(n *convert.Node) []convert.Value {
	x, scale, bias, m, v := n.Input(0), n.Input(1), n.Input(2), n.Input(3), n.Input(4)
	epsilon := n.Float("epsilon", 1e-5)
	training := n.Bool("training_mode", false) || n.Version < 7 && !n.Bool("is_test", false) && n.Wants(1)
	switch {
	case !n.Bool("spatial", true) && !training:
		centred := arithmetic.Multiply(n, arithmetic.Subtract(n, x, m), inverse(n, v, epsilon))
		return []convert.Value{arithmetic.Add(n, arithmetic.Multiply(n, centred, scale), bias)}
	case !training:
		return []convert.Value{n.Layer("BatchNormInference", 5, convert.Attributes("epsilon", epsilon), x, scale, bias, m, v)}
	}
	axes := n.Concat(0, n.IntValues(0), n.AxesFrom(x, 2))
	of := func(v convert.Value) convert.Value {
		return n.Layer("ReduceMean", 1, convert.Attributes("keep_dims", false), v, axes)
	}
	newMean := of(x)
	difference := arithmetic.Subtract(n, x, mean(n, x, axes))
	newVariance := of(arithmetic.Multiply(n, difference, difference))
	y := n.Layer("BatchNormInference", 5, convert.Attributes("epsilon", epsilon), x, scale, bias, newMean, newVariance)
	momentum := float64(n.Float("momentum", 0.9))
	average := func(old, new convert.Value) convert.Value {
		return arithmetic.Add(n, arithmetic.Times(n, old, momentum), arithmetic.Times(n, new, 1-momentum))
	}
	return []convert.Value{y, average(m, newMean), average(v, newVariance)}
}

// group normalises groups of channels. Before version 21, scale and bias have one element for each
// group, since then one for each channel.
func group(n *convert.Node) []convert.Value {
	n.RequireAttribute("num_groups")
	x, scale, bias := n.Input(0), n.Input(1), n.Input(2)
	groups := n.Int("num_groups", 1)
	if n.Version < 21 && groups > 0 {
		channels := arithmetic.Lengths(n, x, 1)
		shape := n.Concat(0, n.IntValues(groups), arithmetic.Divide(n, channels, n.IntValue(groups)))
		repeated := func(v convert.Value) convert.Value {
			all := arithmetic.Broadcast(n, n.Unsqueeze(v, 1), shape)
			return n.Reshape(all, n.IntValues(-1), false)
		}
		scale, bias = repeated(scale), repeated(bias)
	}
	attributes := convert.Attributes("num_groups", groups, "epsilon", n.Float("epsilon", 1e-5))
	return []convert.Value{n.Layer("GroupNormalization", 12, attributes, x, scale, bias)}
}

// instance normalises each channel of each element of the batch.
func instance(n *convert.Node) []convert.Value {
	x := n.Input(0)
	y := normalized(n, x, n.AxesFrom(x, 2), n.Float("epsilon", 1e-5))
	y = arithmetic.Multiply(n, y, alongChannels(n, n.Input(1), x))
	return []convert.Value{arithmetic.Add(n, y, alongChannels(n, n.Input(2), x))}
}

// lrn divides by a power of the sum of squares over neighbouring channels.
func lrn(n *convert.Node) []convert.Value {
	n.RequireAttribute("size")
	attributes := convert.Attributes("alpha", n.Float("alpha", 1e-4), "beta", n.Float("beta", 0.75), "bias", n.Float("bias", 1), "size", n.Int("size", 1))
	return []convert.Value{n.Layer("LRN", 1, attributes, n.Input(0), n.IntValues(1))}
}

// axesFrom returns the axes of x from the attribute axis on, the last one by default.
func axesFrom(n *convert.Node, x convert.Value) convert.Value {
	axis := n.Int("axis", -1)
	if rank := n.Rank(x); rank >= 0 {
		axis = int64(n.Axis(axis, rank))
	}
	if axis >= 0 {
		return n.AxesFrom(x, axis)
	}
	var axes []int64
	for ; axis < 0 && !n.Failed() && len(axes) < ir.MaxRank; axis++ {
		axes = append(axes, axis)
	}
	return n.IntValues(axes...)
}

// layer normalises the axes from one on. Outputs 1 and 2 are the mean and the inverse of the
// standard deviation, in f32. Version 1 is what ONNX Runtime writes into files of older versions.
func layer(n *convert.Node) []convert.Value {
	x := n.Input(0)
	return layerOf(n, x, n.Input(1), n.Input(2), axesFrom(n, x), n.Float("epsilon", 1e-5))
}

// layerOf returns the outputs of LayerNormalization. bias can be absent.
func layerOf(n *convert.Node, x, scale, bias, axes convert.Value, epsilon float32) []convert.Value {
	y := arithmetic.Multiply(n, normalized(n, x, axes, epsilon), scale)
	if !bias.Absent() {
		y = arithmetic.Add(n, y, bias)
	}
	if !n.Wants(1) && !n.Wants(2) {
		return []convert.Value{y, {}, {}}
	}
	wide := n.Convert(x, ir.F32)
	m := mean(n, wide, axes)
	difference := arithmetic.Subtract(n, wide, m)
	variance := mean(n, arithmetic.Multiply(n, difference, difference), axes)
	return []convert.Value{y, m, inverse(n, variance, epsilon)}
}

// lp divides by the norm along an axis, where it is not 0.
func lp(n *convert.Node) []convert.Value {
	layerType := "ReduceL2"
	if p := n.Int("p", 2); p == 1 {
		layerType = "ReduceL1"
	} else if p != 2 {
		n.Fail("attribute p is %d, expected 1 or 2", p)
	}
	x := n.Input(0)
	norm := n.Layer(layerType, 4, convert.Attributes("keep_dims", true), x, n.IntValues(n.Int("axis", -1)))
	norm = arithmetic.Select(n, n.Layer("Equal", 1, nil, norm, n.Like(norm, 0)), n.Like(norm, 1), norm)
	return []convert.Value{arithmetic.Divide(n, x, norm)}
}

// meanVariance normalises axes, by default those of the batch and of pictures. In version 1, which
// was on trial, attributes say whether channels are among them, and whether the variance becomes 1.
func meanVariance(n *convert.Node) []convert.Value {
	axes, variance := []int64{0, 2, 3}, true
	switch {
	case n.Version == 1:
		variance = n.Bool("normalize_variance", true)
		if n.Bool("across_channels", false) {
			axes = []int64{0, 1, 2, 3}
		}
	case n.HasAttribute("axes"):
		axes = n.IntList("axes")
	}
	attributes := convert.Attributes("eps", float32(1e-9), "normalize_variance", variance, "eps_mode", "outside_sqrt")
	return []convert.Value{n.Layer("MVN", 6, attributes, n.Input(0), n.IntValues(axes...))}
}

// rms divides by the square root of the mean of the squares of the axes from one on, which is
// computed in f32.
func rms(n *convert.Node) []convert.Value {
	x := n.Input(0)
	return rmsOf(n, x, n.Input(1), axesFrom(n, x), n.Float("epsilon", 1e-5))[:1]
}

// rmsOf returns the output of RMSNormalization, and the inverse of what x is divided by.
func rmsOf(n *convert.Node, x, scale, axes convert.Value, epsilon float32) []convert.Value {
	wide := x
	if n.Type(x).Size() < 4 {
		wide = n.Convert(x, ir.F32)
	}
	factor := inverse(n, mean(n, arithmetic.Multiply(n, wide, wide), axes), epsilon)
	y := arithmetic.Multiply(n, wide, factor)
	return []convert.Value{arithmetic.Multiply(n, n.Convert(y, n.Type(scale)), scale), factor}
}
