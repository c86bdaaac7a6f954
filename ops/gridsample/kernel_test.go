package gridsample

import (
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

// layer is a layer with its inputs.
type layer struct {
	align         bool
	mode, padding string
	data, grid    ir.Shape
}

func (l *layer) attributes() layertest.Attributes {
	return layertest.Attributes{"align_corners", strconv.FormatBool(l.align), "mode", l.mode, "padding_mode", l.padding}
}

// element returns element i of a row of n elements with padding around it. It mirrors i at the
// edges until it is inside. ok is false if there is none.
func (l *layer) element(i, n int) (at int, ok bool) {
	for i < 0 || i >= n {
		switch {
		case l.padding == "zeros":
			return 0, false
		case l.padding == "border" || n == 1:
			return min(max(i, 0), n-1), true
		case i < 0 && l.align:
			i = -i
		case i < 0:
			i = -1 - i
		case l.align:
			i = 2*(n-1) - i
		default:
			i = 2*n - 1 - i
		}
	}
	return i, true
}

// weight returns the weight of an element at the given distance from the sample.
func (l *layer) weight(distance float64) float64 {
	const a = -0.75
	d := math.Abs(distance)
	switch {
	case l.mode == "bilinear":
		return max(1-d, 0)
	case d <= 1:
		return (a+2)*d*d*d - (a+3)*d*d + 1
	case d < 2:
		return a*d*d*d - 5*a*d*d + 8*a*d - 4*a
	}
	return 0
}

// position returns the position of a coordinate on an axis of n elements.
func (l *layer) position(g float64, n int) float64 {
	if l.align {
		return (g + 1) / 2 * float64(n-1)
	}
	return (g+1)/2*float64(n) - 0.5
}

// sample returns the value at x, y of a plane.
func (l *layer) sample(plane []float64, gx, gy float64) float64 {
	h, w := l.data[2], l.data[3]
	x, y := l.position(gx, w), l.position(gy, h)
	if l.mode == "nearest" {
		x, y = math.RoundToEven(x), math.RoundToEven(y)
	}
	sum := 0.0
	for i := int(math.Floor(y)) - 1; i <= int(math.Floor(y))+2; i++ {
		for j := int(math.Floor(x)) - 1; j <= int(math.Floor(x))+2; j++ {
			weight := l.weight(y-float64(i)) * l.weight(x-float64(j))
			if l.mode == "nearest" {
				weight = 0
				if float64(i) == y && float64(j) == x {
					weight = 1
				}
			}
			row, ok := l.element(i, h)
			column, okToo := l.element(j, w)
			if ok && okToo && weight != 0 {
				sum += weight * plane[row*w+column]
			}
		}
	}
	return sum
}

func (l *layer) reference(data, grid []float64) []float64 {
	n, c, plane, points := l.data[0], l.data[1], l.data[2]*l.data[3], l.grid[1]*l.grid[2]
	out := make([]float64, n*c*points)
	for i := range out {
		image, channel, point := i/points/c, i/points%c, i%points
		at := 2 * (image*points + point)
		if plane > 0 {
			out[i] = l.sample(data[(image*c+channel)*plane:][:plane], grid[at], grid[at+1])
		}
	}
	return out
}

var (
	modes    = []string{"bilinear", "nearest", "bicubic"}
	paddings = []string{"zeros", "border", "reflection"}
)

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 150, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

// checkRandom has coordinates whose positions are exact in all types.
func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 31))
	n, c := rng.IntN(3), rng.IntN(20)
	l := &layer{
		align: rng.IntN(2) == 0, mode: modes[rng.IntN(3)], padding: paddings[rng.IntN(3)],
		data: ir.Shape{n, c, rng.IntN(9), rng.IntN(9)}, grid: ir.Shape{n, rng.IntN(20), rng.IntN(20), 2},
	}
	data := layertest.RandomNumbers(rng, 100, 1, l.data.Elements())
	for i := range data {
		data[i] = math.Abs(data[i])
	}
	grid := layertest.RandomNumbers(rng, 64, 1.0/32, l.grid.Elements())
	want := l.reference(data, grid)
	gridType := reals[rng.IntN(len(reals))]
	for _, elementType := range Ops[0].Types {
		tolerance, expected := 2e-4, want
		switch {
		case elementType == ir.F16:
			tolerance = 0.1
		case elementType == ir.BF16:
			tolerance = 1
		case elementType == ir.F64:
			tolerance = 1e-11
		case elementType != ir.F32:
			tolerance, expected = 0, whole(elementType, want)
			if l.mode == "bicubic" {
				tolerance = 1 // a sum that is nearly an integer
			}
		}
		layertest.CheckNear(t, &Ops[0], l.attributes(), ir.Shape{n, c, l.grid[1], l.grid[2]}, expected, tolerance,
			layertest.Numbers(t, elementType, l.data, data...), layertest.Numbers(t, gridType, l.grid, grid...))
	}
}

