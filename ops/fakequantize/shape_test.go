package fakequantize

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	levels := layertest.Attributes{"levels", "255"}
	kind := func(k string) layertest.Attributes { return layertest.Attributes{"levels", "255", "auto_broadcast", k} }
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Attributes: levels, Inputs: []string{"f32[2,3]", "f32[]", "f32[3]", "f32[2,1]", "f32[1]"}, Want: "f32[2,3]"},
		{Version: 1, Attributes: levels, Inputs: []string{"f16[?,2..3]", "f16[...]", "f16[3]", "f16[]", "f16[]"}, Want: "f16[?,2..3]"},
		{Version: 1, Inputs: []string{"f32[...]", "f32[]", "f32[]", "f32[2]", "f32[3]"}, Want: "f32[...]"},
		{Version: 1, Attributes: levels, Inputs: []string{"f32[3]", "i8[2,1]", "f32[]", "f32[]", "f32[]"}, Want: "f32[3]"},
		{Version: 1, Attributes: levels, Inputs: []string{"f32[2,3]", "f32[]", "f32[2]", "f32[]", "f32[]"},
			Error: "input 2 is [2], the inputs before it are [2,3], which do not broadcast"},
		{Version: 1, Attributes: levels, Inputs: []string{"f32[1]", "f32[2]", "f32[3]", "f32[]", "f32[]"},
			Error: "input 2 is [3], the inputs before it are [2], which do not broadcast"},

		{Version: 1, Attributes: kind("none"), Inputs: []string{"f32[?]", "f32[2]", "f32[...]", "f32[2]", "f32[?]"}, Want: "f32[?]"},
		{Version: 1, Attributes: kind("none"), Inputs: []string{"f32[?]", "f32[2]", "f32[3]", "f32[2]", "f32[2]"},
			Error: "input 2 is [3], the inputs before it are [2], which do not match"},
		{Version: 1, Attributes: kind("pdpd"), Inputs: []string{"f32[2,3]", "f32[2]", "f32[2]", "f32[]", "f32[1]"}, Want: "f32[2,3]"},
		{Version: 1, Attributes: kind("pdpd"), Inputs: []string{"f32[2,3]", "f32[3]", "f32[2]", "f32[]", "f32[]"},
			Error: "input 1 is [3], the inputs before it are [2,3], which do not broadcast by PaddlePaddle's rule"},
		{Version: 1, Attributes: layertest.Attributes{"levels", "many"}, Inputs: []string{"f32[]", "f32[]", "f32[]", "f32[]", "f32[]"},
			Error: `attribute levels: "many" is not a 64-bit whole number`},
	})
}
