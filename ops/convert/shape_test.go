package convert

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func to(elementType string) layertest.Attributes {
	return layertest.Attributes{"destination_type", elementType}
}

func TestShapes(t *testing.T) {
	family := Ops[:1]
	layertest.Shapes(t, family, []layertest.ShapeCase{
		{Version: 1, Attributes: to("i8"), Inputs: []string{"f32[2,?,1..3]"}, Want: "i8[2,?,1..3]"},
		{Version: 1, Attributes: to("F16"), Inputs: []string{"f32[...]"}, Want: "f16[...]"},
		{Version: 1, Attributes: to("u1"), Inputs: []string{"dynamic[]"}, Want: "u1[]"},
		{Version: 1, Inputs: []string{"f32[1]"}, Error: "attribute destination_type: there is no type to convert to"},
		{Version: 1, Attributes: to("FP16"), Inputs: []string{"f32[1]"}, Error: `attribute destination_type: "FP16" is not an element type`},

		{Version: 1, Attributes: to("i32"), Inputs: []string{"i64[4]=1,2..5,?,3.."}, Want: "i32[4]=1,2..5,?,3.."},
		{Version: 1, Attributes: to("i64"), Inputs: []string{"i32[2]=-1..4,7.."}, Want: "i64[2]=-1..4,7.."},
		{Version: 1, Attributes: to("i32"), Inputs: []string{"i64[2]=3000000000,1..3000000000"}, Want: "i32[2]=?,?"},
		{Version: 1, Attributes: to("u64"), Inputs: []string{"i64[2]=-1,5"}, Want: "u64[2]=?,5"},
		{Version: 1, Attributes: to("u8"), Inputs: []string{"i64[4]=255,256,7..300,7.."}, Want: "u8[4]=255,0..255,0..255,0..255"},
		{Version: 1, Attributes: to("i8"), Inputs: []string{"i64[2]=-128,128"}, Want: "i8[2]=-128,?"},
		{Version: 1, Attributes: to("boolean"), Inputs: []string{"i64[6]=0,1..,-5..-2,-1..3,?,0..7"}, Want: "boolean[6]=0,1,1,0..1,0..1,0..1"},
		{Version: 1, Attributes: to("i64"), Inputs: []string{"boolean[2]=1,0..1"}, Want: "i64[2]=1,0..1"},
		{Version: 1, Attributes: to("f32"), Inputs: []string{"i64[5]=4,-8..16,?,2..,16777217"}, Want: "f32[5]=4,-8..16,?,2..,1.6777216e+07"},
		{Version: 1, Attributes: to("f64"), Inputs: []string{"i64[2]=3..9007199254740993,0..1"}, Want: "f64[2]=3..,0..1"},
		{Version: 1, Attributes: to("f16"), Inputs: []string{"i64[3]=0..2049,1..100000,100000"}, Want: "f16[3]=0..2048,1..,?"},
		{Version: 1, Attributes: to("bf16"), Inputs: []string{"i64[1]=4"}, Want: "bf16[1]"},
		{Version: 1, Attributes: to("f64"), Inputs: []string{"f32[3]=0.5..2,-3..,?"}, Want: "f64[3]=0.5..2,-3..,?"},
		{Version: 1, Attributes: to("i64"), Inputs: []string{"f32[6]=-2.5..2.5,2.5..,?,1..1e20,-1e20,-0.5"}, Want: "i64[6]=-2..2,2..,?,?,?,0"},
		{Version: 1, Attributes: to("i32"), Inputs: []string{"f64[4]=1.5..2e9,1.5..3e9,3e9..,7.5.."}, Want: "i32[4]=1..2000000000,?,?,7.."},
		{Version: 1, Attributes: to("u8"), Inputs: []string{"f32[3]=1.5..255.5,1.5..256,-1..3"}, Want: "u8[3]=1..255,0..255,0..255"},
		{Version: 1, Attributes: to("boolean"), Inputs: []string{"f32[7]=0,0.5..1,-2..-1,-1..1,?,-0..0,-0"}, Want: "boolean[7]=0,1,1,0..1,0..1,0,0"},
		{Version: 1, Attributes: to("u4"), Inputs: []string{"i64[1]=4"}, Want: "u4[1]"},
		{Version: 1, Attributes: to("i64"), Inputs: []string{"i64[1]"}, Want: "i64[1]"},
	})
	layertest.Shapes(t, Ops[1:], []layertest.ShapeCase{
		{Version: 1, Inputs: []string{"f32[2,?]", "i8[7]"}, Want: "i8[2,?]"},
		{Version: 1, Inputs: []string{"i64[1]=2..3", "i32[...]"}, Want: "i32[1]=2..3"},
		{Version: 1, Inputs: []string{"i64[1]", "dynamic[1]"}, Want: "dynamic[1]"},
	})
}
