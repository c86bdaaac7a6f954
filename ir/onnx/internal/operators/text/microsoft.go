package text

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// tokenizer splits texts into tokens: their characters, what is between separators, or what a
// regular expression matches.
func tokenizer(n *convert.Node) []convert.Value {
	for _, name := range []string{"mark", "mincharnum", "pad_value"} {
		n.RequireAttribute(name)
	}
	mode, patterns := "separators", n.TextList("separators")
	if !n.HasAttribute("separators") {
		n.RequireAttribute("tokenexp")
		mode, patterns = "tokens", []string{n.Text("tokenexp", "")}
	}
	switch {
	case len(patterns) == 0:
		n.Fail("the node has no separators")
	case len(patterns) == 1 && patterns[0] == map[string]string{"separators": "", "tokens": "."}[mode]:
		mode, patterns = "characters", nil
	}
	attributes := convert.Attributes("mode", mode, "mincharnum", n.Int("mincharnum", 1), "mark", n.Bool("mark", false))
	list := n.ValueOf(append([]string{}, patterns...), len(patterns))
	return []convert.Value{n.Own("Tokenizer", attributes, n.Input(0), list, n.ValueOf(n.Text("pad_value", "")))}
}

// murmurHash3 hashes elements, to unsigned numbers by default.
func murmurHash3(n *convert.Node) []convert.Value {
	t := ir.U32
	if !n.Bool("positive", true) {
		t = ir.I32
	}
	return []convert.Value{n.Own("MurmurHash3", convert.Attributes("seed", n.Int("seed", 0), "output_type", t), n.Input(0))}
}

// wordConvEmbedding embeds words [words,characters], of which each character is a number above 0:
// the vectors of the characters, a convolution over them, its tanh, and the largest element of that
// over the places of the word. A word has as many characters as there are numbers above 0, and at
// least as many as the filter takes; one that starts with 0 is none, for which ONNX Runtime leaves
// the output as it is in memory, and here it is 0.
func wordConvEmbedding(n *convert.Node) []convert.Value {
	words, filter, bias, embedding := n.Input(0), n.Input(1), n.Input(2), n.Input(3)
	for _, a := range []struct {
		name  string
		value convert.Value
		axis  int
	}{{"embedding_size", filter, 0}, {"conv_window_size", filter, 2}, {"char_embedding_size", embedding, 1}} {
		if want, shape := n.Int(a.name, -1), n.Shape(a.value); want >= 0 && shape.Rank() > a.axis && !shape.At(a.axis).Contains(want) {
			n.Fail("attribute %s is %d, the length in the model is %v", a.name, want, shape.At(a.axis))
		}
	}
	numpy := convert.Attributes("auto_broadcast", "numpy")
	zero := n.Like(words, 0)
	used := n.Layer("Greater", 1, numpy, words, zero)
	vectors := n.Layer("Gather", 8, convert.Attributes("batch_dims", 0), embedding, n.Layer("Maximum", 1, numpy, words, zero), n.IntValue(0))
	places := n.Layer("Convolution", 1, convert.Attributes(
		"strides", []int64{1, 1}, "dilations", []int64{1, 1}, "pads_begin", []int64{0, 0}, "pads_end", []int64{0, 0}),
		n.Unsqueeze(vectors, 1), filter) // [words,filters,places,1]
	places = n.Layer("Tanh", 1, nil, n.Layer("Add", 1, numpy, places, n.Unsqueeze(bias, 1, 2)))
	places = n.Squeeze(places, 3)

	// The places of a word are as many as its characters, less those that the filter takes, and 1.
	axis := convert.Attributes("keep_dims", true)
	length := n.Layer("ReduceSum", 1, axis, n.Convert(used, ir.I64), n.IntValues(1))
	count := n.Layer("Subtract", 1, numpy, length, n.Slice(n.ShapeOf(filter), 0, 2, 3))
	number := n.Layer("Range", 4, convert.Attributes("output_type", ir.I64), n.IntValue(0), n.Squeeze(n.Slice(n.ShapeOf(places), 0, 2, 3), 0), n.IntValue(1))
	inside := n.Layer("LessEqual", 1, numpy, number, n.Layer("Maximum", 1, numpy, count, n.IntValue(0)))
	places = n.Layer("Select", 1, numpy, n.Unsqueeze(inside, 1), places, n.Like(places, math.Inf(-1)))
	largest := n.Layer("ReduceMax", 1, convert.Attributes("keep_dims", false), places, n.IntValues(2))
	return []convert.Value{n.Layer("Select", 1, numpy, n.Slice(used, 1, 0, 1), largest, n.Like(largest, 0))}
}
