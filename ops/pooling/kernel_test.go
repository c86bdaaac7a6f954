package pooling

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

// reference computes the definition, coordinate by coordinate.
func reference(g *geometry, mean bool, lowest float64, data []float64) (values []float64, places []int64) {
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	for i := range g.planes * g.axes.Output() {
		ox, oy, oz := i%x.Output, i/x.Output%y.Output, i/x.Output/y.Output%z.Output
		plane := i / g.axes.Output()
		best, place, total, inside, padded := lowest, -1, 0.0, 0, 0
		for k := range z.Kernel * y.Kernel * x.Kernel {
			ix := ox*x.Stride + k%x.Kernel*x.Dilation - x.PadBegin
			iy := oy*y.Stride + k/x.Kernel%y.Kernel*y.Dilation - y.PadBegin
			iz := oz*z.Stride + k/x.Kernel/y.Kernel*z.Dilation - z.PadBegin
			if g.beyond || ix < x.Input+x.PadEnd && iy < y.Input+y.PadEnd && iz < z.Input+z.PadEnd {
				padded++
			}
			if ix < 0 || iy < 0 || iz < 0 || ix >= x.Input || iy >= y.Input || iz >= z.Input {
				continue
			}
			at := (iz*y.Input+iy)*x.Input + ix
			v := data[plane*g.axes.Input()+at]
			if inside++; v > best || place < 0 {
				best, place = v, at
			}
			total += v
		}
		if !mean {
			values, places = append(values, best), append(places, int64((plane*g.axes.Input()+max(place, 0))%max(g.period, 1)))
			continue
		}
		if !g.excludePad {
			inside = padded
		}
		values = append(values, total/float64(max(inside, 1)))
	}
	return values, places
}

func TestKernelAgainstReference(t *testing.T) {
	accepted := 0
	for seed := range uint64(600) {
		if checkRandom(t, seed) {
			accepted++
		}
	}
	assert.Greater(t, accepted, 150)
}

// TestAvgPool_beyond has windows that extend beyond the padding. OpenVINO counts the elements
// beyond it if there is padding at all.
func TestAvgPool_beyond(t *testing.T) {
	for _, c := range []struct {
		length         int
		pads, rounding string
		want           float64 // the last mean of ones
	}{{4, "1", "ceil", 2. / 4}, {4, "1", "ceil_torch", 2. / 3}, {5, "0", "ceil", 1}} {
		for _, elementType := range []ir.ElementType{ir.F32, ir.F64} {
			out, err := layertest.Run(layertest.FindType(t, Ops, "AvgPool-14"), layertest.Attributes{
				"kernel", "4", "strides", "2", "pads_begin", "0", "pads_end", c.pads, "exclude-pad", "false", "rounding_type", c.rounding,
			}, 1, layertest.Numbers(t, elementType, ir.Shape{1, 1, c.length}, []float64{1, 1, 1, 1, 1}[:c.length]...))
			require.NoError(t, err)
			got := layertest.Floats(t, out)
			assert.InDelta(t, c.want, got[len(got)-1], 1e-6, "%+v of %v", c, elementType)
		}
	}
}

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkRandom(t, seed) })
}

// checkRandom compares a random layer with the reference. It returns false if the shape rule
// refuses the layer.
func checkRandom(t *testing.T, seed uint64) bool {
	rng := rand.New(rand.NewPCG(seed, 6))
	list := func(lo, hi int) string { return fmt.Sprint(lo+rng.IntN(hi-lo+1), ",", lo+rng.IntN(hi-lo+1)) }
	name := []string{"MaxPool-14", "AvgPool-16"}[rng.IntN(2)]
	elementType := []ir.ElementType{ir.F64, ir.F32, ir.F16, ir.BF16, ir.I8, ir.U8, ir.I32, ir.I64, ir.I16, ir.U16, ir.U32}[rng.IntN(11)]
	at := layertest.Attributes{
		"kernel", list(1, 3), "strides", list(1, 3), "dilations", list(1, 2), "pads_begin", list(0, 2), "pads_end", list(0, 2),
		"rounding_type", []string{"floor", "ceil", "ceil_torch"}[rng.IntN(3)],
		"auto_pad", []string{"explicit", "explicit", "same_upper", "same_lower", "valid"}[rng.IntN(5)],
		"exclude-pad", []string{"true", "false"}[rng.IntN(2)], "axis", fmt.Sprint(rng.IntN(8) - 4),
		"index_element_type", []string{"i32", "i64"}[rng.IntN(2)],
	}
	return checkKernel(t, rng, name, elementType, at, ir.Shape{rng.IntN(3), 1 + rng.IntN(2), rng.IntN(7), 1 + rng.IntN(6)})
}

