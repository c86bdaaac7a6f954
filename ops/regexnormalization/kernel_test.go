package regexnormalization

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/test/texttest"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
)

func inputs(t testing.TB, words []string, skips []byte, pattern, replacement string) []*ir.Tensor {
	in := texttest.StringTensors(t, words...)
	if skips != nil {
		tensor, err := ir.NewTensor(ir.Boolean, len(skips))
		require.NoError(t, err)
		copy(tensor.Bytes(), skips)
		in = append(in, tensor)
	}
	return append(in, texttest.Vector(t, []byte(pattern)...), texttest.Vector(t, []byte(replacement)...))
}

func run(t testing.TB, attributes layertest.Attributes, in []*ir.Tensor) ([]string, error) {
	out, err := layertest.RunOutputs(&Ops[0], attributes, 1, len(in)-2, in...)
	if err != nil {
		return nil, err
	}
	found := ragged.Strings{Begins: ir.Data[int32](out[0]), Ends: ir.Data[int32](out[1]), Chars: out[2].Bytes()}
	words := []string{}
	for i := range found.Len() {
		words = append(words, string(found.At(i)))
	}
	if len(out) > 3 {
		assert.Equal(t, in[3].Bytes(), out[3].Bytes())
	}
	return words, nil
}

func TestKernel(t *testing.T) {
	words := []string{"a b a", "", "a"}
	for _, c := range []struct {
		attributes           layertest.Attributes
		skips                []byte
		pattern, replacement string
		want                 []string
	}{
		{nil, nil, "(a)", "<$1>", []string{"<a> b <a>", "", "<a>"}},
		{layertest.Attributes{"global_replace", "false"}, nil, "a", "", []string{" b a", "", ""}},
		{nil, []byte{1, 0, 0}, "a", "x", []string{"a b a", "", "x"}},
		{nil, nil, "^", "-", []string{"-a b a", "-", "-a"}},
		{nil, nil, "(", "-", words},
		{nil, nil, "a", "$3", words},
	} {
		got, err := run(t, c.attributes, inputs(t, words, c.skips, c.pattern, c.replacement))
		require.NoError(t, err)
		assert.Equal(t, c.want, got, c.pattern)
	}
}

func TestKernel_errors(t *testing.T) {
	for want, change := range map[string]func(in []*ir.Tensor){
		"strings: string 1 is from 3 to 9, of 4 bytes":           func(in []*ir.Tensor) { ir.Data[int32](in[1])[1] = 9 },
		"skips has 1 elements, there are 2 strings":              func(in []*ir.Tensor) { in[3] = inputs(t, nil, []byte{0}, "", "")[3] },
		"regular expression, byte 0: recursion is not supported": func(in []*ir.Tensor) { in[4] = texttest.Vector(t, []byte("(?R)")...) },
	} {
		in := inputs(t, []string{"a b", "c"}, []byte{0, 0}, "a", "")
		change(in)
		_, err := run(t, nil, in)
		assert.EqualError(t, err, want)
	}
}

func TestKernel_limits(t *testing.T) {
	in := inputs(t, []string{strings.Repeat("a", 40000)}, nil, "a", "b")
	kernel, r, err := layertest.PrepareOutputs(&Ops[0], nil, 1, 3, in...)
	require.NoError(t, err)
	defer r.Pool.Close()
	full := errors.New("full")
	r.Charge = func(bytes int64) error {
		if bytes > 1<<14 {
			return full
		}
		return nil
	}
	require.ErrorIs(t, kernel(r), full)
	r.Charge = nil
	done := make(chan struct{})
	close(done)
	r.Stop = done
	require.Equal(t, parallel.ErrStopped, kernel(r))
	r.Stop = nil
	require.NoError(t, kernel(r))
	assert.Equal(t, 40000, r.Outputs[2].Len())
	// Another pattern in the next run.
	r.Inputs[3].Bytes()[0] = 'b'
	require.NoError(t, kernel(r))
	assert.Equal(t, byte('a'), r.Outputs[2].Bytes()[0])
	copy(r.Inputs[3].Bytes(), "(")
	require.NoError(t, kernel(r))
}

func TestKernel_allocations(t *testing.T) {
	kernel, r, err := layertest.PrepareOutputs(&Ops[0], nil, 1, 4, inputs(t, []string{"a b c", "d e"}, []byte{0, 1}, `(\w) (?=c)`, "$1_")...)
	require.NoError(t, err)
	defer r.Pool.Close()
	require.NoError(t, kernel(r))
	r.Resize = func(int, ir.Shape) error { return nil } // the outputs have the right shapes
	r.Share = func(int, *ir.Tensor) error { return nil }
	require.Zero(t, testing.AllocsPerRun(10, func() { err = kernel(r) }))
	require.NoError(t, err)
}

// FuzzKernel replaces in any strings: ranges from strangers give an error.
func FuzzKernel(f *testing.F) {
	f.Add(int32(0), int32(2), "(a)|b", "$1", "a b c")
	f.Fuzz(func(t *testing.T, begin, end int32, pattern, replacement, text string) {
		if len(pattern) > 50 || len(text) > 100 {
			return
		}
		out, err := layertest.RunOutputs(&Ops[0], nil, 1, 3, texttest.Vector(t, begin, 0), texttest.Vector(t, end, 0), texttest.Vector(t, []byte(text)...),
			texttest.Vector(t, []byte(pattern)...), texttest.Vector(t, []byte(replacement)...))
		if err == nil {
			words := ragged.Strings{Begins: ir.Data[int32](out[0]), Ends: ir.Data[int32](out[1]), Chars: out[2].Bytes()}
			require.NoError(t, words.Check("strings"))
		}
	})
}
