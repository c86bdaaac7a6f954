// Package refused lists operators that are not converted, with the reason and what can be done
// about it: the error of a model that holds one says so.
package refused

import (
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

const microsoft = "com.microsoft"

// Rules returns the rules of the family, all of which have a Refusal.
func Rules() []convert.Rule {
	rules := []convert.Rule{
		refusal("com.microsoft.nchwc", "", layouts),
		refusal("com.ms.internal.nhwc", "", layouts),
	}
	for _, group := range groups {
		for _, operator := range group.operators {
			rules = append(rules, refusal(microsoft, operator, group.reason))
		}
	}
	return rules
}

func refusal(domain, operator, reason string) convert.Rule {
	return convert.Rule{Domain: domain, Operator: operator, Refusal: reason}
}

const layouts = "ONNX Runtime wrote it for the layout of one processor; save the optimized model with its level extended, not all"

// groups are operators that are refused for the same reason.
var groups = []struct {
	reason    string
	operators []string
}{
	{
		"it runs the decoder, a graph in its attributes, until a text ends; export the decoder as a model of its own, and generate with it",
		[]string{"BeamSearch", "GreedySearch", "Sampling", "WhisperBeamSearch"},
	},
	{
		"its result is random or for training; export the model for inference",
		[]string{"BiasDropout", "BitmaskBiasDropout", "BitmaskDropout"},
	},
	{
		"it holds the compiled model of an execution provider of ONNX Runtime; use the model that it was made of",
		[]string{"EPContext", "Snpe"},
	},
	{
		"ONNX Runtime has it for GPUs only, with weights in the order of a kernel; use the model before it was optimized for them",
		[]string{
			"GemmFloat8", "MatMulBlockQuantizedFp4Weight", "MatMulBlockQuantizedFp8Weight", "MatMulPacked", "MoEPacked",
			"QOrderedAttention", "QOrderedGelu", "QOrderedLayerNormalization", "QOrderedLongformerAttention", "QOrderedMatMul",
			"QuantizeWithOrder", "DequantizeWithOrder",
		},
	},
	{
		"its pages of keys and values belong to a server that batches texts; export the model with GroupQueryAttention",
		[]string{"PagedAttention", "SparsePagedAttention"},
	},
}
