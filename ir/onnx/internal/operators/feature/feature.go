// Package feature converts the operators of the domain ai.onnx.ml that prepare features, and those
// that encode labels: Scaler, Normalizer, Imputer, Binarizer, FeatureVectorizer,
// ArrayFeatureExtractor, OneHotEncoder, LabelEncoder, CategoryMapper and ZipMap.
package feature

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// domain is that of the operators.
const domain = "ai.onnx.ml"

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one, two, any := infer.Arity{Min: 1, Max: 1}, infer.Arity{Min: 2, Max: 2}, infer.Arity{Min: 1, Max: -1}
	return []convert.Rule{
		{Domain: domain, Operator: "ArrayFeatureExtractor", Versions: []int{1}, Inputs: two, Outputs: one, Convert: arrayFeatureExtractor},
		{Domain: domain, Operator: "Binarizer", Versions: []int{1}, Inputs: one, Outputs: one, Convert: binarizer},
		{Domain: domain, Operator: "CastMap", Versions: []int{1}, Inputs: one, Outputs: one, Convert: ofMaps},
		{Domain: domain, Operator: "CategoryMapper", Versions: []int{1}, Inputs: one, Outputs: one, Convert: categoryMapper},
		{Domain: domain, Operator: "DictVectorizer", Versions: []int{1}, Inputs: one, Outputs: one, Convert: ofMaps},
		{Domain: domain, Operator: "FeatureVectorizer", Versions: []int{1}, Inputs: any, Outputs: one, Convert: featureVectorizer},
		{Domain: domain, Operator: "Imputer", Versions: []int{1}, Inputs: one, Outputs: one, Convert: imputer},
		{Domain: domain, Operator: "LabelEncoder", Versions: []int{1}, Inputs: one, Outputs: one, Convert: labelEncoder1},
		{Domain: domain, Operator: "LabelEncoder", Versions: []int{2, 4}, Inputs: one, Outputs: one, Convert: labelEncoder},
		{Domain: domain, Operator: "Normalizer", Versions: []int{1}, Inputs: one, Outputs: one, Convert: normalizer},
		{Domain: domain, Operator: "OneHotEncoder", Versions: []int{1}, Inputs: one, Outputs: one, Convert: oneHotEncoder},
		{Domain: domain, Operator: "Scaler", Versions: []int{1}, Inputs: one, Outputs: one, Convert: scaler},
		{Domain: domain, Operator: "ZipMap", Versions: []int{1}, Inputs: one, Outputs: one, Convert: zipMap},
	}
}

// scaler subtracts an offset from each feature and multiplies it by a scale.
func scaler(n *convert.Node) []convert.Value {
	x := n.Convert(n.Input(0), ir.F32)
	if offset := n.FloatList("offset"); len(offset) > 0 {
		x = arithmetic.Subtract(n, x, perFeature(n, x, "offset", offset))
	}
	if scale := n.FloatList("scale"); len(scale) > 0 {
		x = arithmetic.Multiply(n, x, perFeature(n, x, "scale", scale))
	}
	return []convert.Value{x}
}

// perFeature adds a Constant with one value, or one for each feature of x. More would make x
// broader.
func perFeature[T float32 | int64](n *convert.Node, x convert.Value, what string, values []T) convert.Value {
	if rank := n.Rank(x); len(values) > 1 && rank > 0 {
		if last := n.Shape(x).At(rank - 1); !last.Contains(int64(len(values))) {
			n.Fail("%s has %d elements for rows of %v features", what, len(values), last)
		}
	}
	return n.ValueOf(values)
}

