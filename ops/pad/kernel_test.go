package pad

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// nearest returns the position inside n elements for a position outside. Mode edge gives the
// border. The other modes go back from the border by the same distance; symmetric goes one step
// less, because it repeats the border.
func nearest(m mode, at, n int) int {
	step, border := 1, 0
	if at >= n {
		step, border = -1, n-1
	}
	distance := (border - at) * step
	switch m {
	case edge:
		return border
	case reflect:
		return border + step*distance
	}
	return border + step*(distance-1)
}

// compare runs a layer and compares it with a padding coordinate by coordinate. value may be nil.
func compare(t *testing.T, m mode, data, value *ir.Tensor, begins, ends []int64) {
	t.Helper()
	n := ir.Shape{len(begins)}
	inputs := []*ir.Tensor{data, layertest.Ints(t, ir.I64, n, begins...), layertest.Ints(t, ir.I32, n, ends...)}
	zero, err := ir.NewTensor(data.ElementType())
	require.NoError(t, err)
	padding := layertest.Element(zero, 0)
	if value != nil {
		inputs = append(inputs, value)
		padding = layertest.Element(value, 0)
	}
	shape := make(ir.Shape, len(begins))
	for k, n := range data.Shape() {
		shape[k] = n + int(begins[k]+ends[k])
	}
	want := make([]string, shape.Elements())
	for i := range want {
		from := 0
		for k, c := range index.Position(i, shape) {
			n := data.Shape()[k]
			at := c - int(begins[k])
			if at < 0 || at >= n {
				if m == constant {
					from = -1
					break
				}
				at = nearest(m, at, n)
			}
			from = from*n + at
		}
		want[i] = padding
		if from >= 0 {
			want[i] = layertest.Element(data, from)
		}
	}
	layertest.CheckElements(t, &Ops[1], layertest.Attributes{"pad_mode", m.String()}, shape, want, inputs...)
}

// randomPads returns pads that the mode allows for an axis of n elements.
func randomPads(rng *rand.Rand, m mode, n int) (begin, end int64) {
	longest := map[mode]int{constant: 5, edge: 5 * min(n, 1), reflect: n - 1, symmetric: n}[m]
	for {
		begin, end = int64(longest-rng.IntN(longest+4)), int64(longest-rng.IntN(longest+4))
		if rng.IntN(3) == 0 {
			begin, end = min(0, int64(longest)), 0
		}
		if int64(n)+begin+end >= 0 {
			return begin, end
		}
	}
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	types := layertest.Types()
	for i := range 1500 {
		m := mode(rng.IntN(4))
		shape := make([]int, rng.IntN(5))
		begins, ends := make([]int64, len(shape)), make([]int64, len(shape))
		for k := range shape {
			shape[k] = 1 + rng.IntN(5)
			if m == constant && rng.IntN(20) == 0 {
				shape[k] = 0
			}
			begins[k], ends[k] = randomPads(rng, m, shape[k])
		}
		var value *ir.Tensor
		if rng.IntN(2) == 0 {
			value = layertest.Counted(t, types[i%len(types)])
		}
		compare(t, m, layertest.Counted(t, types[i%len(types)], shape...), value, begins, ends)
	}
}

// TestLarge has enough work for several threads.
func TestLarge(t *testing.T) {
	for m := constant; m <= symmetric; m++ {
		compare(t, m, layertest.Counted(t, ir.I32, 300, 500), nil, []int64{1, 2}, []int64{3, -1})
		compare(t, m, layertest.Counted(t, ir.U16, 200, 30, 20), nil, []int64{1, 2, 0}, []int64{0, 1, 0})
	}
}

func TestKernel_allocations(t *testing.T) {
	two := layertest.Ints(t, ir.I64, ir.Shape{2}, 1, 1)
	for m := constant; m <= symmetric; m++ {
		layertest.CheckAllocations(t, &Ops[0], layertest.Attributes{"pad_mode", m.String()}, layertest.Counted(t, ir.F32, 8, 3), two, two)
	}
}

// FuzzKernel pads tensors of two axes.
func FuzzKernel(f *testing.F) {
	f.Add(uint8(0), uint8(3), uint8(2), int8(1), int8(-1), int8(2), int8(0), uint8(7))
	f.Add(uint8(2), uint8(4), uint8(5), int8(3), int8(3), int8(-2), int8(2), uint8(9))
	f.Fuzz(func(t *testing.T, which, a, b uint8, begin0, end0, begin1, end1 int8, elementType uint8) {
		types := layertest.Types()
		shape := []int{int(a % 9), int(b % 9)}
		begins, ends := []int64{int64(begin0 % 9), int64(begin1 % 9)}, []int64{int64(end0 % 9), int64(end1 % 9)}
		m := mode(which % 4)
		for k, n := range shape {
			if checkPads(m, k, int64(n), begins[k], ends[k]) != nil || int64(n)+begins[k]+ends[k] < 0 {
				return
			}
		}
		compare(t, m, layertest.Counted(t, types[int(elementType)%len(types)], shape...), nil, begins, ends)
	})
}
