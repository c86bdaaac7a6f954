package bytefallback

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// inputs returns the three tensors of strings.
func inputs(t testing.TB, begins, ends []int64, chars string) []*ir.Tensor {
	t.Helper()
	bytes, err := ir.NewTensor(ir.U8, len(chars))
	require.NoError(t, err)
	copy(bytes.Bytes(), chars)
	shape := ir.Shape{len(begins)}
	return []*ir.Tensor{layertest.Ints(t, ir.I32, shape, begins...), layertest.Ints(t, ir.I32, ir.Shape{len(ends)}, ends...), bytes}
}

func TestKernel(t *testing.T) {
	out, err := layertest.RunOutputs(&Ops[0], nil, 1, 3, inputs(t, []int64{0, 6, 7, 3}, []int64{6, 7, 13, 3}, "<0x41>x<0xA>>")...)
	require.NoError(t, err)
	assert.Equal(t, []int32{0, 1, 2, 3}, ir.Data[int32](out[0]))
	assert.Equal(t, []int32{1, 2, 3, 3}, ir.Data[int32](out[1]))
	assert.Equal(t, "Ax\xff", string(out[2].Bytes()))
	_, err = layertest.RunOutputs(&Ops[0], nil, 1, 3, inputs(t, []int64{2}, []int64{9}, "abc")...)
	assert.EqualError(t, err, "strings: string 0 is from 2 to 9, of 3 bytes")
}

func TestShape(t *testing.T) {
	got, err := layertest.InferOutputs(t, &Ops[0], nil, 3, "i32[2,?]", "i32[?,3]", "u8[9]")
	require.NoError(t, err)
	assert.Equal(t, []string{"i32[2,3]", "i32[2,3]", "u8[?]"}, got)
	_, err = layertest.InferOutputs(t, &Ops[0], nil, 3, "i32[2]", "i32[2]", "i8[9]")
	assert.EqualError(t, err, "input 2, chars, is i8, expected u8")
}

// FuzzKernel runs any ranges.
func FuzzKernel(f *testing.F) {
	f.Add(int32(0), int32(6), "<0x41>")
	f.Add(int32(-1), int32(9), "")
	f.Fuzz(func(t *testing.T, begin, end int32, chars string) {
		out, err := layertest.RunOutputs(&Ops[0], nil, 1, 3, inputs(t, []int64{int64(begin)}, []int64{int64(end)}, chars)...)
		if begin < 0 || end < begin || int(end) > len(chars) {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, out[2].Len(), int(ir.Data[int32](out[1])[0]))
	})
}

func BenchmarkLayer(b *testing.B) {
	const n = 4000
	begins, ends := make([]int64, n), make([]int64, n)
	for i := range begins {
		begins[i], ends[i] = int64(6*i), int64(6*i+6)
	}
	layertest.BenchmarkOf(b, "bytes", &Ops[0], nil, 3, inputs(b, begins, ends, strings.Repeat("<0x41>", n))...)
}
