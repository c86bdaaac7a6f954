package stringtransform

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func destination(t ir.ElementType) layertest.Attributes {
	return layertest.Attributes{"destination_type", t.String()}
}

// TestNumberToString has results of ONNX Runtime.
func TestNumberToString(t *testing.T) {
	floats := []float64{0, math.Copysign(0, -1), 1, 3.5, 1e10, 123456789, float64(float32(1e-5)), 0.1, 1. / 3, math.NaN(), math.Inf(1), math.Inf(-1), 1e300, 5e-324, 1e7, 1e8, 12345678.9}
	layertest.CheckElements(t, op(t, "NumberToString"), nil, ir.Shape{len(floats)}, []string{
		"0", "-0", "1", "3.5", "1e+10", "1.2345679e+08", "9.9999997e-06", "0.1", "0.33333333", "NaN", "INF", "-INF", "1e+300", "4.9406565e-324", "10000000", "1e+08", "12345679",
	}, layertest.Numbers(t, ir.F64, ir.Shape{len(floats)}, floats...))
	layertest.CheckElements(t, op(t, "NumberToString"), nil, ir.Shape{3}, []string{"-9223372036854775808", "0", "7"}, layertest.Ints(t, ir.I64, ir.Shape{3}, math.MinInt64, 0, 7))
	largest, err := ir.TensorFrom([]uint64{math.MaxUint64})
	require.NoError(t, err)
	layertest.CheckElements(t, op(t, "NumberToString"), nil, ir.Shape{1}, []string{"18446744073709551615"}, largest)
	layertest.CheckElements(t, op(t, "NumberToString"), nil, ir.Shape{0}, nil, layertest.Ints(t, ir.I64, ir.Shape{0}))
}

func TestStringToNumber(t *testing.T) {
	for _, c := range []struct {
		to      ir.ElementType
		text    string
		want    string
		message string
	}{
		{ir.F64, "3.14", "3.14", ""}, {ir.F64, "1E8", "1e+08", ""}, {ir.F64, " 1e-5\t", "1e-05", ""}, {ir.F64, "+INF", "+Inf", ""}, {ir.F64, "-inf", "-Inf", ""},
		{ir.F64, "NaN", "NaN", ""}, {ir.F64, "1e999", "+Inf", ""}, {ir.F64, "-0", "-0", ""}, {ir.F64, ".5", "0.5", ""},
		{ir.I64, "-129", "-129", ""}, {ir.I64, "100.5", "100", ""}, {ir.I64, "-1e3", "-1000", ""}, {ir.I64, "+5", "5", ""},
		{ir.U64, "18446744073709551615", "18446744073709551615", ""}, {ir.U64, "-1", "18446744073709551615", ""}, {ir.U64, "+5", "5", ""}, {ir.U64, "2.5", "2", ""},
		{ir.F64, "", "", `element 0 is "", which is no number`}, {ir.F64, "3.5x", "", `element 0 is "3.5x", which is no number`},
		{ir.I64, "abc", "", `element 0 is "abc", which is no number`}, {ir.I64, "NaN", "", "which is out of range"}, {ir.I64, "9223372036854775808", "", "which is out of range"},
		{ir.I64, "1e30", "", "which is out of range"}, {ir.U64, "-1e30", "", "which is out of range"}, {ir.U64, "99999999999999999999", "", "which is out of range"},
	} {
		out, err := layertest.Run(op(t, "StringToNumber"), destination(c.to), 1, texts(t, c.text))
		if c.message != "" {
			require.ErrorContains(t, err, c.message, c.text)
			continue
		}
		require.NoError(t, err, c.text)
		number := map[ir.ElementType]func() any{
			ir.F64: func() any { return ir.Data[float64](out)[0] },
			ir.I64: func() any { return ir.Data[int64](out)[0] },
			ir.U64: func() any { return ir.Data[uint64](out)[0] },
		}[c.to]()
		assert.Equal(t, c.want, fmt.Sprint(number), c.text)
	}
}

func TestNumberShapes(t *testing.T) {
	for _, c := range []struct {
		name       string
		attributes layertest.Attributes
		in, want   string
		message    string
	}{
		{"NumberToString", nil, "f64[2,?]", "string[2,?]", ""},
		{"NumberToString", nil, "dynamic[...]", "string[...]", ""},
		{"NumberToString", nil, "f32[2]", "", "data is f32, expected one of [f64 i64 u64]"},
		{"StringToNumber", destination(ir.U64), "string[2,?]", "u64[2,?]", ""},
		{"StringToNumber", destination(ir.F64), "f64[2]", "", "data is f64, expected string"},
		{"StringToNumber", destination(ir.F32), "string[2]", "", "attribute destination_type: f32, expected one of [f64 i64 u64]"},
	} {
		got, err := layertest.Infer(t, op(t, c.name), c.attributes, c.in)
		if c.message != "" {
			assert.EqualError(t, err, c.message)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
}

// checkRoundTrip writes random integers, and reads them.
func checkRoundTrip(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 9))
	for _, e := range []ir.ElementType{ir.I64, ir.U64} {
		in, err := ir.NewTensor(e, rng.IntN(20))
		require.NoError(t, err)
		for i := range ir.Data[uint64](in) {
			ir.Data[uint64](in)[i] = rng.Uint64() >> rng.IntN(64)
		}
		written, err := layertest.Run(op(t, "NumberToString"), nil, 1, in)
		require.NoError(t, err)
		out, err := layertest.Run(op(t, "StringToNumber"), destination(e), 1, written)
		require.NoError(t, err, "seed %d", seed)
		require.Equal(t, layertest.Elements(in), layertest.Elements(out), "seed %d", seed)
	}
}

func TestNumbers_roundTrip(t *testing.T) { layertest.CheckSeeds(t, 50, checkRoundTrip) }

func FuzzNumbers(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRoundTrip)
}

// FuzzStringToNumber reads any string.
func FuzzStringToNumber(f *testing.F) {
	f.Add("1e5")
	f.Fuzz(func(t *testing.T, s string) {
		for _, e := range numbers {
			_, _ = layertest.Run(op(t, "StringToNumber"), destination(e), 1, texts(t, s))
		}
	})
}

func TestNumbers_stop(t *testing.T) {
	const n = 1 << 14
	words := make([]string, n)
	for i := range words {
		words[i] = "12"
	}
	for name, in := range map[string]*ir.Tensor{"NumberToString": layertest.Counted(t, ir.F64, n), "StringToNumber": texts(t, words...)} {
		attributes := layertest.Attributes(nil)
		if name == "StringToNumber" {
			attributes = destination(ir.F64)
		}
		kernel, r, err := layertest.Prepare(op(t, name), attributes, 1, in)
		require.NoError(t, err)
		defer r.Pool.Close()
		reserved := int64(0)
		r.Charge = func(bytes int64) error { reserved += bytes; return nil }
		require.NoError(t, kernel(r))
		require.NoError(t, kernel(r))
		if name == "NumberToString" {
			assert.Equal(t, int64(n*numberLength), reserved, "the text of one run counts")
		}
		done := make(chan struct{})
		close(done)
		r.Stop = done
		assert.Equal(t, parallel.ErrStopped, kernel(r), name)
	}
}

func BenchmarkNumberToString(b *testing.B) {
	layertest.Benchmark(b, "floats", op(b, "NumberToString"), nil, layertest.Counted(b, ir.F64, 10_000))
}
