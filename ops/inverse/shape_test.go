package inverse

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 14, Inputs: []string{"f32[3,3]"}, Want: "f32[3,3]"},
		{Version: 14, Attributes: layertest.Attributes{"adjoint", "true"}, Inputs: []string{"f16[...]"}, Want: "f16[...]"},
		{Version: 14, Inputs: []string{"dynamic[2,?,3]"}, Want: "dynamic[2,?,3]"},
		{Version: 14, Inputs: []string{"bf16[5,1..2,3]"}, Want: "bf16[5,1..2,3]"},
		{Version: 14, Inputs: []string{"f32[3]"}, Error: "data has shape [3], which holds no matrices"},
		{Version: 14, Inputs: []string{"f32[3,2,3]"}, Error: "data has shape [3,2,3], whose matrices are not square"},
		{Version: 14, Inputs: []string{"i32[3,3]"}, Error: "data is i32, expected a floating-point type"},
	})
}
