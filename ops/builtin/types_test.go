package builtin

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

// typesCase has the element types of input 0 of a layer type.
type typesCase struct {
	layerType string
	specified string // those that the specification allows
	// openVINO has those that OpenVINO 2026.4.1 compiled for the CPU and ran, when the types of a
	// case of testdata/ir were changed. It is empty if there is no such case, or if OpenVINO has no
	// kernel.
	openVINO string
	// missing is the reason why the kernel does not compute types that are in both.
	missing string
}

// typesCases lists the layer types whose kernels do not compute all numbers, and some that had to
// be extended to those.
var typesCases = []typesCase{
	{"BGRtoNV12-17", "u8 floats", "", ""},
	{"BatchNormInference-1", "floats", "floats", ""},
	{"BatchNormInference-5", "floats", "floats", ""},
	{"BinaryConvolution-1", "numbers", "floats", ""},
	{"BitwiseAnd-13", "boolean integers", "boolean integers", ""},
	{"BitwiseLeftShift-15", "integers", "integers", ""},
	{"BitwiseNot-13", "boolean integers", "boolean integers", ""},
	{"BitwiseOr-13", "boolean integers", "boolean integers", ""},
	{"BitwiseRightShift-15", "integers", "integers", ""},
	{"BitwiseXor-13", "boolean integers", "boolean integers", ""},
	{"CTCGreedyDecoder-1", "floats", "floats", ""},
	{"CTCGreedyDecoderSeqLen-6", "floats", "floats", ""},
	{"CTCLoss-4", "floats", "floats", ""},
	{"DFT-7", "floats", "f32 f16 bf16", ""},
	{"DeformableConvolution-1", "numbers", "numbers", ""},
	{"DeformableConvolution-8", "numbers", "numbers", ""},
	{"DeformablePSROIPooling-1", "floats", "boolean numbers", ""},
	{"DetectionOutput-1", "floats", "floats", ""},
	{"DetectionOutput-8", "floats", "floats", ""},
	{"Elu-1", "floats", "boolean numbers", ""},
	{"ExperimentalDetectronDetectionOutput-6", "floats", "floats", ""},
	{"ExperimentalDetectronGenerateProposalsSingleImage-6", "floats", "floats", ""},
	{"ExperimentalDetectronPriorGridGenerator-6", "floats", "floats", ""},
	{"ExperimentalDetectronROIFeatureExtractor-6", "floats", "floats", ""},
	{"ExperimentalDetectronTopKROIs-6", "floats", "floats", ""},
	{"GRUCell-3", "floats", "floats", ""},
	{"GRUSequence-5", "floats", "numbers", ""},
	{"ErfInv-17", "floats", "floats", ""},
	{"Gelu-2", "floats", "floats", ""},
	{"Gelu-7", "floats", "floats", ""},
	{"GenerateProposals-9", "floats", "boolean numbers", ""},
	{"GroupNormalization-12", "floats", "floats", ""},
	{"GroupedMatMul-17", "numbers", "", ""},
	{"HardSigmoid-1", "floats", "boolean numbers", ""},
	{"I420toBGR-8", "u8 floats", "floats u8", ""},
	{"I420toRGB-8", "u8 floats", "floats u8", ""},
	{"IDFT-7", "floats", "f32 f16 bf16", ""},
	{"IRDFT-9", "floats", "f32 f16 bf16", ""},
	{"ISTFT-16", "floats", "floats", ""},
	{"Inverse-14", "floats", "floats", ""},
	{"IsFinite-10", "floats", "floats", ""},
	{"IsInf-10", "floats", "floats", ""},
	{"IsNaN-10", "floats", "floats", ""},
	{"LSTMCell-1", "floats", "numbers", ""},
	{"LSTMCell-4", "floats", "floats", ""},
	{"LSTMSequence-5", "floats", "numbers", ""},
	{"LogicalAnd-1", "boolean", "boolean", ""},
	{"LogicalNot-1", "boolean", "boolean numbers", ""},
	{"LogicalOr-1", "boolean", "boolean", ""},
	{"LogicalXor-1", "boolean", "", ""},
	{"MatrixNms-8", "floats", "f32 f16 bf16", ""},
	{"Mish-4", "floats", "floats", ""},
	{"MulticlassNms-8", "floats", "f32 f16 bf16", ""},
	{"MulticlassNms-9", "floats", "f32 f16 bf16", ""},
	{"Multinomial-13", "floats", "floats", ""},
	{"NMSRotated-13", "floats", "floats", ""},
	{"NV12toBGR-8", "u8 floats", "floats u8", ""},
	{"NV12toRGB-8", "u8 floats", "floats u8", ""},
	{"NonMaxSuppression-1", "floats", "f32 f16 bf16", ""},
	{"NonMaxSuppression-3", "floats", "f32 f16 bf16", ""},
	{"NonMaxSuppression-4", "floats", "f32 f16 bf16", ""},
	{"NonMaxSuppression-5", "floats", "f32 f16 bf16", ""},
	{"NonMaxSuppression-9", "floats", "f32 f16 bf16", ""},
	{"OneHot-1", "i32 i64", "", ""},
	{"OneHot-16", "i32 i64", "", ""},
	{"PSROIPooling-1", "floats", "floats", ""},
	{"PriorBox-1", "integers", "integers", ""},
	{"PriorBox-8", "integers", "integers", ""},
	{"PriorBoxClustered-1", "integers", "integers", ""},
	{"Proposal-1", "floats", "floats", ""},
	{"Proposal-4", "floats", "floats", ""},
	{"RDFT-9", "floats", "f32 f16 bf16", ""},
	{"RGBtoNV12-17", "u8 floats", "", ""},
	{"RNNCell-1", "floats", "numbers", ""},
	{"RNNSequence-5", "floats", "numbers", ""},
	{"ROIAlign-3", "floats", "floats", ""},
	{"ROIAlign-9", "floats", "floats", ""},
	{"ROIAlignRotated-15", "floats", "floats", ""},
	{"ROIPooling-2", "floats", "floats", ""},
	{"ReduceLogicalAnd-1", "boolean", "boolean", ""},
	{"ReduceLogicalOr-1", "boolean", "boolean", ""},
	{"RegionYolo-1", "floats", "floats", ""},
	{"STFT-15", "floats", "floats", ""},
	{"ScaledDotProductAttention-13", "floats", "floats", ""},
	{"Selu-1", "floats", "floats", ""},
	{"SoftPlus-4", "floats", "floats", ""},
	{"SoftSign-9", "floats", "floats", ""},
	{"Swish-4", "floats", "floats", ""},
	{"Xor-1", "boolean", "boolean", ""},
}

