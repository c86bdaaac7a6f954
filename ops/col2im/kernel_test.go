package col2im

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// layer is a layer for images of size h, w, each pair for the rows and for the columns.
type layer struct {
	batch, channels                                    int // batch is -1 if data has no axis for it
	size, kernel, strides, dilations, padBegin, padEnd [2]int
}

func (l *layer) attributes() layertest.Attributes {
	return layertest.Attributes{"strides", layertest.List(l.strides[:]), "dilations", layertest.List(l.dilations[:]),
		"pads_begin", layertest.List(l.padBegin[:]), "pads_end", layertest.List(l.padEnd[:])}
}

// places returns the number of places of the window along an axis, by trying all.
func (l *layer) places(i int) int {
	n := 0
	for at := -l.padBegin[i]; at+(l.kernel[i]-1)*l.dilations[i] < l.size[i]+l.padEnd[i]; at += l.strides[i] {
		n++
	}
	return n
}

// shapes returns the shapes of data and of the output.
func (l *layer) shapes() (data, out ir.Shape) {
	data = ir.Shape{l.channels * l.kernel[0] * l.kernel[1], l.places(0) * l.places(1)}
	out = ir.Shape{l.channels, l.size[0], l.size[1]}
	if l.batch >= 0 {
		data, out = append(ir.Shape{l.batch}, data...), append(ir.Shape{l.batch}, out...)
	}
	return data, out
}

// reference adds each element of data to its place.
func (l *layer) reference(x []float64) []float64 {
	data, shape := l.shapes()
	out := make([]float64, shape.Elements())
	h, w := l.places(0), l.places(1)
	for i, v := range x[:data.Elements()] {
		place, column := i%(h*w), i/(h*w)
		j, k := column%l.kernel[1], column/l.kernel[1]%l.kernel[0]
		plane := column / l.kernel[1] / l.kernel[0]
		row := place/w*l.strides[0] + k*l.dilations[0] - l.padBegin[0]
		col := place%w*l.strides[1] + j*l.dilations[1] - l.padBegin[1]
		if row >= 0 && row < l.size[0] && col >= 0 && col < l.size[1] {
			out[(plane*l.size[0]+row)*l.size[1]+col] += v
		}
	}
	return out
}

func (l *layer) inputs(t testing.TB, elementType ir.ElementType, x []float64) []*ir.Tensor {
	t.Helper()
	data, _ := l.shapes()
	pair := func(v [2]int) *ir.Tensor { return layertest.Ints(t, ir.I32, ir.Shape{2}, int64(v[0]), int64(v[1])) }
	return []*ir.Tensor{layertest.Numbers(t, elementType, data, x...), pair(l.size), pair(l.kernel)}
}

func compare(t *testing.T, l *layer, x []float64) {
	t.Helper()
	want := l.reference(x)
	_, shape := l.shapes()
	for _, elementType := range Ops[0].Types {
		layertest.CheckNear(t, &Ops[0], l.attributes(), shape, want, 0, l.inputs(t, elementType, x)...)
	}
}

// numbers returns small integers, whose sums all types hold.
func numbers(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(rng.IntN(4))
	}
	return x
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 60, checkRandom) }

// FuzzKernel adds windows of random sizes.
func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	pair := func(least, most int) [2]int { return [2]int{least + rng.IntN(most), least + rng.IntN(most)} }
	l := &layer{batch: rng.IntN(4) - 1, channels: 1 + rng.IntN(3), size: pair(1, 8), kernel: pair(1, 3), strides: pair(1, 3),
		dilations: pair(1, 3), padBegin: pair(0, 4), padEnd: pair(0, 4)}
	data, _ := l.shapes()
	compare(t, l, numbers(rng, data.Elements()))
}

// TestLarge has enough work for several threads.
func TestLarge(t *testing.T) {
	one := [2]int{1, 1}
	for _, strides := range [][2]int{one, {2, 3}} {
		l := &layer{batch: 2, channels: 5, size: [2]int{61, 83}, kernel: [2]int{3, 3}, strides: strides, dilations: one, padBegin: one, padEnd: one}
		data, _ := l.shapes()
		compare(t, l, numbers(rand.New(rand.NewPCG(1, 2)), data.Elements()))
	}
}

// TestKernel_borders has results of OpenVINO, for sums that wrap.
func TestKernel_borders(t *testing.T) {
	one := [2]int{1, 1}
	l := &layer{batch: 1, channels: 1, size: [2]int{3, 3}, kernel: [2]int{2, 2}, strides: one, dilations: one}
	x := make([]float64, 16)
	for i := range x {
		x[i] = float64(i * 16)
	}
	layertest.CheckNear(t, &Ops[0], l.attributes(), ir.Shape{1, 1, 3, 3}, []float64{0, 80, 80, 160, 224, 64, 160, 144, 240}, 0, l.inputs(t, ir.U8, x)...)
	// The window has no place in the image, which is then 0.
	l.kernel = [2]int{4, 1}
	compare(t, l, nil)
	l.kernel = [2]int{1 << 30, 1}
	layertest.CheckNear(t, &Ops[0], l.attributes(), ir.Shape{1, 1, 3, 3}, make([]float64, 9), 0, l.inputs(t, ir.F32, nil)...)
}

func TestKernel_allocations(t *testing.T) {
	one := [2]int{1, 1}
	l := &layer{batch: 2, channels: 5, size: [2]int{31, 43}, kernel: [2]int{3, 3}, strides: one, dilations: one, padBegin: one, padEnd: one}
	for _, elementType := range Ops[0].Types {
		layertest.CheckAllocations(t, &Ops[0], l.attributes(), l.inputs(t, elementType, nil)...)
	}
}
