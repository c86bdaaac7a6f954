package embeddingbag

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func newCase(name string, attributes layertest.Attributes) func(want, err string, inputs ...string) layertest.ShapeCase {
	return func(want, err string, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: name, Attributes: attributes, Inputs: inputs, Want: want, Error: err}
	}
}

func TestOffsets(t *testing.T) {
	sum, mean := newCase("EmbeddingBagOffsetsSum-3", nil), newCase("EmbeddingBagOffsets-15", layertest.Attributes{"reduction", "MEAN"})
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		sum("f32[3,2,4]", "", "f32[5,2,4]", "i64[4]", "i64[3]"),
		sum("string[2..4,..4]", "", "string[5,..4]", "i32[...]", "i32[2..4]"),
		sum("f32[?]", "", "f32[5]", "i32[4]", "i32[...]", "i32[]", "dynamic[3..]"),
		sum("f32[...]", "", "f32[...]", "i32[4]", "i32[3]", "i32[...]", "f32[...]"),
		mean("f32[3,2]", "", "f32[5,2]", "i64[4]", "i64[3]", "i64[]"),

		sum("", "indices is u8, expected i32 or i64", "f32[5,2]", "u8[4]", "u8[3]"),
		sum("", "indices is dynamic, expected i32 or i64", "f32[5,2]", "dynamic[4]", "i32[3]"),
		sum("", "offsets is i64, indices is i32", "f32[5,2]", "i32[4]", "i64[3]"),
		sum("", "default_index is i32, indices is i64", "f32[5,2]", "i64[4]", "i64[3]", "i32[]"),
		sum("", "indices has shape [4,1], expected rank 1", "f32[5,2]", "i64[4,1]", "i64[3]"),
		sum("", "offsets has shape [], expected rank 1", "f32[5,2]", "i64[4]", "i64[]"),
		sum("", "default_index has shape [1], expected rank 0", "f32[5,2]", "i64[4]", "i64[3]", "i64[1]"),
		sum("", "emb_table is f32, per_sample_weights is f16", "f32[5,2]", "i64[4]", "i64[3]", "i64[]", "f16[4]"),
		sum("", "per_sample_weights has shape [4,1], expected rank 1", "f32[5,2]", "i64[4]", "i64[3]", "i64[]", "f32[4,1]"),
		sum("", "indices has shape [4], per_sample_weights has shape [5]", "f32[5,2]", "i64[4]", "i64[3]", "i64[]", "f32[5]"),
		sum("", "emb_table is a scalar, which has no rows", "f32[]", "i64[4]", "i64[3]"),
		mean("", "per_sample_weights goes with reduction sum, not mean", "f32[5,2]", "i64[4]", "i64[3]", "i64[]", "f32[4]"),
		newCase("EmbeddingBagOffsets-15", layertest.Attributes{"reduction", "max"})("", `attribute reduction: "max" is none of sum, mean`, "f32[5,2]", "i64[4]", "i64[3]"),
	})
}

func TestPacked(t *testing.T) {
	sum, mean := newCase("EmbeddingBagPackedSum-3", nil), newCase("EmbeddingBagPacked-15", layertest.Attributes{"reduction", "mean"})
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		sum("f32[4,2,3]", "", "f32[5,2,3]", "i64[4,2]"),
		sum("f32[4..5,3]", "", "f32[5,3]", "i64[...]", "f32[4..5,2]"),
		sum("f32[4,3]", "", "f32[5,3]", "i64[..4,2]", "f32[4..5,?]"),
		sum("f32[...]", "", "f32[...]", "i64[2,3]"),
		mean("i4[?,3]", "", "i4[5,3]", "i32[...]"),

		sum("", "indices has shape [4], expected rank 2", "f32[5,3]", "i64[4]"),
		sum("", "indices is u8, expected i32 or i64", "f32[5,3]", "u8[4,2]"),
		sum("", "per_sample_weights has shape [4], expected rank 2", "f32[5,3]", "i64[...]", "f32[4]"),
		sum("", "indices has shape [4,2], per_sample_weights has shape [?,3]", "f32[5,3]", "i64[4,2]", "f32[?,3]"),
		sum("", "emb_table is a scalar, which has no rows", "f32[]", "i64[4,2]"),
		mean("", "per_sample_weights goes with reduction sum, not mean", "f32[5,3]", "i64[4,2]", "f32[4,2]"),
	})
}

func TestSegments(t *testing.T) {
	row := newCase("EmbeddingSegmentsSum-3", nil)
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		row("f32[3,2]", "", "f32[5,2]", "i64[4]", "i64[4]", "i64[]=3"),
		row("f32[3..5,2]", "", "f32[5,2]", "i64[..4]", "i64[4..]", "i64[]=3..5", "i64[]", "f32[4]"),
		row("f32[?,2]", "", "f32[5,2]", "i64[...]", "i64[4]", "i64[...]"),
		row("f32[...]", "", "f32[...]", "i64[4]", "i64[4]", "i64[]=3"),

		row("", "indices has shape [4], segment_ids has shape [5]", "f32[5,2]", "i64[4]", "i64[5]", "i64[]=3"),
		row("", "segment_ids has shape [4,1], expected rank 1", "f32[5,2]", "i64[4]", "i64[4,1]", "i64[]=3"),
		row("", "num_segments has shape [1], expected rank 0", "f32[5,2]", "i64[4]", "i64[4]", "i64[1]=3"),
		row("", "num_segments is negative: -1", "f32[5,2]", "i64[4]", "i64[4]", "i64[]=-1"),
		row("", "num_segments is i32, indices is i64", "f32[5,2]", "i64[4]", "i64[4]", "i32[]=3"),
		row("", "default_index has shape [1], expected rank 0", "f32[5,2]", "i64[4]", "i64[4]", "i64[]", "i64[1]"),
		row("", "indices has shape [4], per_sample_weights has shape [5]", "f32[5,2]", "i64[4]", "i64[4]", "i64[]", "i64[]", "f32[5]"),
		row("", "emb_table is a scalar, which has no rows", "f32[]", "i64[4]", "i64[4]", "i64[]=3"),
	})
}