var reals = []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16}

// whole returns the integers that a layer of integers returns for sums.
func whole(t ir.ElementType, sums []float64) []float64 {
	out := make([]float64, len(sums))
	for i, v := range sums {
		switch t {
		case ir.I8:
			out[i] = min(max(math.RoundToEven(v), -128), 127)
		case ir.U8:
			out[i] = min(max(math.RoundToEven(v), 0), 255)
		case ir.U16, ir.U32, ir.U64:
			out[i] = max(math.Trunc(v), 0)
		default:
			out[i] = math.Trunc(v)
		}
	}
	return out
}

// TestKernel_borders has values of OpenVINO for coordinates that are not finite, far away or ties.
func TestKernel_borders(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	grid := []float64{nan, 0, 0, nan, inf, 0, -inf, 0, 1e20, 0, -1.3, 1.2, 2.7, -3.4, -0.5, 0.5, 0, 0, 1, 1, 5.1, -7.3}
	image := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	for _, c := range []struct {
		mode, padding, align string
		want                 []float64
	}{
		{"bilinear", "zeros", "false", []float64{nan, nan, nan, nan, 0, 0, 0, 8.5, 6.5, 3, 0}},
		{"bilinear", "zeros", "true", []float64{nan, nan, nan, nan, 0, 3.96, 0, 7.75, 6.5, 12, 0}},
		{"bilinear", "border", "false", []float64{nan, nan, nan, nan, 8, 9, 4, 8.5, 6.5, 12, 4}},
		{"bilinear", "border", "true", []float64{nan, nan, nan, nan, 8, 9, 4, 7.75, 6.5, 12, 4}},
		{"bilinear", "reflection", "false", []float64{nan, nan, nan, nan, 5, 9.1, 8.7, 8.5, 6.5, 12, 12}},
		{"nearest", "zeros", "false", []float64{0, 0, 0, 0, 0, 0, 0, 9, 7, 0, 0}},
		{"nearest", "zeros", "true", []float64{0, 0, 0, 0, 0, 9, 0, 10, 7, 12, 0}},
		{"nearest", "border", "false", []float64{5, 3, 8, 5, 8, 9, 4, 9, 7, 12, 4}},
		{"nearest", "reflection", "false", []float64{5, 3, 5, 5, 5, 9, 9, 9, 7, 12, 12}},
		{"bicubic", "zeros", "false", []float64{nan, nan, nan, nan, 0, -0.10205983, 0, 10.493652, 6.5, 3.234375, 0}},
		{"bicubic", "border", "true", []float64{nan, nan, nan, nan, 8, 9.281905, 4, 8.042969, 6.5, 12, 4}},
		{"bicubic", "reflection", "true", []float64{nan, nan, nan, nan, 5, 9.034187, 8.426187, 8.3828125, 6.5, 12, 11.481936}},
	} {
		at := layertest.Attributes{"align_corners", c.align, "mode", c.mode, "padding_mode", c.padding}
		for _, elementType := range []ir.ElementType{ir.F32, ir.F64} {
			layertest.CheckNear(t, &Ops[0], at, ir.Shape{1, 1, 1, 11}, c.want, 2e-5,
				layertest.Numbers(t, elementType, ir.Shape{1, 1, 3, 4}, image...), layertest.Numbers(t, ir.F32, ir.Shape{1, 1, 11, 2}, grid...))
		}
	}
}

