package matmul

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// quantizedTrial is a QuantizedMatMul with random numbers.
type quantizedTrial struct {
	a, b, scale, offset *ir.Tensor
	transposeB          bool
	stages              []ops.Stage
	threads             int
}

func newQuantizedTrial(t testing.TB, rng *rand.Rand, a ir.Shape, n int) *quantizedTrial {
	t.Helper()
	depth := a[len(a)-1]
	c := &quantizedTrial{transposeB: rng.IntN(2) == 0, threads: 1 + rng.IntN(3)}
	shape := ir.Shape{depth, n}
	if c.transposeB {
		shape = ir.Shape{n, depth}
	}
	c.a, c.b = layertest.Numbers(t, ir.U8, a), layertest.Numbers(t, ir.I8, shape)
	for i := range c.a.Bytes() {
		c.a.Bytes()[i] = byte(rng.UintN(256))
	}
	for i := range c.b.Bytes() {
		c.b.Bytes()[i] = byte(rng.UintN(256))
	}
	c.scale, c.offset = layertest.Numbers(t, ir.F32, ir.Shape{n}), layertest.Numbers(t, ir.F32, ir.Shape{n})
	for j := range n {
		ir.Data[float32](c.scale)[j], ir.Data[float32](c.offset)[j] = rng.Float32()/256, rng.Float32()-0.5
	}
	if rng.IntN(2) == 0 {
		c.stages = randomStages(rng, n)
	}
	return c
}

// prepare prepares the kernel for the types and shapes of the tensors.
func (c *quantizedTrial) prepare() (*ops.Prepared, ir.Shape, error) {
	op := &Ops[1]
	at := attributes{transposeB: c.transposeB}
	facts := []ir.Fact{{Type: c.a.ElementType(), Shape: c.a.Shape().Partial()}}
	for _, constant := range []*ir.Tensor{c.b, c.scale, c.offset} {
		facts = append(facts, ir.Fact{Type: constant.ElementType(), Shape: constant.Shape().Partial(), Tensor: constant})
	}
	in := &ops.Inference{Attributes: at, Inputs: facts, Outputs: make([]ir.Fact, 1)}
	if err := op.Infer(in); err != nil {
		return nil, nil, err
	}
	shape, err := in.Outputs[0].Shape.Static()
	if err != nil {
		return nil, nil, err
	}
	prepared, err := op.PrepareKernel(&ops.Preparation{Attributes: at, Inputs: facts, Outputs: in.Outputs, Threads: c.threads, Stages: c.stages}, 1<<20)
	return prepared, shape, err
}

// check compares with the definition.
func (c *quantizedTrial) check(t testing.TB) {
	t.Helper()
	prepared, shape, err := c.prepare()
	require.NoError(t, err)
	out, err := ir.NewTensor(ir.F32, shape...)
	require.NoError(t, err)
	// The kernel must not read b: its memory may be freed.
	require.Equal(t, []int{1}, prepared.Released)
	r := &ops.Run{Inputs: []*ir.Tensor{c.a, nil, c.scale, c.offset}, Outputs: []*ir.Tensor{out}, Scratch: make([]byte, prepared.ScratchBytes)}
	require.NoError(t, prepared.Kernel(r))
	want := make([]float32, out.Len())
	n, depth := c.scale.Len(), c.a.Shape()[len(c.a.Shape())-1]
	for i := range want {
		sum := 0
		for p := range depth {
			at := p*n + i%n
			if c.transposeB {
				at = i%n*depth + p
			}
			sum += int(ir.Data[uint8](c.a)[i/n*depth+p]) * int(ir.Data[int8](c.b)[at])
		}
		want[i] = float32(float64(sum)*float64(ir.Data[float32](c.scale)[i%n]) + float64(ir.Data[float32](c.offset)[i%n]))
	}
	if finish := ops.Compose(c.stages); finish != nil {
		finish(r, want, 0)
	}
	for i, v := range ir.Data[float32](out) {
		require.InDelta(t, want[i], v, 1e-3+1e-6*math.Abs(float64(want[i])), "element %d of %v by %v", i, c.a.Shape(), c.b.Shape())
	}
}

func TestQuantizedMatMul(t *testing.T) {
	for _, off := range cpu.Distinct([][]*cpu.Feature{nil, {cpu.AMX}, {cpu.AMX, cpu.AVX512VNNI}, {cpu.AMX, cpu.AVX512VNNI, cpu.AVXVNNI, cpu.AVX512}, {cpu.AMX, cpu.AVX512VNNI, cpu.AVXVNNI, cpu.AVX512, cpu.FMA}}) {
		t.Run(fmt.Sprint("without ", off), func(t *testing.T) {
			defer cpu.Disable(off...)()
			rng := rand.New(rand.NewPCG(1, 2))
			for range 300 {
				checkQuantized(t, rng)
			}
			for _, a := range []ir.Shape{{500, 64}, {3, 250, 20}, {700, 4}, {1, 1024}} {
				newQuantizedTrial(t, rng, a, 1+rng.IntN(400)).check(t)
			}
		})
	}
}

func checkQuantized(t testing.TB, rng *rand.Rand) {
	a := ir.Shape{4 * (1 + rng.IntN(9))}
	for range rng.IntN(3) {
		a = append(ir.Shape{rng.IntN(9)}, a...)
	}
	newQuantizedTrial(t, rng, a, rng.IntN(70)).check(t)
}

func FuzzQuantizedMatMul(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkQuantized(t, rand.New(rand.NewPCG(seed, 7))) })
}

func TestQuantizedMatMul_refuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		spoil func(c *quantizedTrial)
		want  string
	}{
		{func(c *quantizedTrial) { c.b = layertest.Numbers(t, ir.U8, c.b.Shape()) }, "input 1 is u8, expected i8"},
		{func(c *quantizedTrial) { c.a = layertest.Numbers(t, ir.I8, c.a.Shape()) }, "input 0 is i8, expected u8"},
		{func(c *quantizedTrial) { c.a = layertest.Numbers(t, ir.U8, ir.Shape{3, 12}) }, "input 0 is [3,12], input 1 is [8,5]: the rows of one have 12 elements, the columns of the other 8"},
		{func(c *quantizedTrial) { c.b = layertest.Numbers(t, ir.I8, ir.Shape{2, 8, 5}) }, "input 0 is [3,8], input 1 is i8[2,8,5], expected a constant matrix of i8"},
		{func(c *quantizedTrial) {
			c.a, c.b = layertest.Numbers(t, ir.U8, ir.Shape{3, 6}), layertest.Numbers(t, ir.I8, ir.Shape{6, 5})
		}, "input 0 is [3,6], input 1 is [6,5]: expected rows and columns of the same multiple of 4"},
		{func(c *quantizedTrial) { c.scale = layertest.Numbers(t, ir.F32, ir.Shape{6}) }, "input 2 is f32[6], expected 5 constants of f32"},
		{func(c *quantizedTrial) { c.offset = layertest.Numbers(t, ir.F64, ir.Shape{5}) }, "input 3 is f64[5], expected 5 constants of f32"},
	} {
		trial := newQuantizedTrial(t, rng, ir.Shape{3, 8}, 5)
		trial.transposeB, trial.b = false, layertest.Numbers(t, ir.I8, ir.Shape{8, 5})
		c.spoil(trial)
		_, _, err := trial.prepare()
		assert.EqualError(t, err, c.want)
	}
}