var (
	allFloats   = []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16}
	allIntegers = []ir.ElementType{ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64}
	allNumbers  = slices.Concat(allFloats, allIntegers)
)

// typesOf returns the element types that a text lists, in which floats, integers and numbers stand
// for all of them.
func typesOf(t *testing.T, text string) []ir.ElementType {
	var types []ir.ElementType
	for _, word := range strings.Fields(text) {
		switch word {
		case "floats":
			types = append(types, allFloats...)
		case "integers":
			types = append(types, allIntegers...)
		case "numbers":
			types = append(types, allNumbers...)
		default:
			elementType, err := ir.ParseElementType(word)
			require.NoError(t, err)
			types = append(types, elementType)
		}
	}
	return types
}

// TestTypes compares the types that kernels compute with those that the specification allows and
// OpenVINO runs.
func TestTypes(t *testing.T) {
	registry, err := plugin.NewRegistry(all()...)
	require.NoError(t, err)
	computed := make(map[string][]ir.ElementType)
	for _, op := range registry.Ops() {
		if op.Prepare == nil || op.Types == nil || op.Namespace != "" {
			continue
		}
		computed[op.String()] = op.Types
		if !containsAll(op.Types, allNumbers) {
			listed := slices.ContainsFunc(typesCases, func(c typesCase) bool { return c.layerType == op.String() })
			assert.True(t, listed, "%v does not compute all numbers and is not in typesCases", &op)
		}
	}
	for _, c := range typesCases {
		types, ok := computed[c.layerType]
		require.True(t, ok, "%s has no kernel", c.layerType)
		var missing []ir.ElementType
		runs := typesOf(t, c.openVINO)
		for _, elementType := range typesOf(t, c.specified) {
			if slices.Contains(runs, elementType) && !slices.Contains(types, elementType) {
				missing = append(missing, elementType)
			}
		}
		if c.missing == "" {
			assert.Empty(t, missing, "%s is specified for types that OpenVINO runs and the kernel does not", c.layerType)
		} else {
			assert.NotEmpty(t, missing, "%s computes all types: the reason is out of date", c.layerType)
		}
	}
}

func containsAll(types, all []ir.ElementType) bool {
	return !slices.ContainsFunc(all, func(t ir.ElementType) bool { return !slices.Contains(types, t) })
}
