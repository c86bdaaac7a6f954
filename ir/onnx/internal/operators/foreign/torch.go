package foreign

import (
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// atenOperator is an operator of PyTorch whose name is an attribute.
func atenOperator(n *convert.Node) []convert.Value {
	n.RequireAttribute("operator")
	switch name := n.Text("operator", ""); name {
	case "adaptive_avg_pool2d":
		return adaptivePool(n)
	case "embedding_bag":
		return embeddingBag(n)
	default:
		n.Unsupported("attribute operator is " + name + ", expected adaptive_avg_pool2d or embedding_bag")
	}
	return nil
}

// adaptivePool averages an image to a size.
func adaptivePool(n *convert.Node) []convert.Value {
	return []convert.Value{n.Layer("AdaptiveAvgPool", 8, nil, n.Input(0), n.Input(1))}
}

// embeddingBag sums rows of a table: those in a row of indices or, with offsets, those from one
// offset to the next of a vector of indices. Rows can have factors. An empty bag gives 0. Further
// outputs are for training.
func embeddingBag(n *convert.Node) []convert.Value {
	n.RequireAttribute("mode")
	if mode := n.Int("mode", 0); mode != 0 {
		n.Unsupported("embedding_bag with mean or maximum")
	}
	inputs := []convert.Value{n.Input(0), n.Input(1)}
	layerType := "EmbeddingBagPackedSum"
	if n.Has(2) {
		layerType = "EmbeddingBagOffsetsSum"
		inputs = append(inputs, n.Convert(n.Input(2), n.Type(n.Input(1))))
		if n.Has(3) {
			inputs = append(inputs, n.Like(n.Input(1), -1))
		}
	}
	if n.Has(3) {
		inputs = append(inputs, n.Input(3))
	}
	return []convert.Value{n.Layer(layerType, 3, nil, inputs...)}
}
