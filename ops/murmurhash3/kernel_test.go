package murmurhash3

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func texts(t testing.TB, values ...string) *ir.Tensor {
	t.Helper()
	tensor, err := ir.TensorFrom(values, len(values))
	require.NoError(t, err)
	return tensor
}

// TestKernel has values of ONNX Runtime 1.32.
func TestKernel(t *testing.T) {
	for _, c := range []struct {
		data *ir.Tensor
		seed string
		want []float64
	}{
		{texts(t, "", "a", "ab", "abc", "abcd", "hello, wörld"), "0", []float64{0, 1009084850, 2613040991, 3017643002, 1139631978, 2493792825}},
		{texts(t, "", "a", "ab", "abc", "abcd", "hello, wörld"), "-3", []float64{2855707116, 496836947, 352123689, 1492753159, 2609257923, 2212808271}},
		{layertest.Ints(t, ir.I32, ir.Shape{3}, 0, 7, 123456), "5", []float64{3060598772, 1836245473, 1984123540}},
		{layertest.Ints(t, ir.U32, ir.Shape{3}, 0, 7, 123456), "5", []float64{3060598772, 1836245473, 1984123540}},
		{layertest.Ints(t, ir.I64, ir.Shape{3}, 0, 7, 123456), "5", []float64{3337651370, 1526989669, 1554779092}},
		{layertest.Ints(t, ir.U64, ir.Shape{3}, 0, 7, 123456), "5", []float64{3337651370, 1526989669, 1554779092}},
		{layertest.Numbers(t, ir.F32, ir.Shape{3}, 0, -1.5, 1e10), "5", []float64{3060598772, 4031234418, 3454348766}},
		{layertest.Numbers(t, ir.F64, ir.Shape{3}, 0, -1.5, 1e10), "5", []float64{3337651370, 1579329149, 316965921}},
	} {
		attributes := layertest.Attributes{"seed", c.seed}
		layertest.CheckNear(t, &Ops[0], attributes, c.data.Shape(), c.want, 0, c.data)
		var signed []float64
		for _, h := range c.want {
			signed = append(signed, float64(int32(uint32(h))))
		}
		layertest.CheckNear(t, &Ops[0], append(attributes, "output_type", "i32"), c.data.Shape(), signed, 0, c.data)
	}
}

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Inputs: []string{"string[2,?]"}, Want: "u32[2,?]"},
		{Attributes: layertest.Attributes{"output_type", "i32"}, Inputs: []string{"f64[...]"}, Want: "i32[...]"},
		{Attributes: layertest.Attributes{"output_type", "i64"}, Inputs: []string{"f64[1]"}, Error: "output_type is i64, expected u32 or i32"},
	})
	_, err := layertest.Run(&Ops[0], nil, 1, layertest.Ints(t, ir.I8, nil, 1))
	assert.ErrorContains(t, err, "MurmurHash3-vinoir has no kernel for input 0 of type i8")
}

// FuzzKernel compares strings with numbers of the same bytes.
func FuzzKernel(f *testing.F) {
	f.Add("0123456789abcdef", uint32(7))
	f.Fuzz(func(t *testing.T, text string, seed uint32) {
		if len(text) < 8 {
			t.Skip()
		}
		number, err := ir.TensorOfBytes(ir.U64, nil, []byte(text[:8]))
		require.NoError(t, err)
		attributes := layertest.Attributes{"seed", strings.TrimSpace(layertest.List([]int{int(seed)}))}
		got, err := layertest.Run(&Ops[0], attributes, 1, number)
		require.NoError(t, err)
		want, err := layertest.Run(&Ops[0], attributes, 1, texts(t, text[:8]))
		require.NoError(t, err)
		require.Equal(t, want.Bytes(), got.Bytes())
		all, err := layertest.Run(&Ops[0], attributes, 1, texts(t, text))
		require.NoError(t, err)
		require.Equal(t, hash([]byte(text), seed), cast.Bytes[uint32](all.Bytes())[0])
	})
}

func TestKernel_threads(t *testing.T) {
	data := layertest.Counted(t, ir.I32, 10000)
	one, err := layertest.Run(&Ops[0], nil, 1, data)
	require.NoError(t, err)
	three, err := layertest.Run(&Ops[0], nil, 3, data)
	require.NoError(t, err)
	assert.Equal(t, one.Bytes(), three.Bytes())
	layertest.CheckAllocations(t, &Ops[0], nil, data)
	layertest.CheckAllocations(t, &Ops[0], nil, texts(t, make([]string, 5000)...))
}

func TestKernel_stop(t *testing.T) {
	kernel, r, err := layertest.Prepare(&Ops[0], nil, 1, texts(t, strings.Repeat("a", 1<<20)))
	require.NoError(t, err)
	defer r.Pool.Close()
	done := make(chan struct{})
	close(done)
	r.Stop = done
	assert.Equal(t, parallel.ErrStopped, kernel(r))
}

func BenchmarkLayer(b *testing.B) {
	words := make([]string, 4000)
	for i := range words {
		words[i] = strings.Repeat("word ", 1+i%10)
	}
	layertest.Benchmark(b, "words", &Ops[0], nil, texts(b, words...))
	layertest.Benchmark(b, "numbers", &Ops[0], nil, layertest.Counted(b, ir.I64, 4000))
}
