package builtin

import (
	"strings"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

// TestRankLimit has layers whose output would have 65 axes, and lists of axes with 65 elements. An
// element for each axis must be refused before it is read: such a list can be as long as the .bin.
func TestRankLimit(t *testing.T) {
	ones := "=" + strings.Repeat("1,", 64) + "1"
	vector := "i64[65]" + ones
	long := "i64[1000000000000]"
	wide := func(rank int) string { return "f32[" + strings.Repeat("1,", rank-1) + "1]" }
	integers := func(rank int) string { return strings.Replace(wide(rank), "f32", "i64", 1) }
	const output = "output 0: 65 axes are more than the limit of 64"
	elements := func(name, n string) string {
		return name + " has " + n + " elements: " + n + " axes are more than the limit of 64"
	}
	var cases []layertest.ShapeCase
	add := func(layerType, err string, attributes layertest.Attributes, inputs ...string) {
		cases = append(cases, layertest.ShapeCase{Type: layerType, Attributes: attributes, Inputs: inputs, Error: err})
	}
	for _, c := range []struct{ list, n string }{{vector, "65"}, {"i64[65]", "65"}, {long, "1000000000000"}} {
		add("Reshape-1", elements("shape", c.n), layertest.Attributes{"special_zero", "false"}, "f32[1]", c.list)
		add("Tile-1", elements("repeats", c.n), nil, "f32[1]", c.list)
		add("Transpose-1", elements("input_order", c.n), nil, "f32[...]", c.list)
		add("Unsqueeze-1", elements("axes", c.n), nil, "f32[1]", c.list)
		add("Broadcast-3", elements("target_shape", c.n), layertest.Attributes{"mode", "numpy"}, "f32[1]", c.list)
		add("Broadcast-3", elements("target_shape", c.n), layertest.Attributes{"mode", "bidirectional"}, "f32[1]", c.list)
		add("RandomUniform-8", elements("shape", c.n), layertest.Attributes{"output_type", "f32"}, c.list, "f32[]", "f32[1]")
		add("Eye-9", elements("batch_shape", c.n), layertest.Attributes{"output_type", "f32"}, "i64[]=2", "i64[]=2", "i64[]", c.list)
	}
	add("Unsqueeze-1", output, nil, wide(64), "i64[1]=0")
	add("Eye-9", output, layertest.Attributes{"output_type", "f32"}, "i64[]=2", "i64[]=2", "i64[]", "i64[63]="+strings.Repeat("1,", 62)+"1")
	add("Gather-8", output, nil, wide(33), integers(33), "i64[]=0")
	add("GatherND-8", "output 0: 126 axes are more than the limit of 64", nil, wide(64), integers(64))
	add("OneHot-1", output, layertest.Attributes{"axis", "-1"}, integers(64), "i64[]=2", "f32[]", "f32[]")
	add("StridedSlice-1", output, layertest.Attributes{"begin_mask", "0", "end_mask", "0", "new_axis_mask", "1"}, wide(64), "i64[1]=0", "i64[1]=1")
	add("Einsum-7", output, layertest.Attributes{"equation", "...,abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ->...abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"}, wide(13), wide(52))
	layertest.Shapes(t, Ops(), cases)
}
