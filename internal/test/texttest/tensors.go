package texttest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
)

// Vector returns a vector.
func Vector[T ir.Scalar](t testing.TB, values ...T) *ir.Tensor {
	t.Helper()
	tensor, err := ir.TensorFrom(values)
	require.NoError(t, err)
	return tensor
}

// StringTensors returns strings as begins, ends and characters.
func StringTensors(t testing.TB, words ...string) []*ir.Tensor {
	t.Helper()
	var s ragged.Strings
	for _, word := range words {
		s.Append([]byte(word))
	}
	return []*ir.Tensor{Vector(t, s.Begins...), Vector(t, s.Ends...), Vector(t, s.Chars...)}
}

// RaggedTensors returns rows of strings as begins and ends of rows, and begins, ends and characters
// of strings.
func RaggedTensors(t testing.TB, rows ...[]string) []*ir.Tensor {
	t.Helper()
	var begins, ends []int32
	var words []string
	for _, row := range rows {
		begins = append(begins, int32(len(words)))
		words = append(words, row...)
		ends = append(ends, int32(len(words)))
	}
	return append([]*ir.Tensor{Vector(t, begins...), Vector(t, ends...)}, StringTensors(t, words...)...)
}

// Rows returns the rows of ids that begins, ends and ids are.
func Rows(t testing.TB, outputs []*ir.Tensor) [][]int32 {
	t.Helper()
	begins, ends, ids := ir.Data[int32](outputs[0]), ir.Data[int32](outputs[1]), ir.Data[int32](outputs[2])
	rows := [][]int32{}
	for i, begin := range begins {
		rows = append(rows, append([]int32{}, ids[begin:ends[i]]...))
	}
	return rows
}
