package vocab

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/test/texttest"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func op(t testing.TB, name string) *ops.Op { return layertest.FindType(t, Ops, name+"-extension") }

// decode returns the strings of each row.
func decodeRows(t testing.TB, attributes layertest.Attributes, in ...*ir.Tensor) ([][]string, error) {
	out, err := layertest.RunOutputs(op(t, "VocabDecoder"), attributes, 1, 5, in...)
	if err != nil {
		return nil, err
	}
	words := ragged.Strings{Begins: ir.Data[int32](out[2]), Ends: ir.Data[int32](out[3]), Chars: out[4].Bytes()}
	require.NoError(t, words.Check("strings"))
	rows := [][]string{}
	for i, begin := range ir.Data[int32](out[0]) {
		row := []string{}
		for k := begin; k < ir.Data[int32](out[1])[i]; k++ {
			row = append(row, string(words.At(int(k))))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func TestDecode(t *testing.T) {
	vocabulary := texttest.StringTensors(t, "a", "", "bcd", "<s>")
	skip := layertest.Attributes{"skip_tokens", "3, 9,-1"}
	for _, elementType := range []ir.ElementType{ir.I32, ir.I64} {
		ids := layertest.Ints(t, elementType, ir.Shape{2, 3}, 2, 0, 3, -1, 4, 1)
		got, err := decodeRows(t, skip, append([]*ir.Tensor{ids}, vocabulary...)...)
		require.NoError(t, err)
		assert.Equal(t, [][]string{{"bcd", "a", ""}, {"", "", ""}}, got)
		got, err = decodeRows(t, skip, append(append([]*ir.Tensor{ids}, vocabulary...), layertest.Ints(t, elementType, ir.Shape{2}, 0, 1<<30))...)
		require.NoError(t, err)
		assert.Equal(t, [][]string{{"bcd", "", "<s>"}, {"", "", ""}}, got, "the input replaces the attribute")
		got, err = decodeRows(t, nil, append([]*ir.Tensor{layertest.Ints(t, elementType, ir.Shape{2, 0})}, vocabulary...)...)
		require.NoError(t, err)
		assert.Equal(t, [][]string{{""}, {""}}, got)
		got, err = decodeRows(t, nil, append([]*ir.Tensor{layertest.Ints(t, elementType, ir.Shape{0, 2})}, vocabulary...)...)
		require.NoError(t, err)
		assert.Empty(t, got)
	}
}

func TestDecode_errors(t *testing.T) {
	ids := layertest.Ints(t, ir.I32, ir.Shape{1, 1}, 0)
	in := append([]*ir.Tensor{ids}, texttest.StringTensors(t, "a", "b")...)
	ir.Data[int32](in[2])[1] = 3
	_, err := decodeRows(t, nil, in...)
	assert.EqualError(t, err, "vocabulary: string 1 is from 1 to 3, of 2 bytes")

	long, many := make([]byte, 1<<20), make([]int64, 3000)
	in = append([]*ir.Tensor{layertest.Ints(t, ir.I32, ir.Shape{1, 3000}, many...)}, texttest.StringTensors(t, string(long))...)
	_, err = decodeRows(t, nil, in...)
	assert.EqualError(t, err, "string 2047 ends beyond byte 2147483647, more than an i32 counts")

	kernel, r, err := layertest.PrepareOutputs(op(t, "VocabDecoder"), nil, 1, 5, in...)
	require.NoError(t, err)
	defer r.Pool.Close()
	done := make(chan struct{})
	close(done)
	r.Stop = done
	assert.Equal(t, parallel.ErrStopped, kernel(r))
}

func TestDecode_allocations(t *testing.T) {
	in := append([]*ir.Tensor{layertest.Ints(t, ir.I32, ir.Shape{1, 2}, 0, 1)}, texttest.StringTensors(t, "a", "b")...)
	kernel, r, err := layertest.PrepareOutputs(op(t, "VocabDecoder"), nil, 1, 5, in...)
	require.NoError(t, err)
	defer r.Pool.Close()
	require.NoError(t, kernel(r))
	require.Zero(t, testing.AllocsPerRun(10, func() {
		// the outputs of the previous run have the right shapes
		r.Resize = func(int, ir.Shape) error { return nil }
		err = kernel(r)
	}))
	require.NoError(t, err)
}

func TestEncode(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.I32, ir.I64} {
		in := append(texttest.StringTensors(t, "b", "x", "a", ""), texttest.StringTensors(t, "a", "b", "a")...)
		in = append(in, layertest.Ints(t, elementType, ir.Shape{3}, 5, 6, 7), layertest.Ints(t, elementType, ir.Shape{}, -8))
		got, err := layertest.Run(op(t, "VocabEncoder"), nil, 1, in...)
		require.NoError(t, err)
		values, err := got.Ints()
		require.NoError(t, err)
		assert.Equal(t, []int64{6, -8, 5, -8}, values)
	}
	layertest.CheckAllocations(t, op(t, "VocabEncoder"), nil, append(append(texttest.StringTensors(t, "b"), texttest.StringTensors(t, "a", "b")...),
		texttest.Vector(t, int32(1), 2), texttest.Vector(t, int32(3)))...)
}

func TestEncode_errors(t *testing.T) {
	run := func(strings, keys []*ir.Tensor, values, other *ir.Tensor) error {
		_, err := layertest.Run(op(t, "VocabEncoder"), nil, 1, append(append(append([]*ir.Tensor{}, strings...), keys...), values, other)...)
		return err
	}
	strings, keys, two, one := texttest.StringTensors(t, "a"), texttest.StringTensors(t, "a", "b"), texttest.Vector(t, int32(1), 2), texttest.Vector(t, int32(3))
	require.NoError(t, run(strings, keys, two, one))
	assert.EqualError(t, run(strings, keys, two, texttest.Vector[int32](t)), "the default has no elements")
	assert.ErrorContains(t, run(strings, keys, one, one), "values has shape [1]")
	ir.Data[int32](keys[1])[1] = 7
	assert.EqualError(t, run(strings, keys, two, one), "keys: string 1 is from 1 to 7, of 2 bytes")
	ir.Data[int32](keys[1])[1] = 2
	ir.Data[int32](strings[0])[0] = -1
	assert.EqualError(t, run(strings, keys, two, one), "strings: string 0 is from -1 to 1, of 1 bytes")
}

// checkRandom encodes and decodes random words.
func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	words := make([]string, 1+rng.IntN(200))
	ids := make([]int32, len(words))
	for i := range words {
		words[i], ids[i] = fmt.Sprint(i), int32(i)
	}
	list, want := make([]int64, rng.IntN(20000)), []string{}
	for i := range list {
		list[i] = int64(rng.IntN(2*len(words)) - len(words)/2)
		if list[i] >= 0 && list[i] < int64(len(words)) {
			want = append(want, words[list[i]])
		} else {
			want, list[i] = append(want, ""), -1
		}
	}
	vocabulary := texttest.StringTensors(t, words...)
	got, err := decodeRows(t, nil, append([]*ir.Tensor{layertest.Ints(t, ir.I32, ir.Shape{1, len(list)}, list...)}, vocabulary...)...)
	require.NoError(t, err)
	if len(list) == 0 {
		want = []string{""}
	}
	require.Equal(t, [][]string{want}, got)
	in := append(append(texttest.StringTensors(t, want...), vocabulary...), texttest.Vector(t, ids...), texttest.Vector(t, int32(-1)))
	out, err := layertest.Run(op(t, "VocabEncoder"), nil, 2, in...)
	require.NoError(t, err)
	for i, id := range list {
		require.Equal(t, int32(id), ir.Data[int32](out)[i])
	}
}

func TestRandom(t *testing.T) {
	for seed := range uint64(20) {
		checkRandom(t, seed)
	}
}

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}
