package numerictostring

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// TestKernel has results of OpenVINO.
func TestKernel(t *testing.T) {
	for elementType, c := range map[ir.ElementType]struct {
		values []float64
		want   []string
	}{
		ir.F32: {[]float64{0, math.Copysign(0, -1), 1, 0.1, 1e10, 1e-10, 123456.789, 1e6, 1234567, 1e-4, 1e-5, math.MaxFloat32, math.Inf(1), math.Inf(-1), math.NaN(), 1 << 24, 1.5},
			[]string{"0", "-0", "1", "0.1", "1e+10", "1e-10", "123457", "1e+06", "1.23457e+06", "0.0001", "1e-05", "3.40282e+38", "inf", "-inf", "nan", "1.67772e+07", "1.5"}},
		ir.F64:     {[]float64{0.1, 1. / 3, 1e300, -2.5e-8, -1e300}, []string{"0.1", "0.333333", "3.40282e+38", "-2.5e-08", "-3.40282e+38"}},
		ir.Boolean: {[]float64{1, 0}, []string{"1", "0"}},
		ir.I8:      {[]float64{-128, 127}, []string{"-128", "127"}},
		ir.I16:     {[]float64{-32768}, []string{"-32768"}},
		ir.I32:     {[]float64{0, -1, math.MaxInt32, math.MinInt32}, []string{"0", "-1", "2147483647", "-2147483648"}},
		ir.I64:     {[]float64{0, 5, math.MinInt64}, []string{"0", "5", "0"}},
		ir.U8:      {[]float64{0, 255}, []string{"0", "255"}},
		ir.U16:     {[]float64{65535}, []string{"65535"}},
		ir.U32:     {[]float64{math.MaxUint32}, []string{"-1"}},
		ir.U64:     {[]float64{1<<40 + 7}, []string{"7"}},
	} {
		shape := ir.Shape{len(c.values)}
		layertest.CheckElements(t, &Ops[0], nil, shape, c.want, layertest.Numbers(t, elementType, shape, c.values...))
	}
	layertest.CheckElements(t, &Ops[0], nil, ir.Shape{0}, nil, layertest.Ints(t, ir.I32, ir.Shape{0}))
	assert.Equal(t, "-nan", string(appendFloat(nil, math.Copysign(math.NaN(), -1))))
}

func TestShape(t *testing.T) {
	got, err := layertest.Infer(t, &Ops[0], nil, "f32[2,?]")
	require.NoError(t, err)
	assert.Equal(t, "string[2,?]", got)
}

func TestKernel_stop(t *testing.T) {
	kernel, r, err := layertest.Prepare(&Ops[0], nil, 1, layertest.Ints(t, ir.I32, ir.Shape{1 << 16}, make([]int64, 1<<16)...))
	require.NoError(t, err)
	defer r.Pool.Close()
	reserved := int64(0)
	r.Charge = func(bytes int64) error { reserved += bytes; return nil }
	require.NoError(t, kernel(r))
	require.NoError(t, kernel(r))
	assert.Equal(t, int64(longest<<16), reserved, "the text of one run counts")
	done := make(chan struct{})
	close(done)
	r.Stop = done
	assert.Equal(t, parallel.ErrStopped, kernel(r))
	kernel, r, err = layertest.Prepare(&Ops[0], nil, 1, layertest.Ints(t, ir.I32, ir.Shape{1}, 0))
	require.NoError(t, err)
	defer r.Pool.Close()
	r.Charge = func(int64) error { return assert.AnError }
	assert.Equal(t, assert.AnError, kernel(r))
}

// FuzzKernel reads the texts of floats again.
func FuzzKernel(f *testing.F) {
	f.Add(1.5)
	f.Fuzz(func(t *testing.T, x float64) {
		out, err := layertest.Run(&Ops[0], nil, 1, layertest.Numbers(t, ir.F32, ir.Shape{1}, x))
		require.NoError(t, err)
		text := out.Strings()[0]
		require.LessOrEqual(t, len(text), longest)
		got, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		if want := float64(float32(x)); !math.IsNaN(want) && !math.IsInf(want, 0) {
			require.InEpsilon(t, 1, (got+1e-300)/(want+1e-300), 1e-4)
		}
	})
}

func BenchmarkLayer(b *testing.B) {
	values := make([]float64, 4000)
	for i := range values {
		values[i] = float64(i) * 1.1
	}
	layertest.Benchmark(b, "f32", &Ops[0], nil, layertest.Numbers(b, ir.F32, ir.Shape{4000}, values...))
}
