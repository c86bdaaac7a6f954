// Package refused lists operators that are not converted, with the reason and what can be done
// about it: the error of a model that holds one says so.
package refused

import (
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

const microsoft, learning = "com.microsoft", "ai.onnx.ml"

// Rules returns the rules of the family, all of which have a Refusal.
func Rules() []convert.Rule {
	rules := []convert.Rule{
		refusal("com.microsoft.nchwc", "", layouts),
		refusal("com.ms.internal.nhwc", "", layouts),
		refusal("ai.onnx.preview.training", "", "it is for training; export the model for inference"),
	}
	for _, group := range groups {
		for _, operator := range group.operators {
			rules = append(rules, refusal(group.domain, operator, group.reason))
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
	domain, reason string
	operators      []string
}{
	{
		"", "files of pictures are not decoded in models; cut the operator off, and give the model pixels, as package image decodes them",
		[]string{"ImageDecoder"},
	},
	{
		learning, "a map is no tensor; cut the operator off, and give the model the tensor of its values",
		[]string{"CastMap", "DictVectorizer"},
	},
	{
		microsoft, "it runs the decoder, a graph in its attributes, until a text ends; export the decoder as a model of its own, and generate with it",
		[]string{"BeamSearch", "GreedySearch", "Sampling", "WhisperBeamSearch"},
	},
	{
		microsoft, "its result is random or for training; export the model for inference",
		[]string{"BiasDropout", "BitmaskBiasDropout", "BitmaskDropout"},
	},
	{
		microsoft, "it holds the compiled model of an execution provider of ONNX Runtime; use the model that it was made of",
		[]string{"EPContext", "Snpe"},
	},
	{
		microsoft, "ONNX Runtime has it for GPUs only; use the model before it was optimized for them",
		[]string{
			"BiasSoftmax", "ComplexMul", "ComplexMulConj", "ConvStateReplay", "DecoderAttention", "DequantizeBFP", "DequantizeWithOrder",
			"DynamicSparseAttention", "FusedMatMulActivation", "GatedDeltaNetStateReplay", "GemmFastGelu", "GemmFloat8", "GemmaRotaryEmbedding",
			"HyperConnectionLowRankMix", "Irfft", "IsAllFinite", "LongformerAttention", "Mamba2Verify", "MatMulBlockQuantizedFp4Weight",
			"MatMulBlockQuantizedFp8Weight", "MatMulNBitsMlp", "MatMulNBitsQLoRA", "MatMulNBitsQkv", "MatMulPacked", "MoEPacked", "MulInteger",
			"NhwcConv", "NhwcFusedConv", "PackedSparseAttentionIndexer", "PackedSparseAttentionIndexerMerge", "QOrderedAttention", "QOrderedGelu",
			"QOrderedLayerNormalization", "QOrderedLongformerAttention", "QOrderedMatMul", "QuantizeBFP", "QuantizeWithOrder", "RMSNormRotary",
			"ReduceSumInteger", "Rfft", "RouterGateUpProj", "SparseAttentionIndexer", "SpeculativePrefixCommit", "TorchEmbedding",
		},
	},
	{
		microsoft, "its weights are packed for a kernel of ONNX Runtime; quantize the model to MatMulNBits and GatherBlockQuantized",
		[]string{"GatherPacked", "MatMulFpQ4"},
	},
	{
		microsoft, "its pages of keys and values belong to a server that batches texts; export the model with GroupQueryAttention",
		[]string{"PagedAttention", "SparsePagedAttention"},
	},
}
