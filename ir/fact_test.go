package ir

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFact_Constant(t *testing.T) {
	known := Fact{Type: I64, Shape: StaticShape(2), Values: []Interval{{3, 3}, {-1, -1}}}
	tensor := known.Constant()
	require.NotNil(t, tensor)
	assert.Equal(t, []int64{3, -1}, Data[int64](tensor))
	known.Values[1].Max = 5
	assert.Nil(t, known.Constant())
	// math.MaxInt64 stands for no bound.
	known.Values[1] = Interval{1<<63 - 1, 1<<63 - 1}
	assert.Nil(t, known.Constant())
	assert.Nil(t, (&Fact{Type: I64, Shape: StaticShape(2)}).Constant())
	assert.Same(t, tensor, (&Fact{Tensor: tensor}).Constant())
	misfit := Fact{Type: I8, Shape: StaticShape(1), Values: []Interval{{300, 300}}}
	assert.Nil(t, misfit.Constant())
}

func TestFact_Bounds(t *testing.T) {
	values := []Interval{{1, 4}}
	assert.Equal(t, values, (&Fact{Type: I64, Values: values}).Bounds())
	large, err := NewTensor(I64, MaxValues+1)
	require.NoError(t, err)
	assert.Nil(t, (&Fact{Type: I64, Tensor: large}).Bounds(), "more than MaxValues")
	largest, err := NewTensor(I64, MaxValues)
	require.NoError(t, err)
	assert.Len(t, (&Fact{Type: I64, Tensor: largest}).Bounds(), MaxValues)
}

func TestFact_Intervals(t *testing.T) {
	values := []Interval{{1, 4}}
	assert.Equal(t, values, (&Fact{Type: I32, Values: values}).Intervals())
	assert.Nil(t, (&Fact{Type: F32, Values: values}).Intervals(), "the codes of floats are no integers")
}
