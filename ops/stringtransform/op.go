// Package stringtransform computes strings from strings, one by one, and from numbers and back:
//
//	NumberToString    output[i] = the text of data[i]
//	StringToNumber    output[i] = the number whose text is data[i]
//	StringConcat      output[i] = a[i] followed by b[i]
//	RegexFullMatch    output[i] = whether the regular expression matches all of data[i]
//	StringSplit       output[i] = the parts of data[i] between delimiters
//	StringNormalizer  output = data without stop words, in lower or upper case
//
// Versions: the namespace vinoir. Models that are read from ONNX files have the layers, since
// OpenVINO's do not work on tensors of strings.
//
// NumberToString: data, f64, i64 or u64. Integers are decimal, and floats have 8 significant
// digits, as %.8g of C: 1.5, 1e+10; NaN, INF and -INF are what is no number. These are the texts of
// ONNX Runtime.
//
// StringToNumber: data, strings. Attribute: destination_type, f64, i64 or u64. Numbers are those of
// NumberToString, and all that strconv.ParseFloat of Go takes, such as 1E8 and infinity, with white
// space around them. Fractions of integers are dropped. It is an error if a string is no number, or
// if an integer is out of range. -1 as u64 is 1<<64 - 1.
//
// StringConcat: a and b have one shape, which is that of the output.
//
// RegexFullMatch: data; pattern, one constant string, in the syntax of RE2. Output: boolean.
//
// StringSplit: data; delimiter, one constant string. If it is empty, white space of any length
// delimits parts, and none is at the start or the end. Outputs: the parts, with an axis behind
// those of data that is as long as the largest number of parts, and "" behind the last part; the
// numbers of parts, i64. Attribute: maxsplit, -1 by default, the largest number of delimiters that
// are looked for; the last part is all that is left.
//
// StringNormalizer: data [n] or [1, n]; stopwords, a constant vector. Output: data without the stop
// words, or one empty string if nothing is left. Attributes: case, "none" by default, "lower" or
// "upper"; sensitive, true by default: the case of stop words counts. Cases are those of Unicode,
// character by character.
//
// Specification: ONNX has operators of the same names.
package stringtransform

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "NumberToString", Namespace: "vinoir",
		Inputs:  ops.Exactly(1),
		Types:   numbers,
		Infer:   inferFormat,
		Prepare: prepareFormat,
	},
	{
		Type: "RegexFullMatch", Namespace: "vinoir",
		Inputs:  ops.Exactly(2),
		Values:  []int{1},
		Infer:   inferMatch,
		Prepare: prepareMatch,
	},
	{
		Type: "StringConcat", Namespace: "vinoir",
		Inputs:  ops.Exactly(2),
		Infer:   inferConcat,
		Prepare: prepareConcat,
	},
	{
		Type: "StringNormalizer", Namespace: "vinoir",
		Inputs:     ops.Exactly(2),
		Attributes: parseNormalizer,
		Values:     []int{1},
		Infer:      inferNormalizer,
		Prepare:    prepareNormalizer,
	},
	{
		Type: "StringSplit", Namespace: "vinoir",
		Inputs:     ops.Exactly(2),
		Attributes: parseSplit,
		Values:     []int{1},
		Written:    2,
		Infer:      inferSplit,
		Prepare:    prepareSplit,
	},
	{
		Type: "StringToNumber", Namespace: "vinoir",
		Inputs:     ops.Exactly(1),
		Attributes: parseDestination,
		Infer:      inferParse,
		Prepare:    prepareParse,
	},
}

// numbers are the types of numbers that have texts. All others can be converted to one of them.
var numbers = []ir.ElementType{ir.F64, ir.I64, ir.U64}

// normalizer are the attributes of StringNormalizer.
type normalizer struct {
	letters   string
	sensitive bool
}

func parseNormalizer(a *ir.Attributes) (any, error) {
	return normalizer{a.Enum("case", "none", "none", "lower", "upper"), a.Bool("sensitive", true)}, a.Err()
}

