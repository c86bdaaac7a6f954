package convertpromotetypes

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	unsafe := layertest.Attributes{"promote_unsafe", "true", "u64_integer_promotion_target", "f64"}
	scalars := layertest.Attributes{"pytorch_scalar_promotion", "true"}
	both := append(unsafe, scalars...)
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 14, Inputs: []string{"f32[2,?]", "f32[3]"}, Want: "f32[2,?]"},
		{Version: 14, Inputs: []string{"boolean[2]", "u4[3]"}, Want: "u4[2]"},
		{Version: 14, Inputs: []string{"bf16[...]", "boolean[3]"}, Want: "bf16[...]"},
		{Version: 14, Inputs: []string{"dynamic[2]", "i8[3]"}, Want: "dynamic[2]"},
		{Version: 14, Inputs: []string{"i16[2..3]", "f32[]"}, Want: "f32[2..3]"},
		{Version: 14, Inputs: []string{"f32[2]", "i16[]"}, Want: "f32[2]"},
		{Version: 14, Inputs: []string{"f32[2]", "u32[]"}, Error: "input 0 is f32[2], input 1 is u32[], which cannot be promoted to one type"},
		{Version: 14, Attributes: unsafe, Inputs: []string{"i64[2]", "f8e4m3[]"}, Want: "f8e4m3[2]"},
		{Version: 14, Attributes: unsafe, Inputs: []string{"f8e4m3[2]", "i64[]"}, Want: "f8e4m3[2]"},

		{Version: 14, Inputs: []string{"i8[2]", "i32[2]"}, Want: "i32[2]"},
		{Version: 14, Inputs: []string{"u16[2]", "u8[2]"}, Want: "u16[2]"},
		{Version: 14, Inputs: []string{"f64[2]", "f16[2]"}, Want: "f64[2]"},
		{Version: 14, Inputs: []string{"i16[2]", "u8[2]"}, Want: "i16[2]"},
		{Version: 14, Inputs: []string{"u4[2]", "i8[2]"}, Want: "i8[2]"},
		{Version: 14, Inputs: []string{"i8[2]", "u8[2]"}, Error: "input 0 is i8[2], input 1 is u8[2], which cannot be promoted to one type"},
		{Version: 14, Attributes: unsafe, Inputs: []string{"i8[2]", "u8[2]"}, Want: "i16[2]"},
		{Version: 14, Attributes: unsafe, Inputs: []string{"u1[2]", "i4[2]"}, Want: "i4[2]"},
		{Version: 14, Attributes: unsafe, Inputs: []string{"u32[2]", "i4[2]"}, Want: "i64[2]"},
		{Version: 14, Attributes: unsafe, Inputs: []string{"i4[2]", "u64[2]"}, Want: "f64[2]"},
		{Version: 14, Inputs: []string{"i64[2]", "u64[2]"}, Error: "input 0 is i64[2], input 1 is u64[2], which cannot be promoted to one type"},
		{Version: 14, Inputs: []string{"f16[2]", "bf16[2]"}, Error: "input 0 is f16[2], input 1 is bf16[2], which cannot be promoted to one type"},
		{Version: 14, Attributes: unsafe, Inputs: []string{"f16[2]", "bf16[2]"}, Want: "f32[2]"},
		{Version: 14, Attributes: unsafe, Inputs: []string{"f8e5m2[2]", "f8e4m3[2]"}, Want: "f16[2]"},

		{Version: 14, Attributes: scalars, Inputs: []string{"i8[2]", "u16[]"}, Want: "i8[2]"},
		{Version: 14, Attributes: scalars, Inputs: []string{"f16[]", "f32[2]"}, Want: "f32[]"},
		{Version: 14, Attributes: scalars, Inputs: []string{"f32[]", "f16[2]"}, Error: "input 0 is f32[], input 1 is f16[2], which cannot be promoted to one type"},
		{Version: 14, Attributes: scalars, Inputs: []string{"u8[2]", "i8[]"}, Error: "input 0 is u8[2], input 1 is i8[], which cannot be promoted to one type"},
		{Version: 14, Attributes: both, Inputs: []string{"u8[2]", "i64[]"}, Want: "u8[2]"},
		{Version: 14, Attributes: both, Inputs: []string{"u8[]", "i64[]"}, Want: "i64[]"},
		{Version: 14, Attributes: scalars, Inputs: []string{"f32[...]", "f64[]"}, Want: "dynamic[...]"},
		{Version: 14, Attributes: scalars, Inputs: []string{"i8[2]", "u8[...]"}, Want: "dynamic[2]"},
		{Version: 14, Attributes: both, Inputs: []string{"f16[...]", "i64[...]"}, Want: "f16[...]"},
		{Version: 14, Attributes: scalars, Inputs: []string{"f16[...]", "i64[...]"},
			Error: "input 0 is f16[...], input 1 is i64[...], which cannot be promoted to one type"},

		{Version: 14, Inputs: []string{"i8[2,?]", "i32[...]"}, Want: "i32[2,?] i32[...]"},
		{Version: 14, Inputs: []string{"i8[]", "i32[]"}, Want: "i32[] i32[] i32[]", Error: "the layer has 3 outputs in the file, its type has 2"},
		{Version: 14, Inputs: []string{"string[2]", "f32[]"}, Error: "input 0 is string, which is not promoted"},
		{Version: 14, Inputs: []string{"f32[2]", "nf4[]"}, Error: "input 1 is nf4, which is not promoted"},
		{Version: 14, Attributes: layertest.Attributes{"u64_integer_promotion_target", "wide"}, Inputs: []string{"f32[2]", "f32[]"},
			Error: `attribute u64_integer_promotion_target: "wide" is not an element type`},
	})
}
