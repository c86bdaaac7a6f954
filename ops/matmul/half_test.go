package matmul

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

var halfOp = &Ops[4]

// TestInferHalf has no results of OpenVINO, which does not have the type.
func TestInferHalf(t *testing.T) {
	for _, c := range []struct {
		transposed bool
		inputs     []string
		want       string
	}{
		{true, []string{"f32[2,?,8]", "f16[5,8]"}, "f32[2,?,5]"},
		{false, []string{"f32[2,?,8]", "bf16[8,5]"}, "f32[2,?,5]"},
		{false, []string{"f32[8]", "bf16[8,5]"}, "f32[5]"},
		{false, []string{"f32[...]", "dynamic[...]"}, "f32[...]"},
		{false, []string{"f32[2,8]", "f32[8,5]"}, "input 1 is f32, expected f16 or bf16"},
		{false, []string{"f16[2,8]", "f16[8,5]"}, "input 0 is f16, expected f32"},
		{false, []string{"f32[2,8]", "f16[1,8,5]"}, "input 1 is [1,8,5], expected a matrix"},
		{false, []string{"f32[2,8]", "f16[5,8]"}, "input 0 is [2,8], input 1 is [5,8]: the rows of one have 8 elements, the columns of the other 5"},
	} {
		got, err := layertest.Infer(t, halfOp, layertest.Attributes{"transpose_b", strconv.FormatBool(c.transposed)}, c.inputs...)
		if err != nil {
			got = err.Error()
		}
		assert.Equal(t, c.want, got, "%v", c.inputs)
	}
}

// narrowed returns the elements of t, f32, in f16 or bf16. t gets the rounded numbers.
func narrowed(t testing.TB, wide *ir.Tensor, elementType ir.ElementType) *ir.Tensor {
	t.Helper()
	narrow, err := ir.NewTensor(elementType, wide.Shape()...)
	require.NoError(t, err)
	if numbers := ir.Data[float32](wide); elementType == ir.F16 {
		half.F32sToF16s(ir.Data[uint16](narrow), numbers)
		half.F16sToF32s(numbers, ir.Data[uint16](narrow))
	} else {
		half.F32sToBF16s(ir.Data[half.BFloat16](narrow), numbers)
		half.BF16sToF32s(numbers, ir.Data[half.BFloat16](narrow))
	}
	return narrow
}

// halfKernel returns the kernel of HalfMatMul for the product of c and a run of it.
func halfKernel(t testing.TB, c *trial, b *ir.Tensor) (*ops.Prepared, *ops.Run) {
	t.Helper()
	in, err := inferred(t, c.transposeA, c.transposeB, ir.Fact{Type: ir.F32, Shape: c.a.Shape().Partial()}, ir.Fact{Type: ir.F32, Shape: b.Shape().Partial()})
	require.NoError(t, err, "%v", c)
	in.Inputs[1] = ir.Fact{Type: b.ElementType(), Shape: b.Shape().Partial(), Tensor: b}
	prepared, err := halfOp.PrepareKernel(&ops.Preparation{Attributes: in.Attributes, Inputs: in.Inputs, Outputs: in.Outputs, Threads: c.threads, Stages: c.stages}, math.MaxInt)
	require.NoError(t, err, "%v", c)
	shape, err := in.Outputs[0].Shape.Static()
	require.NoError(t, err)
	out, err := ir.NewTensor(ir.F32, shape...)
	require.NoError(t, err)
	scratch := ir.AlignedBytes(prepared.ScratchBytes)
	// values left by an earlier user of the memory
	for _, bytes := range [][]byte{scratch, out.Bytes()} {
		for i := range bytes {
			bytes[i] = 0x7b
		}
	}
	return prepared, &ops.Run{Inputs: []*ir.Tensor{c.a, nil}, Outputs: []*ir.Tensor{out}, Scratch: scratch}
}

// newHalfTrial returns a random product by a matrix of 17 columns or more, in numbers whose sums
// are rounded, and the matrix in f16 or bf16.
func newHalfTrial(t testing.TB, rng *rand.Rand) (*trial, *ir.Tensor) {
	c := newTrial(t, rng, ir.F32, func() int { return 2 + rng.IntN([]int{8, 100, 420}[rng.IntN(3)]) })
	c.constB, c.rounded, c.threads = true, ir.Dynamic, 1+rng.IntN(4)
	depth, n := c.a.Shape()[len(c.a.Shape())-1], 17+rng.IntN(300)
	if c.transposeA && len(c.a.Shape()) > 1 {
		depth = c.a.Shape()[len(c.a.Shape())-2]
	}
	b := ir.Shape{depth, n}
	if c.transposeB {
		b = ir.Shape{n, depth}
	}
	c.b, c.stages = randomTensor(t, rng, ir.F32, b), randomStages(rng, n)
	for _, x := range []*ir.Tensor{c.a, c.b} {
		for i := range ir.Data[float32](x) {
			ir.Data[float32](x)[i] = float32(rng.NormFloat64())
		}
	}
	return c, narrowed(t, c.b, []ir.ElementType{ir.F16, ir.BF16}[rng.IntN(2)])
}

