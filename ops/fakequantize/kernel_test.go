package fakequantize

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// limitOf returns the index of the element of a limit that belongs to element i of data. Axis start
// of data corresponds to the first axis of the limit.
func limitOf(data, shape ir.Shape, start, i int) int {
	at, stride := 0, 1
	for k := len(data) - 1; k >= 0; k-- {
		position := i % data[k]
		i /= data[k]
		if j := k - start; j >= 0 && j < len(shape) {
			if shape[j] > 1 {
				at += position * stride
			}
			stride *= shape[j]
		}
	}
	return at
}

// reference computes the definition.
func reference(x, low, high, outLow, outHigh, levels float64) float64 {
	switch {
	case x <= min(low, high):
		return outLow
	case x > max(low, high):
		return outHigh
	}
	return math.RoundToEven((x-low)/(high-low)*(levels-1))/(levels-1)*(outHigh-outLow) + outLow
}

func TestKernelAgainstReference(t *testing.T) {
	for seed := range uint64(200) {
		checkRandom(t, seed)
	}
}

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	data := ir.Shape{}
	kind := []string{"numpy", "none", "pdpd"}[rng.IntN(3)]
	for range rng.IntN(5) {
		n := rng.IntN(6)
		if kind == "pdpd" {
			n = max(n, 1) // this mode does not broadcast length 1 to 0
		}
		data = append(data, n)
	}
	start := rng.IntN(len(data) + 1) // the axis of data at which the limits start
	if kind == "none" {
		start = 0
	}
	var shapes [limits]ir.Shape
	for i := range shapes {
		end := len(data)
		if kind == "pdpd" {
			end = start + rng.IntN(len(data)-start+1)
		}
		shapes[i] = append(ir.Shape{}, data[start:end]...)
		for k := range shapes[i] {
			if kind != "none" && rng.IntN(2) == 0 {
				shapes[i][k] = 1
			}
		}
	}
	checkShapes(t, rng, data, shapes, start, kind)
}

func checkShapes(t *testing.T, rng *rand.Rand, data ir.Shape, shapes [limits]ir.Shape, start int, kind string) {
	// 9 levels, a power of two plus one, give steps that every type holds exactly.
	attributes := layertest.Attributes{"levels", "9", "auto_broadcast", kind, "auto_broadcast.auto_broadcast_axis", fmt.Sprint(start)}
	x := make([]float64, data.Elements())
	for i := range x {
		x[i] = float64(rng.IntN(65)-32) / 8
	}
	var values [limits][]float64
	for i := range values {
		values[i] = make([]float64, shapes[i].Elements())
		for k := range values[i] {
			values[i][k] = []float64{-2, 2, -4, 4}[i]
			if i > 1 && rng.IntN(2) == 0 {
				values[i][k] = float64(rng.IntN(5))
			}
		}
	}
	for _, elementType := range Ops[0].Types[:4] { // of floats
		inputs := []*ir.Tensor{layertest.Numbers(t, elementType, data, x...)}
		for i := range values {
			inputs = append(inputs, layertest.Numbers(t, elementType, shapes[i], values[i]...))
		}
		run := layertest.Run
		if rng.IntN(2) == 0 {
			run = layertest.RunInPlace
		}
		out, err := run(&Ops[0], attributes, 1+rng.IntN(2), inputs...)
		require.NoError(t, err)
		for i, got := range layertest.Floats(t, out) {
			var l [limits]float64
			for k := range l {
				l[k] = values[k][limitOf(data, shapes[k], start, i)]
			}
			if want := reference(x[i], l[0], l[1], l[2], l[3], 9); got != want {
				t.Fatalf("%v %v limits %v %s element %d: %v, want %v", elementType, data, shapes, kind, i, got, want)
			}
		}
	}
}

// TestKernel_shares has runs on several threads.
func TestKernel_shares(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	one, channel := ir.Shape{}, ir.Shape{7, 1}
	checkShapes(t, rng, ir.Shape{3, 7, 1000}, [limits]ir.Shape{one, one, one, one}, 3, "numpy")
	checkShapes(t, rng, ir.Shape{3, 7, 1000}, [limits]ir.Shape{channel, channel, channel, channel}, 1, "numpy")
	full := ir.Shape{3, 7, 1000}
	checkShapes(t, rng, full, [limits]ir.Shape{full, full, full, full}, 0, "none")
}

