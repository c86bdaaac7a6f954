package tfidfvectorizer

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	cases := []layertest.ShapeCase{
		{Inputs: []string{"i64[9]", "i64[4]", "i64[3]=2,0,7"}, Want: "f32[8]"},
		{Inputs: []string{"i64[]", "i64[4]", "i64[3]=2,0,7"}, Want: "f32[8]"},
		{Inputs: []string{"string[?,3]", "string[?]", "i64[3]=2,0,7", "f32[3]"}, Want: "f32[?,8]"},
		{Inputs: []string{"string[2,3]", "string[?]", "i64[?]", "f32[?]"}, Want: "f32[2,?]"},
		{Inputs: []string{"string[...]", "string[...]", "i64[...]", "f32[...]"}, Want: "f32[...]"},
		{Inputs: []string{"i64[0]", "i64[0]", "i64[0]="}, Want: "f32[0]"},
		{Inputs: []string{"i64[1,2,3]", "i64[4]", "i64[3]"}, Error: "data has shape [1,2,3], expected [c] or [r,c]"},
		{Inputs: []string{"i32[2]", "i32[4]", "i64[3]"}, Error: "data is i32, expected i64 or string"},
		{Inputs: []string{"i64[2]", "string[4]", "i64[3]"}, Error: "pool is string, the inputs before it are i64"},
		{Inputs: []string{"i64[2]", "i64[4]", "i32[3]"}, Error: "columns is i32, expected i64"},
		{Inputs: []string{"i64[2]", "i64[4]", "i64[3]", "f64[3]"}, Error: "weights is f64, expected f32"},
		{Inputs: []string{"i64[2]", "i64[4]", "i64[3]", "f32[4]"}, Error: "columns has shape [3], weights has [4]"},
		{Inputs: []string{"i64[2]", "i64[4,1]", "i64[3]"}, Error: "pool has shape [4,1], expected rank 1"},
		{Inputs: []string{"i64[2]", "i64[4]", "i64[3]=2,-1,7"}, Error: "element 1 of columns is -1"},
		{Attributes: lengths(2, 1, 0, 0, 2), Inputs: []string{"i64[2]", "i64[4]", "i64[3]"}, Error: "n-grams have 2 to 1 items, and ngram_counts has 2 elements"},
		{Attributes: lengths(0, 1, 0, 0), Inputs: []string{"i64[2]", "i64[4]", "i64[3]"}, Error: "n-grams have 0 to 1 items, and ngram_counts has 1 elements"},
		{Attributes: lengths(1, 2, 0, 0), Inputs: []string{"i64[2]", "i64[4]", "i64[3]"}, Error: "n-grams have 1 to 2 items, and ngram_counts has 1 elements"},
		{Attributes: lengths(1, 1, -1, 0), Inputs: []string{"i64[2]", "i64[4]", "i64[3]"}, Error: "max_skip_count is -1"},
	}
	for i := range cases {
		if cases[i].Attributes == nil {
			cases[i].Attributes = lengths(1, 2, 0, 0, 2)
		}
	}
	layertest.Shapes(t, Ops, cases)
}
