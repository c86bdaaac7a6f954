package utf8validate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// inputs returns the three tensors of one string after the other.
func inputs(t testing.TB, texts ...string) []*ir.Tensor {
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

func TestKernel(t *testing.T) {
	for mode, want := range map[string]struct {
		chars string
		ends  []int32
	}{
		"":      {"aébc", []int32{3, 5, 5}},
		"false": {"aébc", []int32{3, 5, 5}},
		"true":  {"aéb\uFFFDc\uFFFD", []int32{3, 8, 11}},
	} {
		attributes := layertest.Attributes{"replace_mode", mode}
		if mode == "" {
			attributes = nil
		}
		out, err := layertest.RunOutputs(&Ops[0], attributes, 1, 3, inputs(t, "aé", "b\xffc", "\xe5\xad")...)
		require.NoError(t, err)
		assert.Equal(t, want.chars, string(out[2].Bytes()))
		assert.Equal(t, want.ends, ir.Data[int32](out[1]))
	}
	in := inputs(t, "abc")
	ir.Data[int32](in[1])[0] = 4
	_, err := layertest.RunOutputs(&Ops[0], nil, 1, 3, in...)
	assert.EqualError(t, err, "strings: string 0 is from 0 to 4, of 3 bytes")
}

func TestShape(t *testing.T) {
	got, err := layertest.InferOutputs(t, &Ops[0], nil, 3, "i32[2,?]", "i32[?,3]", "u8[9]")
	require.NoError(t, err)
	assert.Equal(t, []string{"i32[2,3]", "i32[2,3]", "u8[?]"}, got)
	_, err = layertest.InferOutputs(t, &Ops[0], nil, 3, "i64[2]", "i32[2]", "u8[9]")
	assert.EqualError(t, err, "input 0, begins, is i64, expected i32")
}

// FuzzKernel runs any text.
func FuzzKernel(f *testing.F) {
	f.Add("a\xffb", "\xe5")
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, mode := range []string{"true", "false"} {
			out, err := layertest.RunOutputs(&Ops[0], layertest.Attributes{"replace_mode", mode}, 1, 3, inputs(t, a, b)...)
			require.NoError(t, err)
			require.Equal(t, out[2].Len(), int(ir.Data[int32](out[1])[1]))
		}
	})
}

func BenchmarkLayer(b *testing.B) {
	layertest.BenchmarkOf(b, "text", &Ops[0], layertest.Attributes{"replace_mode", "true"}, 3, inputs(b, strings.Repeat("some text, ein wenig Text, несколько слов. ", 100))...)
}
