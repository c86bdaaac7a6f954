package colorconvert

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// reference computes the definition for each pixel of n images.
func reference(y, u, v []float64, n, h, w int, bgr bool) []float64 {
	var out []float64
	for i := range n * h * w {
		image, row, column := i/(h*w), i/w%h, i%w
		at := (image*(h/2)+row/2)*(w/2) + column/2
		c, d, e := 1.164*(y[i]-16), u[at]-128, v[at]-128
		pixel := []float64{c + 1.596*e, c - 0.391*d - 0.813*e, c + 2.018*d}
		if bgr {
			pixel[0], pixel[2] = pixel[2], pixel[0]
		}
		for _, x := range pixel {
			out = append(out, min(max(x, 0), 255))
		}
	}
	return out
}

// inputs returns the tensors of a layer type. Each image is in one tensor if single is true.
func inputs(t testing.TB, name string, elementType ir.ElementType, y, u, v []float64, n, h, w int, single bool) []*ir.Tensor {
	size, quarter := h*w, h*w/4
	var alternating []float64
	for i := range u {
		alternating = append(alternating, u[i], v[i])
	}
	nv12 := strings.HasPrefix(name, "NV12")
	if !single {
		first := layertest.Numbers(t, elementType, ir.Shape{n, h, w, 1}, y...)
		if nv12 {
			return []*ir.Tensor{first, layertest.Numbers(t, elementType, ir.Shape{n, h / 2, w / 2, 2}, alternating...)}
		}
		chroma := ir.Shape{n, h / 2, w / 2, 1}
		return []*ir.Tensor{first, layertest.Numbers(t, elementType, chroma, u...), layertest.Numbers(t, elementType, chroma, v...)}
	}
	var all []float64
	for i := range n {
		all = append(all, y[i*size:][:size]...)
		if nv12 {
			all = append(all, alternating[2*i*quarter:][:2*quarter]...)
			continue
		}
		all = append(append(all, u[i*quarter:][:quarter]...), v[i*quarter:][:quarter]...)
	}
	return []*ir.Tensor{layertest.Numbers(t, elementType, ir.Shape{n, h * 3 / 2, w, 1}, all...)}
}

var names = []string{"I420toBGR-8", "I420toRGB-8", "NV12toBGR-8", "NV12toRGB-8"}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 60, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	n, h, w := rng.IntN(4), 2*rng.IntN(6), 2*rng.IntN(9)
	numbers := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(rng.IntN(256))
		}
		return x
	}
	y, u, v := numbers(n*h*w), numbers(n*h*w/4), numbers(n*h*w/4)
	name, single := names[rng.IntN(4)], rng.IntN(2) == 0
	want := reference(y, u, v, n, h, w, strings.Contains(name, "BGR"))
	// u8 is half a unit from the exact value, and a little more where float32 decides a tie.
	for elementType, tolerance := range map[ir.ElementType]float64{ir.U8: 0.5001, ir.F64: 1e-9, ir.F32: 1e-3, ir.F16: 0.2, ir.BF16: 1} {
		layertest.CheckNear(t, layertest.FindType(t, Ops, name), nil, ir.Shape{n, h, w, 3}, want, tolerance,
			inputs(t, name, elementType, y, u, v, n, h, w, single)...)
	}
}

// The results are OpenVINO's.
func TestKernel_borders(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	op := layertest.FindType(t, Ops, "NV12toRGB-8")
	for _, c := range []struct{ y, uv, want []float64 }{
		{[]float64{300, -5, nan, 16.5}, []float64{128.5, 127.3}, []float64{255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0.9555975, 1.591}},
		{[]float64{300, -5, nan, 16.5}, []float64{nan, inf}, []float64{255, 0, 0, 255, 0, 0, 0, 0, 0, 255, 0, 0}},
	} {
		layertest.CheckNear(t, op, nil, ir.Shape{1, 2, 2, 3}, c.want, 1e-6,
			layertest.Numbers(t, ir.F32, ir.Shape{1, 2, 2, 1}, c.y...), layertest.Numbers(t, ir.F32, ir.Shape{1, 1, 1, 2}, c.uv...))
	}
}

// TestKernel_allocations has enough pixels for two threads.
func TestKernel_allocations(t *testing.T) {
	for _, name := range names {
		op := layertest.FindType(t, Ops, name)
		for _, elementType := range op.Types {
			layertest.CheckAllocations(t, op, nil, layertest.Counted(t, elementType, 1, 300, 320, 1))
		}
	}
	op := layertest.FindType(t, Ops, "BGRtoNV12-17")
	for _, elementType := range op.Types {
		layertest.CheckAllocations(t, op, nil, layertest.Counted(t, elementType, 1, 200, 320, 3))
		layertest.CheckAllocationsOf(t, op, layertest.Attributes{"single_plane", "false"}, 2, layertest.Counted(t, elementType, 1, 200, 320, 3))
	}
}

