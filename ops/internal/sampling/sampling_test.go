package sampling

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestClamped(t *testing.T) {
	for _, c := range []struct {
		x       float64
		n       int
		at      [2]int
		weights [2]float64
	}{
		{-0.5, 3, [2]int{0, 1}, [2]float64{1, 0}},
		{0.25, 3, [2]int{0, 1}, [2]float64{0.75, 0.25}},
		{1.5, 3, [2]int{1, 2}, [2]float64{0.5, 0.5}},
		{2, 3, [2]int{2, 2}, [2]float64{1, 0}},
		{1e300, 3, [2]int{2, 2}, [2]float64{1, 0}},
		{-1e300, 3, [2]int{0, 1}, [2]float64{1, 0}},
		{0, 1, [2]int{0, 0}, [2]float64{1, 0}},
		{-1, 1, [2]int{0, 0}, [2]float64{1, 0}},
	} {
		at, weights := Clamped(c.x, c.n)
		assert.Equal(t, c.at, at, "%+v", c)
		assert.Equal(t, c.weights, weights, "%+v", c)
	}
}

// TestQuad compares Of and Add, in both layouts, with a sum over the positions.
func TestQuad(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const h, w, channels = 4, 5, 6
	planes, last := make([]float32, channels*h*w), make([]float32, channels*h*w)
	for i := range planes {
		planes[i] = float32(rng.IntN(100))
		last[i%(h*w)*channels+i/(h*w)] = planes[i]
	}
	for range 200 {
		var q Quad[float32]
		y, x := [2]int{rng.IntN(h+2) - 1, rng.IntN(h+2) - 1}, [2]int{rng.IntN(w+2) - 1, rng.IntN(w+2) - 1}
		wy, wx := [2]float32{1, 2}, [2]float32{3, float32(rng.IntN(9))}
		q.Set(y, x, wy, wx, h, w)
		first := rng.IntN(channels)
		sums := [2][]float32{make([]float32, channels-first), make([]float32, channels-first)}
		for i, image := range []Image[float32]{{planes, 1, h * w}, {last, channels, 1}} {
			image.Add(sums[i], &q, first)
		}
		for c := first; c < channels; c++ {
			want := float32(0)
			for i, row := range y {
				for j, column := range x {
					if row >= 0 && row < h && column >= 0 && column < w {
						want += wy[i] * wx[j] * planes[(c*h+row)*w+column]
					}
				}
			}
			assert.Equal(t, want, q.Of(planes[c*h*w:][:h*w]))
			assert.Equal(t, want, sums[0][c-first])
			assert.Equal(t, want, sums[1][c-first])
		}
		q.SetNaN()
		assert.True(t, math.IsNaN(float64(q.Of(planes[:h*w]))))
		assert.Zero(t, q.Of(nil))
	}
}

func TestStore(t *testing.T) {
	values := []float64{-3e20, -129.5, -1.5, -0.5, 0.5, 1.5, 2.7, 127.5, 300, 3e20, math.NaN()}
	for elementType, want := range map[ir.ElementType][]float64{
		ir.I8:  {-128, -128, -2, 0, 0, 2, 3, 127, 127, 127, 0},
		ir.U8:  {0, 0, 0, 0, 0, 2, 3, 128, 255, 255, 0},
		ir.I16: {math.MinInt16, -129, -1, 0, 0, 1, 2, 127, 300, math.MaxInt16, 0},
		ir.U16: {0, 0, 0, 0, 0, 1, 2, 127, 300, math.MaxUint16, 0},
		ir.I32: {math.MinInt32, -129, -1, 0, 0, 1, 2, 127, 300, math.MaxInt32, 0},
		ir.U32: {0, 0, 0, 0, 0, 1, 2, 127, 300, math.MaxUint32, 0},
		ir.I64: {math.MinInt64, -129, -1, 0, 0, 1, 2, 127, 300, math.MaxInt64, 0},
		ir.F64: values,
		ir.F32: values,
	} {
		for name, store := range map[string]func(*ir.Tensor){
			"f64": func(to *ir.Tensor) { Store(to, 1, values) },
			"f32": func(to *ir.Tensor) {
				narrow := make([]float32, len(values))
				for i, v := range values {
					narrow[i] = float32(v)
				}
				Store(to, 1, narrow)
			},
		} {
			tensor := layertest.Numbers(t, elementType, ir.Shape{len(values) + 1})
			store(tensor)
			got := layertest.Floats(t, tensor)
			for i, v := range want {
				if name == "f32" || elementType == ir.F32 {
					v, got[1+i] = float64(float32(v)), float64(float32(got[1+i]))
				}
				assert.True(t, got[1+i] == v || v != v && got[1+i] != got[1+i], "%v of %s, element %d: %v, want %v", elementType, name, i, got[1+i], v)
			}
		}
	}
}

