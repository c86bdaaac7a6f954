package integerconv

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// reference computes the definition, coordinate by coordinate. Sums of int64 wrap.
func reference[T int64 | float32](g *Geometry, data, filters []T) []T {
	in, out := g.planes()
	sums := make([]T, g.Batch*g.Groups*g.OutChannels*out)
	z, y, x := &g.Axes[0], &g.Axes[1], &g.Axes[2]
	kernel := z.Kernel * y.Kernel * x.Kernel
	for o := range g.Axes.Output() {
		for k := range kernel {
			iz := o/(x.Output*y.Output)*z.Stride + k/(x.Kernel*y.Kernel)*z.Dilation - z.PadBegin
			iy := o/x.Output%y.Output*y.Stride + k/x.Kernel%y.Kernel*y.Dilation - y.PadBegin
			ix := o%x.Output*x.Stride + k%x.Kernel*x.Dilation - x.PadBegin
			if iz < 0 || iz >= z.Input || iy < 0 || iy >= y.Input || ix < 0 || ix >= x.Input {
				continue
			}
			from, to := (iz*y.Input+iy)*x.Input+ix, o
			if g.Transposed {
				from, to = to, from
			}
			for i := range g.Batch * g.Groups {
				for c := range g.InChannels {
					for next := range g.OutChannels {
						filter := (i%g.Groups*g.OutChannels+next)*g.InChannels + c
						if g.Transposed {
							filter = (i%g.Groups*g.InChannels+c)*g.OutChannels + next
						}
						sums[(i*g.OutChannels+next)*out+to] += filters[filter*kernel+k] * data[(i*g.InChannels+c)*in+from]
					}
				}
			}
		}
	}
	return sums
}

// random returns a geometry and the shapes of data, filters and the output.
func random(t testing.TB, rng *rand.Rand) (g *Geometry, shapes [3]ir.Shape) {
	g = &Geometry{Batch: rng.IntN(3), Groups: 1 + rng.IntN(3), InChannels: rng.IntN(10), OutChannels: rng.IntN(4), Transposed: rng.IntN(2) == 0}
	input, kernel, output := ir.Shape{}, ir.Shape{}, ir.Shape{}
	w := &window.Attributes{AutoPad: "explicit"}
	for range 1 + rng.IntN(3) {
		input, kernel, output = append(input, rng.IntN(9)), append(kernel, 1+rng.IntN(3)), append(output, rng.IntN(6))
		w.Strides, w.Dilations = append(w.Strides, 1+rng.Int64N(3)), append(w.Dilations, 1+rng.Int64N(2))
		w.PadsBegin, w.PadsEnd = append(w.PadsBegin, rng.Int64N(4)-1), append(w.PadsEnd, 0)
	}
	var err error
	g.Axes, err = w.Volume(input, kernel, output)
	require.NoError(t, err)
	in, out := g.planes()
	taps := g.Axes[0].Kernel * g.Axes[1].Kernel * g.Axes[2].Kernel
	return g, [3]ir.Shape{{g.Batch, g.Groups * g.InChannels, in}, {g.Groups * g.OutChannels, g.InChannels, taps}, {g.Batch, g.Groups * g.OutChannels, out}}
}

// fill sets the elements of t to random integers of a random number of bits.
func fill(rng *rand.Rand, t *ir.Tensor) {
	size := t.ElementType().Size()
	limit := int64(1) << rng.IntN(min(8*size-1, 27))
	for i := range t.Len() {
		v := rng.Int64N(limit)
		if t.ElementType().Kind() == ir.KindSigned && rng.IntN(2) == 0 {
			v = -v
		}
		for k := range size {
			t.Bytes()[i*size+k] = byte(v >> (8 * k))
		}
	}
}

// check compares the kernel of a type with the reference, and returns how often it computed in
// float32.
func check(t testing.TB, rng *rand.Rand, elementType ir.ElementType, g *Geometry, shapes [3]ir.Shape, pool *parallel.Pool) int {
	t.Helper()
	var tensors [3]*ir.Tensor
	var facts [3]ir.Fact
	var numbers [3][]int64
	for i, shape := range shapes {
		var err error
		tensors[i], err = ir.NewTensor(elementType, shape...)
		require.NoError(t, err)
		facts[i] = ir.Fact{Type: elementType, Shape: shape.Partial()}
		fill(rng, tensors[i])
		numbers[i] = integers(tensors[i])
	}
	computed := 0
	for i := range 2 {
		if rng.IntN(2) == 0 {
			facts[i].Tensor = tensors[i]
		}
	}
	prepared, err := Kernel(&ops.Preparation{Inputs: facts[:2], Outputs: facts[2:]}, g, func(*ops.Preparation) (*ops.Prepared, error) {
		return ops.Only(func(r *ops.Run) error {
			computed++
			copy(ir.Data[float32](r.Outputs[0]), reference(g, ir.Data[float32](r.Inputs[0]), ir.Data[float32](r.Inputs[1])))
			return nil
		}, nil)
	})
	require.NoError(t, err)
	want := slices.Clone(tensors[2].Bytes())
	size := elementType.Size()
	for i, v := range reference(g, numbers[0], numbers[1]) {
		for k := range size {
			want[i*size+k] = byte(v >> (8 * k))
		}
	}
	run := &ops.Run{Inputs: tensors[:2], Outputs: tensors[2:], Scratch: ir.AlignedBytes(prepared.ScratchBytes), Pool: pool}
	require.NoError(t, prepared.Kernel(run))
	require.Equal(t, want, tensors[2].Bytes(), "%v: %+v", elementType, g)
	return computed
}

