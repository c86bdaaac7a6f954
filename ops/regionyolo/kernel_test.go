package regionyolo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// layer is a layer on [batch,channels,h,w].
type layer struct {
	coords, classes, regions int
	softmax                  bool
	shape                    ir.Shape
}

func (l layer) attributes() layertest.Attributes {
	mask, num := make([]int, l.regions), l.regions
	if l.softmax {
		mask = []int{0}
	} else {
		num = 9
	}
	return layertest.Attributes{"coords", fmt.Sprint(l.coords), "classes", fmt.Sprint(l.classes), "num", fmt.Sprint(num), "mask", layertest.List(mask),
		"do_softmax", fmt.Sprint(l.softmax), "axis", "1", "end_axis", "3", "anchors", "1,2"}
}

// output returns the shape of the output and the number of channels of an image in it.
func (l layer) output() (ir.Shape, int) {
	s := l.shape
	if l.softmax {
		return ir.Shape{s[0], s[1] * s[2] * s[3]}, s[1]
	}
	channels := l.regions * (l.coords + l.classes + 1)
	return ir.Shape{s[0], channels, s[2], s[3]}, channels
}

// reference computes the definition, element by element.
func (l layer) reference(x []float64) []float64 {
	logistic := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
	shape, channels := l.output()
	out := make([]float64, shape.Elements())
	plane, size := l.shape[2]*l.shape[3], l.coords+l.classes+1
	for i := range out {
		n, c, at := i/plane/channels, i/plane%channels, i%plane
		value := func(c int) float64 { return x[(n*l.shape[1]+c)*plane+at] }
		e := c % size
		switch {
		case c >= l.regions*size || e >= 2 && e < l.coords:
			out[i] = value(c)
		case e <= l.coords || !l.softmax:
			out[i] = logistic(value(c))
		default:
			sum := 0.
			for k := range l.classes {
				sum += math.Exp(value(c-e+l.coords+1+k) - value(c))
			}
			out[i] = 1 / sum
		}
	}
	return out
}

func compare(t *testing.T, l layer, x []float64) {
	t.Helper()
	want := l.reference(x)
	shape, _ := l.output()
	for elementType, tolerance := range map[ir.ElementType]float64{ir.F64: 1e-14, ir.F32: 1e-6, ir.F16: 1e-3, ir.BF16: 4e-3} {
		layertest.CheckNear(t, &Ops[0], l.attributes(), shape, want, tolerance, layertest.Numbers(t, elementType, l.shape, x...))
	}
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 60, checkRandom) }

// FuzzKernel computes random regions.
func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	l := layer{coords: rng.IntN(6), classes: rng.IntN(5), regions: 1 + rng.IntN(3), softmax: rng.IntN(2) == 0}
	l.shape = ir.Shape{rng.IntN(3), l.regions*(l.coords+l.classes+1) + max(rng.IntN(5)-3, 0), rng.IntN(8), 1 + rng.IntN(8)}
	compare(t, l, layertest.RandomNumbers(rng, 8, 0.25, l.shape.Elements()))
}

// TestLarge has enough work for several threads, and several blocks of columns.
func TestLarge(t *testing.T) {
	for _, softmax := range []bool{false, true} {
		l := layer{coords: 4, classes: 10, regions: 3, softmax: softmax, shape: ir.Shape{1, 45, 33, 47}}
		compare(t, l, layertest.RandomNumbers(rand.New(rand.NewPCG(1, 2)), 8, 0.25, l.shape.Elements()))
	}
}

// TestKernel_notFinite has results of OpenVINO.
func TestKernel_notFinite(t *testing.T) {
	l := layer{coords: 4, classes: 2, regions: 2, softmax: true, shape: ir.Shape{1, 14, 1, 1}}
	nan, inf := math.NaN(), math.Inf(1)
	x := []float64{0, 1, 2, 3, 4, nan, 1, 0, 1, 2, 3, 4, inf, 1}
	want := []float64{.5, .7310585, 2, 3, .9820138, nan, nan, .5, .7310585, 2, 3, .9820138, nan, nan}
	for _, elementType := range []ir.ElementType{ir.F32, ir.F64} {
		layertest.CheckNear(t, &Ops[0], l.attributes(), ir.Shape{1, 14}, want, 1e-6, layertest.Numbers(t, elementType, l.shape, x...))
	}
}

func TestKernel_errors(t *testing.T) {
	l := layer{coords: 4, classes: 1, regions: 2, shape: ir.Shape{1, 11, 1, 1}}
	for _, l.softmax = range []bool{false, true} {
		_, err := layertest.Run(&Ops[0], l.attributes(), 1, layertest.Numbers(t, ir.F32, l.shape))
		require.EqualError(t, err, "data [1,11,1,1] has 11 channels, 2 regions of 4 coords, a confidence and 1 classes have 12")
	}
}

func TestKernel_allocations(t *testing.T) {
	for _, softmax := range []bool{false, true} {
		for _, elementType := range Ops[0].Types {
			l := layer{coords: 4, classes: 10, regions: 3, softmax: softmax, shape: ir.Shape{2, 45, 13, 13}}
			layertest.CheckAllocations(t, &Ops[0], l.attributes(), layertest.Numbers(t, elementType, l.shape))
		}
	}
}
