package stringtransform_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/stringtransform"
)

// tensor returns a tensor with the given shape.
func tensor(data any, shape ...int) *ir.Tensor {
	t, err := ir.TensorFrom(data, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

func TestRules(t *testing.T) {
	s := onnxtest.NewSuite(t, stringtransform.Rules())
	words := []string{"monday", "Tuesday", "MONDAY"}
	for _, c := range []onnxtest.Case{
		{Operator: "StringConcat", Version: 20, Inputs: []any{[]string{"a", "é"}, []string{"b", ""}}, Want: []any{[]string{"ab", "é"}}},
		{Operator: "StringConcat", Version: 20, Inputs: []any{tensor([]string{"a", "b"}, 2, 1), []string{"1", "2"}}, Want: []any{tensor([]string{"a1", "a2", "b1", "b2"}, 2, 2)}},
		{Operator: "StringConcat", Version: 20, Inputs: []any{[]string{"a", "b"}, []string{"1", "2", "3"}}, Error: "Broadcast"},

		{Operator: "RegexFullMatch", Version: 20, Attributes: []any{"pattern", "a|ab"}, Inputs: []any{[]string{"ab", "abc", ""}}, Want: []any{[]bool{true, false, false}}},
		{Operator: "RegexFullMatch", Version: 20, Attributes: []any{"pattern", "("}, Inputs: []any{[]string{"a"}}, Error: `pattern "(" is no regular expression`},
		{Operator: "RegexFullMatch", Version: 20, Inputs: []any{[]string{"a"}}, Error: "attribute pattern is missing"},

		{Operator: "StringSplit", Version: 20, Attributes: []any{"delimiter", ","}, Inputs: []any{[]string{"a,,b", "c"}},
			Want: []any{tensor([]string{"a", "", "b", "c", "", ""}, 2, 3), []int64{3, 1}}},
		{Operator: "StringSplit", Version: 20, Attributes: []any{"maxsplit", 1}, Inputs: []any{[]string{" a  b c", "d"}},
			Want: []any{tensor([]string{"a", "b c", "d", ""}, 2, 2), []int64{2, 1}}},

		{Operator: "StringNormalizer", Version: 10, Attributes: []any{"stopwords", []string{"monday"}}, Inputs: []any{words}, Want: []any{[]string{"Tuesday"}}},
		{Operator: "StringNormalizer", Version: 10, Attributes: []any{"stopwords", []string{"monday"}, "is_case_sensitive", 1, "case_change_action", "UPPER"},
			Inputs: []any{words}, Want: []any{[]string{"TUESDAY", "MONDAY"}}},
		{Operator: "StringNormalizer", Version: 10, Static: true, Attributes: []any{"case_change_action", "LOWER"}, Inputs: []any{tensor([]string{"Ä", "B"}, 1, 2)},
			Want: []any{tensor([]string{"ä", "b"}, 1, 2)}},
		{Operator: "StringNormalizer", Version: 10, Attributes: []any{"case_change_action", "x"}, Inputs: []any{words}, Error: "attribute case_change_action"},
	} {
		s.Check(c)
	}
}