// normalizer divides rows by a norm: their greatest element, as in ONNX Runtime, the sum of the
// magnitudes or the root of the sum of squares. A row whose norm is 0 stays as it is.
func normalizer(n *convert.Node) []convert.Value {
	x := n.Convert(n.Input(0), ir.F32)
	kind := map[string]string{"MAX": "ReduceMax", "L1": "ReduceL1", "L2": "ReduceL2"}[n.Enum("norm", "MAX", "MAX", "L1", "L2")]
	version := 4
	if kind == "ReduceMax" {
		version = 1
	}
	norm := n.Layer(kind, version, convert.Attributes("keep_dims", true), x, n.IntValues(-1))
	isZero := n.Layer("Equal", 1, nil, norm, n.Like(x, 0))
	return []convert.Value{arithmetic.Divide(n, x, arithmetic.Select(n, isZero, n.Like(x, 1), norm))}
}

// imputer replaces a value, which can be NaN, by one for all features or one for each.
func imputer(n *convert.Node) []convert.Value {
	x := n.Input(0)
	var replaced, imputed convert.Value
	if t := n.Type(x); t == ir.I64 || t == ir.I32 {
		replaced = n.Like(x, float64(n.Int("replaced_value_int64", 0)))
		imputed = perFeature(n, x, "imputed_value_int64s", n.IntList("imputed_value_int64s"))
		replaced = n.Layer("Equal", 1, nil, x, replaced)
	} else {
		old := n.Float("replaced_value_float", 0)
		imputed = perFeature(n, x, "imputed_value_floats", n.FloatList("imputed_value_floats"))
		if old != old {
			replaced = n.Layer("IsNaN", 10, nil, x)
		} else {
			replaced = n.Layer("Equal", 1, nil, x, n.Like(x, float64(old)))
		}
	}
	return []convert.Value{arithmetic.Select(n, replaced, n.Convert(imputed, n.Type(x)), x)}
}

// binarizer gives 1 for elements above a threshold, and 0 for others.
func binarizer(n *convert.Node) []convert.Value {
	x := n.Input(0)
	above := n.Layer("Greater", 1, nil, n.Convert(x, ir.F64), n.Scalar(ir.F64, float64(n.Float("threshold", 0))))
	if n.Type(x) == ir.F32 {
		above = n.Layer("Greater", 1, nil, x, n.Like(x, float64(n.Float("threshold", 0))))
	}
	return []convert.Value{n.Convert(above, n.Type(x))}
}

// featureVectorizer joins the features of all inputs. A vector is one row.
func featureVectorizer(n *convert.Node) []convert.Value {
	dimensions := n.IntList("inputdimensions")
	parts := make([]convert.Value, len(n.Inputs()))
	for i, x := range n.Inputs() {
		x = n.Convert(x, ir.F32)
		if n.RequireRank(x, "an input") == 1 {
			x = n.Unsqueeze(x, 0)
		}
		if n.Failed() {
			return nil
		}
		if n.Rank(x) != 2 {
			x = n.Reshape(x, n.IntValues(0, -1), true)
		}
		if have := n.Shape(x).At(1); i < len(dimensions) && !have.Contains(dimensions[i]) {
			n.Fail("input %d has %v features, inputdimensions says %d", i, have, dimensions[i])
		}
		parts[i] = x
	}
	return []convert.Value{n.Concat(1, parts...)}
}

// arrayFeatureExtractor picks elements of the last axis. A vector is one row.
func arrayFeatureExtractor(n *convert.Node) []convert.Value {
	x, places := n.Input(0), n.Reshape(n.Input(1), n.IntValues(-1), false)
	if n.Rank(x) == 1 {
		x = n.Unsqueeze(x, 0)
	}
	return []convert.Value{arithmetic.Gather(n, x, places, -1)}
}

// zipMap gives its input, the scores of classes, in place of a map for each row, which no tensor
// holds. The labels of the columns are in a note.
func zipMap(n *convert.Node) []convert.Value {
	if labels := n.TextList("classlabels_strings"); len(labels) > 0 {
		n.Note("the columns of the output are the classes %q", labels)
	} else {
		n.Note("the columns of the output are the classes %d", n.IntList("classlabels_int64s"))
	}
	return []convert.Value{n.Input(0)}
}

// ofMaps refuses operators whose input is a map.
func ofMaps(n *convert.Node) []convert.Value {
	n.Unsupported("a map is no tensor")
	return nil
}
