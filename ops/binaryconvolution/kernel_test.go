package binaryconvolution

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func attributesOf(stride, dilation, pad int, value float64) layertest.Attributes {
	two := func(n int) string { return layertest.List([]int{n, n}) }
	return layertest.Attributes{
		"strides", two(stride), "dilations", two(dilation), "pads_begin", two(pad), "pads_end", two(pad),
		"auto_pad", "explicit", "mode", "xnor-popcount", "pad_value", strconv.FormatFloat(value, 'g', -1, 64),
	}
}

// filtersOf returns a tensor of u1: element i is bit i%8 of byte i/8.
func filtersOf(t testing.TB, shape ir.Shape, values []int) *ir.Tensor {
	f := layertest.Numbers(t, ir.U8, ir.Shape{(len(values) + 7) / 8})
	out, err := ir.NewTensor(ir.U1, shape...)
	assert.NoError(t, err)
	for i, v := range values {
		f.Bytes()[i/8] |= byte(v << (i % 8))
	}
	copy(out.Bytes(), f.Bytes())
	return out
}

// constantFilters returns an op with filters that are constant.
func constantFilters() *ops.Op {
	constant := Ops[0]
	constant.Values = []int{1}
	return &constant
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 100, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

// checkRandom compares with sums of products of 1 and -1; padding of value 0 is 0 in them. The
// filters are constant and not.
func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	n, c, o, k := 1+rng.IntN(2), 1+rng.IntN(140), 1+rng.IntN(6), 1+rng.IntN(3)
	stride, dilation, pad := 1+rng.IntN(2), 1+rng.IntN(2), rng.IntN(3)
	h, w := (k-1)*dilation+1+rng.IntN(4), (k-1)*dilation+1+rng.IntN([]int{4, 50}[rng.IntN(2)])
	padValue := []float64{0, 1, -1, 0.5}[rng.IntN(4)]
	padding := map[float64]float64{0: 0, 1: 1, -1: -1, 0.5: -1}[padValue]
	data := layertest.RandomNumbers(rng, 2, 0.5, n*c*h*w)
	filters := layertest.RandomInts(rng, 0, 1, o*c*k*k)
	oh, ow := (h+2*pad-(k-1)*dilation-1)/stride+1, (w+2*pad-(k-1)*dilation-1)/stride+1
	shape := ir.Shape{n, o, oh, ow}
	want := make([]float64, shape.Elements())
	for i := range want {
		x, y, f, image := i%ow, i/ow%oh, i/ow/oh%o, i/ow/oh/o
		for ch := range c {
			for tap := range k * k {
				iy, ix := y*stride+tap/k*dilation-pad, x*stride+tap%k*dilation-pad
				v := padding
				if iy >= 0 && iy < h && ix >= 0 && ix < w {
					v = -1
					if data[((image*c+ch)*h+iy)*w+ix] > 0 {
						v = 1
					}
				}
				want[i] += v * float64(2*filters[(f*c+ch)*k*k+tap]-1)
			}
		}
	}
	for _, elementType := range []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.I32} {
		if elementType == ir.I32 && stride == 1 {
			continue // halves would become 0
		}
		numbers := data
		if elementType == ir.I32 {
			numbers = make([]float64, len(data))
			for i, v := range data {
				numbers[i] = math.Ceil(v)
			}
		}
		for _, op := range []*ops.Op{&Ops[0], constantFilters()} {
			layertest.CheckNear(t, op, attributesOf(stride, dilation, pad, padValue), shape, want, 0,
				layertest.Numbers(t, elementType, ir.Shape{n, c, h, w}, numbers...), filtersOf(t, ir.Shape{o, c, k, k}, filters))
		}
	}
}

// The results are OpenVINO's.
func TestKernel_borders(t *testing.T) {
	filters := filtersOf(t, ir.Shape{1, 8, 1, 1}, []int{1, 1, 1, 1, 1, 1, 1, 1})
	for value, want := range map[float64]float64{-1: -8, 0: -8, 0.25: 8, 2: 8, math.Inf(1): 8, math.Inf(-1): -8} {
		data := []float64{value, value, value, value, value, value, value, value}
		layertest.CheckNear(t, &Ops[0], attributesOf(1, 1, 0, 0), ir.Shape{1, 1, 1, 1}, []float64{want}, 0, layertest.Numbers(t, ir.F32, ir.Shape{1, 8, 1, 1}, data...), filters)
	}
	nan := math.NaN()
	layertest.CheckNear(t, &Ops[0], attributesOf(1, 1, 0, 0), ir.Shape{1, 1, 1, 1}, []float64{-8}, 0,
		layertest.Numbers(t, ir.F32, ir.Shape{1, 8, 1, 1}, nan, nan, nan, nan, nan, nan, nan, nan), filters)
}

func TestKernel_errors(t *testing.T) {
	_, err := layertest.Run(&Ops[0], attributesOf(1, 1, 0, 0), 1, layertest.Counted(t, ir.F32, 1, 8, 2, 2), layertest.Counted(t, ir.F32, 1, 8, 1, 1))
	assert.ErrorContains(t, err, "filters is f32, expected u1")
}

// TestKernel_allocations has enough rows for two threads.
func TestKernel_allocations(t *testing.T) {
	for _, elementType := range Ops[0].Types {
		for _, op := range []*ops.Op{&Ops[0], constantFilters()} {
			layertest.CheckAllocations(t, op, attributesOf(1, 1, 1, 1), layertest.Counted(t, elementType, 1, 70, 30, 30),
				filtersOf(t, ir.Shape{8, 70, 3, 3}, make([]int, 8*70*9)))
		}
	}
}
