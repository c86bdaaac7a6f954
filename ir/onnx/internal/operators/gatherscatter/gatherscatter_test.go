package gatherscatter_test

import (
	"testing"

	"github.com/x448/float16"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/gatherscatter"
)

func TestGather(t *testing.T) {
	s := onnxtest.NewSuite(t, gatherscatter.Rules())
	data := [][]float32{{1, 2, 3}, {4, 5, 6}}
	for _, version := range []int{1, 11, 13} {
		s.Check(onnxtest.Case{Operator: "Gather", Version: version, Inputs: []any{data, []int64{1, 0}}, Want: []any{[][]float32{{4, 5, 6}, {1, 2, 3}}}})
	}
	for _, c := range []onnxtest.Case{
		{Operator: "Gather", Version: 13, Attributes: []any{"axis", -1}, Inputs: []any{data, [][]int32{{0, -1}}}, Want: []any{[][][]float32{{{1, 3}}, {{4, 6}}}}},
		{Operator: "Gather", Version: 13, Inputs: []any{[]string{"a", "b"}, int64(1)}, Want: []any{"b"}},
		{Operator: "Gather", Version: 13, Inputs: []any{data, int64(2)}, Want: []any{[]float32{0, 0, 0}}},
		{Operator: "Gather", Version: 13, Attributes: []any{"axis", 2}, Inputs: []any{data, int64(0)}, Error: "axis"},
		{Operator: "GatherElements", Version: 11, Inputs: []any{data, [][]int64{{1, 0, -1}}}, Want: []any{[][]float32{{4, 2, 6}}}},
		// Indices can be fewer than data along the other axes.
		{Operator: "GatherElements", Version: 13, Attributes: []any{"axis", 1}, Inputs: []any{data, [][]int64{{-1, 0, 1, 2}}}, Want: []any{[][]float32{{3, 1, 2, 3}}}},
		{Operator: "GatherElements", Version: 11, Attributes: []any{"axis", -2}, Inputs: []any{data, [][]int64{{1}, {0}, {1}}}, Want: []any{[][]float32{{4}, {1}, {4}}}},
		{Operator: "GatherElements", Version: 13, Attributes: []any{"axis", -1}, Inputs: []any{data, [][]int32{{2, 0}, {-3, 1}}}, Want: []any{[][]float32{{3, 1}, {4, 5}}}},
		{Operator: "GatherND", Domain: "com.microsoft", Version: 1, Inputs: []any{[][]float32{{1, 2}, {3, 4}}, [][]int32{{1, 0}, {0, -1}}}, Want: []any{[]float32{3, 2}}},
		{Operator: "GatherND", Version: 11, Inputs: []any{data, [][]int64{{0, 1}, {1, -1}}}, Want: []any{[]float32{2, 6}}},
		{Operator: "GatherND", Version: 12, Attributes: []any{"batch_dims", 1}, Inputs: []any{data, [][]int64{{1}, {0}}}, Want: []any{[]float32{2, 4}}},
		{Operator: "GatherND", Version: 13, Inputs: []any{data, [][]int64{{1}}}, Want: []any{[][]float32{{4, 5, 6}}}},
	} {
		s.Check(c)
	}
}

