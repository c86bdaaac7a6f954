package interpolate

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

type at = layertest.Attributes

func TestShapes(t *testing.T) {
	sizes, scales := at{"shape_calculation_mode", "sizes"}, at{"shape_calculation_mode", "scales"}
	good := func(version int, want string, attributes at, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Version: version, Attributes: attributes, Inputs: inputs, Want: want}
	}
	refused := func(version int, err string, attributes at, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Version: version, Attributes: attributes, Inputs: inputs, Error: err}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		good(1, "f32[1,2,7,8]", at{"axes", "3,2,3", "mode", "area"}, "f32[1,2,4,5]", "i64[2]=7,8"),
		good(1, "string[1,2..3,?,5]", at{"axes", "1,2"}, "string[1,2,4,5]", "u8[2]=2..3,?"),
		good(1, "f32[?,2]", at{"axes", "0", "pads_begin", "1"}, "f32[1,2]", "i64[1]"),
		good(1, "f32[...]", at{"axes", "0"}, "f32[...]", "i64[1]"),
		good(4, "f32[1,2,7,8]", sizes, "f32[1,2,4,5]", "i64[2]=7,8", "f32[2]", "i32[2]=2,3"),
		good(4, "f32[8,7]", sizes, "f32[4,5]", "u32[2]=8,7", "f16[2]"),
		good(4, "u8[4,?]", scales, "u8[4,5]", "i64[1]", "bf16[1]", "i64[1]=1"),
		good(11, "f32[1,3..5]", sizes, "f32[1,2]", "i64[1]=3..5", "i64[1]=1"),
		good(11, "f32[?,5..8]", sizes, "f32[1,2]", "i64[2]=?,5..8"),
		good(11, "f32[?,?]", sizes, "f32[1,2]", "i64[1]=3", "i64[1]"),
		good(11, "f32[5,7]", at{"pads_begin", "1,2,3", "pads_end", "1"}, "f32[3,4]", "i64[1]=7", "i64[1]=1"),
		good(11, "f32[5..8,2..,9]", at{"pads_begin", "1,2"}, "f32[4..7,?,1]", "i64[1]=9", "i64[1]=2"),
		good(11, "f32[3,2]", sizes, "f32[1,2]", "i64[2]=2,3", "i64[2]=0,0"),
		good(11, "f32[...]", scales, "f32[...]", "f32[2]", "i64[2]=0,5"),
		good(11, "f32[1,?]", at{"mode", "bicubic_pillow", "shape_calculation_mode", "scales"}, "f32[1,2]", "f32[1]", "i64[1]=1"),

		refused(1, "axes[1] is 2, image of shape [1,2] has 2 axes", at{"axes", "0,2"}, "f32[1,2]", "i64[2]"),
		refused(1, "axes[0] is -1, image of shape [1,2] has 2 axes", at{"axes", "-1"}, "f32[1,2]", "i64[2]"),
		refused(1, "output_shape is f32, not a type of integers", at{"axes", "0"}, "f32[1,2]", "f32[1]"),
		refused(1, "output_shape has 1 elements for 2 axes", at{"axes", "0,1"}, "f32[1,2]", "i64[1]=3"),
		refused(4, "sizes has shape [1,2], expected rank 1", sizes, "f32[1,2]", "i64[1,2]", "f32[2]"),
		refused(4, "scales has shape [], expected rank 1", scales, "f32[1,2]", "i64[1,2]", "f32[]"),
		refused(4, "scales is f64, expected one of [f32 f16 bf16]", sizes, "f32[1,2]", "i64[2]", "f64[2]"),
		refused(4, "sizes is dynamic, expected one of [i32 i64 u32 u64]", scales, "f32[1,2]", "dynamic[2]", "f32[2]"),
		refused(4, `attribute mode: "bilinear_pillow" is none of nearest, linear, linear_onnx, cubic`, at{"mode", "bilinear_pillow"}, "f32[1,2]", "i64[2]", "f32[2]"),
		refused(11, "image is u16, expected one of [f32 f16 bf16 f64 i8 u8 i32 i64 dynamic]", sizes, "u16[1,2]", "i64[2]"),
		refused(11, "axes is u8, expected one of [i32 i64 u32 u64]", sizes, "f32[1,2]", "i64[2]", "u8[2]"),
		refused(11, "axes has shape [2,1], expected rank 1", sizes, "f32[1,2]", "i64[2]", "i64[2,1]"),
		refused(11, "axes[1] is 2, image of shape [1,2] has 2 axes", sizes, "f32[1,2]", "i64[2]", "i64[2]=0,2"),
		refused(11, "sizes has 1 elements for 2 axes", sizes, "f32[1,2]", "i64[1]=2"),
		refused(11, "sizes[0] is negative: -4", sizes, "f32[1,2]", "i64[2]=-4,2"),
		refused(11, "attribute pads_begin: -1 is outside [0,1073741824]", at{"pads_begin", "-1"}, "f32[1,2]", "i64[2]"),
	})
}