// TestPlanes compares the conversions from RGB and BGR with the definition.
func TestPlanes(t *testing.T) { layertest.CheckSeeds(t, 60, checkPlanes) }

func FuzzPlanes(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkPlanes)
}

func checkPlanes(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	n, h, w := rng.IntN(4), 2*rng.IntN(6), 2*rng.IntN(9)
	image := make([]float64, n*h*w*3)
	for i := range image {
		image[i] = float64(rng.IntN(256))
	}
	y, uv := make([]float64, n*h*w), make([]float64, n*h*w/2)
	bgr, single := rng.IntN(2) == 0, rng.IntN(2) == 0
	for i := range y {
		r, g, b := image[3*i], image[3*i+1], image[3*i+2]
		if bgr {
			r, b = b, r
		}
		y[i] = 0.257*r + 0.504*g + 0.098*b + 16
		at := (i/(h*w)*(h/2)+i/w%h/2)*w + i%w/2*2
		uv[at] += (-0.148*r - 0.291*g + 0.439*b + 128) / 4
		uv[at+1] += (0.439*r - 0.368*g - 0.071*b + 128) / 4
	}
	name := "RGBtoNV12-17"
	if bgr {
		name = "BGRtoNV12-17"
	}
	op := layertest.FindType(t, Ops, name)
	for elementType, tolerance := range map[ir.ElementType]float64{ir.U8: 0.5001, ir.F64: 1e-9, ir.F32: 1e-3, ir.F16: 0.2, ir.BF16: 1} {
		in := layertest.Numbers(t, elementType, ir.Shape{n, h, w, 3}, image...)
		if !single {
			out, err := layertest.RunOutputs(op, layertest.Attributes{"single_plane", "false"}, 1+rng.IntN(2), 2, in)
			require.NoError(t, err)
			layertest.Near(t, y, out[0], tolerance, "%v", elementType)
			layertest.Near(t, uv, out[1], tolerance, "%v", elementType)
			continue
		}
		var want []float64
		for i := range n {
			want = append(append(want, y[i*h*w:][:h*w]...), uv[i*h*w/2:][:h*w/2]...)
		}
		layertest.CheckNear(t, op, nil, ir.Shape{n, h * 3 / 2, w, 1}, want, tolerance, in)
	}
}

// TestPlanes_limits has colours whose planes are limited to 0 to 255, and NaN.
func TestPlanes_limits(t *testing.T) {
	op := layertest.FindType(t, Ops, "RGBtoNV12-17")
	layertest.CheckNear(t, op, nil, ir.Shape{1, 3, 2, 1}, []float64{0, 255, 16, 0, 0, 0}, 1e-5,
		layertest.Numbers(t, ir.F32, ir.Shape{1, 2, 2, 3}, -900, -900, -900, 900, 900, 900, 0, 0, 0, math.NaN(), 0, 0))
}

// TestVectorRow compares the assembly with the loop for all Y, U and V, on rows that are not whole
// steps.
func TestVectorRow(t *testing.T) {
	if newOrder(0) == nil {
		t.Skip("no vector code on this platform")
	}
	const w, h = 262, 252 // 131*126 values of U and V, 64 for each V
	size := w * h
	image := make([]uint8, size*3/2)
	tensor, err := ir.TensorOf(ir.U8, ir.Shape{1, h * 3 / 2, w, 1}, image)
	require.NoError(t, err)
	for _, name := range names {
		op := layertest.FindType(t, Ops, name)
		step := 1
		if strings.Contains(name, "BGR") {
			step = 51 // only the order of the bytes differs
		}
		for u := 0; u < 256; u += step {
			for i := range size / 4 {
				v := uint8(i / 64)
				first := 2*i/w*2*w + 2*i%w
				for k, at := range []int{first, first + 1, first + w, first + w + 1} {
					image[at] = uint8(i%64*4 + k)
				}
				if strings.HasPrefix(name, "NV12") {
					image[size+2*i], image[size+2*i+1] = uint8(u), v
				} else {
					image[size+i], image[size+size/4+i] = uint8(u), v
				}
			}
			got, err := layertest.Run(op, nil, 1, tensor)
			require.NoError(t, err)
			restore := cpu.AVX2.Disable()
			want, err := layertest.Run(op, nil, 1, tensor)
			restore()
			require.NoError(t, err)
			require.True(t, bytes.Equal(ir.Data[uint8](want), ir.Data[uint8](got)), "%s, U %d", name, u)
		}
	}
}