func TestScatter(t *testing.T) {
	s := onnxtest.NewSuite(t, gatherscatter.Rules())
	data := [][]float32{{1, 2, 3}, {4, 5, 6}}
	for _, c := range []struct {
		operator string
		version  int
	}{{"Scatter", 9}, {"Scatter", 11}, {"ScatterElements", 11}, {"ScatterElements", 13}, {"ScatterElements", 16}, {"ScatterElements", 18}} {
		s.Check(onnxtest.Case{
			Operator: c.operator, Version: c.version, Attributes: []any{"axis", 1},
			Inputs: []any{data, [][]int64{{2, 0}, {-2, 0}}, [][]float32{{10, 20}, {30, 40}}}, Want: []any{[][]float32{{20, 2, 10}, {40, 30, 6}}},
		})
		s.Check(onnxtest.Case{
			Operator: c.operator, Version: c.version, Inputs: []any{data, [][]int32{{1, 0, 1}}, [][]float32{{7, 8, 9}}}, Want: []any{[][]float32{{1, 8, 3}, {7, 5, 9}}},
		})
	}
	for _, c := range []struct {
		reduction      string
		version        int
		elements, rows [][]float32
	}{
		{"add", 16, [][]float32{{1, 9, 3}, {4, 5, 6}}, [][]float32{{10, 12, 14}, {4, 5, 6}}},
		{"mul", 16, [][]float32{{1, 24, 3}, {4, 5, 6}}, [][]float32{{20, 48, 84}, {4, 5, 6}}},
		{"max", 18, [][]float32{{1, 4, 3}, {4, 5, 6}}, [][]float32{{5, 6, 7}, {4, 5, 6}}},
		{"min", 18, [][]float32{{1, 2, 3}, {4, 5, 6}}, [][]float32{{1, 2, 3}, {4, 5, 6}}},
		{"none", 16, [][]float32{{1, 4, 3}, {4, 5, 6}}, [][]float32{{5, 6, 7}, {4, 5, 6}}},
	} {
		indices, updates := [][]int64{{1, 1}}, [][]float32{{3, 4}}
		rows, rowUpdates := [][]int64{{0}, {-2}}, [][]float32{{4, 4, 4}, {5, 6, 7}}
		if c.reduction == "none" { // only one update of each element
			indices, updates, rows, rowUpdates = indices[:1], [][]float32{{4, 4}}, rows[1:], rowUpdates[1:]
		}
		s.Check(onnxtest.Case{
			Operator: "ScatterElements", Version: c.version, Attributes: []any{"reduction", c.reduction, "axis", 1},
			Inputs: []any{data, indices, updates}, Want: []any{c.elements},
		})
		s.Check(onnxtest.Case{
			Operator: "ScatterND", Version: c.version, Attributes: []any{"reduction", c.reduction}, Inputs: []any{data, rows, rowUpdates}, Want: []any{reduced(c.rows, c.reduction)},
		})
	}
	for _, c := range []onnxtest.Case{
		{Operator: "ScatterND", Version: 11, Inputs: []any{data, [][]int64{{1, 2}}, []float32{9}}, Want: []any{[][]float32{{1, 2, 3}, {4, 5, 9}}}},
		{Operator: "ScatterND", Version: 13, Inputs: []any{[]string{"a", "b"}, [][]int64{{1}}, []string{"c"}}, Want: []any{[]string{"a", "c"}}},
		{Operator: "ScatterElements", Version: 18, Attributes: []any{"reduction", "sum"}, Inputs: []any{data, [][]int64{{0}}, [][]float32{{1}}}, Error: `attribute reduction is "sum", expected one of ["none"`},
		{Operator: "ScatterElements", Version: 18, Inputs: []any{data, [][]int64{{5}}, [][]float32{{1}}}, Error: "index 5"},
		{Operator: "ScatterElements", Version: 18, Inputs: []any{data, [][]int64{{0}}, nil}, Error: "2 inputs are connected, expected 3"},
	} {
		s.Check(c)
	}
}

// reduced returns the rows that the cases of TestScatter give.
func reduced(rows [][]float32, reduction string) [][]float32 {
	if reduction == "mul" { // 1, 2, 3 times 4, 4, 4 times 5, 6, 7
		return [][]float32{{1 * 4 * 5, 2 * 4 * 6, 3 * 4 * 7}, rows[1]}
	}
	return rows
}

// TestTypes checks that elements of all types move, and that those with arithmetic can be added.
func TestTypes(t *testing.T) {
	s := onnxtest.NewSuite(t, gatherscatter.Rules())
	check(s, int8(1), int8(2))
	check(s, int16(1), int16(2))
	check(s, int32(1), int32(2))
	check(s, int64(1), int64(2))
	check(s, uint8(1), uint8(2))
	check(s, uint16(1), uint16(2))
	check(s, uint32(1), uint32(2))
	check(s, uint64(1), uint64(2))
	check(s, float32(1), float32(2))
	check(s, float64(1), float64(2))
	check(s, float16.Fromfloat32(1), float16.Fromfloat32(2))
	check(s, ir.BFloat16Of(1), ir.BFloat16Of(2))
	check(s, false, true)
	check(s, "a", "b")
}

// check gathers, and scatters, elements of a type.
func check[T ir.Scalar](s *onnxtest.Suite, a, b T) {
	data, indices := []T{a, b, a}, []int64{1, 2}
	for _, c := range []onnxtest.Case{
		{Operator: "Gather", Version: 13, Inputs: []any{data, indices}, Want: []any{[]T{b, a}}},
		{Operator: "GatherElements", Version: 13, Inputs: []any{data, indices}, Want: []any{[]T{b, a}}},
		{Operator: "GatherND", Version: 13, Inputs: []any{data, [][]int64{{1}, {2}}}, Want: []any{[]T{b, a}}},
		{Operator: "Scatter", Version: 9, Inputs: []any{data, indices, []T{a, b}}, Want: []any{[]T{a, a, b}}},
		{Operator: "ScatterElements", Version: 18, Inputs: []any{data, indices, []T{a, b}}, Want: []any{[]T{a, a, b}}},
		{Operator: "ScatterND", Version: 18, Inputs: []any{data, [][]int64{{1}, {2}}, []T{a, b}}, Want: []any{[]T{a, a, b}}},
	} {
		s.Check(c)
	}
}