// TestShapes_scales has the shapes that OpenVINO 2026.4 infers.
func TestShapes_scales(t *testing.T) {
	third, seven := float32(1)/3, float32(7)/3
	for _, c := range []struct {
		d     string
		scale float32
		want  string
	}{
		{"7", 0.5, "3"}, {"3..9", 0.5, "1..4"}, {"?", 0.5, "?"}, {"100..", 0.5, "50.."},
		{"7", 1, "7"}, {"9223372036854775806", 1, "9223372036854775806"},
		{"3", third, "1"}, {"100..", third, "33.."}, {"6", seven, "14"}, {"..9", 0.1, "0"}, {"3..9", 0.1, "0"},
		{"7", 0.3, "2"}, {"3..9", 2.7, "8..24"},
		{"9007199254740993", 1.5, "13510807472046080"}, {"..9007199254740993", 1.5, "..13510807472046080"},
		{"4611686018427387904", 2.7, "0"}, {"4611686018427387904..", 2.7, "?"},
		{"7", -1, "0"}, {"3..9", -1, "?"}, {"3..9", 1e30, "0"}, {"100..", 1e30, "?"},
		{"7", float32(math.NaN()), "0"}, {"3..9", float32(math.Inf(1)), "0"}, {"3..9", 0, "0"},
	} {
		d, err := ir.ParseDimension(c.d)
		require.NoError(t, err)
		assert.Equal(t, c.want, scaled(d, c.scale).String(), "%s times %v", c.d, c.scale)
	}
}

func TestShapes_constantScales(t *testing.T) {
	for _, version := range []int{4, 11} {
		for _, elementType := range []ir.ElementType{ir.F32, ir.F16, ir.BF16} {
			op := layertest.Find(t, Ops, version)
			layer := &ir.Layer{Data: []ir.Attribute{{Name: "shape_calculation_mode", Value: "scales"}}}
			attributes, err := op.Attributes(ir.AttributesOf(layer))
			require.NoError(t, err)
			scales := ir.Fact{
				Type: elementType, Shape: ir.StaticShape(2),
				Tensor: layertest.Numbers(t, elementType, ir.Shape{2}, 2, 0.75),
			}
			in := &ops.Inference{Layer: layer, Attributes: attributes, Outputs: make([]ir.Fact, 1)}
			in.Inputs = []ir.Fact{layertest.Fact(t, "f32[4,1..8]"), scales}
			if version == 4 {
				in.Inputs = []ir.Fact{in.Inputs[0], layertest.Fact(t, "i64[2]"), scales}
			}
			require.NoError(t, op.Infer(in))
			assert.Equal(t, "[8,..6]", in.Outputs[0].Shape.String())
			in.Inputs[0].Shape = ir.StaticShape(4, 1, 8)
			assert.EqualError(t, op.Infer(in), "scales has 2 elements for 3 axes")
		}
	}
	_, known := scalesOf(layertest.Numbers(t, ir.F64, ir.Shape{1}, 2))
	assert.False(t, known)
	bf16, known := scalesOf(layertest.Numbers(t, ir.BF16, ir.Shape{1}, 1.0/3))
	assert.True(t, known)
	assert.Equal(t, []float32{half.BFloat16Of(1.0 / 3).Float32()}, bf16)
}
