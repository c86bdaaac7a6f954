package fakequantize

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// TestQuantize compares the levels with those of FakeQuantize, for all lengths of the last vector.
func TestQuantize(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for n := range 140 {
		levels := []int{2, 16, 255, 256}[n%4]
		low := float32(rng.NormFloat64())
		high := low + float32(math.Abs(rng.NormFloat64())) + 0.01
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(low) + float64(high-low)*(rng.Float64()*1.5-0.25)
			switch rng.IntN(12) {
			case 0:
				x[i] = []float64{math.Inf(1), math.Inf(-1), math.MaxFloat32, float64(low), float64(high)}[rng.IntN(5)]
			case 1: // the middle between two levels
				x[i] = float64(low) + (float64(rng.IntN(levels-1))+0.5)/float64(levels-1)*float64(high-low)
			}
		}
		scalar := func(v float64) *ir.Tensor { return layertest.Numbers(t, ir.F32, ir.Shape{}, v) }
		attributes := layertest.Attributes{"levels", strconv.Itoa(levels)}
		data := layertest.Numbers(t, ir.F32, ir.Shape{n}, x...)
		want, err := layertest.Run(&Ops[0], attributes, 1, data, scalar(float64(low)), scalar(float64(high)), scalar(0), scalar(float64(levels-1)))
		require.NoError(t, err)
		for _, off := range processors {
			got := quantize(t, attributes, off, 1+n%2, data, scalar(float64(low)), scalar(float64(high)))
			for i, w := range ir.Data[float32](want) {
				level := (x[i] - float64(low)) / float64(high-low) * float64(levels-1)
				if level > 0 && level < float64(levels-1) && math.Abs(level-math.Floor(level)-0.5) < 1e-6*float64(levels) {
					require.InDelta(t, level, got[i], 0.51) // in the middle of two levels
					continue
				}
				require.InDelta(t, w, got[i], 1e-3, "element %d of %d: %v of %d levels from %v to %v", i, n, x[i], levels, low, high)
			}
		}
	}
}

// processors are the features that a processor lacks, for each kind of code.
var processors = cpu.Distinct([][]*cpu.Feature{nil, {cpu.AVX512}, {cpu.AVX512, cpu.AVX2}})

func quantize(t *testing.T, attributes layertest.Attributes, off []*cpu.Feature, threads int, inputs ...*ir.Tensor) []uint8 {
	t.Helper()
	defer cpu.Disable(off...)()
	out, err := layertest.Run(&Ops[1], attributes, threads, inputs...)
	require.NoError(t, err)
	require.Equal(t, ir.U8, out.ElementType())
	return ir.Data[uint8](out)
}

// TestQuantize_channels has limits for each channel.
func TestQuantize_channels(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	x := layertest.Numbers(t, ir.F32, ir.Shape{2, 3, 5, 4})
	for i := range ir.Data[float32](x) {
		ir.Data[float32](x)[i] = float32(rng.NormFloat64() * 3)
	}
	low, high := []float64{-1, 0, -2}, []float64{1, 3, 4}
	for _, limits := range [][2]*ir.Tensor{
		{layertest.Numbers(t, ir.F32, ir.Shape{1, 3, 1, 1}, low...), layertest.Numbers(t, ir.F32, ir.Shape{3}, high...)},
		{layertest.Numbers(t, ir.F32, ir.Shape{}, -2), layertest.Numbers(t, ir.F32, ir.Shape{1, 3, 1, 1}, high...)},
	} {
		for _, off := range processors {
			got := quantize(t, layertest.Attributes{"levels", "256"}, off, 2, x, limits[0], limits[1])
			for i, v := range ir.Data[float32](x) {
				of := func(t *ir.Tensor) float64 { return float64(ir.Data[float32](t)[i/20%3%t.Len()]) }
				width := of(limits[1]) - of(limits[0])
				require.InDelta(t, (min(max(float64(v), of(limits[0])), of(limits[1]))-of(limits[0]))/width*255, got[i], 0.501, "element %d", i)
			}
		}
	}
}

