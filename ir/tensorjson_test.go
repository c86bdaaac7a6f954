package ir

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTensor_MarshalJSON(t *testing.T) {
	for _, tt := range []struct {
		data any
		want string
	}{
		{[][]float32{{1, -0.1}, {1e-10, 3e20}}, `{"type":"f32","shape":[2,2],"data":[1,-0.1,1e-10,3e+20]}`},
		{int64(math.MinInt64), `{"type":"i64","shape":[],"data":[-9223372036854775808]}`},
		{[]uint64{math.MaxUint64}, `{"type":"u64","shape":[1],"data":[18446744073709551615]}`},
		{[]string{"a\"\n\x01", "é"}, `{"type":"string","shape":[2],"data":["a\"\n\u0001","é"]}`},
		{[]bool{true, false}, `{"type":"boolean","shape":[2],"data":[true,false]}`},
		{[]float32{}, `{"type":"f32","shape":[0],"data":[]}`},
	} {
		tensor, err := TensorFrom(tt.data)
		require.NoError(t, err)
		got, err := json.Marshal(map[string]*Tensor{"x": tensor})
		require.NoError(t, err)
		assert.Equal(t, `{"x":`+tt.want+`}`, string(got))
	}
	got, err := json.Marshal((*Tensor)(nil))
	require.NoError(t, err)
	assert.Equal(t, "null", string(got))
	for _, value := range []float64{math.NaN(), math.Inf(1)} {
		tensor, err := TensorFrom([]float64{1, value})
		require.NoError(t, err)
		_, err = json.Marshal(tensor)
		assert.ErrorContains(t, err, "element 1 of f64[2] is ")
	}
	for et := range numElementTypes {
		tensor, err := NewTensor(et, 1)
		if et == Dynamic {
			continue
		}
		require.NoError(t, err)
		text, err := json.Marshal(tensor)
		if et.Kind() == KindComplex {
			assert.ErrorContains(t, err, "no numbers of JSON")
			continue
		}
		require.NoError(t, err, et)
		assert.True(t, json.Valid(text))
	}
}
