package pooling

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestSeparable(t *testing.T) {
	accepted := 0
	check := func(first uint64) {
		for seed := range uint64(250) {
			if checkSeparable(t, first+seed) {
				accepted++
			}
		}
	}
	check(0)
	defer cpu.AVX512.Disable()()
	check(1000)
	defer cpu.FMA.Disable()()
	defer cpu.AVX2.Disable()()
	check(2000)
	assert.Greater(t, accepted, 300)
}

func FuzzSeparable(f *testing.F) {
	f.Add(uint64(1))
	f.Add(uint64(683)) // a window that starts with padding begins after the next window
	f.Fuzz(func(t *testing.T, seed uint64) { checkSeparable(t, seed) })
}

// checkSeparable compares a random float32 layer with one output with the reference.
func checkSeparable(t *testing.T, seed uint64) bool {
	rng := rand.New(rand.NewPCG(seed, 8))
	at, shape := randomWindow(rng)
	return checkOutputs(t, rng, []string{"MaxPool-14", "AvgPool-16"}[rng.IntN(2)], ir.F32, at, shape, 1)
}

// TestSeparable_quads has windows of four columns side by side, of several blocks of rows, in rows
// with a rest or without.
func TestSeparable_quads(t *testing.T) {
	check := func() {
		for seed, shape := range []ir.Shape{{1, 2, 3, 4}, {2, 3, 5, 64}, {1, 3, 70, 131}, {1, 1, 2, 9001}} {
			at := layertest.Attributes{
				"kernel", "1,4", "strides", "1,4", "dilations", "1,1", "pads_begin", "0,0", "pads_end", "0,0",
				"rounding_type", "floor", "auto_pad", "explicit", "exclude-pad", "true",
			}
			for _, layerType := range []string{"MaxPool-14", "AvgPool-16"} {
				rng := rand.New(rand.NewPCG(uint64(seed), 3))
				assert.True(t, checkOutputs(t, rng, layerType, ir.F32, at, shape, 1), "%s of %v", layerType, shape)
			}
		}
	}
	check()
	defer cpu.AVX512.Disable()()
	check()
	defer cpu.AVX2.Disable()()
	check()
}

func randomWindow(rng *rand.Rand) (layertest.Attributes, ir.Shape) {
	axes := 1 + rng.IntN(3)
	longest := []int{300, 45, 11}[axes-1]
	shape := ir.Shape{rng.IntN(3), 1 + rng.IntN(4)}
	for range axes {
		shape = append(shape, 1+rng.IntN(longest))
	}
	list := func(lo, hi int) string {
		return layertest.List(layertest.RandomInts(rng, lo, hi, axes))
	}
	kernel := 1 + rng.IntN(9)
	at := layertest.Attributes{
		"kernel", list(1, kernel), "strides", list(1, 4), "dilations", list(1, 1+rng.IntN(2)),
		"pads_begin", list(0, kernel/2), "pads_end", list(0, kernel/2),
		"rounding_type", []string{"floor", "ceil", "ceil_torch"}[rng.IntN(3)],
		"auto_pad", []string{"explicit", "explicit", "same_upper", "same_lower", "valid"}[rng.IntN(5)],
		"exclude-pad", []string{"true", "false"}[rng.IntN(2)],
	}
	if rng.IntN(6) == 0 { // planes of one element
		copy(at, layertest.Attributes{"kernel", layertest.List(shape[2:]), "strides", list(1, 4), "dilations", list(1, 1), "pads_begin", list(0, 0), "pads_end", list(0, 0)})
	}
	return at, shape
}

func TestSeparable_stages(t *testing.T) {
	checked := 0
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 9))
		at, shape := randomWindow(rng)
		values := make([]float64, shape.Elements())
		for i := range values {
			values[i] = rng.NormFloat64()
		}
		op := layertest.FindType(t, Ops, []string{"MaxPool-14", "AvgPool-16"}[rng.IntN(2)])
		data := layertest.Numbers(t, ir.F32, shape, values...)
		if _, err := layertest.Run(op, at, 1, data); err != nil {
			continue
		}
		layertest.CheckStages(t, op, at, 1+rng.IntN(3), data)
		checked++
	}
	assert.Greater(t, checked, 50)
}

// TestSeparable_NaN checks that a NaN is the maximum of the windows that contain it.
func TestSeparable_NaN(t *testing.T) {
	const planes, width = 3, 7
	op := layertest.FindType(t, Ops, "MaxPool-1")
	for _, stride := range []int{1, 2} {
		strides := layertest.List([]int{stride, stride})
		for place := range planes * width * width {
			values := make([]float64, planes*width*width)
			values[place] = math.NaN()
			out, err := layertest.Run(op, layertest.Attributes{"kernel", "3,3", "strides", strides, "pads_begin", "1,1", "pads_end", "1,1"}, 1,
				layertest.Numbers(t, ir.F32, ir.Shape{1, planes, width, width}, values...))
			require.NoError(t, err)
			n := out.Shape()[3]
			for i, v := range layertest.Floats(t, out) {
				y, x := i/n%n*stride-place/width%width, i%n*stride-place%width
				within := max(y, -y, x, -x) <= 1 && i/(n*n) == place/(width*width)
				require.Equal(t, within, math.IsNaN(v), "strides %s, NaN at %d, element %d", strides, place, i)
			}
		}
	}
}

// TestSeparable_unread checks that a second output that nobody reads is not written.
func TestSeparable_unread(t *testing.T) {
	op := layertest.FindType(t, Ops, "MaxPool-8")
	in := layertest.Numbers(t, ir.F32, ir.Shape{1, 2, 4, 4})
	at, err := op.Attributes(ir.AttributesOf(&ir.Layer{Data: []ir.Attribute{{Name: "kernel", Value: "2,2"}, {Name: "strides", Value: "2,2"}, {Name: "pads_begin", Value: "0,0"}, {Name: "pads_end", Value: "0,0"}}}))
	require.NoError(t, err)
	facts := []ir.Fact{{Type: ir.F32, Shape: in.Shape().Partial()}}
	outputs := []ir.Fact{{Type: ir.F32, Shape: ir.Shape{1, 2, 2, 2}.Partial()}, {Type: ir.I64, Shape: ir.Shape{1, 2, 2, 2}.Partial()}}
	prepared, err := op.Prepare(&ops.Preparation{Attributes: at, Inputs: facts, Outputs: outputs, Threads: 1, Unread: []bool{false, true}})
	require.NoError(t, err)
	places := layertest.Ints(t, ir.I64, ir.Shape{1, 2, 2, 2}, 9, 9, 9, 9, 9, 9, 9, 9)
	r := &ops.Run{Inputs: []*ir.Tensor{in}, Outputs: []*ir.Tensor{layertest.Numbers(t, ir.F32, ir.Shape{1, 2, 2, 2}), places}, Scratch: ir.AlignedBytes(1 << 16)}
	require.NoError(t, prepared.Kernel(r))
	assert.Equal(t, []int64{9, 9, 9, 9, 9, 9, 9, 9}, ir.Data[int64](places))
}