// integers returns the elements of t. Those of u64 are the int64 of the same bits.
func integers(t *ir.Tensor) []int64 {
	size := t.ElementType().Size()
	values := make([]int64, t.Len())
	for i := range values {
		for k, b := range t.Bytes()[i*size : (i+1)*size] {
			values[i] |= int64(b) << (8 * k)
		}
		if shift := 64 - 8*size; t.ElementType().Kind() == ir.KindSigned {
			values[i] = values[i] << shift >> shift
		}
	}
	return values
}

func TestKernel(t *testing.T) {
	var counts [maxDigits + 1]int
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 1))
		g, shapes := random(t, rng)
		counts[check(t, rng, Types[rng.IntN(len(Types))], g, shapes, nil)]++
	}
	for digits, n := range counts {
		assert.Greater(t, n, 5, "kernels of %d digits", digits)
	}
}

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		g, shapes := random(t, rng)
		check(t, rng, Types[rng.IntN(len(Types))], g, shapes, nil)
	})
}

// TestKernel_threads is large enough for several threads.
func TestKernel_threads(t *testing.T) {
	pool := parallel.New(3)
	defer pool.Close()
	w := &window.Attributes{AutoPad: "same_upper", Strides: []int64{1, 2}}
	for _, transposed := range []bool{false, true} {
		g := &Geometry{Batch: 2, Groups: 2, InChannels: 9, OutChannels: 8, Transposed: transposed}
		var err error
		g.Axes, err = w.Volume(ir.Shape{20, 30}, ir.Shape{3, 3}, ir.Shape{20, 15})
		require.NoError(t, err)
		in, out := g.planes()
		shapes := [3]ir.Shape{{2, 18, in}, {16, 9, 9}, {2, 16, out}}
		for _, elementType := range Types {
			check(t, rand.New(rand.NewPCG(3, 1)), elementType, g, shapes, pool)
		}
	}
}

func TestKernel_stops(t *testing.T) {
	stop := make(chan struct{})
	close(stop)
	g := &Geometry{Batch: 1, Groups: 1, InChannels: 1, OutChannels: 1}
	var err error
	g.Axes, err = (&window.Attributes{AutoPad: "explicit"}).Volume(ir.Shape{1 << 20}, ir.Shape{3}, ir.Shape{1<<20 - 2})
	require.NoError(t, err)
	out := make([]uint32, 1<<20-2)
	out[len(out)-1] = 7
	convolve(g, stop, out, make([]uint32, 1<<20), make([]uint32, 3), 0, 1)
	assert.EqualValues(t, 7, out[len(out)-1], "the rest is not computed")
}

func TestKernel_refuses(t *testing.T) {
	_, err := Kernel(&ops.Preparation{Outputs: []ir.Fact{{Type: ir.F32}}}, &Geometry{}, nil)
	assert.EqualError(t, err, "element type f32 is no integer")
}

func BenchmarkKernel(b *testing.B) {
	for _, groups := range []int{1, 64} {
		b.Run(fmt.Sprintf("%d_groups", groups), func(b *testing.B) {
			g := &Geometry{Batch: 1, Groups: groups, InChannels: 64 / groups, OutChannels: 64 / groups}
			var err error
			g.Axes, err = (&window.Attributes{AutoPad: "same_upper"}).Volume(ir.Shape{56, 56}, ir.Shape{3, 3}, ir.Shape{56, 56})
			require.NoError(b, err)
			data, filters, out := make([]uint32, 64*56*56), make([]uint32, 64*64/groups*9), make([]uint32, 64*56*56)
			for b.Loop() {
				convolve(g, nil, out, data, filters, 0, 64)
			}
			b.ReportMetric(float64(64*64/groups*9*56*56)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GMAC/s")
		})
	}
}
