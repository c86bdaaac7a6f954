package builtin_test

import (
	"strings"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

// outputCounts are the numbers of outputs of the layer types in familyCases that have more than
// one.
var outputCounts = map[string]int{
	"TopK": 2, "Unique": 4, "NonMaxSuppression": 3, "MatrixNms": 3, "MulticlassNms": 3, "LSTMSequence": 3, "GRUSequence": 2, "RNNSequence": 2,
	"LSTMCell": 2, "CTCGreedyDecoderSeqLen": 2, "SparseFillEmptyRows": 3, "MaxPool": 2, "AdaptiveMaxPool": 2,
}

// familyCases are layers whose work is not that of a window, a product or an element, with large
// tensors.
func familyCases() map[string]stopCase {
	cases := map[string]stopCase{}
	add := func(name, layerType, opset string, attributes layertest.Attributes, inputs ...string) {
		cases[name] = stopCase{layerType, opset, attributes, inputs}
	}
	sort := layertest.Attributes{"axis", "0", "mode", "max", "sort", "value", "index_element_type", "i64"}
	add("TopK one", "TopK", "opset11", sort, "f32[67108864]", "i64[]=1")
	add("TopK all", "TopK", "opset11", sort, "f32[33554432]", "i64[]=33554432")
	add("TopK columns", "TopK", "opset11", sort, "f32[8192,8192]", "i64[]=5")
	add("TopK columns, all", "TopK", "opset11", sort, "i32[4096,8192]", "i64[]=4096")
	add("Unique", "Unique", "opset10", layertest.Attributes{"sorted", "true"}, "f32[33554432]")
	add("Unique rows", "Unique", "opset10", layertest.Attributes{"sorted", "true"}, "f32[16777216,2]", "i64[]=0")
	add("Unique unsorted", "Unique", "opset10", layertest.Attributes{"sorted", "false"}, "i64[33554432]")
	add("CumSum", "CumSum", "opset3", nil, "f32[134217728]", "i64[]=0")
	add("CumSum columns", "CumSum", "opset3", nil, "f32[2,67108864]", "i64[]=0")
	add("Bucketize", "Bucketize", "opset3", layertest.Attributes{"output_type", "i64"}, "f32[67108864]", "f32[16384]")
	add("SearchSorted", "SearchSorted", "opset15", nil, "f32[16777216]", "f32[16777216]")
	add("OneHot", "OneHot", "opset1", layertest.Attributes{"axis", "-1"}, "i64[16384]", "i64[]=16384", "f32[]", "f32[]")
	add("Roll", "Roll", "opset7", nil, "f32[134217728]", "i64[1]=5", "i64[1]=0")
	add("ReverseSequence", "ReverseSequence", "opset1", layertest.Attributes{"batch_axis", "0", "seq_axis", "1"}, "f32[2,67108864]", "i64[2]=1,67108864")
	add("GatherTree", "GatherTree", "opset1", nil, "f32[4096,64,256]", "f32[4096,64,256]", "f32[64]", "f32[]")
	add("SegmentMax", "SegmentMax", "opset16", layertest.Attributes{"fill_mode", "ZERO"}, "f32[1048576,64]", "i64[1048576]")
	add("Inverse", "Inverse", "opset14", nil, "f32[1,3000,3000]")
	add("Eye", "Eye", "opset9", layertest.Attributes{"output_type", "f32"}, "i64[]=16384", "i64[]=16384", "i64[]=0")
	// a power of 2, a prime and a power of 3
	for _, n := range []string{"1048576", "1048573", "531441"} {
		add("DFT "+n, "DFT", "opset7", nil, "f32[32,"+n+",2]", "i64[1]=1")
	}
	add("DFT columns", "DFT", "opset7", nil, "f32[4096,4096,2]", "i64[1]=0")
	add("RDFT", "RDFT", "opset9", nil, "f32[4096,4096]", "i64[2]=0,1")
	add("IRDFT", "IRDFT", "opset9", nil, "f32[4096,2049,2]", "i64[2]=0,1")
	add("STFT", "STFT", "opset15", layertest.Attributes{"transpose_frames", "true"}, "f32[1,8388608]", "f32[1024]", "i64[]=1024", "i64[]=128")
	add("ISTFT", "ISTFT", "opset16", layertest.Attributes{"center", "false", "normalized", "false"}, "f32[1,513,16384,2]", "f32[1024]", "i64[]=1024", "i64[]=128")
	add("Einsum product", "Einsum", "opset7", layertest.Attributes{"equation", "abc,acd->abd"}, "f32[16,1024,1024]", "f32[16,1024,1024]")
	add("Einsum outer", "Einsum", "opset7", layertest.Attributes{"equation", "a,b->ba"}, "f64[16384]", "f64[8192]")
	add("Einsum sum", "Einsum", "opset7", layertest.Attributes{"equation", "ab->b"}, "i32[8192,8192]")
	add("GridSample", "GridSample", "opset9", layertest.Attributes{"mode", "bilinear", "padding_mode", "zeros"}, "f32[1,64,256,256]", "f32[1,1024,1024,2]")
	add("GridSample one channel", "GridSample", "opset9", layertest.Attributes{"mode", "bilinear", "padding_mode", "reflection"}, "f32[1,1,256,256]", "f32[1,4096,4096,2]")
	add("GridSample bicubic", "GridSample", "opset9", layertest.Attributes{"mode", "bicubic", "padding_mode", "border"}, "f16[1,64,256,256]", "f32[1,512,512,2]")
	add("GridSample nearest", "GridSample", "opset9", layertest.Attributes{"mode", "nearest", "padding_mode", "border"}, "u8[1,64,256,256]", "f32[1,1024,1024,2]")
	add("DeformableConvolution", "DeformableConvolution", "opset8", append(layertest.Attributes{"group", "1", "deformable_group", "1"}, windows...), "f32[1,64,128,128]", "f32[1,18,126,126]", "f32[64,64,3,3]")
	add("BinaryConvolution", "BinaryConvolution", "opset1",
		append(layertest.Attributes{"mode", "xnor-popcount", "pad_value", "0"}, windows...), "f32[1,256,256,256]", "u1[256,256,3,3]")
	add("Col2Im", "Col2Im", "opset15", layertest.Attributes{"strides", "1,1", "dilations", "1,1", "pads_begin", "1,1", "pads_end", "1,1"},
		"f32[1,288,1048576]", "i64[2]=1024,1024", "i64[2]=3,3")
	add("ExtractImagePatches", "ExtractImagePatches", "opset3", layertest.Attributes{"sizes", "3,3", "strides", "1,1", "rates", "1,1", "auto_pad", "same_upper"},
		"f32[1,16,1024,1024]")
	add("RandomUniform", "RandomUniform", "opset8", layertest.Attributes{"output_type", "i64", "global_seed", "1", "op_seed", "1"}, "i64[1]=67108864", "i64[]=0", "i64[]=1000")
	add("NonMaxSuppression", "NonMaxSuppression", "opset9", layertest.Attributes{"box_encoding", "corner", "sort_result_descending", "true"},
		"f32[1,100000,4]", "f32[1,8,100000]", "i64[]=100000", "f32[]", "f32[]")
	add("MatrixNms", "MatrixNms", "opset8", layertest.Attributes{"background_class", "-1", "score_threshold", "-1", "sort_result_type", "score"}, "f32[1,8192,4]", "f32[1,4,8192]")
	add("MulticlassNms", "MulticlassNms", "opset9", layertest.Attributes{"background_class", "-1", "score_threshold", "-1", "iou_threshold", "0.5"}, "f32[1,50000,4]", "f32[1,8,50000]")
	add("ROIAlign", "ROIAlign", "opset9", layertest.Attributes{"pooled_h", "64", "pooled_w", "64", "sampling_ratio", "0", "spatial_scale", "1", "mode", "avg", "aligned_mode", "asymmetric"},
		"f32[1,64,512,512]", "f32[512,4]", "i64[512]")
	add("ROIPooling", "ROIPooling", "opset2", layertest.Attributes{"pooled_h", "7", "pooled_w", "7", "spatial_scale", "1", "method", "max"}, "f32[1,64,512,512]", "f32[4096,5]")
	add("PriorBox", "PriorBox", "opset8", layertest.Attributes{"min_size", "1,2,3", "max_size", "4,5,6", "aspect_ratio", "2,3", "step", "1", "offset", "0.5", "scale_all_sizes", "true"},
		"i64[2]=2048,2048", "i64[2]=4096,4096")
	add("CTCLoss", "CTCLoss", "opset4", nil, "f32[64,4096,512]", "i64[64]", "i64[64,4096]", "i64[64]", "i64[]")
	add("EmbeddingBagPackedSum", "EmbeddingBagPackedSum", "opset3", nil, "f32[1000,1024]", "i64[4096,64]")
	add("EmbeddingSegmentsSum", "EmbeddingSegmentsSum", "opset3", nil, "f32[1000,64]", "i64[4194304]", "i64[4194304]", "i64[]=1000000")
	add("GroupedMatMul", "GroupedMatMul", "opset17", nil, "f32[16384,1024]", "f32[4,4096,1024]", "i64[4]=4096,8192,8193,16384")
	add("NV12toRGB", "NV12toRGB", "opset8", nil, "f32[1,12288,8192,1]")
	add("RGBtoNV12", "RGBtoNV12", "opset17", nil, "u8[1,8192,8192,3]")
	for _, cell := range []struct {
		name, opset string
		gates       int
	}{{"LSTMSequence", "opset5", 4}, {"GRUSequence", "opset5", 3}, {"RNNSequence", "opset5", 1}} {
		gates := map[int][3]string{4: {"2048", "2048,512", "2048,512"}, 3: {"1536", "1536,512", "1536,512"}, 1: {"512", "512,512", "512,512"}}[cell.gates]
		inputs := []string{"f32[16,4096,512]", "f32[16,1,512]"}
		if cell.gates == 4 {
			inputs = append(inputs, "f32[16,1,512]")
		}
		inputs = append(inputs, "i64[16]="+strings.Repeat("4096,", 15)+"4096", "f32[1,"+gates[1]+"]", "f32[1,"+gates[2]+"]", "f32[1,"+gates[0]+"]")
		add(cell.name, cell.name, cell.opset, layertest.Attributes{"hidden_size", "512", "direction", "forward"}, inputs...)
	}
	return cases
}
