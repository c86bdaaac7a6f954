package extractimagepatches

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	with := func(changes ...string) layertest.Attributes {
		at := layertest.Attributes{"sizes", "3,3", "strides", "2,2", "rates", "1,1", "auto_pad", "valid"}
		for i := 0; i < len(changes); i += 2 {
			for k := 0; k < len(at); k += 2 {
				if at[k] == changes[i] {
					at[k+1] = changes[i+1]
				}
			}
		}
		return at
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 3, Attributes: with(), Inputs: []string{"f32[1,2,9,9]"}, Want: "f32[1,18,4,4]"},
		{Version: 3, Attributes: with("auto_pad", "same_upper"), Inputs: []string{"f32[1,2,9,8]"}, Want: "f32[1,18,5,4]"},
		{Version: 3, Attributes: with("rates", "1,2"), Inputs: []string{"boolean[1,2,9,9]"}, Want: "boolean[1,18,4,3]"},
		{Version: 3, Attributes: with(), Inputs: []string{"f32[1,2,2,9]"}, Want: "f32[1,18,0,4]"},
		{Version: 3, Attributes: with("auto_pad", "same_lower"), Inputs: []string{"f32[1,2,0,9]"}, Want: "f32[1,18,0,5]"},
		{Version: 3, Attributes: with(), Inputs: []string{"f32[1..2,3..,4..9,?]"}, Want: "f32[1..2,27..,1..4,?]"},
		{Version: 3, Attributes: with(), Inputs: []string{"f32[1,9223372036854775806,..3,5..]"}, Want: "f32[1,?,..1,2..]"},
		{Version: 3, Attributes: with(), Inputs: []string{"f32[...]"}, Want: "f32[?,?,?,?]"},

		{Version: 3, Attributes: with(), Inputs: []string{"f32[1,2,9]"}, Error: "image has shape [1,2,9], expected rank 4"},
		{Version: 3, Attributes: with("sizes", "3"), Inputs: []string{"f32[1,2,9,9]"}, Error: "attribute sizes: 1 elements, expected 2, for the rows and for the columns"},
		{Version: 3, Attributes: with("strides", "0,1"), Inputs: []string{"f32[1,2,9,9]"}, Error: "attribute strides: 0 is outside [1,1073741824]"},
		{Version: 3, Attributes: with("rates", "1,0"), Inputs: []string{"f32[1,2,9,9]"}, Error: "attribute rates: 0 is outside [1,1073741824]"},
		{Version: 3, Attributes: with("auto_pad", "explicit"), Inputs: []string{"f32[1,2,9,9]"}, Error: "attribute auto_pad: explicit is not allowed, expected valid, same_upper or same_lower"},
	})
}
