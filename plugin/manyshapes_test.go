package plugin

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops/builtin"
)

// TestManyShapes infers 10,000 different shapes with one request: a model of two dynamic lengths,
// with layers whose plans have tables, and layers that are prepared when they run. The memory is
// that of the largest shapes, and does not grow with the number of shapes.
func TestManyShapes(t *testing.T) {
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	b := edit.NewBuilder(background, registry, "many")
	x := b.Parameter("x", ir.F32, ir.ShapeOf(ir.AnyDim, ir.AnyDim))
	y := b.Layer("Interpolate", 4, edit.Attributes("mode", "linear", "shape_calculation_mode", "scales"),
		x, b.ConstantOf([]int64{2}), b.ConstantOf([]float32{2}), b.ConstantOf([]int64{1}))
	z := b.Layer("NonZero", 3, edit.Attributes("output_type", "i64"), b.Layer("Relu", 1, nil, y))
	b.Result("y", b.Layer("Softmax", 8, edit.Attributes("axis", "1"), y))
	b.Result("z", b.Layer("Gather", 8, nil, z, b.ConstantOf([]int64{0}), b.ConstantOf([]int64{0})))
	m, err := b.Model()
	require.NoError(t, err)
	compiled, err := NewCore(registry, Options{}).CompileModel(background, m, CompileOptions{InferenceNumThreads: 1})
	require.NoError(t, err)
	defer compiled.Close()
	request := compiled.NewInferRequest()
	infer := func(rows, columns int) {
		x, err := ir.NewTensor(ir.F32, rows, columns)
		require.NoError(t, err)
		ir.Data[float32](x)[0] = 1
		require.NoError(t, request.SetInput(0, x))
		require.NoError(t, request.Infer(background))
	}
	heap := func() int64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		return int64(s.HeapAlloc)
	}
	infer(100, 100) // the largest shape
	var early int64
	shapes := 10_000
	if testing.Short() {
		shapes = 3_000
	}
	for i := range shapes {
		infer(1+i/100, 1+i%100)
		if i == 2000 {
			early = heap()
		}
	}
	assert.Less(t, heap()-early, int64(2<<20), "bytes more after %d shapes than after 2,000", shapes)
}
