package priorbox

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestShapes(t *testing.T) {
	box := func(size, image string, attributes ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: "PriorBox-1", Attributes: append(attributes, "offset", "0.5"), Inputs: []string{size, image}}
	}
	want := func(c layertest.ShapeCase, text string) layertest.ShapeCase { c.Want = text; return c }
	refused := func(c layertest.ShapeCase, text string) layertest.ShapeCase { c.Error = text; return c }
	clustered := func(c layertest.ShapeCase) layertest.ShapeCase { c.Type = "PriorBoxClustered-1"; return c }
	const grid, image = "i64[2]=2,3", "i64[2]"
	six := []string{"min_size", "6"}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		want(box(grid, image, six...), "f32[2,24]"),
		want(box("i32[2]=2..4,3", "u8[2]", six...), "f32[2,24..48]"),
		want(box("i64[2]=2..,3", image, six...), "f32[2,24..]"),
		want(box("i64[2]=?,3", image, six...), "f32[2,?]"),
		want(box("i64[2]=0,3", image, six...), "f32[2,0]"),
		want(box("i64[2]=4611686018427387904,3", image, six...), "f32[2,?]"),
		want(box("i64[2]", image, six...), "f32[2,?]"),
		want(box("i64[?]", "i64[...]", six...), "f32[2,?]"),
		want(box("dynamic[...]", "i64[2,2]", six...), "f32[2,?]"),
		want(box("i64[3]", "i64[9]", six...), "f32[2,?]"),

		want(box(grid, image), "f32[2,0]"),
		want(box(grid, image, "min_size", "1,2", "max_size", "3", "aspect_ratio", "2,3,2,1"), "f32[2,168]"),
		want(box(grid, image, "min_size", "1,2", "max_size", "3", "aspect_ratio", "2,3", "flip", "true"), "f32[2,264]"),
		want(box(grid, image, "min_size", "1,2", "max_size", "3", "aspect_ratio", "2", "scale_all_sizes", "false"), "f32[2,72]"),
		want(box(grid, image, "min_size", "1,2", "fixed_size", "3,4,5", "aspect_ratio", "2"), "f32[2,144]"),
		want(box(grid, image, "fixed_size", "3", "density", "2,3.9"), "f32[2,288]"),
		want(box(grid, image, "fixed_size", "3", "density", "2", "fixed_ratio", "1,2"), "f32[2,168]"),
		want(box(grid, image, "min_size", "1,2", "density", "0"), "f32[2,24]"),
		want(box(grid, image, "min_size", "1", "density", "0,0"), "f32[2,?]"),
		want(box(grid, image, "min_size", "1", "density", "0,0,0"), "f32[2,0]"),
		want(box(grid, image, "min_size", "1", "density", "1e30"), "f32[2,?]"),
		want(box(grid, image, "min_size", "1", "density", "nan"), "f32[2,?]"),
		want(box(grid, image, "min_size", "1", "aspect_ratio", "0.3333333,0.33333331,0", "flip", "true"), "f32[2,120]"),

		want(box(grid, image, "min_size", "1", "aspect_ratio", "nan,2,3"), "f32[2,24]"),
		want(box(grid, image, "min_size", "1", "aspect_ratio", "2,nan,3", "flip", "true"), "f32[2,120]"),

		want(clustered(box(grid, image, "width", "1,2", "height", "3,4")), "f32[2,48]"),
		want(clustered(box("i64[2]=1..2,3", image, "width", "1,2", "height", "3,4")), "f32[2,24..48]"),
		want(clustered(box(grid, image)), "f32[2,0]"),

		refused(box("i64[2,1]", image), "output_size has shape [2,1], expected rank 1"),
		refused(box(grid, "i64[]"), "image_size has shape [], expected rank 1"),
		refused(box("i64[3]=1,2,3", image), "output_size has 3 numbers, expected 2"),
		refused(box("i64[0]=", image), "output_size has 0 numbers, expected 2"),
		refused(box("i64[2]=-1,3", image), "output_size[0] is negative: -1"),
		refused(box("i64[2]=-1..2,3", image), "output_size[0] is negative: -1"),
		refused(box("f32[2]", image), "output_size is f32, not a type of integers"),
		refused(box(grid, "boolean[2]"), "image_size is boolean, not a type of integers"),
		refused(box(grid, image, "step", "far"), `attribute step: "far" is not a number`),
		refused(clustered(box(grid, image, "width", "1,2", "height", "3")), "attribute height: it has 1 numbers, width has 2"),
	})
}

// TestConstantSizes has negative lengths in a Constant. As in OpenVINO, -1 means an unknown length,
// and lower numbers mean 0.
func TestConstantSizes(t *testing.T) {
	op := layertest.FindType(t, Ops, "PriorBox-8")
	layer := &ir.Layer{
		Data:   []ir.Attribute{{Name: "min_size", Value: "6"}},
		Inputs: []ir.Input{{Source: &ir.Layer{Type: "Constant"}}, {}},
	}
	attributes, err := op.Attributes(ir.AttributesOf(layer))
	require.NoError(t, err)
	infer := func(size *ir.Tensor) (string, error) {
		in := &ops.Inference{Layer: layer, Attributes: attributes, Outputs: make([]ir.Fact, 1), Inputs: []ir.Fact{
			{Type: size.ElementType(), Shape: size.Shape().Partial(), Tensor: size}, {Type: ir.I64, Shape: ir.StaticShape(2)},
		}}
		err := op.Infer(in)
		return in.Outputs[0].Shape.String(), err
	}
	for _, c := range []struct {
		height int64
		want   string
	}{{2, "[2,24]"}, {-1, "[2,?]"}, {-2, "[2,0]"}} {
		got, err := infer(layertest.Ints(t, ir.I64, ir.Shape{2}, c.height, 3))
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
	beyond, err := ir.TensorOf(ir.U64, ir.Shape{2}, []uint64{1 << 63, 3})
	require.NoError(t, err)
	_, err = infer(beyond)
	assert.EqualError(t, err, "output_size: element 0 is 9223372036854775808, beyond int64")
	_, err = infer(layertest.Numbers(t, ir.I32, ir.Shape{2000}))
	assert.EqualError(t, err, "output_size has 2000 numbers, expected 2")
}
