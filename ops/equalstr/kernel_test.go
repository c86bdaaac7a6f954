package equalstr

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func tensors(t testing.TB, texts ...string) []*ir.Tensor {
	t.Helper()
	all := strings.Join(texts, "")
	bytes, err := ir.NewTensor(ir.U8, len(all))
	require.NoError(t, err)
	copy(bytes.Bytes(), all)
	var begins, ends []int64
	n := 0
	for _, text := range texts {
		begins = append(begins, int64(n))
		n += len(text)
		ends = append(ends, int64(n))
	}
	shape := ir.Shape{len(texts)}
	return []*ir.Tensor{layertest.Ints(t, ir.I32, shape, begins...), layertest.Ints(t, ir.I32, shape, ends...), bytes}
}

func run2(t testing.TB, a, b []*ir.Tensor) ([]int32, error) {
	t.Helper()
	out, err := layertest.Run(&Ops[0], nil, 1, append(append([]*ir.Tensor{}, a...), b...)...)
	if err != nil {
		return nil, err
	}
	return ir.Data[int32](out), nil
}

func TestKernel(t *testing.T) {
	for _, c := range []struct {
		a, b []string
		want []int32
	}{
		{[]string{"a", "", "é"}, []string{"a", "b", "é"}, []int32{1, 0, 1}},
		{[]string{"a"}, []string{"a", "ab", ""}, []int32{1, 0, 0}},
		{[]string{"a", "ab"}, []string{"ab"}, []int32{0, 1}},
		{nil, []string{"ab"}, []int32{}},
		{[]string{"ab", "c"}, nil, []int32{}},
	} {
		got, err := run2(t, tensors(t, c.a...), tensors(t, c.b...))
		require.NoError(t, err)
		assert.Equal(t, c.want, append([]int32{}, got...))
	}
	_, err := run2(t, tensors(t, "a", "b"), tensors(t, "a", "b", "c"))
	assert.EqualError(t, err, "a has 2 strings, b has 3")
	broken := tensors(t, "abc")
	ir.Data[int32](broken[1])[0] = 4
	_, err = run2(t, broken, tensors(t, "a"))
	assert.EqualError(t, err, "a: string 0 is from 0 to 4, of 3 bytes")
	_, err = run2(t, tensors(t, "a"), broken)
	assert.EqualError(t, err, "b: string 0 is from 0 to 4, of 3 bytes")
}

func TestShape(t *testing.T) {
	got, err := layertest.Infer(t, &Ops[0], nil, "i32[2]", "i32[?]", "u8[9]", "i32[2,3]", "i32[?,3]", "u8[9]")
	require.NoError(t, err)
	assert.Equal(t, "i32[?]", got)
	_, err = layertest.Infer(t, &Ops[0], nil, "i32[2]", "i32[?]", "u8[9]", "i32[2,3]", "i32[?,3]", "i8[9]")
	assert.EqualError(t, err, "input 5, chars, is i8, expected u8")
}

func TestKernel_stop(t *testing.T) {
	many := tensors(t, make([]string, 1<<16)...)
	kernel, r, err := layertest.Prepare(&Ops[0], nil, 1, append(append([]*ir.Tensor{}, many...), many...)...)
	require.NoError(t, err)
	defer r.Pool.Close()
	done := make(chan struct{})
	close(done)
	r.Stop = done
	assert.Equal(t, parallel.ErrStopped, kernel(r))
}

// FuzzKernel compares with ==.
func FuzzKernel(f *testing.F) {
	f.Add("abc", "abd")
	f.Fuzz(func(t *testing.T, a, b string) {
		got, err := run2(t, tensors(t, a, b), tensors(t, b, b))
		require.NoError(t, err)
		require.Equal(t, a == b, got[0] == 1)
		require.Equal(t, int32(1), got[1])
	})
}

func BenchmarkLayer(b *testing.B) {
	texts := make([]string, 4000)
	for i := range texts {
		texts[i] = strings.Repeat("a", 5+i%55)
	}
	words := tensors(b, texts...)
	layertest.Benchmark(b, "words", &Ops[0], nil, append(append([]*ir.Tensor{}, words...), words...)...)
}
