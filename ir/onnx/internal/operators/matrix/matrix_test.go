package matrix_test

import (
	"testing"

	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/matrix"
)

func TestRules(t *testing.T) {
	s := onnxtest.NewSuite(t, matrix.Rules())
	a, b := [][]float32{{1, 2}, {3, 4}}, [][]float32{{4, 6}}
	equation := func(text string) []any { return []any{"equation", text} }
	for _, c := range []onnxtest.Case{
		{Operator: "Einsum", Version: 12, Attributes: equation("ij, jk -> ki"), Inputs: []any{a, a}, Want: []any{[][]float32{{7, 15}, {10, 22}}}},
		{Operator: "Einsum", Version: 28, Attributes: equation("ii"), Inputs: []any{a}, Want: []any{float32(5)}, Static: true},
		{Operator: "Einsum", Version: 12, Attributes: equation("...ji"), Inputs: []any{a}, Want: []any{[][]float32{{1, 3}, {2, 4}}}, Static: true},
		{Operator: "Einsum", Version: 12, Attributes: equation("bA,b"), Inputs: []any{a, []float32{1, 10}}, Want: []any{[]float32{31, 42}}, Static: true},
		{Operator: "Einsum", Version: 12, Inputs: []any{a}, Error: "attribute equation is missing"},
		{Operator: "Einsum", Version: 12, Attributes: equation("ijk"), Inputs: []any{a}, Error: "its 3 labels want another rank"},
		{Operator: "CDist", Domain: "com.microsoft", Version: 1, Inputs: []any{a, b}, Want: []any{[][]float32{{25}, {5}}}},
		{Operator: "CDist", Domain: "com.microsoft", Version: 1, Attributes: []any{"metric", "euclidean"}, Inputs: []any{a, b}, Want: []any{[][]float32{{5}, {2.236068}}}, MaxRel: 1e-6},
		{Operator: "DynamicTimeWarping", Domain: "com.microsoft", Version: 1, Inputs: []any{[][]float32{{0, 9, 9}, {1, 0.5, 9}, {9, 9, 0}}}, Want: []any{[][]int32{{0, 1, 2}, {0, 1, 2}}}},
		{Operator: "DynamicTimeWarping", Domain: "com.microsoft", Version: 1, Inputs: []any{[][][]float32{{{1, 2}, {0, 3}}}}, Want: []any{[][]int32{{0, 1, 1}, {0, 0, 1}}}},
		{Operator: "Inverse", Domain: "com.microsoft", Version: 1, Inputs: []any{a}, Want: []any{[][]float32{{-2, 1}, {1.5, -0.5}}}, MaxRel: 1e-6},
	} {
		s.Check(c)
	}
}

func TestDet(t *testing.T) {
	s := onnxtest.NewSuite(t, matrix.Rules())
	for _, c := range []onnxtest.Case{
		{Operator: "Det", Version: 11, Inputs: []any{[][]float32{{1, 2}, {3, 4}}}, Want: []any{float32(-2)}},
		{Operator: "Det", Version: 11, Inputs: []any{[][]float32{{5}}}, Want: []any{float32(5)}},
		{Operator: "Det", Version: 22, Inputs: []any{[][][]float64{{{0, 1}, {1, 0}}, {{1, 1}, {1, 1}}}}, Want: []any{[]float64{-1, 0}}},
		{Operator: "Det", Version: 22, Inputs: []any{[][]float32{{0, 0, 2}, {0, 3, 0}, {4, 0, 0}}}, Want: []any{float32(-24)}},
		{Operator: "Det", Version: 22, Inputs: []any{[][]float32{{0, 1, 0}, {0, 5, 1}, {0, 0, 2}}}, Want: []any{float32(0)}},
		{Operator: "Det", Version: 22, Inputs: []any{[][]float32{{2, 0, 1, 0}, {0, 3, 0, 1}, {1, 0, 4, 0}, {0, 1, 0, 5}}}, Want: []any{float32(98)}},
		{Operator: "Det", Version: 22, Inputs: []any{[][]float32{{1, 2}}}, Error: "matrices of 1 rows and 2 columns"},
		{Operator: "Det", Version: 22, Inputs: []any{[]float32{1}}, Error: "the rank is 1, expected at least 2"},
		{Operator: "Det", Version: 22, Inputs: []any{make([][][]float32, 0)}, Error: "matrices of 0 rows"},
	} {
		c.Static, c.MaxRel = true, 1e-6
		s.Check(c)
	}
}

func TestCumProd(t *testing.T) {
	s := onnxtest.NewSuite(t, matrix.Rules())
	x := []float32{1, 2, 3, 4, 5}
	for _, c := range []onnxtest.Case{
		{Operator: "CumProd", Version: 26, Inputs: []any{x, int64(0)}, Want: []any{[]float32{1, 2, 6, 24, 120}}},
		{Operator: "CumProd", Version: 26, Attributes: []any{"exclusive", 1}, Inputs: []any{x, int32(-1)}, Want: []any{[]float32{1, 1, 2, 6, 24}}},
		{Operator: "CumProd", Version: 26, Attributes: []any{"reverse", 1}, Inputs: []any{x, int64(0)}, Want: []any{[]float32{120, 120, 60, 20, 5}}},
		{Operator: "CumProd", Version: 26, Attributes: []any{"reverse", 1, "exclusive", 1}, Inputs: []any{x, int64(0)}, Want: []any{[]float32{120, 60, 20, 5, 1}}},
		{Operator: "CumProd", Version: 26, Inputs: []any{[][]int32{{1, 2}, {3, -4}}, int64(0)}, Want: []any{[][]int32{{1, 2}, {3, -8}}}},
		{Operator: "CumProd", Version: 26, Inputs: []any{x, int64(1)}, Constants: []int{1}, Error: "axis 1 of rank 1 is out of range"},
		{Operator: "CumProd", Version: 26, Inputs: []any{x, []int64{0, 0}}, Error: "[2]"},
	} {
		s.Check(c)
	}
}