// TestQuantize_NaN has NaN in each place of a vector and of the rest.
func TestQuantize_NaN(t *testing.T) {
	limits := []*ir.Tensor{layertest.Numbers(t, ir.F32, ir.Shape{}, -1), layertest.Numbers(t, ir.F32, ir.Shape{1, 1}, 1)}
	for _, off := range processors {
		for at := range 20 {
			x := make([]float64, 20)
			x[at] = math.NaN()
			got := quantize(t, layertest.Attributes{"levels", "3"}, off, 1, append([]*ir.Tensor{layertest.Numbers(t, ir.F32, ir.Shape{20}, x...)}, limits...)...)
			for i, code := range got {
				assert.Equal(t, i != at, code == 1, "element %d, NaN at %d: %d", i, at, code)
			}
			assert.Zero(t, got[at])
		}
	}
}

// TestDequantize compares with the definition, for all lengths of the last vector and with stages.
func TestDequantize(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for n := range 140 {
		low, step := float32(rng.NormFloat64()), rng.Float32()
		x := layertest.Numbers(t, ir.U8, ir.Shape{n})
		for i := range x.Bytes() {
			x.Bytes()[i] = uint8(rng.UintN(256))
		}
		for _, off := range processors {
			var out *ir.Tensor
			func() {
				defer cpu.Disable(off...)()
				var err error
				out, err = layertest.Run(&Ops[2], nil, 1+n%2, x, layertest.Numbers(t, ir.F32, ir.Shape{}, float64(low)), layertest.Numbers(t, ir.F32, ir.Shape{1}, float64(step)))
				require.NoError(t, err)
			}()
			for i, v := range ir.Data[float32](out) {
				require.Equal(t, low+float32(float32(x.Bytes()[i])*step), v, "element %d of %d", i, n)
			}
		}
	}
	x := layertest.Numbers(t, ir.U8, ir.Shape{2, 5}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 255)
	layertest.CheckStore(t, &Ops[2], nil, 3, x, layertest.Numbers(t, ir.F32, ir.Shape{}, -1), layertest.Numbers(t, ir.F32, ir.Shape{}, 0.25))
	layertest.CheckStages(t, &Ops[2], nil, 3, x, layertest.Numbers(t, ir.F32, ir.Shape{}, -1), layertest.Numbers(t, ir.F32, ir.Shape{}, 0.25))
	_, err := layertest.Run(&Ops[2], nil, 1, x, x, x)
	assert.ErrorContains(t, err, "input 1 is u8[2,5], expected one f32")
}

func TestQuantize_refuses(t *testing.T) {
	x := layertest.Numbers(t, ir.F32, ir.Shape{2}, 1, 2)
	scalar := func(v float64) *ir.Tensor { return layertest.Numbers(t, ir.F32, ir.Shape{}, v) }
	for _, c := range []struct {
		levels    string
		low, high *ir.Tensor
		want      string
	}{
		{"256", scalar(1), scalar(1), "the limits 1 and 1 are no range"},
		{"256", scalar(math.NaN()), scalar(1), "the limits NaN and 1 are no range"},
		{"256", scalar(0), scalar(1e-45), "are no range"},
		{"256", x, scalar(1), "input 1 is f32[2], expected one f32 or one for each channel of [2]"},
		{"257", scalar(0), scalar(1), "257 is not 2 to 256"},
		{"1", scalar(0), scalar(1), "1 is not 2 to 256"},
	} {
		_, err := layertest.Run(&Ops[1], layertest.Attributes{"levels", c.levels}, 1, x, c.low, c.high)
		assert.ErrorContains(t, err, c.want)
	}
}

// BenchmarkQuantize reports the time of tensors in the first and the second-level cache.
func BenchmarkQuantize(b *testing.B) {
	limits := []*ir.Tensor{layertest.Numbers(b, ir.F32, ir.Shape{}, -1), layertest.Numbers(b, ir.F32, ir.Shape{}, 1)}
	for _, n := range []int{4096, 65536} {
		layertest.Benchmark(b, fmt.Sprint(n), &Ops[1], layertest.Attributes{"levels", "256"}, layertest.Numbers(b, ir.F32, ir.Shape{n}), limits[0], limits[1])
	}
}
