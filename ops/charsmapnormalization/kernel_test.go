package charsmapnormalization

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/text/charsmap"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// inputs returns the inputs for strings, and skips, unless there are none.
func inputs(t testing.TB, skips []bool, texts ...string) []*ir.Tensor {
	t.Helper()
	var s ragged.Strings
	for _, text := range texts {
		s.Append([]byte(text))
	}
	return tensors(t, s, skips)
}

func tensors(t testing.TB, s ragged.Strings, skips []bool) []*ir.Tensor {
	t.Helper()
	tensor := func(elementType ir.ElementType, n int) *ir.Tensor {
		tensor, err := ir.NewTensor(elementType, n)
		require.NoError(t, err)
		return tensor
	}
	begins, ends, chars := tensor(ir.I32, len(s.Begins)), tensor(ir.I32, len(s.Ends)), tensor(ir.U8, len(s.Chars))
	copy(ir.Data[int32](begins), s.Begins)
	copy(ir.Data[int32](ends), s.Ends)
	copy(chars.Bytes(), s.Chars)
	all := []*ir.Tensor{begins, ends, chars}
	if skips == nil {
		return all
	}
	flags := tensor(ir.Boolean, len(skips))
	for i, skip := range skips {
		if skip {
			flags.Bytes()[i] = 1
		}
	}
	return append(all, flags)
}

func bytesOf(t testing.TB, data []byte) *ir.Tensor {
	t.Helper()
	tensor, err := ir.NewTensor(ir.U8, len(data))
	require.NoError(t, err)
	copy(tensor.Bytes(), data)
	return tensor
}

func find(t testing.TB, layerType string) *ops.Op {
	return layertest.FindType(t, Ops, layerType+"-extension")
}

// texts returns the strings of outputs, which must be packed.
func texts(t testing.TB, out []*ir.Tensor) []string {
	t.Helper()
	s := ragged.Strings{Begins: ir.Data[int32](out[0]), Ends: ir.Data[int32](out[1]), Chars: out[2].Bytes()}
	require.NoError(t, s.Check("output"))
	var all []string
	at := int32(0)
	for i := range s.Len() {
		require.Equal(t, at, s.Begins[i])
		at = s.Ends[i]
		all = append(all, string(s.At(i)))
	}
	require.Equal(t, len(s.Chars), int(at))
	return all
}

// fold is a map of a to bc.
var fold = append([]byte{
	// 98 units of 4 bytes: the root at position 0, the child of a with its value in unit 1
	0x88, 0x01, 0, 0,
	0xFF, 0, 0, 0, 0, 0, 0, 0x80,
}, append(append([]byte(strings.Repeat("\x00\x00\x00\x80", 95)), 'a', 0x81, 1, 0), "bc\x00"...)...)

