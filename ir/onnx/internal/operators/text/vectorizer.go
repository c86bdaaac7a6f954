package text

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// tfIdfVectorizer counts the n-grams of rows of items. A weight is that of an n-gram, as the text
// of ONNX says and ONNX Runtime computes; to ONNX's reference, it is that of a column.
func tfIdfVectorizer(n *convert.Node) []convert.Value {
	for _, name := range []string{"mode", "min_gram_length", "max_gram_length", "max_skip_count", "ngram_counts", "ngram_indexes"} {
		n.RequireAttribute(name)
	}
	mode, columns, weights := n.Enum("mode", "TF", "TF", "IDF", "TFIDF"), n.IntList("ngram_indexes"), n.FloatList("weights")
	if weights != nil && len(weights) != len(columns) {
		n.Fail("weights has %d elements, ngram_indexes has %d", len(weights), len(columns))
	}
	attributes := convert.Attributes(
		"ngram_counts", n.IntList("ngram_counts"), "min_gram_length", n.Int("min_gram_length", 1), "max_gram_length", n.Int("max_gram_length", 1),
		"max_skip_count", n.Int("max_skip_count", 0), "binary", mode == "IDF",
	)
	inputs := append(items(n), n.IntValues(columns...))
	if weights != nil && mode != "TF" {
		inputs = append(inputs, n.ValueOf(slices.Clip(weights), len(weights)))
	}
	return []convert.Value{n.Own("TfIdfVectorizer", attributes, inputs...)}
}

// items returns the input and the pool, both with elements of the same type.
func items(n *convert.Node) []convert.Value {
	x := n.Input(0)
	if n.HasAttribute("pool_strings") {
		pool := n.TextList("pool_strings")
		return []convert.Value{x, n.ValueOf(pool, len(pool))}
	}
	n.RequireAttribute("pool_int64s")
	return []convert.Value{n.Convert(x, ir.I64), n.IntValues(n.IntList("pool_int64s")...)}
}
