// Package text converts operators that make features of texts: TfIdfVectorizer.
package text

import (
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one := infer.Arity{Min: 1, Max: 1}
	return []convert.Rule{
		{Operator: "TfIdfVectorizer", Versions: []int{9}, Inputs: one, Outputs: one, Convert: tfIdfVectorizer},
	}
}