func TestKernel(t *testing.T) {
	for _, c := range []struct {
		layerType  string
		attributes layertest.Attributes
		blob       []byte
		skips      []bool
		in, want   []string
	}{
		{"CharsMapNormalization", layertest.Attributes{"normalization_form", "nfd", "case_fold", "true"}, nil, nil, []string{" \u00C9  A ", ""}, []string{"e\u0301 a", ""}},
		{"CharsMapNormalization", layertest.Attributes{"normalization_form", "NFKC", "add_dummy_prefix", "true", "escape_whitespaces", "true", "remove_extra_whitespaces", "false", "nmt", "true"}, nil, []bool{false, true}, []string{"a \uFB01", "a \uFB01"}, []string{"\u2581a\u2581fi", "a \uFB01"}},
		{"CharsMapNormalization", nil, fold, nil, []string{"aA  b\xFF"}, []string{"bcA b\uFFFD"}},
		{"CharsMapNormalization", nil, fold, []bool{true, false}, []string{" a\xFF", "a"}, []string{" a\xFF", "bc"}},
		{"CharsMapNormalization", nil, []byte{}, nil, []string{"a"}, []string{"a"}},
		{"NormalizeUnicode", nil, nil, nil, []string{" \u00E9 "}, []string{" e\u0301 "}},
		{"NormalizeUnicode", layertest.Attributes{"normalization_form", "NFC"}, nil, []bool{true, false}, []string{"e\u0301", "e\u0301"}, []string{"e\u0301", "\u00E9"}},
		{"CaseFold", nil, nil, []bool{false, true}, []string{"A\u00C9\xFF", "A"}, []string{"a\u00E9\uFFFD", "A"}},
		{"CaseFold", layertest.Attributes{"encoding", ""}, nil, []bool{true, true}, []string{"AzZ\u00C9\xFF", "A["}, []string{"azz\u00C9\xFF", "a["}},
		{"CaseFold", layertest.Attributes{"encoding", "", "lower", "false"}, nil, nil, []string{"AzZ\u00E9{`"}, []string{"AZZ\u00E9{`"}},
	} {
		in := inputs(t, c.skips, c.in...)
		if c.blob != nil {
			in = append(in, bytesOf(t, c.blob))
		}
		outputs := 3
		if c.skips != nil {
			outputs++
		}
		op := *find(t, c.layerType)
		for _, values := range [][]int{nil, {len(in) - 1}} { // a map can be constant or not
			op.Values = values
			out, err := layertest.RunOutputs(&op, c.attributes, 1, outputs, in...)
			require.NoError(t, err)
			assert.Equal(t, c.want, texts(t, out), "%s %v", c.layerType, c.attributes)
			if c.skips != nil {
				assert.Equal(t, in[3].Bytes(), out[3].Bytes())
			}
		}
		out, err := layertest.RunOutputs(&op, c.attributes, 1, 1, in...)
		require.NoError(t, err, "a file may leave out the last outputs")
		assert.Equal(t, int32(0), ir.Data[int32](out[0])[0])
	}
}

func TestKernel_errors(t *testing.T) {
	run := func(layerType string, attributes layertest.Attributes, in ...*ir.Tensor) error {
		_, err := layertest.RunOutputs(find(t, layerType), attributes, 1, 3, in...)
		return err
	}
	assert.EqualError(t, run("CaseFold", nil, tensors(t, ragged.Strings{Begins: []int32{0, 2}, Ends: []int32{2, 4}, Chars: []byte("abc")}, nil)...),
		"strings: string 1 is from 2 to 4, of 3 bytes")
	assert.EqualError(t, run("CaseFold", nil, inputs(t, []bool{true}, "a", "b")...), "skips has 1 elements, there are 2 strings")
	assert.EqualError(t, run("CharsMapNormalization", nil, append(inputs(t, nil, "a"), bytesOf(t, []byte("ab")))...), "the character map has 2 bytes, expected more than 4")
	assert.EqualError(t, run("CharsMapNormalization", layertest.Attributes{"normalization_form", "identity"}, inputs(t, nil, "a")...),
		`normalization form "identity" with case_fold=false, expected nfc, nfd, nfkc, nfkd, or identity with case folding`)
	op := *find(t, "CharsMapNormalization")
	op.Values = []int{3}
	_, err := layertest.RunOutputs(&op, nil, 1, 3, append(inputs(t, nil, "a"), bytesOf(t, []byte("ab")))...)
	assert.EqualError(t, err, "the character map has 2 bytes, expected more than 4")

	const n = 1 << 14
	var s ragged.Strings
	s.Chars = []byte(strings.Repeat("a", 1<<18))
	for range n {
		s.Begins, s.Ends = append(s.Begins, 0), append(s.Ends, 1<<18)
	}
	for _, layerType := range []string{"CaseFold"} {
		kernel, r, err := layertest.PrepareOutputs(find(t, layerType), nil, 1, 3, tensors(t, s, nil)...)
		require.NoError(t, err)
		refused := errors.New("refused")
		left := int64(1 << 22)
		r.Charge = func(bytes int64) error {
			if left -= bytes; left < 0 {
				return refused
			}
			return nil
		}
		assert.Equal(t, refused, kernel(r))
		done := make(chan struct{})
		close(done)
		r.Stop = done
		assert.Equal(t, parallel.ErrStopped, kernel(r))
		r.Pool.Close()
	}
}