// parseSplit returns maxsplit.
func parseSplit(a *ir.Attributes) (any, error) { return int(a.Int("maxsplit", -1)), a.Err() }

// parseDestination returns destination_type.
func parseDestination(a *ir.Attributes) (any, error) {
	a.Expect("destination_type")
	t := a.ElementType("destination_type", ir.F64)
	if !slices.Contains(numbers, t) {
		a.Fail("destination_type", "%v, expected one of %v", t, numbers)
	}
	return t, a.Err()
}

func inferFormat(in *ops.Inference) error {
	data := &in.Inputs[0]
	if data.Type != ir.Dynamic && !slices.Contains(numbers, data.Type) {
		return faults.Errorf("data is %v, expected one of %v", data.Type, numbers)
	}
	return ops.SetOutputs(in, ir.Fact{Type: ir.String, Shape: data.Shape})
}

func inferParse(in *ops.Inference) error {
	if err := checkStrings(in, "data"); err != nil {
		return err
	}
	return ops.SetOutputs(in, ir.Fact{Type: in.Attributes.(ir.ElementType), Shape: in.Inputs[0].Shape})
}

// checkStrings returns an error unless the inputs with the given names are strings.
func checkStrings(in *ops.Inference, names ...string) error {
	for i, name := range names {
		if t := in.Inputs[i].Type; t != ir.String && t != ir.Dynamic {
			return faults.Errorf("%s is %v, expected string", name, t)
		}
	}
	return nil
}

func inferConcat(in *ops.Inference) error {
	if err := checkStrings(in, "a", "b"); err != nil {
		return err
	}
	shape, ok := in.Inputs[0].Shape.Merge(in.Inputs[1].Shape)
	if !ok {
		return faults.Errorf("a has shape %v, b has %v", in.Inputs[0].Shape, in.Inputs[1].Shape)
	}
	return ops.SetOutputs(in, ir.Fact{Type: ir.String, Shape: shape})
}

func inferMatch(in *ops.Inference) error {
	if err := checkStrings(in, "data", "pattern"); err != nil {
		return err
	}
	if err := check.OneElement("pattern", in.Inputs[1].Shape); err != nil {
		return err
	}
	return ops.SetOutputs(in, ir.Fact{Type: ir.Boolean, Shape: in.Inputs[0].Shape})
}

func inferSplit(in *ops.Inference) error {
	if err := checkStrings(in, "data", "delimiter"); err != nil {
		return err
	}
	if err := check.OneElement("delimiter", in.Inputs[1].Shape); err != nil {
		return err
	}
	shape, parts := in.Inputs[0].Shape, ir.UnknownRank
	if shape.RankKnown() {
		dims := make([]ir.Dimension, shape.Rank(), shape.Rank()+1)
		for i := range dims {
			dims[i] = shape.At(i)
		}
		parts = ir.ShapeOf(append(dims, ir.AnyDim)...)
	}
	return ops.SetOutputs(in, ir.Fact{Type: ir.String, Shape: parts}, ir.Fact{Type: ir.I64, Shape: shape})
}

func inferNormalizer(in *ops.Inference) error {
	if err := checkStrings(in, "data", "stopwords"); err != nil {
		return err
	}
	if err := check.Rank("stopwords", in.Inputs[1].Shape, 1); err != nil {
		return err
	}
	shape := in.Inputs[0].Shape
	out := ir.UnknownRank
	if shape.RankKnown() {
		switch rank := shape.Rank(); {
		case rank == 1:
			out = ir.ShapeOf(ir.AnyDim)
		case rank == 2 && shape.At(0).Contains(1):
			out = ir.ShapeOf(ir.Dim(1), ir.AnyDim)
		default:
			return faults.Errorf("data has shape %v, expected [n] or [1,n]", shape)
		}
	}
	return ops.SetOutputs(in, ir.Fact{Type: ir.String, Shape: out})
}
