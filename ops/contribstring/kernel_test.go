package contribstring

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func bytesOf(t testing.TB, text string) *ir.Tensor {
	t.Helper()
	tensor, err := ir.NewTensor(ir.U8, len(text))
	require.NoError(t, err)
	copy(tensor.Bytes(), text)
	return tensor
}

// tensors returns strings of a shape as three tensors.
func tensors(t testing.TB, shape ir.Shape, texts ...string) []*ir.Tensor {
	t.Helper()
	var begins, ends []int64
	n := 0
	for _, text := range texts {
		begins = append(begins, int64(n))
		n += len(text)
		ends = append(ends, int64(n))
	}
	return []*ir.Tensor{layertest.Ints(t, ir.I32, shape, begins...), layertest.Ints(t, ir.I32, shape, ends...), bytesOf(t, strings.Join(texts, ""))}
}

// stringsOf returns the strings in three tensors.
func stringsOf(tensors []*ir.Tensor) (list []string) {
	for i, begin := range ir.Data[int32](tensors[0]) {
		list = append(list, string(tensors[2].Bytes()[begin:ir.Data[int32](tensors[1])[i]]))
	}
	return list
}

func runJoin(t testing.TB, separator string, axis int64, in []*ir.Tensor) ([]*ir.Tensor, error) {
	t.Helper()
	return layertest.RunOutputs(&Ops[0], nil, 1, 3, append(append([]*ir.Tensor{}, in...), bytesOf(t, separator), layertest.Ints(t, ir.I64, ir.Shape{1}, axis))...)
}

func TestJoin(t *testing.T) {
	for _, c := range []struct {
		shape     ir.Shape
		axis      int64
		texts     string
		outShape  string
		want      []string
		separator string
	}{
		{ir.Shape{2, 3}, 1, "a bb - d é f", "[2]", []string{"a, bb, -", "d, é, f"}, ", "},
		{ir.Shape{2, 3}, -1, "a bb - d é f", "[2]", []string{"a, bb, -", "d, é, f"}, ", "},
		{ir.Shape{2, 3}, 0, "a bb - d é f", "[3]", []string{"ad", "bbé", "-f"}, ""},
		{ir.Shape{2, 1, 2}, 0, "a b c d", "[1,2]", []string{"a-c", "b-d"}, "-"},
		{ir.Shape{3}, 0, "a b c", "[]", []string{"a-b-c"}, "-"},
		{ir.Shape{1}, 0, "a", "[]", []string{"a"}, "-"},
		{nil, 5, "a", "[]", []string{"a"}, "-"},
		{ir.Shape{0, 2}, 0, "", "[2]", []string{"", ""}, "-"},
		{ir.Shape{0, 2}, 1, "", "[0]", nil, "-"},
	} {
		out, err := runJoin(t, c.separator, c.axis, tensors(t, c.shape, strings.Fields(c.texts)...))
		require.NoError(t, err)
		assert.Equal(t, c.outShape, out[0].Shape().String())
		assert.Equal(t, c.want, stringsOf(out))
	}
	in := tensors(t, ir.Shape{2}, "a", "b")
	_, err := runJoin(t, "", 1, in)
	assert.EqualError(t, err, "axis 1 is out of range for rank 1")
	_, err = runJoin(t, "", math.MinInt64, in)
	assert.EqualError(t, err, "axis -9223372036854775808 is out of range for rank 1")
	ir.Data[int32](in[1])[0] = 4
	_, err = runJoin(t, "", 0, in)
	assert.EqualError(t, err, "strings: string 0 is from 0 to 4, of 2 bytes")

	// many times the same megabytes
	const n = 1 << 12
	begins, ends := make([]int64, n), make([]int64, n)
	for i := range ends {
		ends[i] = 1 << 20
	}
	_, err = runJoin(t, "", 0, []*ir.Tensor{layertest.Ints(t, ir.I32, ir.Shape{n}, begins...), layertest.Ints(t, ir.I32, ir.Shape{n}, ends...), bytesOf(t, strings.Repeat("a", 1<<20))})
	assert.EqualError(t, err, "string 0 ends beyond byte 2147483647, more than an i32 counts")
}