// TestMapChanges has a map that is not constant.
func TestMapChanges(t *testing.T) {
	kernel, r, err := layertest.PrepareOutputs(find(t, "CharsMapNormalization"), nil, 1, 3, append(inputs(t, nil, "a"), bytesOf(t, fold))...)
	require.NoError(t, err)
	defer r.Pool.Close()
	require.NoError(t, kernel(r))
	assert.Equal(t, []string{"bc"}, texts(t, r.Outputs))
	r.Inputs[3].Bytes()[len(fold)-2] = 'x'
	require.NoError(t, kernel(r))
	assert.Equal(t, []string{"bx"}, texts(t, r.Outputs))
	charged := int64(0)
	r.Charge = func(bytes int64) error { charged += bytes; return nil }
	require.NoError(t, kernel(r))
	assert.Zero(t, charged, "the map is the same")
	r.Charge = func(int64) error { return errors.New("refused") }
	r.Inputs[3] = bytesOf(t, append(fold, "more\x00"...))
	assert.EqualError(t, kernel(r), "refused")
}

func TestAllocations(t *testing.T) {
	in := inputs(t, nil, "A line, e\u0301 \uFB01", "more")
	kernel, r, err := layertest.PrepareOutputs(find(t, "CharsMapNormalization"), layertest.Attributes{"normalization_form", "nfkc"}, 1, 3, in...)
	require.NoError(t, err)
	defer r.Pool.Close()
	require.NoError(t, kernel(r))
	r.Resize = func(int, ir.Shape) error { return nil } // the output has that shape
	assert.Zero(t, testing.AllocsPerRun(10, func() { err = kernel(r) }))
	require.NoError(t, err)
}

// FuzzKernel normalizes any ranges of any text, with any skips and any map.
func FuzzKernel(f *testing.F) {
	f.Add("ab\u00E9c", int32(0), int32(2), int32(1), int32(4), true, fold)
	f.Add("ab", int32(-1), int32(2), int32(5), int32(3), false, []byte{})
	f.Fuzz(func(t *testing.T, text string, b0, e0, b1, e1 int32, skip bool, blob []byte) {
		s := ragged.Strings{Begins: []int32{b0, b1}, Ends: []int32{e0, e1}, Chars: []byte(text)}
		in := append(tensors(t, s, []bool{skip, false}), bytesOf(t, blob))
		out, err := layertest.RunOutputs(find(t, "CharsMapNormalization"), nil, 1, 4, in...)
		if s.Check("") != nil {
			require.ErrorContains(t, err, "strings: ")
			return
		}
		m, broken := charsmap.Parse(blob)
		if broken != nil {
			require.Equal(t, broken, err)
			return
		}
		require.NoError(t, err)
		n := charsmap.New(m, charsmap.Options{RemoveExtraWhitespaces: true})
		var want []string
		for i := range s.Len() {
			got := s.At(i)
			if i > 0 || !skip {
				got, err = n.Append(nil, got, &charsmap.Work{})
				require.NoError(t, err)
			}
			want = append(want, string(got))
		}
		require.Equal(t, want, texts(t, out))
	})
}

// TestKernel_random compares runs of one kernel on different strings with the normalizer.
func TestKernel_random(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	kernel, r, err := layertest.PrepareOutputs(find(t, "NormalizeUnicode"), nil, 1, 3, inputs(t, nil, "", "", "")...)
	require.NoError(t, err)
	defer r.Pool.Close()
	m, err := charsmap.Builtin("nfd", false)
	require.NoError(t, err)
	n := charsmap.New(m, charsmap.Options{})
	for range 30 {
		var in, want []string
		for range 3 {
			text := strings.Repeat(string(rune(rng.IntN(0x3000))), rng.IntN(2000))
			got, err := n.Append(nil, []byte(text), &charsmap.Work{})
			require.NoError(t, err)
			in, want = append(in, text), append(want, string(got))
		}
		copy(r.Inputs, inputs(t, nil, in...))
		require.NoError(t, kernel(r))
		require.Equal(t, want, texts(t, r.Outputs))
	}
}
