package regexsplit

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

// inputs returns rows, skips if there are any, and the pattern.
func inputs(t testing.TB, rows [][]string, skips []bool, pattern string) []*ir.Tensor {
	in := texttest.RaggedTensors(t, rows...)
	if skips != nil {
		in = append(in, booleans(t, skips))
	}
	return append(in, texttest.Vector(t, []byte(pattern)...))
}

func booleans(t testing.TB, values []bool) *ir.Tensor {
	tensor, err := ir.NewTensor(ir.Boolean, len(values))
	require.NoError(t, err)
	for i, v := range values {
		if v {
			tensor.Bytes()[i] = 1
		}
	}
	return tensor
}

// pieces returns the rows of pieces, with * behind those to skip, separated by |.
func pieces(out []*ir.Tensor) []string {
	words := ragged.Strings{Begins: ir.Data[int32](out[2]), Ends: ir.Data[int32](out[3]), Chars: out[4].Bytes()}
	begins, ends := ir.Data[int32](out[0]), ir.Data[int32](out[1])
	rows := []string{}
	for i := range begins {
		var row []string
		for j := begins[i]; j < ends[i]; j++ {
			word := string(words.At(int(j)))
			if len(out) > 5 && out[5].Bytes()[j] != 0 {
				word += "*"
			}
			row = append(row, word)
		}
		rows = append(rows, strings.Join(row, "|"))
	}
	return rows
}

func TestKernel(t *testing.T) {
	rows := [][]string{{"a b", " c"}, {}, {"", "d"}}
	isolate := layertest.Attributes{"behaviour", "isolate"}
	for _, c := range []struct {
		attributes layertest.Attributes
		skips      []bool
		pattern    string
		want       []string
	}{
		{nil, nil, " ", []string{"a|b|c", "", "d"}},
		{isolate, nil, " ", []string{"a| |b| |c", "", "d"}},
		{isolate, []bool{true, false, true, false}, " ", []string{"a b*| |c", "", "*|d"}},
		{layertest.Attributes{"behaviour", "isolate", "max_splits", "1"}, nil, " ", []string{"a| b|b| |c", "", "d"}},
		{layertest.Attributes{"invert", "true"}, nil, `\w`, []string{"a|b|c", "", "d"}},
		{isolate, nil, "(", []string{"a b| c", "", "d"}},
	} {
		in := inputs(t, rows, c.skips, c.pattern)
		outputs := 5
		if c.skips != nil {
			outputs = 6
		}
		out, err := layertest.RunOutputs(&Ops[0], c.attributes, 1, outputs, in...)
		require.NoError(t, err)
		assert.Equal(t, c.want, pieces(out))
	}
	kept := append(inputs(t, rows, nil, " "), texttest.StringTensors(t, "a b", "x")...)
	out, err := layertest.RunOutputs(&Ops[0], isolate, 1, 5, kept...)
	require.NoError(t, err)
	assert.Equal(t, []string{"a b| |c", "", "d"}, pieces(out))
}

// TestKernel_empty checks the one row that strings without a character become.
func TestKernel_empty(t *testing.T) {
	in := inputs(t, [][]string{{""}, {"", ""}}, []bool{false, true, false}, " ")
	out, err := layertest.RunOutputs(&Ops[0], nil, 1, 6, in...)
	require.NoError(t, err)
	assert.Equal(t, []string{""}, pieces(out))
	assert.Equal(t, 3, out[2].Len())
	assert.Equal(t, []byte{0, 1, 0}, out[5].Bytes())
}

func TestKernel_errors(t *testing.T) {
	for want, change := range map[string]func(in []*ir.Tensor){
		"strings: string 1 is from 3 to 9, of 5 bytes":           func(in []*ir.Tensor) { ir.Data[int32](in[3])[1] = 9 },
		"rows: row 0 is from 0 to 4, of 2 items":                 func(in []*ir.Tensor) { ir.Data[int32](in[1])[0] = 4 },
		"skips has 1 elements, there are 2 strings":              func(in []*ir.Tensor) { in[5] = booleans(t, []bool{true}) },
		"regular expression, byte 0: recursion is not supported": func(in []*ir.Tensor) { in[6] = texttest.Vector(t, []byte("(?R)")...) },
	} {
		in := inputs(t, [][]string{{"a b", " c"}}, []bool{true, false}, " ")
		change(in)
		_, err := layertest.RunOutputs(&Ops[0], nil, 1, 6, in...)
		assert.EqualError(t, err, want)
	}
	in := append(inputs(t, [][]string{{"a"}}, nil, " "), texttest.StringTensors(t, "a")...)
	ir.Data[int32](in[7])[0] = 5
	_, err := layertest.RunOutputs(&Ops[0], nil, 1, 5, in...)
	assert.EqualError(t, err, "strings not to split: string 0 is from 0 to 5, of 1 bytes")
}

func TestKernel_limits(t *testing.T) {
	in := inputs(t, [][]string{{strings.Repeat("a ", 4000)}}, nil, " ")
	kernel, r, err := layertest.PrepareOutputs(&Ops[0], nil, 1, 5, in...)
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
	assert.Equal(t, 4000, r.Outputs[2].Len())
	// Another pattern and other strings in the next run.
	kept := append(in, texttest.StringTensors(t, "a")...)
	kernel, r, err = layertest.PrepareOutputs(&Ops[0], nil, 1, 5, kept...)
	require.NoError(t, err)
	defer r.Pool.Close()
	require.NoError(t, kernel(r))
	r.Inputs[5].Bytes()[0] = 'a'
	r.Inputs[8].Bytes()[0] = 'b'
	require.NoError(t, kernel(r))
	require.NoError(t, kernel(r))
}

func TestKernel_allocations(t *testing.T) {
	kernel, r, err := layertest.PrepareOutputs(&Ops[0], layertest.Attributes{"behaviour", "isolate"}, 1, 6, inputs(t, [][]string{{"a b c", "d e"}, {"f"}}, []bool{false, true, false}, `\s|\p{L}+(?=d)`)...)
	require.NoError(t, err)
	defer r.Pool.Close()
	require.NoError(t, kernel(r))
	r.Resize = func(int, ir.Shape) error { return nil } // the outputs have the right shapes
	r.Share = func(int, *ir.Tensor) error { return nil }
	require.Zero(t, testing.AllocsPerRun(10, func() { err = kernel(r) }))
	require.NoError(t, err)
}

// FuzzKernel splits any strings: ranges from strangers give an error.
func FuzzKernel(f *testing.F) {
	f.Add(int32(0), int32(2), int32(0), int32(3), " ", "a b c", byte(1))
	f.Fuzz(func(t *testing.T, rowBegin, rowEnd, begin, end int32, pattern, text string, skip byte) {
		if len(pattern) > 50 || len(text) > 100 {
			return
		}
		in := []*ir.Tensor{texttest.Vector(t, rowBegin), texttest.Vector(t, rowEnd), texttest.Vector(t, begin, 0), texttest.Vector(t, end, 0),
			texttest.Vector(t, []byte(text)...), booleans(t, []bool{skip&1 != 0, skip&2 != 0}), texttest.Vector(t, []byte(pattern)...)}
		out, err := layertest.RunOutputs(&Ops[0], layertest.Attributes{"behaviour", behaviours[int(skip)%len(behaviours)]}, 1, 6, in...)
		if err == nil {
			words := ragged.Strings{Begins: ir.Data[int32](out[2]), Ends: ir.Data[int32](out[3]), Chars: out[4].Bytes()}
			require.NoError(t, words.Check("pieces"))
		}
	})
}