func runSplit(t testing.TB, separator string, skip int64, in []*ir.Tensor) ([]*ir.Tensor, error) {
	t.Helper()
	return layertest.RunOutputs(&Ops[1], nil, 1, 5, append(append([]*ir.Tensor{}, in...), bytesOf(t, separator), layertest.Ints(t, ir.U8, ir.Shape{1}, skip))...)
}

func TestSplit(t *testing.T) {
	in := tensors(t, ir.Shape{5}, "a,b,,c", "", ",", "xabyab", "é")
	for _, c := range []struct {
		separator      string
		skip           int64
		indices, shape string
		want           []string
	}{
		{"ab", 0, "[0 0 1 0 2 0 3 0 3 1 3 2 4 0]", "[5 3]", []string{"a,b,,c", "", ",", "x", "y", "", "é"}},
		{"ab", 1, "[0 0 2 0 3 0 3 1 4 0]", "[5 3]", []string{"a,b,,c", ",", "x", "y", "é"}},
		{",", 1, "[0 0 0 1 0 3 3 0 4 0]", "[5 4]", []string{"a", "b", "c", "xabyab", "é"}},
		{"", 0, "[0 0 0 1 0 2 0 3 0 4 0 5 2 0 3 0 3 1 3 2 3 3 3 4 3 5 4 0 4 1]", "[5 6]", []string{"a", ",", "b", ",", ",", "c", ",", "x", "a", "b", "y", "a", "b", "\xc3", "\xa9"}},
	} {
		out, err := runSplit(t, c.separator, c.skip, in)
		require.NoError(t, err)
		assert.Equal(t, c.want, stringsOf(out[1:4]))
		assert.Equal(t, c.indices, fmt.Sprint(ir.Data[int64](out[0])))
		assert.Equal(t, c.shape, fmt.Sprint(ir.Data[int64](out[4])))
	}
	out, err := runSplit(t, ",", 0, tensors(t, ir.Shape{2, 1}, "a", "b,c"))
	require.NoError(t, err)
	assert.Equal(t, "[0 0 0 1 0 0 1 0 1]", fmt.Sprint(ir.Data[int64](out[0])))
	assert.Equal(t, "[2 1 2]", fmt.Sprint(ir.Data[int64](out[4])))
	ir.Data[int32](in[1])[0] = 99
	_, err = runSplit(t, ",", 0, in)
	assert.EqualError(t, err, "strings: string 0 is from 0 to 99, of 15 bytes")
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		op     int
		inputs []string
		want   []string
		err    string
	}{
		{0, []string{"i32[2,3]", "i32[2,3]", "u8[?]", "u8[1]", "i64[1]=0"}, []string{"i32[3]", "i32[3]", "u8[?]"}, ""},
		{0, []string{"i32[2,3]", "i32[2,3]", "u8[?]", "u8[1]", "i32[]=-1"}, []string{"i32[2]", "i32[2]", "u8[?]"}, ""},
		{0, []string{"i32[2,3]", "i32[2,3]", "u8[?]", "u8[1]", "i32[]=5"}, []string{"i32[?]", "i32[?]", "u8[?]"}, ""},
		{0, []string{"i32[2,3]", "i32[2,3]", "u8[?]", "u8[1]", "i32[]"}, []string{"i32[?]", "i32[?]", "u8[?]"}, ""},
		{0, []string{"i32[3]", "i32[3]", "u8[?]", "u8[1]", "i32[]"}, []string{"i32[]", "i32[]", "u8[?]"}, ""},
		{0, []string{"i32[...]", "i32[...]", "u8[?]", "u8[1]", "i32[]"}, []string{"i32[...]", "i32[...]", "u8[?]"}, ""},
		{0, []string{"i32[3]", "i32[3]", "u8[?]", "u8[1]", "f32[]"}, nil, "axis is f32, expected i32 or i64"},
		{0, []string{"i32[3]", "i32[3]", "u8[?]", "u8[1]", "i32[2]"}, nil, "axis has shape [2], not that of a scalar or of one element"},
		{0, []string{"i32[3]", "i32[3]", "u8[?]", "i8[1]", "i32[]"}, nil, "input 3, separator, is i8, expected u8"},
		{0, []string{"i32[3]", "i64[3]", "u8[?]", "u8[1]", "i32[]"}, nil, "input 1, ends, is i64, expected i32"},
		{1, []string{"i32[2,3]", "i32[2,3]", "u8[?]", "u8[1]", "boolean[1]"}, []string{"i64[?,3]", "i32[?]", "i32[?]", "u8[?]", "i64[3]"}, ""},
		{1, []string{"i32[...]", "i32[...]", "u8[?]", "u8[1]", "i8[]"}, []string{"i64[?,?]", "i32[?]", "i32[?]", "u8[?]", "i64[?]"}, ""},
		{1, []string{"i32[3]", "i32[3]", "u8[?]", "u8[1]", "i32[]"}, nil, "skip_empty is i32, expected boolean, u8 or i8"},
		{1, []string{"i32[3]", "i32[3]", "u8[?]", "u8[1]", "u8[2]"}, nil, "skip_empty has shape [2], not that of a scalar or of one element"},
		{1, []string{"i32[3]", "i32[3]", "u8[?]", "i8[1]", "u8[]"}, nil, "input 3, separator, is i8, expected u8"},
		{1, []string{"i32[3]", "i64[3]", "u8[?]", "u8[1]", "u8[]"}, nil, "input 1, ends, is i64, expected i32"},
	} {
		got, err := layertest.InferOutputs(t, &Ops[c.op], nil, max(len(c.want), 3), c.inputs...)
		if c.err != "" {
			assert.EqualError(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
}

func TestKernels_stop(t *testing.T) {
	many := tensors(t, ir.Shape{1 << 16}, make([]string, 1<<16)...)
	for i, last := range []*ir.Tensor{layertest.Ints(t, ir.I32, nil, 0), layertest.Ints(t, ir.U8, nil, 0)} {
		kernel, r, err := layertest.PrepareOutputs(&Ops[i], nil, 1, 3+2*i, append(append([]*ir.Tensor{}, many...), bytesOf(t, ","), last)...)
		require.NoError(t, err)
		done := make(chan struct{})
		close(done)
		r.Stop = done
		assert.Equal(t, parallel.ErrStopped, kernel(r))
		r.Pool.Close()
	}
}

func TestAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 200, checkRandom) }

