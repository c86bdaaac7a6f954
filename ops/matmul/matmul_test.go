package matmul

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// inferred runs the attribute parser and the shape rule of a MatMul.
func inferred(t testing.TB, transposeA, transposeB bool, a, b ir.Fact) (*ops.Inference, error) {
	t.Helper()
	layer := &ir.Layer{Type: "MatMul", Data: []ir.Attribute{
		{Name: "transpose_a", Value: fmt.Sprint(transposeA)}, {Name: "transpose_b", Value: fmt.Sprint(transposeB)},
	}}
	attributes, err := parse(ir.AttributesOf(layer))
	require.NoError(t, err)
	in := &ops.Inference{Layer: layer, Attributes: attributes, Inputs: []ir.Fact{a, b}, Outputs: make([]ir.Fact, 1)}
	return in, infer(in)
}

// TestInfer has results of OpenVINO.
func TestInfer(t *testing.T) {
	for _, c := range []struct{ a, b, transpose, want string }{
		{"[2,3]", "[3,4]", "", "[2,4]"},
		{"[3,2]", "[4,3]", "ab", "[2,4]"},
		{"[5]", "[5]", "", "[]"},
		{"[5]", "[2,5,4]", "", "[2,4]"},
		{"[2,4,5]", "[5]", "", "[2,4]"},
		{"[5]", "[4,5]", "ab", "[4]"},
		{"[?]", "[6]", "", "[]"},
		{"[...]", "[5]", "", "[...]"},
		{"[...]", "[]", "", "[...]"},
		{"[?,4,5]", "[1,5,?]", "", "[?,4,?]"},
		{"[1..3,4,5]", "[2,5,?]", "", "[2,4,?]"},
		{"[?,4,5]", "[?,?,5,2]", "", "[?,?,4,2]"},
		{"[0..4,4,5]", "[1..2,5,2]", "", "[..4,4,2]"},
		{"[3,?,4,5]", "[2..,5,2]", "", "[3,2..,4,2]"},
		{"[4,0]", "[0,4]", "", "[4,4]"},
		{"[2,0,3]", "[3,4]", "", "[2,0,4]"},
		// Dynamic lengths that cannot be equal.
		{"[2..3,4,5]", "[5..6,5,4]", "", "[?,4,4]"},
		{"[2,4,5]", "[5..6,5,4]", "", "[?,4,4]"},
		{"[4,2..3]", "[5..6,4]", "", "[4,4]"},
		{"[4,2]", "[5..6,4]", "", "[4,4]"},
		{"[4,2]", "[3,4]", "", "input 0 is [4,2], input 1 is [3,4]: the rows of one have 2 elements, the columns of the other 3"},
		{"[5]", "[5,4]", "ab", "input 0 is [5], input 1 is [5,4]: the rows of one have 5 elements, the columns of the other 4"},
		{"[2,4,5]", "[3,5,4]", "", "input 0 is [2,4,5], input 1 is [3,5,4]: the batches 2 and 3 do not broadcast"},
		{"[]", "[5]", "", "a scalar is no matrix"},
	} {
		a, err := ir.ParsePartialShape(c.a)
		require.NoError(t, err)
		b, err := ir.ParsePartialShape(c.b)
		require.NoError(t, err)
		in, err := inferred(t, strings.Contains(c.transpose, "a"), strings.Contains(c.transpose, "b"),
			ir.Fact{Type: ir.F32, Shape: a}, ir.Fact{Type: ir.Dynamic, Shape: b})
		if err != nil {
			assert.Equal(t, c.want, err.Error())
			continue
		}
		assert.Equal(t, c.want, in.Outputs[0].Shape.String(), "%s by %s %s", c.a, c.b, c.transpose)
		assert.Equal(t, ir.F32, in.Outputs[0].Type)
	}
	_, err := inferred(t, false, false, ir.Fact{Type: ir.F32, Shape: ir.StaticShape(2, 2)}, ir.Fact{Type: ir.F16, Shape: ir.StaticShape(2, 2)})
	assert.EqualError(t, err, "input 0 is f32, input 1 is f16")
}

func TestKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, elementType := range Ops[0].Types {
		t.Run(elementType.String(), func(t *testing.T) {
			for range 120 {
				c := newTrial(t, rng, elementType, func() int { return []int{0, 1, 1, 2, 3, 5, 13, 34}[rng.IntN(8)] })
				c.check(t, c.run(t), 1)
			}
		})
	}
}