// TestHalf compares HalfMatMul with MatMul by the same numbers in f32: bit by bit, except for
// products of one row, which are added in another order.
func TestHalf(t *testing.T) {
	layertest.CheckSeeds(t, 200, func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 21))
		if rng.IntN(2) == 0 {
			defer cpu.AVX512.Disable()()
		}
		if rng.IntN(4) == 0 {
			defer cpu.FMA.Disable()()
			defer cpu.NEON.Disable()()
		}
		c, b := newHalfTrial(t, rng)
		want := ir.Data[float32](c.run(t))
		prepared, r := halfKernel(t, c, b)
		assert.Equal(t, []int{1}, prepared.Released)
		r.Pool = parallel.New(c.threads)
		defer r.Pool.Close()
		for range 2 {
			require.NoError(t, prepared.Kernel(r), "%v", c)
		}
		got := ir.Data[float32](r.Outputs[0])
		if shape := c.a.Shape(); len(shape) > 1 && r.Outputs[0].Shape()[len(shape)-2] > 1 {
			require.Equal(t, want, got, "%v, %v", c, b.ElementType())
			return
		}
		for i := range want {
			require.InDelta(t, want[i], got[i], 1e-3, "%v, %v", c, b.ElementType())
		}
	})
}

// TestHalf_steps has products whose steps differ: by rows, by columns, by tiles and by batches,
// with stages that are applied to the whole result.
func TestHalf_steps(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 23))
	for _, s := range []struct {
		a          ir.Shape
		n, threads int
		transposeA bool
	}{
		{ir.Shape{5, 700}, 400, 3, false}, {ir.Shape{300, 500}, 70, 3, false}, {ir.Shape{100, 500}, 70, 7, false}, {ir.Shape{600, 40}, 300, 2, false},
		{ir.Shape{3, 400, 40}, 300, 3, true}, {ir.Shape{3, 40, 9}, 300, 2, true}, {ir.Shape{2, 40, 150}, 100, 7, true}, {ir.Shape{1, 800}, 30, 8, false},
	} {
		c := &trial{elementType: ir.F32, a: randomTensor(t, rng, ir.F32, s.a), constB: true, threads: s.threads, transposeA: s.transposeA}
		depth := s.a[len(s.a)-1]
		if s.transposeA {
			depth = s.a[len(s.a)-2]
		}
		c.b = randomTensor(t, rng, ir.F32, ir.Shape{depth, s.n})
		for _, c.stages = range [][]ops.Stage{nil, {biasStage(rng, s.n, 1)}, {biasStage(rng, 3, 2), biasStage(rng, s.n, 1)}} {
			prepared, r := halfKernel(t, c, narrowed(t, c.b, ir.F16))
			r.Pool = parallel.New(c.threads)
			require.NoError(t, prepared.Kernel(r), "%v", c)
			r.Pool.Close()
			c.check(t, r.Outputs[0], 7)
		}
	}
}

func TestHalf_errors(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 25))
	c := &trial{elementType: ir.F32, a: randomTensor(t, rng, ir.F32, ir.Shape{5, 3}), b: randomTensor(t, rng, ir.F32, ir.Shape{3, 1})}
	in, err := inferred(t, false, false, ir.Fact{Type: ir.F32, Shape: c.a.Shape().Partial()}, ir.Fact{Type: ir.F32, Shape: c.b.Shape().Partial()})
	require.NoError(t, err)
	p := &ops.Preparation{Attributes: in.Attributes, Inputs: in.Inputs, Outputs: in.Outputs}
	for _, p.Inputs[1].Tensor = range []*ir.Tensor{nil, narrowed(t, c.b, ir.F16)} {
		_, err = prepareHalf(p)
		require.EqualError(t, err, "input 1 is [3,1], expected a constant of two columns or more")
	}
}

func TestHalf_allocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(26, 27))
	for _, m := range []int{1, 3, 40} {
		c := &trial{elementType: ir.F32, a: randomTensor(t, rng, ir.F32, ir.Shape{m, 200}), b: randomTensor(t, rng, ir.F32, ir.Shape{200, 100}), threads: 1}
		prepared, r := halfKernel(t, c, narrowed(t, c.b, ir.BF16))
		assert.Zero(t, testing.AllocsPerRun(5, func() { require.NoError(t, prepared.Kernel(r)) }), "%d rows", m)
	}
}

// BenchmarkHalf multiplies by weights of layers of text models, in f32, f16 and bf16, for one token
// and for more.
func BenchmarkHalf(b *testing.B) {
	rng := rand.New(rand.NewPCG(28, 29))
	for _, s := range []struct{ depth, n int }{{2048, 32000}, {384, 1536}, {768, 3072}, {3072, 768}, {384, 384}, {128, 128}, {64, 64}, {32, 32}} {
		c := trial{elementType: ir.F32, b: randomTensor(b, rng, ir.F32, ir.Shape{s.n, s.depth}), transposeB: true, constB: true, threads: 1}
		f16, bf16 := narrowed(b, c.b, ir.F16), narrowed(b, c.b, ir.BF16)
		for _, m := range []int{1, 2, 4, 8, 16, 32, 128} {
			if m*s.n > 1<<20 {
				continue
			}
			c.a = randomTensor(b, rng, ir.F32, ir.Shape{m, s.depth})
			wide, run := c.prepare(b)
			run.Pool = parallel.New(1)
			kernels, runs := []ops.Kernel{wide}, []*ops.Run{run}
			for _, narrow := range []*ir.Tensor{f16, bf16} {
				prepared, r := halfKernel(b, &c, narrow)
				r.Pool = run.Pool
				kernels, runs = append(kernels, prepared.Kernel), append(runs, r)
			}
			for i, name := range []string{"f32", "f16", "bf16"} {
				b.Run(fmt.Sprintf("%dx%dx%d/%s", m, s.depth, s.n, name), func(b *testing.B) {
					for b.Loop() {
						if err := kernels[i](runs[i]); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			run.Pool.Close()
		}
	}
}
