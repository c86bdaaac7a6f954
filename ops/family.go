package ops

import "strings"

// Family returns the import path of the package with the layer type of the given name, in upper or
// lower case; "" if no package of this module has it. A program that does not link all families
// learns from it which one it lacks.
func Family(layerType string) string {
	for line := range strings.Lines(families) {
		names := strings.Fields(line)
		for _, name := range names[1:] {
			if strings.EqualFold(name, layerType) {
				return familyPath + names[0]
			}
		}
	}
	for name := range strings.FieldsSeq(namesakes) {
		if strings.EqualFold(name, layerType) {
			return familyPath + strings.ToLower(name)
		}
	}
	return ""
}

// Extension returns the import path of the package with the layer type of the given name in a
// namespace of OpenVINO Tokenizers, a version such as "extension", or in that of vinoir; "" if
// there is none. A program that does not link that package learns it from an error.
func Extension(layerType, namespace string) string {
	names, list := extensions, "extension"
	switch namespace {
	case "extension", "openvino_tokenizers":
	case "vinoir":
		names, list = onnxExtensions, "onnxextension"
	default:
		return ""
	}
	for name := range strings.FieldsSeq(names) {
		if strings.EqualFold(name, layerType) {
			return familyPath + list
		}
	}
	return ""
}

const familyPath = "github.com/vinoir/vinoir/ops/"

// families has the name of a family and its layer types in each line. A test of ops/builtin
// compares it with the families.
const families = `activation HardSigmoid Selu Swish
adaptivepool AdaptiveAvgPool AdaptiveMaxPool
attention ScaledDotProductAttention CachedAttention QuantizedAttention
batchnorm BatchNormInference
colorconvert BGRtoNV12 I420toBGR I420toRGB NV12toBGR NV12toRGB RGBtoNV12
convert Convert ConvertLike
convolution Convolution GroupConvolution QuantizedConvolution
convolutionbackpropdata ConvolutionBackpropData GroupConvolutionBackpropData QuantizedConvolutionBackpropData
eltwise Add Divide FloorMod Maximum Minimum Mod Multiply Power SquaredDifference Subtract Equal Greater GreaterEqual Less LessEqual NotEqual LogicalAnd LogicalOr LogicalXor Xor PRelu BitwiseAnd BitwiseLeftShift BitwiseOr BitwiseRightShift BitwiseXor
embeddingbag EmbeddingBagOffsets EmbeddingBagOffsetsSum EmbeddingBagPacked EmbeddingBagPackedSum EmbeddingSegmentsSum
experimentaldetectrongenerateproposals ExperimentalDetectronGenerateProposalsSingleImage
fakequantize FakeQuantize Dequantize DequantizeAdd Quantize
fft DFT IDFT IRDFT RDFT
groupnorm GroupNormalization
ifop If
matmul MatMul QuantizedMatMul CompressedMatMul QuantizedProduct HalfMatMul
pooling AvgPool MaxPool
priorbox PriorBox PriorBoxClustered
rangeop Range
reduce ReduceL1 ReduceL2 ReduceLogicalAnd ReduceLogicalOr ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum
rnn GRUCell GRUSequence LSTMCell LSTMSequence RNNCell RNNSequence
roialign ROIAlign ROIAlignRotated
roipooling DeformablePSROIPooling PSROIPooling ROIPooling
scatterelements ScatterElementsUpdate
selectop Select
softmax LogSoftmax Softmax
split Split VariadicSplit
stft ISTFT STFT
stringtensor StringTensorPack StringTensorUnpack
unary Abs Acos Acosh Asin Asinh Atan Atanh BitwiseNot Ceiling Clamp Cos Cosh Elu Erf ErfInv Exp Floor Gelu HSigmoid HSwish IsFinite IsInf IsNaN Log LogicalNot Mish Negative Relu Round Sigmoid Sign Sin Sinh SoftPlus SoftSign Sqrt Tan Tanh
variable Assign ReadValue AppendState StateShape`

// namesakes are the layer types whose family has the same name, in lower case.
const namesakes = `
BatchToSpace BinaryConvolution Broadcast Bucketize Col2Im Concat Constant ConvertPromoteTypes CTCGreedyDecoder
CTCGreedyDecoderSeqLen CTCLoss CumSum DeformableConvolution DepthToSpace DetectionOutput Einsum
ExperimentalDetectronDetectionOutput ExperimentalDetectronPriorGridGenerator
ExperimentalDetectronROIFeatureExtractor ExperimentalDetectronTopKROIs ExtractImagePatches Eye FakeConvert
Gather GatherElements GatherND GatherTree GenerateProposals GridSample GRN GroupedMatMul Identity
Interpolate Inverse Loop LRN MatrixNms MulticlassNms Multinomial MVN NMSRotated NonMaxSuppression
NonZero NormalizeL2 OneHot Pad Parameter Proposal RandomUniform RegionYolo ReorgYolo Reshape Result Reverse
ReverseSequence Roll ScatterNDUpdate ScatterUpdate SearchSorted SegmentMax ShapeOf ShuffleChannels Slice
SliceScatter SpaceToBatch SpaceToDepth SparseFillEmptyRows Squeeze StridedSlice TensorIterator Tile TopK
Transpose Unique Unsqueeze
`

// extensions are the layer types of ops/extension. A test there compares them.
const extensions = `
BPETokenizer
ByteFallback
BytesToChars
CaseFold
CharsMapNormalization
CharsToBytes
CombineSegments
ContribStringJoin
ContribStringSplit
EqualStr
FuzeRagged
NormalizeUnicode
NumericToString
RaggedTensorPack
RaggedToDense
RaggedToRagged
RaggedToSparse
RegexNormalization
RegexSplit
SpecialTokensSplit
SentencepieceDetokenizer
SentencepieceStreamDetokenizer
SentencepieceTokenizer
StringTensorPack
StringTensorUnpack
StringToHashBucket
TrieTokenizer
Truncate
UnigramTokenizer
UTF8Validate
VocabDecoder
VocabEncoder
WordpieceTokenizer
`

// onnxExtensions are the layer types of ops/onnxextension. A test there compares them.
const onnxExtensions = `
BitCast
DynamicQuantizeLSTM
DynamicTimeWarping
KeyIndex
MurmurHash3
NumberToString
PairwiseCoupling
RegexFullMatch
StringConcat
StringNormalizer
StringSplit
StringToNumber
TfIdfVectorizer
Tokenizer
TreeEnsemble
`
