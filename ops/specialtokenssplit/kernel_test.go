package specialtokenssplit

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/test/texttest"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
)

func inputs(t testing.TB, rows [][]string, skips []byte, pattern string) []*ir.Tensor {
	in := texttest.RaggedTensors(t, rows...)
	if skips != nil {
		tensor, err := ir.NewTensor(ir.Boolean, len(skips))
		require.NoError(t, err)
		copy(tensor.Bytes(), skips)
		in = append(in, tensor)
	}
	return append(in, texttest.Vector(t, []byte(pattern)...))
}

func TestKernel(t *testing.T) {
	rows := [][]string{{"a <s> b", "<s>"}, {}, {""}}
	for _, c := range []struct {
		skips         []byte
		pattern       string
		words         []string
		special, ends []int32
	}{
		{nil, "(<s>)", []string{"a ", "<s>", " b", "<s>"}, []int32{1, 3}, []int32{4, 4, 4}},
		{nil, `(?:\s*)(<s>)(?:\s*)`, []string{"a", "<s>", "b", "<s>"}, []int32{1, 3}, []int32{4, 4, 4}},
		{[]byte{1, 0, 0}, "(<s>)", []string{"a <s> b", "<s>"}, []int32{0, 1}, []int32{2, 2, 2}},
		{nil, "(", []string{"a <s> b", "<s>"}, nil, []int32{2, 2, 2}},
	} {
		out, err := layertest.RunOutputs(&Ops[0], nil, 1, 6, inputs(t, rows, c.skips, c.pattern)...)
		require.NoError(t, err)
		found := ragged.Strings{Begins: ir.Data[int32](out[2]), Ends: ir.Data[int32](out[3]), Chars: out[4].Bytes()}
		var words []string
		var special []int32
		for i := range found.Len() {
			words = append(words, string(found.At(i)))
			if out[5].Bytes()[i] != 0 {
				special = append(special, int32(i))
			}
		}
		assert.Equal(t, c.words, words)
		assert.Equal(t, c.special, special)
		assert.Equal(t, c.ends, ir.Data[int32](out[1]))
	}
	// OpenVINO 2026.4.1 gives no piece to strings without a character.
	out, err := layertest.RunOutputs(&Ops[0], nil, 1, 6, inputs(t, [][]string{{""}, {""}}, nil, "(a)")...)
	require.NoError(t, err)
	assert.Equal(t, []int32{0, 0}, ir.Data[int32](out[1]))
	_, err = layertest.RunOutputs(&Ops[0], nil, 1, 6, inputs(t, rows, nil, "(?R)")...)
	assert.ErrorContains(t, err, "recursion is not supported")
}

func TestKernel_allocations(t *testing.T) {
	kernel, r, err := layertest.PrepareOutputs(&Ops[0], nil, 1, 6, inputs(t, [][]string{{"a <s> b", "<s>"}, {"c"}}, nil, "(<s>|</s>)")...)
	require.NoError(t, err)
	defer r.Pool.Close()
	require.NoError(t, kernel(r))
	r.Resize = func(int, ir.Shape) error { return nil } // the outputs have the right shapes
	r.Share = func(int, *ir.Tensor) error { return nil }
	require.Zero(t, testing.AllocsPerRun(10, func() { err = kernel(r) }))
	require.NoError(t, err)
}

// FuzzKernel looks for special tokens in any strings: ranges from strangers give an error.
func FuzzKernel(f *testing.F) {
	f.Add(int32(0), int32(2), int32(0), int32(3), "(b)|(c)", "a b c")
	f.Fuzz(func(t *testing.T, rowBegin, rowEnd, begin, end int32, pattern, text string) {
		if len(pattern) > 50 || len(text) > 100 {
			return
		}
		out, err := layertest.RunOutputs(&Ops[0], nil, 1, 6, texttest.Vector(t, rowBegin), texttest.Vector(t, rowEnd), texttest.Vector(t, begin, 0),
			texttest.Vector(t, end, 0), texttest.Vector(t, []byte(text)...), texttest.Vector(t, []byte(pattern)...))
		if err == nil {
			words := ragged.Strings{Begins: ir.Data[int32](out[2]), Ends: ir.Data[int32](out[3]), Chars: out[4].Bytes()}
			require.NoError(t, words.Check("pieces"))
		}
	})
}
