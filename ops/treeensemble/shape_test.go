package treeensemble

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	columns := layertest.Attributes{"columns", "3"}
	with := func(at int, text string) []string {
		inputs := []string{"f32[2,4]", "i32[1]", "i32[5,4]", "f32[5]", "i32[6,2]", "i32[6]", "f32[6]"}
		inputs[at] = text
		return inputs
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Attributes: columns, Inputs: with(data, "f32[2,4]"), Want: "f32[2,3]"},
		{Attributes: columns, Inputs: with(data, "f32[1..5,?]"), Want: "f32[1..5,3]"},
		{Attributes: columns, Inputs: with(data, "f32[...]"), Want: "f32[?,3]"},
		{Attributes: columns, Inputs: with(nodes, "i32[?,?]"), Want: "f32[2,3]"},
		{Attributes: columns, Inputs: with(data, "f32[2]"), Error: "data has shape [2], expected rank 2"},
		{Attributes: columns, Inputs: with(data, "i32[2,4]"), Error: "data is i32, expected f32 or f64"},
		{Attributes: columns, Inputs: with(roots, "i64[1]"), Error: "roots is i64, expected i32"},
		{Attributes: columns, Inputs: with(nodes, "i32[5,3]"), Error: "nodes has shape [5,3], expected rows of 4 elements"},
		{Attributes: columns, Inputs: with(leaves, "i32[6]"), Error: "leaves has shape [6], expected rank 2"},
		{Attributes: columns, Inputs: with(weights, "f64[6]"), Error: "weights is f64, expected f32"},
		{Attributes: layertest.Attributes{"columns", "0"}, Inputs: with(roots, "i32[1]"), Error: "attribute columns: 0, expected 1 to 2147483647"},
		{Attributes: layertest.Attributes{"columns", "1", "aggregate", "mean"}, Inputs: with(roots, "i32[1]"), Error: `attribute aggregate: "mean" is none of sum, average, min, max`},
	})
}