// TestKernels_large covers every way of splitting the work.
func TestKernels_large(t *testing.T) {
	if testing.Short() {
		t.Skip("large products")
	}
	rng := rand.New(rand.NewPCG(2, 2))
	for _, shapes := range [][2]ir.Shape{
		{{300, 270}, {270, 90}}, {{20, 400}, {400, 500}}, {{1, 300}, {300, 1000}}, {{600, 300}, {300, 1}},
		{{3, 70, 40}, {3, 40, 70}}, {{3, 197, 30}, {3, 30, 300}}, {{900, 20}, {20, 600}}, {{2, 500, 40}, {2, 40, 7}}, {{150, 900}, {900, 2}}, {{5, 1, 260, 30}, {30, 40}}, {{2, 90, 210}, {2, 210, 60}},
		{{6, 3, 49, 32}, {6, 3, 32, 49}}, {{4, 5, 20, 40}, {5, 40, 32}},
	} {
		for _, elementType := range []ir.ElementType{ir.F32, ir.I32, ir.F16} {
			for threads := 1; threads <= 4; threads += 3 {
				for i := range 6 {
					c := &trial{elementType: elementType, threads: threads, constB: i%2 > 0, rounded: []ir.ElementType{ir.Dynamic, ir.BF16, ir.F16}[i/2]}
					if elementType == ir.F32 {
						c.stages = randomStages(rng, shapes[1][len(shapes[1])-1])
					}
					c.a, c.b = randomTensor(t, rng, elementType, shapes[0]), randomTensor(t, rng, elementType, shapes[1])
					c.check(t, c.run(t), 101)
				}
			}
		}
	}
}

// TestKernels_threads checks that the result has the same bits for every number of threads.
func TestKernels_threads(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, shapes := range [][2]ir.Shape{{{170, 700}, {700, 130}}, {{17, 15, 60}, {17, 60, 49}}} {
		c := &trial{elementType: ir.F32, a: randomTensor(t, rng, ir.F32, shapes[0]), b: randomTensor(t, rng, ir.F32, shapes[1])}
		for _, x := range []*ir.Tensor{c.a, c.b} {
			for i := range x.Len() {
				ir.Data[float32](x)[i] = rng.Float32() - 0.5
			}
		}
		var want []byte
		for _, threads := range []int{1, 2, 3, 8} {
			c.threads = threads
			got := c.run(t).Bytes()
			if want == nil {
				want = got
			}
			assert.Equal(t, want, got, "%v, %d threads", shapes, threads)
		}
	}
}

func TestPrepare_refuses(t *testing.T) {
	fact := func(elementType ir.ElementType, lengths ...int) ir.Fact {
		return ir.Fact{Type: elementType, Shape: ir.StaticShape(lengths...)}
	}
	prepareAs := func(a, b, out ir.Fact) error {
		_, err := Ops[0].PrepareKernel(&ops.Preparation{Attributes: attributes{}, Inputs: []ir.Fact{a, b}, Outputs: []ir.Fact{out}, Threads: 1}, 0)
		return err
	}
	assert.EqualError(t, prepareAs(fact(ir.F32, 2, 3), fact(ir.F32, 4, 2), fact(ir.F32, 2, 2)),
		"input 0 is [2,3], input 1 is [4,2]: the rows of one have 3 elements, the columns of the other 4")
	assert.EqualError(t, prepareAs(fact(ir.F32, 2, 3, 3), fact(ir.F32, 3, 3, 3), fact(ir.F32, 3, 3, 3)),
		"input 0 is [2,3,3], input 1 is [3,3,3]: the batches 2 and 3 do not broadcast")
	assert.ErrorContains(t, prepareAs(fact(ir.U4, 2, 2), fact(ir.U4, 2, 2), fact(ir.U4, 2, 2)), "MatMul-1 has no kernel for input 0 of type u4, only for [f32 ")
	assert.EqualError(t, prepareAs(fact(ir.F32), fact(ir.F32, 2), fact(ir.F32, 2)), "input 0 is [], input 1 is [2]: a scalar is no matrix")
}

// FuzzKernels multiplies random matrices and batches.
func FuzzKernels(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 3))
		types := Ops[0].Types
		c := newTrial(t, rng, types[rng.IntN(len(types))], func() int { return rng.IntN(1 << rng.IntN(7)) })
		c.check(t, c.run(t), 1)
	})
}

// TestKernels_features runs the kernels as on machines without some of this machine's CPU features.
func TestKernels_features(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, f := range cpu.Features() {
		if !f.Available() {
			continue
		}
		restore := f.Disable()
		for range 60 {
			c := newTrial(t, rng, ir.F32, func() int { return []int{1, 2, 3, 13, 40, 90}[rng.IntN(6)] })
			c.check(t, c.run(t), 1)
		}
		restore()
	}
}