func TestStore_u64(t *testing.T) {
	tensor := layertest.Ints(t, ir.U64, ir.Shape{3}, 1, 1, 1)
	Store(tensor, 0, []float32{-1, 3e20, 1 << 63})
	assert.Equal(t, []uint64{0, math.MaxUint64, 1 << 63}, ir.Data[uint64](tensor))
}

func TestLoad(t *testing.T) {
	for _, elementType := range Numbers {
		tensor := layertest.Numbers(t, elementType, ir.Shape{4}, 1, 2, 3, 100)
		wide, narrow := make([]float64, 3), make([]float32, 3)
		Load(wide, tensor, 1)
		Load(narrow, tensor, 1)
		assert.Equal(t, []float64{2, 3, 100}, wide, elementType)
		assert.Equal(t, []float32{2, 3, 100}, narrow, elementType)
		out := layertest.Numbers(t, elementType, ir.Shape{4})
		Store(out, 1, wide)
		Store(out, 0, narrow[:1])
		assert.Equal(t, []float64{2, 2, 3, 100}, layertest.Floats(t, out), elementType)
	}
	assert.Panics(t, func() { Load(make([]float32, 1), layertest.Counted(t, ir.I4, 2), 0) })
	assert.Panics(t, func() { Store(layertest.Counted(t, ir.I4, 2), 0, make([]float32, 1)) })
	assert.True(t, Wide(ir.I64))
	assert.False(t, Wide(ir.I16))
}

// mean is a layer whose point i is the mean of data and of other at position (i+item) modulo the
// plane.
func mean(quads float64, items, points int) *ops.Op {
	return &ops.Op{
		Type: "Mean", Version: 1, Inputs: ops.Exactly(2),
		Infer: func(in *ops.Inference) error {
			in.Outputs[0] = ir.Fact{Type: in.Inputs[0].Type, Shape: ir.ShapeOf(ir.DimOfInt(int64(items)), in.Inputs[0].Shape.At(1), ir.DimOfInt(int64(points)))}
			return nil
		},
		Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
			l := &Layer{Images: []int{0, 1}, Items: items, Points: points, Quads: quads, Elements: 3}
			if Wide(p.Inputs[0].Type) {
				return Kernel(p, l, meanPart[float64](p))
			}
			return Kernel(p, l, meanPart[float32](p))
		},
	}
}

func meanPart[T Float](p *ops.Preparation) Part[T] {
	shape, _ := p.Inputs[0].Shape.Static()
	batch, plane := shape[0], shape[2]*shape[3]
	return func(w *Worker[T], item, lo, hi int) error {
		w.Memory[2], w.Extra[shape[1]-1] = 1, 1
		for i := range w.Rows(lo, hi) {
			if w.Rows(lo, hi)[i] != 0 {
				return errors.New("the rows are not 0")
			}
		}
		a, b := w.Image(0, item%batch), w.Image(1, item%batch)
		for i := lo; i < hi; i++ {
			q := Quad[T]{At: [4]int{(i + item) % plane, Outside, Outside, Outside}, Weights: [4]T{0.5}}
			a.Add(w.Row(i), &q, 0)
			b.Add(w.Row(i), &q, 0)
		}
		if item == 77 {
			return fmt.Errorf("item %d", item)
		}
		return nil
	}
}

