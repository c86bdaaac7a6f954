package roll

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// compare rolls data along axes, one after the other, and compares the layer with it.
func compare(t *testing.T, data *ir.Tensor, shift, axes []int64) {
	t.Helper()
	shape := data.Shape()
	want := make([]string, data.Len())
	for i := range want {
		at := index.Position(i, shape)
		for k, axis := range axes {
			n := int64(shape[(axis+int64(len(shape)))%int64(len(shape))])
			c := &at[(axis+int64(len(shape)))%int64(len(shape))]
			*c = int((int64(*c) + n - (shift[k]%n+n)%n) % n)
		}
		from := 0
		for k, c := range at {
			from = from*shape[k] + c
		}
		want[i] = layertest.Element(data, from)
	}
	n := ir.Shape{len(axes)}
	layertest.CheckElements(t, &Ops[0], nil, shape, want, data, layertest.Ints(t, ir.I64, n, shift...), layertest.Ints(t, ir.I32, n, axes...))
}

func TestKernelAgainstReference(t *testing.T) {
	for seed := range uint64(300) {
		checkRandom(t, seed)
	}
}

// FuzzKernel rolls tensors of random types and shapes.
func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	types := layertest.Types()
	shape := make([]int, 1+rng.IntN(5))
	for k := range shape {
		if shape[k] = 1 + rng.IntN(6); rng.IntN(30) == 0 {
			shape[k] = 0
		}
	}
	shift, axes := make([]int64, rng.IntN(5)), []int64(nil)
	for i := range shift {
		shift[i] = int64(rng.IntN(30) - 15)
		if rng.IntN(8) == 0 {
			shift[i] = []int64{math.MinInt64, math.MaxInt64}[rng.IntN(2)]
		}
		axes = append(axes, int64(rng.IntN(2*len(shape))-len(shape)))
	}
	compare(t, layertest.Counted(t, types[rng.IntN(len(types))], shape...), shift, axes)
}

// TestLarge has enough work for several threads.
func TestLarge(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.U8, ir.F32, ir.U4, ir.String} {
		compare(t, layertest.Counted(t, elementType, 3, 200, 500), []int64{-3, 77}, []int64{1, 2})
	}
}

// TestScalars has results of OpenVINO, except that OpenVINO does not apply a scalar shift to
// several axes.
func TestScalars(t *testing.T) {
	ints := func(shape ir.Shape, values ...int64) *ir.Tensor { return layertest.Ints(t, ir.I64, shape, values...) }
	for _, c := range []struct{ data, shift, axes, want *ir.Tensor }{
		{ints(nil, 5), ints(ir.Shape{1}, 3), ints(ir.Shape{1}, 0), ints(nil, 5)},
		{ints(ir.Shape{5}, 0, 1, 2, 3, 4), ints(ir.Shape{2}, 1, 1), ints(ir.Shape{2}, 0, -1), ints(ir.Shape{5}, 3, 4, 0, 1, 2)},
		{ints(ir.Shape{5}, 0, 1, 2, 3, 4), ints(ir.Shape{1}, math.MinInt64), ints(ir.Shape{1}, 0), ints(ir.Shape{5}, 3, 4, 0, 1, 2)},
		{ints(ir.Shape{2, 3}, 0, 1, 2, 3, 4, 5), ints(nil, 1), ints(nil, 1), ints(ir.Shape{2, 3}, 2, 0, 1, 5, 3, 4)},
		{ints(ir.Shape{2, 3}, 0, 1, 2, 3, 4, 5), ints(nil, 1), ints(ir.Shape{2}, 0, 1), ints(ir.Shape{2, 3}, 5, 3, 4, 2, 0, 1)},
		{ints(ir.Shape{2}, 0, 1), ints(ir.Shape{0}), ints(ir.Shape{0}), ints(ir.Shape{2}, 0, 1)},
		{ints(ir.Shape{2, 0}), ints(ir.Shape{1}, 1), ints(ir.Shape{1}, 1), ints(ir.Shape{2, 0})},
	} {
		layertest.CheckElements(t, &Ops[0], nil, c.want.Shape(), layertest.Elements(c.want), c.data, c.shift, c.axes)
	}
}

func TestKernel_errors(t *testing.T) {
	data, one := layertest.Counted(t, ir.F32, 2, 3), layertest.Ints(t, ir.I64, ir.Shape{1}, 1)
	_, err := layertest.Run(&Ops[0], nil, 1, data, one, layertest.Ints(t, ir.I64, ir.Shape{1}, 2))
	require.EqualError(t, err, "axis 2 is outside [-2,1] for rank 2")
	_, err = layertest.Run(&Ops[0], nil, 1, data, one, layertest.Ints(t, ir.I64, ir.Shape{2}, 0, 1))
	require.EqualError(t, err, "shift has shape [1], axes has shape [2]")
}

func TestKernel_allocations(t *testing.T) {
	two := layertest.Ints(t, ir.I64, ir.Shape{2}, 1, 2)
	for _, elementType := range []ir.ElementType{ir.U8, ir.F32, ir.U4, ir.String} {
		layertest.CheckAllocations(t, &Ops[0], nil, layertest.Counted(t, elementType, 9, 60, 70), two, two)
	}
}