// FuzzCoordinates has arbitrary coordinates, for one channel and for several.
func FuzzCoordinates(f *testing.F) {
	for _, v := range []float32{0, -1, 1e9, -1e19, 3e38, float32(math.Inf(1)), float32(math.NaN()), 1e-40} {
		f.Add(math.Float32bits(v), math.Float32bits(-v), uint8(3), uint8(4), uint8(0))
	}
	f.Fuzz(func(t *testing.T, xBits, yBits uint32, h, w, kind uint8) {
		l := &layer{
			align: kind%2 == 0, mode: modes[kind/2%3], padding: paddings[kind/6%3],
			data: ir.Shape{1, 1 + 5*int(kind/18%2), 1 + int(h%9), 1 + int(w%9)}, grid: ir.Shape{1, 1, 1, 2},
		}
		data := make([]float64, l.data.Elements())
		for i := range data {
			data[i] = float64(i % 50)
		}
		x, y := float64(math.Float32frombits(xBits)), float64(math.Float32frombits(yBits))
		got, err := layertest.Run(&Ops[0], l.attributes(), 1, layertest.Numbers(t, ir.F32, l.data, data...), layertest.Numbers(t, ir.F32, l.grid, x, y))
		require.NoError(t, err)
		if l.mode != "nearest" && math.Abs(x) < 100 && math.Abs(y) < 100 {
			layertest.Near(t, l.reference(data, []float64{x, y}), got, 0.3, "%+v", l)
		}
	})
}

// TestKernel_allocations has enough elements for two threads.
func TestKernel_allocations(t *testing.T) {
	for _, mode := range modes {
		for _, elementType := range []ir.ElementType{ir.F32, ir.F16, ir.U8, ir.F64} {
			l := &layer{mode: mode, padding: "reflection", data: ir.Shape{2, 32, 40, 40}, grid: ir.Shape{2, 50, 40, 2}}
			layertest.CheckAllocations(t, &Ops[0], l.attributes(), layertest.Numbers(t, elementType, l.data), layertest.Numbers(t, ir.F32, l.grid))
		}
	}
}

// TestPlanes compares the samples that the assembly computes with those of the portable code, bit
// by bit.
func TestPlanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e30, -1e30, 1e8, -1e8, -1, 1, 0, 1 - 1e-7, -1 - 1e-7}
	for round := range 300 {
		l := &layer{
			align: rng.IntN(2) == 0, mode: "bilinear", padding: []string{"zeros", "border", "reflection"}[rng.IntN(3)],
			data: ir.Shape{1 + rng.IntN(3), 1, 1 + rng.IntN(9), 1 + rng.IntN(9)}, grid: ir.Shape{0, 1 + rng.IntN(4), 1 + rng.IntN(100), 2},
		}
		l.grid[0] = l.data[0]
		data, grid := make([]float64, l.data.Elements()), make([]float64, l.grid.Elements())
		for i := range data {
			data[i] = rng.NormFloat64()
			if round%4 == 0 && rng.IntN(8) == 0 {
				data[i] = special[rng.IntN(3)]
			}
		}
		for i := range grid {
			grid[i] = 3*rng.Float64() - 1.5
			if rng.IntN(16) == 0 {
				grid[i] = special[rng.IntN(len(special))]
			}
		}
		in := []*ir.Tensor{layertest.Numbers(t, ir.F32, l.data, data...), layertest.Numbers(t, ir.F32, l.grid, grid...)}
		got, err := layertest.Run(&Ops[0], l.attributes(), 1+rng.IntN(2), in...)
		require.NoError(t, err)
		restore := cpu.AVX2.Disable()
		want, err := layertest.Run(&Ops[0], l.attributes(), 1, in...)
		restore()
		require.NoError(t, err)
		for i, w := range ir.Data[float32](want) {
			if g := ir.Data[float32](got)[i]; w == w || g == g {
				require.Equal(t, math.Float32bits(w), math.Float32bits(g), "%+v: sample %d at %v", l, i, grid[2*i:2*i+2])
			}
		}
	}
}

// TestKernel_empty has images without elements: every sample is 0.
func TestKernel_empty(t *testing.T) {
	grid := layertest.Numbers(t, ir.F32, ir.Shape{1, 1, 4, 2}, -0.5, -0.5, 0, 0, 0.9, -2, 3, 0.4)
	for _, mode := range []string{"bilinear", "nearest", "bicubic"} {
		for _, padding := range []string{"zeros", "border", "reflection"} {
			for _, shape := range []ir.Shape{{1, 1, 0, 4}, {1, 1, 4, 0}, {1, 1, 0, 0}, {1, 2, 0, 3}} {
				out, err := layertest.Run(&Ops[0], layertest.Attributes{"mode", mode, "padding_mode", padding, "align_corners", "false"}, 1, layertest.Numbers(t, ir.F32, shape), grid)
				require.NoError(t, err, "%s %s %v", mode, padding, shape)
				assert.Equal(t, make([]float64, 4*shape[1]), layertest.Floats(t, out), "%s %s %v", mode, padding, shape)
			}
		}
	}
}
