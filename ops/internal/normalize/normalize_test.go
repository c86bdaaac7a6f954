package normalize

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		shape   ir.Shape
		axes    []int64
		want    string // Blocks, Rows, RowLength, PerColumn
		threads int
	}{
		{ir.Shape{2, 3, 4}, []int64{1, 2}, "2 1 12 false", 1},
		{ir.Shape{2, 3, 4}, []int64{0, 2}, "3 2 4 false", 1},
		{ir.Shape{2, 3, 4}, []int64{1}, "2 3 4 true", 1},
		{ir.Shape{2, 3, 4}, []int64{0}, "1 2 12 true", 1},
		{ir.Shape{2, 3, 4}, nil, "1 1 24 true", 1},
		{ir.Shape{2, 1, 4}, []int64{1}, "1 1 8 true", 1},
		{ir.Shape{2, 3, 1}, []int64{1}, "2 1 3 false", 1},
		{ir.Shape{2, 3, 4, 5, 6}, []int64{1, 3}, "8 15 6 true", 1},
		{ir.Shape{}, nil, "1 1 1 false", 1},
		{ir.Shape{1, 1}, []int64{0}, "1 1 1 false", 1},
		{ir.Shape{2, 0}, []int64{0}, "0 1 1 false", 1},
	} {
		set, ok := AxisMask(c.axes, len(c.shape))
		require.True(t, ok)
		l := NewLayout(c.shape, set, c.threads)
		assert.Equal(t, c.want, fmt.Sprint(l.Blocks, l.Rows, l.RowLength, l.PerColumn), "%v along %v", c.shape, c.axes)
	}
}

func TestSet(t *testing.T) {
	set, ok := AxisMask([]int64{-1, 0, 2}, 3)
	assert.True(t, ok)
	assert.Equal(t, []bool{true, false, true}, set)
	for _, axis := range []int64{3, -4, math.MinInt64, math.MaxInt64} {
		_, ok = AxisMask([]int64{axis}, 3)
		assert.False(t, ok, "%d", axis)
	}
}

// TestKernel_everyElementOnce adds 1 to every element of every block, and checks that each
// element of the output is 1.
func TestKernel_everyElementOnce(t *testing.T) {
	for _, shape := range []ir.Shape{{}, {7}, {3, 0}, {3, 4, 5}, {2, 3, 700}, {1, 40, 900}, {30, 40, 50}} {
		for axes := range 1 << len(shape) {
			set := make([]bool, len(shape))
			for i := range set {
				set[i] = axes>>i&1 == 1
			}
			for _, threads := range []int{1, 3} {
				checkOnce(t, shape, set, threads)
			}
		}
	}
}

func checkOnce(t *testing.T, shape ir.Shape, set []bool, threads int) {
	family := ops.Op{
		Type: "AddOne", Inputs: ops.Exactly(1),
		Infer: func(in *ops.Inference) error {
			in.Outputs[0] = in.Inputs[0]
			return nil
		},
		Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
			return Kernel(p, 0, NewLayout(shape, set, threads), Computation{F32: addOne[float32], F64: addOne[float64], ScratchRows: 2})
		},
	}
	for _, elementType := range []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16} {
		out, err := layertest.Run(&family, nil, threads, layertest.Numbers(t, elementType, shape))
		require.NoError(t, err)
		for i, v := range layertest.Floats(t, out) {
			if v != 1 {
				t.Fatalf("%v %v along %v on %d threads, element %d: %v", elementType, shape, set, threads, i, v)
			}
		}
	}
}

func addOne[T Float](_ *ops.Run, b Block[T]) {
	clear(b.ScratchRow(0)) // the computation's own memory
	clear(b.ScratchRow(1))
	for i := range b.Rows {
		x, out := b.Row(i)
		for k := range x {
			out[k] = x[k] + 1
		}
	}
}

func TestKernel_tooLarge(t *testing.T) {
	shape := ir.Shape{math.MaxInt}
	fact := ir.Fact{Type: ir.F32, Shape: shape.Partial()}
	_, err := Kernel(&ops.Preparation{Inputs: []ir.Fact{fact}, Outputs: []ir.Fact{fact}, Threads: 1}, 0, NewLayout(shape, []bool{true}, 1), Computation{})
	assert.Error(t, err)
}

func TestLoops(t *testing.T) {
	a, b := []float64{1, -2, 3}, []float64{4, 5, -6}
	l := LoopsOf[float64]()
	out := make([]float64, 3)
	for name, c := range map[string]struct {
		f    func(out, a, b []float64)
		want []float64
	}{
		"Add": {l.Add, []float64{5, 3, -3}}, "Subtract": {l.Subtract, []float64{-3, -7, 9}}, "Multiply": {l.Multiply, []float64{4, -10, -18}},
		"SquaredDifference": {l.SquaredDifference, []float64{9, 49, 81}}, "Maximum": {l.Maximum, []float64{4, 5, 3}},
	} {
		c.f(out, a, b)
		assert.Equal(t, c.want, out, name)
	}
}
