// Package text converts operators that make tokens or numbers of texts: TfIdfVectorizer, and of
// com.microsoft Tokenizer, MurmurHash3 and WordConvEmbedding.
package text

import (
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// microsoft is the domain of ONNX Runtime's own operators.
const microsoft = "com.microsoft"

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one := infer.Arity{Min: 1, Max: 1}
	return []convert.Rule{
		{Domain: microsoft, Operator: "MurmurHash3", Versions: []int{1}, Inputs: one, Outputs: one, Convert: murmurHash3},
		{Operator: "TfIdfVectorizer", Versions: []int{9}, Inputs: one, Outputs: one, Convert: tfIdfVectorizer},
		{Domain: microsoft, Operator: "Tokenizer", Versions: []int{1}, Inputs: one, Outputs: one, Convert: tokenizer},
		{Domain: microsoft, Operator: "WordConvEmbedding", Versions: []int{1}, Inputs: infer.Arity{Min: 4, Max: 4}, Outputs: one, Convert: wordConvEmbedding},
	}
}