// FuzzKernel splits and joins random strings.
func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

// checkRandom joins what was split, and compares with package strings.
func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	text := ""
	for range rng.IntN(12) {
		text += []string{"a", ",", ";", "é", ",,"}[rng.IntN(5)]
	}
	separator := []string{",", ",,", "a", ";,"}[rng.IntN(4)]
	out, err := runSplit(t, separator, 0, tensors(t, ir.Shape{1}, text))
	require.NoError(t, err)
	require.Equal(t, strings.Split(text, separator), stringsOf(out[1:4]))
	out, err = runJoin(t, separator, 0, out[1:4])
	require.NoError(t, err)
	require.Equal(t, []string{text}, stringsOf(out))
}

// FuzzSplit runs any ranges and separators.
func FuzzSplit(f *testing.F) {
	f.Add(int32(0), int32(3), "a,b", ",", true)
	f.Fuzz(func(t *testing.T, begin, end int32, chars, separator string, skip bool) {
		in := []*ir.Tensor{layertest.Ints(t, ir.I32, ir.Shape{1}, int64(begin)), layertest.Ints(t, ir.I32, ir.Shape{1}, int64(end)), bytesOf(t, chars)}
		out, err := runSplit(t, separator, map[bool]int64{true: 1}[skip], in)
		if begin < 0 || end < begin || int(end) > len(chars) {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		for _, part := range stringsOf(out[1:4]) {
			require.True(t, !skip || part != "")
		}
		_, err = runJoin(t, separator, int64(begin), in)
		require.Equal(t, begin != 0, err != nil)
	})
}

func BenchmarkLayer(b *testing.B) {
	texts := make([]string, 400)
	for i := range texts {
		texts[i] = strings.Repeat("word ", 5+i%55)
	}
	in := tensors(b, ir.Shape{400}, texts...)
	for i, last := range []*ir.Tensor{layertest.Ints(b, ir.I32, nil, 0), layertest.Ints(b, ir.U8, nil, 0)} {
		op := &Ops[i]
		layertest.BenchmarkOf(b, op.Type, op, nil, 3+2*i, append(append([]*ir.Tensor{}, in...), bytesOf(b, " "), last)...)
	}
}