// TestKernel has layers in both layouts, of all types and of several shapes.
func TestKernel(t *testing.T) {
	for i, shape := range []ir.Shape{{1, 1, 3, 5}, {2, 3, 1, 7}, {2, 4, 3, 3}, {1, 37, 9, 11}, {2, 5000, 2, 1}, {1, 64, 10, 20}, {3, 2, 1, 500}} {
		items, points := 2+i%3, []int{1, 7, 70}[i%3]
		batch, plane := shape[0], shape[2]*shape[3]
		for _, quads := range []float64{0, 1e5} {
			for _, elementType := range Numbers {
				data, want := make([]float64, shape.Elements()), make([]float64, items*shape[1]*points)
				for k := range data {
					data[k] = float64(k * 2 % 100)
				}
				for k := range want {
					item, c, point := k/points/shape[1], k/points%shape[1], k%points
					want[k] = data[(item%batch*shape[1]+c)*plane+(point+item)%plane]
				}
				in := layertest.Numbers(t, elementType, shape, data...)
				layertest.CheckNear(t, mean(quads, items, points), nil, ir.Shape{items, shape[1], points}, want, 0, in, in)
			}
		}
	}
}

func TestKernel_empty(t *testing.T) {
	for _, shape := range []ir.Shape{{0, 3, 2, 2}, {1, 0, 2, 2}, {1, 3, 0, 2}} {
		in := layertest.Numbers(t, ir.F32, shape)
		layertest.CheckNear(t, mean(1, 2, 3), nil, ir.Shape{2, shape[1], 3}, make([]float64, 2*shape[1]*3), 0, in, in)
	}
	in := layertest.Numbers(t, ir.F32, ir.Shape{1, 3, 2, 2})
	layertest.CheckNear(t, mean(1, 0, 3), nil, ir.Shape{0, 3, 3}, nil, 0, in, in)
}

func TestKernel_errors(t *testing.T) {
	in := layertest.Numbers(t, ir.F32, ir.Shape{1, 3, 2, 2})
	_, err := layertest.Run(mean(1, 78, 3), nil, 2, in, in)
	require.EqualError(t, err, "item 77")
	wide := ir.Fact{Type: ir.F16, Shape: ir.ShapeOf(ir.Dim(1<<12), ir.Dim(1<<30), ir.Dim(1<<10), ir.Dim(1<<9))}
	if math.MaxInt > math.MaxInt32 {
		out := ir.Fact{Type: ir.F16, Shape: ir.ShapeOf(ir.Dim(1), ir.Dim(1<<30), ir.Dim(1))}
		p := &ops.Preparation{Inputs: []ir.Fact{wide, wide}, Outputs: []ir.Fact{out}}
		prepared, err := Kernel(p, &Layer{Images: []int{0, 1}, Items: 1, Points: 1}, meanPart[float32](p))
		require.NoError(t, err)
		require.Equal(t, math.MaxInt, prepared.ScratchBytes, "which PrepareKernel refuses")
	}
}

func TestKernel_allocations(t *testing.T) {
	for _, elementType := range Numbers {
		in := layertest.Numbers(t, elementType, ir.Shape{1, 64, 30, 30})
		layertest.CheckAllocations(t, mean(1e5, 3, 1000), nil, in, in)
	}
}

// TestSpan compares Window and the weights with all samples of bins.
func TestSpan(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		length := 1 + rng.IntN(9)
		s := NewSpan(float64(rng.IntN(60)-40)/2, float64(rng.IntN(200)-50)/4, 1+rng.IntN(4), rng.IntN(12), length)
		bin := rng.IntN(3)
		first, n := s.Window(bin, -1, float64(length))
		want, sums := make([]float64, length), make([]float64, length)
		for i := range sums {
			sums[i] = 100 // garbage
		}
		for i := range int(s.Samples) {
			x := s.At(bin, i)
			if x < -1 || x > float64(length) {
				continue
			}
			require.True(t, i >= first && i < first+n, "%+v, bin %d: sample %d", s, bin, i)
			for k := range want {
				want[k] += max(1-math.Abs(min(max(x, 0), float64(length-1))-float64(k)), 0)
			}
		}
		from, used := s.weights(bin, sums)
		for k, v := range want {
			if k < from || k >= from+len(used) {
				require.Zero(t, v)
				continue
			}
			require.InDelta(t, v, used[k-from], 1e-9, "%+v, bin %d", s, bin)
		}
	}
	inf := NewSpan(0, math.Inf(1), 1, 0, 5)
	first, n := inf.Window(0, -1, 5)
	assert.Equal(t, [2]int{0, 1}, [2]int{first, n})
}