// checkKernel compares a layer on small integers, which every type holds exactly.
func checkKernel(t *testing.T, rng *rand.Rand, name string, elementType ir.ElementType, at layertest.Attributes, shape ir.Shape) bool {
	return checkOutputs(t, rng, name, elementType, at, shape, 2)
}

// checkOutputs is checkKernel for a MaxPool with the given number of outputs.
func checkOutputs(
	t *testing.T, rng *rand.Rand, name string, elementType ir.ElementType, at layertest.Attributes, shape ir.Shape, count int,
) bool {
	t.Helper()
	values := make([]float64, shape.Elements())
	for i := range values {
		values[i] = float64(rng.IntN(9))
	}
	op := layertest.FindType(t, Ops, name)
	mean := name == "AvgPool-16"
	if mean {
		count = 1
	}
	outputs, err := layertest.RunOutputs(op, at, 2, count, layertest.Numbers(t, elementType, shape, values...))
	if err != nil {
		require.Regexp(t, "longer than the padded input|is not pooled|for a window to stand on|may lie in the padding", err.Error())
		return false
	}
	parsed, err := op.Attributes(ir.AttributesOf(&ir.Layer{Data: at.Data()}))
	require.NoError(t, err)
	g, err := newGeometry(parsed.(*attributes), shape, outputs[0].Shape())
	require.NoError(t, err)
	want, places := reference(g, mean, lowestOf(elementType), values)
	tolerance := map[ir.ElementType]float64{ir.F32: 1e-6, ir.F64: 1e-12, ir.F16: 1e-2, ir.BF16: 5e-2}[elementType]
	got := layertest.Floats(t, outputs[0])
	require.Len(t, got, len(want))
	for i, w := range want {
		if elementType.IsInteger() { // a mean
			w = math.RoundToEven(w)
		}
		if w != got[i] {
			require.InDelta(t, w, got[i], tolerance, "%v %+v element %d", elementType, *g, i)
		}
	}
	if count > 1 {
		got, err := outputs[1].Ints()
		require.NoError(t, err)
		require.Equal(t, len(places), len(got))
		for i := range places {
			require.Equal(t, places[i], got[i], "%v %v place %d", at, shape, i)
		}
	}
	return true
}

func lowestOf(t ir.ElementType) float64 {
	return map[ir.ElementType]float64{
		ir.F64: -math.MaxFloat64, ir.F32: -math.MaxFloat32, ir.F16: -65504, ir.BF16: -0x1.fep127,
		ir.I8: math.MinInt8, ir.I16: math.MinInt16, ir.I32: math.MinInt32, ir.I64: math.MinInt64,
	}[t]
}

func TestMaxPool_NaN(t *testing.T) {
	op := layertest.FindType(t, Ops, "MaxPool-1")
	for _, data := range [][]float64{{1, math.NaN(), 5}, {math.NaN(), 1, 2}, {1, 2, math.NaN()}} {
		out, err := layertest.Run(op, layertest.Attributes{"kernel", "3", "strides", "1"}, 1, layertest.Numbers(t, ir.F32, ir.Shape{1, 1, 3}, data...))
		require.NoError(t, err)
		assert.True(t, math.IsNaN(layertest.Floats(t, out)[0]), "%v gives %v", data, layertest.Floats(t, out))
	}
}

// TestMaxPool_axis has the positions that OpenVINO returns for each axis.
func TestMaxPool_axis(t *testing.T) {
	values := make([]float64, 16)
	for i := range values {
		values[i] = float64(i)
	}
	op := layertest.FindType(t, Ops, "MaxPool-8")
	for axis, want := range map[string][]int64{
		"0": {3, 7, 11, 15}, "1": {3, 7, 3, 7}, "2": {3, 3, 3, 3}, "3": {1, 1, 1, 1}, "-2": {3, 3, 3, 3},
	} {
		data := layertest.Numbers(t, ir.F32, ir.Shape{2, 2, 2, 2}, values...)
		outputs, err := layertest.RunOutputs(op, layertest.Attributes{"kernel", "2,2", "strides", "1,1", "axis", axis}, 1, 2, data)
		require.NoError(t, err)
		assert.Equal(t, want, ir.Data[int64](outputs[1]), "axis %s", axis)
	}
}

// TestAvgPool_padding has a window whose number of elements overflows an int.
func TestAvgPool_padding(t *testing.T) {
	op := layertest.FindType(t, Ops, "AvgPool-1")
	side := "268435456"
	at := layertest.Attributes{
		"kernel", side + "," + side + "," + side, "strides", "1,1,1", "pads_begin", "268435455,268435455,268435455", "pads_end", "0,0,0", "exclude-pad", "false",
	}
	out, err := layertest.Run(op, at, 1, layertest.Numbers(t, ir.F64, ir.Shape{1, 1, 1, 1, 1}, 1))
	require.NoError(t, err)
	assert.Equal(t, []float64{0x1p-84}, ir.Data[float64](out))
}
