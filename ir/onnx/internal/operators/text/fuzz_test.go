package text_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/text"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// fuzz converts a model of one node with any attributes, whose input has n elements. The result is
// a model or an error, and no panic.
func fuzz(t *testing.T, domain, operator string, elementType ir.ElementType, attributes ...any) {
	t.Helper()
	node := onnxtest.Node(operator, "x", "y", onnxtest.Attributes(attributes...)...)
	node.Domain = domain
	m, err := onnxtest.NewSuite(t, text.Rules()).Convert(t, onnxtest.Model(17, &proto.Graph{
		Name: "g", Nodes: []*proto.Node{node},
		Inputs: []*proto.ValueInfo{onnxtest.Value("x", elementType, 3)}, Outputs: []*proto.ValueInfo{{Name: "y"}},
	}))
	if err != nil {
		require.NotContains(t, err.Error(), "BUG")
		return
	}
	require.NotEmpty(t, m.Results)
}

func FuzzTokenizer(f *testing.F) {
	f.Add("a|b", "tokenexp", 1, 0)
	f.Add(" \n,", "separators", 2, 1)
	f.Fuzz(func(t *testing.T, patterns, name string, shortest, mark int) {
		var value any = patterns
		if name == "separators" {
			value = strings.Split(patterns, "\n")
		}
		fuzz(t, "com.microsoft", "Tokenizer", ir.String, name, value, "mincharnum", shortest, "mark", mark, "pad_value", patterns)
	})
}

func FuzzTfIdfVectorizer(f *testing.F) {
	f.Add("a b a b", 0, 2, 3, 1, 2, 1, "IDF")
	f.Fuzz(func(t *testing.T, pool string, first, second, index, shortest, longest, skips int, mode string) {
		fuzz(t, "", "TfIdfVectorizer", ir.String, "pool_strings", strings.Fields(pool), "ngram_counts", []int{first, second},
			"ngram_indexes", []int{0, index, 1}, "min_gram_length", shortest, "max_gram_length", longest, "max_skip_count", skips, "mode", mode)
		fuzz(t, "", "TfIdfVectorizer", ir.I32, "pool_int64s", []int{index, second, first}, "ngram_counts", []int{first, second},
			"ngram_indexes", []int{first, index}, "min_gram_length", shortest, "max_gram_length", longest, "max_skip_count", skips, "mode", mode)
	})
}
