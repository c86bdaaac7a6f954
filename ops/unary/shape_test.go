package unary

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes_attributes(t *testing.T) {
	const clamp, elu, gelu, isInf, round = "Clamp-1", "Elu-1", "Gelu-7", "IsInf-10", "Round-5"
	limits := func(lo, hi string) layertest.Attributes { return layertest.Attributes{"min", lo, "max", hi} }
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Type: clamp, Attributes: limits("-1", "1.5"), Inputs: []string{"f32[2,?,3..5]"}, Want: "f32[2,?,3..5]"},
		{Type: clamp, Attributes: limits("-inf", "inf"), Inputs: []string{"dynamic[...]"}, Want: "dynamic[...]"},
		{Type: clamp, Attributes: limits("3", "1"), Inputs: []string{"f32[2]"}, Error: "attribute min: 3 is not at most max, 1"},
		{Type: clamp, Attributes: limits("nan", "1"), Inputs: []string{"f32[2]"}, Error: "attribute min: NaN is not at most max, 1"},
		{Type: clamp, Attributes: limits("low", "1"), Inputs: []string{"f32[2]"}, Error: `attribute min: "low" is not a number`},
		{Type: clamp, Attributes: limits("0", "1"), Inputs: []string{"boolean[2]"}, Error: "data is boolean, which has no arithmetic"},

		{Type: clamp, Attributes: limits("1.5", "4.5"), Inputs: []string{"i64[4]=-7,3,9,3..9"}, Want: "i64[4]=2,3,4,3..4"},
		{Type: clamp, Attributes: limits("1", "inf"), Inputs: []string{"i32[3]=0..,5..,?"}, Want: "i32[3]=1..,5..,?"},
		{Type: clamp, Attributes: limits("1", "7"), Inputs: []string{"i32[2]=0..,5.."}, Want: "i32[2]=1..7,5..7"},
		{Type: clamp, Attributes: limits("-9", "300"), Inputs: []string{"u8[2]=0,250..255"}, Want: "u8[2]=0,250..255"},
		{Type: clamp, Attributes: limits("300", "400"), Inputs: []string{"i8[1]=-5..5"}, Want: "i8[1]=127"},
		{Type: clamp, Attributes: limits("-1e30", "1e30"), Inputs: []string{"u64[1]=5.."}, Want: "u64[1]=5.."},
		{Type: clamp, Attributes: limits("1.2", "1.8"), Inputs: []string{"i64[1]=5"}, Want: "i64[1]"},
		{Type: clamp, Attributes: limits("0", "1"), Inputs: []string{"i64[2]"}, Want: "i64[2]"},

		{Type: elu, Attributes: layertest.Attributes{"alpha", "2"}, Inputs: []string{"f32[2,?]"}, Want: "f32[2,?]"},
		{Type: elu, Inputs: []string{"i8[...]"}, Want: "i8[...]"},
		{Type: elu, Attributes: layertest.Attributes{"alpha", ""}, Inputs: []string{"f32[2]"}, Error: `attribute alpha: "" is not a number`},
		{Type: "Gelu-2", Inputs: []string{"bf16[2,1..3]"}, Want: "bf16[2,1..3]"},
		{Type: "ErfInv-17", Inputs: []string{"i8[2]"}, Error: "data is i8, expected a floating-point type"},
		{Type: "Gelu-2", Inputs: []string{"i32[2]"}, Error: "data is i32, expected a floating-point type"},
		{Type: gelu, Attributes: layertest.Attributes{"approximation_mode", "TANH"}, Inputs: []string{"f16[...]"}, Want: "f16[...]"},
		{Type: gelu, Inputs: []string{"dynamic[2]"}, Want: "dynamic[2]"},
		{Type: gelu, Attributes: layertest.Attributes{"approximation_mode", "exact"}, Inputs: []string{"f16[2]"},
			Error: `attribute approximation_mode: "exact" is none of erf, tanh`},
		{Type: isInf, Attributes: layertest.Attributes{"detect_negative", "false"}, Inputs: []string{"f32[2,?]"}, Want: "boolean[2,?]"},
		{Type: isInf, Inputs: []string{"dynamic[...]"}, Want: "boolean[...]"},
		{Type: isInf, Inputs: []string{"i32[2]"}, Error: "data is i32, expected a floating-point type"},
		{Type: round, Attributes: layertest.Attributes{"mode", "half_away_from_zero"}, Inputs: []string{"f32[?,3]"}, Want: "f32[?,3]"},
		{Type: round, Inputs: []string{"i64[...]"}, Want: "i64[...]"},
		{Type: round, Attributes: layertest.Attributes{"mode", "up"}, Inputs: []string{"f32[2]"},
			Error: `attribute mode: "up" is none of half_to_even, half_away_from_zero`},
	})
}