func TestKernel_extremes(t *testing.T) {
	run := func(levels string, x []float64, limit ...float64) []float64 {
		inputs := []*ir.Tensor{layertest.Numbers(t, ir.F32, ir.Shape{len(x)}, x...)}
		for _, v := range limit {
			inputs = append(inputs, layertest.Numbers(t, ir.F32, ir.Shape{}, v))
		}
		out, err := layertest.Run(&Ops[0], layertest.Attributes{"levels", levels}, 1, inputs...)
		require.NoError(t, err)
		return layertest.Floats(t, out)
	}
	inf := math.Inf(1)
	assert.Equal(t, []float64{-1, 0, 0, 0, 1, 1}, run("5", []float64{-inf, -0.25, 0, 0.25, 2, inf}, -1, 1, -1, 1), "halves to even")
	assert.Equal(t, []float64{-1, 0.5, 0, -0.5, 1}, run("5", []float64{-1, -0.5, 0, 0.5, 2}, 1, -1, -1, 1), "limits that have changed places")
	assert.Equal(t, []float64{1, 0.5, -1}, run("5", []float64{-2, -0.5, 2}, -1, 1, 1, -1), "an output that falls")
	assert.Equal(t, []float64{-1, -1, 1}, run("5", []float64{0, 1, 2}, 1, 1, -1, 1), "an empty range")
	assert.True(t, math.IsNaN(run("5", []float64{math.NaN()}, -1, 1, -1, 1)[0]))
	assert.True(t, math.IsNaN(run("1", []float64{0.5}, -1, 1, -1, 1)[0]), "one level")
	assert.InDeltaSlice(t, []float64{4194303, 8000001}, run("16777217", []float64{4194303, 8000001}, 0, 16777216, 0, 16777216), 0.6, "levels beside which the magic number is small")
}

// TestKernel_integers has results of OpenVINO: levels that are halves are rounded to even.
func TestKernel_integers(t *testing.T) {
	for _, elementType := range Ops[0].Types[4:] {
		n := func(shape ir.Shape, values ...float64) *ir.Tensor {
			return layertest.Numbers(t, elementType, shape, values...)
		}
		out, err := layertest.Run(&Ops[0], layertest.Attributes{"levels", "5"}, 1, n(ir.Shape{6}, 0, 1, 3, 4, 5, 9), n(nil, 0), n(nil, 6), n(nil, 0), n(nil, 6))
		require.NoError(t, err)
		require.Equal(t, []float64{0, 2, 3, 4, 4, 6}, layertest.Floats(t, out), "%v", elementType)
	}
}

func TestPrepare_errors(t *testing.T) {
	f32 := func(shape ...int) *ir.Tensor { return layertest.Numbers(t, ir.F32, shape) }
	_, err := layertest.Run(&Ops[0], layertest.Attributes{"levels", "2"}, 1, f32(3), f32(2, 1), f32(), f32(), f32())
	require.EqualError(t, err, "input 1 is [2,1], which does not broadcast to data of shape [3]")
	_, err = layertest.Run(&Ops[0], layertest.Attributes{"levels", "2"}, 1, f32(3), layertest.Numbers(t, ir.F16, ir.Shape{}), f32(), f32(), f32())
	require.EqualError(t, err, "input 1 is f16, data is f32")
	boolean := layertest.Numbers(t, ir.Boolean, ir.Shape{})
	_, err = layertest.Run(&Ops[0], layertest.Attributes{"levels", "2"}, 1, boolean, boolean, boolean, boolean, boolean)
	require.EqualError(t, err, "FakeQuantize-1 has no kernel for input 0 of type boolean, only for [f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64]")
	_, err = layertest.Run(&Ops[0], layertest.Attributes{"levels", "2"}, 1, f32(3), f32(1, 3), f32(), f32(), f32())
	require.NoError(t, err, "axes of length 1 before those of data")
}