// TestKernels_allocations checks that a kernel does not allocate, for every way of splitting the
// work.
func TestKernels_allocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, shapes := range [][2]ir.Shape{
		{{20, 30}, {30, 40}}, {{900, 20}, {20, 60}}, {{1, 30}, {30, 40}}, {{200, 30}, {30, 2}}, {{3, 20, 30}, {3, 30, 40}},
	} {
		for _, threads := range []int{1, 2} {
			c := &trial{elementType: ir.F32, threads: threads, constB: rng.IntN(2) == 0, stages: randomStages(rng, 40)}
			c.a, c.b = randomTensor(t, rng, ir.F32, shapes[0]), randomTensor(t, rng, ir.F32, shapes[1])
			kernel, r := c.prepare(t)
			assert.Zero(t, testing.AllocsPerRun(5, func() { require.NoError(t, kernel(r)) }), "%v", c)
		}
	}
}

// TestConstantIsPackedOnce prepares a product with a constant b for two shapes of a.
func TestConstantIsPackedOnce(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.F32, ir.F16} {
		kept, made := map[string]any{}, 0
		for _, rows := range []int{5, 9} {
			b, err := ir.NewTensor(elementType, 7, 6)
			require.NoError(t, err)
			in, err := inferred(t, false, false,
				ir.Fact{Type: elementType, Shape: ir.StaticShape(rows, 7)}, ir.Fact{Type: elementType, Shape: ir.StaticShape(7, 6)})
			require.NoError(t, err)
			in.Inputs[1].Tensor = b
			_, err = prepare(&ops.Preparation{
				Attributes: in.Attributes, Inputs: in.Inputs, Outputs: in.Outputs, Threads: 1,
				Keep: func(_ *ir.Tensor, key string, bytes int64, make func() (any, error)) (v any, err error) {
					assert.Positive(t, bytes)
					if v, ok := kept[key]; ok {
						return v, nil
					}
					made++
					kept[key], err = make()
					return kept[key], err
				},
			})
			require.NoError(t, err)
			require.NotZero(t, made, elementType)
			assert.Len(t, kept, made)
		}
		assert.Equal(t, map[ir.ElementType]int{ir.F32: 1, ir.F16: 2}[elementType], made, elementType)
	}
}

// TestKernel_f16 checks which products are computed in f16, and how large their errors are.
func TestKernel_f16(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for name, c := range map[string]struct {
		m, depth, n int
		transposeB  bool
		largest     float32 // an element of b, if it is not 0
		variable    bool    // b is not constant
		want        ir.ElementType
	}{
		"columns":      {40, 200, 60, false, 0, false, ir.F16},
		"rows":         {40, 200, 60, true, 0, false, ir.F16},
		"odd depth":    {5, 207, 7, true, 0, false, ir.F16},
		"large weight": {40, 200, 60, false, 65600, false, ir.Dynamic},
		"one row":      {1, 200, 60, false, 0, false, ir.Dynamic},
		"little depth": {40, 20, 60, false, 0, false, ir.Dynamic},
		"variable":     {40, 200, 60, false, 0, true, ir.Dynamic},
	} {
		t.Run(name, func(t *testing.T) {
			b := ir.Shape{c.depth, c.n}
			if c.transposeB {
				b = ir.Shape{c.n, c.depth}
			}
			trial := &trial{elementType: ir.F32, transposeB: c.transposeB, constB: !c.variable, threads: 2, rounded: ir.F16}
			trial.a, trial.b = randomTensor(t, rng, ir.F32, ir.Shape{c.m, c.depth}), randomTensor(t, rng, ir.F32, b)
			for _, x := range []*ir.Tensor{trial.a, trial.b} {
				for i := range x.Len() {
					ir.Data[float32](x)[i] = float32(rng.NormFloat64())
				}
			}
			if c.largest != 0 {
				ir.Data[float32](trial.b)[3] = c.largest
			}
			rounded := ir.Data[float32](trial.run(t))
			want := c.want
			if c.variable && gemm.NewPairs(true).AddsF32() {
				want = ir.F16
			}
			assert.Equal(t, want, trial.precision)
			trial.rounded = ir.Dynamic
			exact := ir.Data[float32](trial.run(t))
			if want != ir.F16 {
				assert.Equal(t, exact, rounded)
				return
			}
			assert.NotEqual(t, exact, rounded)
			for i, want := range exact {
				// Largest errors of 0.01 of the root mean square are usual.
				require.InDelta(t, want, rounded[i], 0.03*math.Sqrt(float64(c.depth)), "element %d", i)
			}
		})
	}
}
