package eltwise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// random returns a tensor of random numbers, most of them different.
func random(t testing.TB, rng *rand.Rand, shape ir.Shape) *ir.Tensor {
	t.Helper()
	x := make([]float64, shape.Elements())
	for i := range x {
		x[i] = rng.NormFloat64() * 3
	}
	return layertest.Numbers(t, ir.F32, shape, x...)
}

// TestStage combines a tensor with one that lacks some axes or has length 1 along some.
func TestStage(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for i := range Ops {
		op := &Ops[i]
		if op.Fusion.Stage == nil {
			continue
		}
		for range 60 {
			shape := make(ir.Shape, 1+rng.IntN(4))
			other := make(ir.Shape, len(shape))
			for k := range shape {
				shape[k] = 1 + rng.IntN(9)
				if other[k] = shape[k]; rng.IntN(2) == 0 {
					other[k] = 1
				}
			}
			other = other[rng.IntN(len(other)+1):]
			x, y := random(t, rng, shape), random(t, rng, other)
			layertest.CheckAsStage(t, rng, op, nil, 0, x, y)
			if op.Type != "PRelu" {
				layertest.CheckAsStage(t, rng, op, nil, 1, y, x)
			}
		}
		layertest.CheckStages(t, op, nil, 2, random(t, rng, ir.Shape{3, 50, 67}), random(t, rng, ir.Shape{50, 1}))
	}
}

// TestStage_adds checks which stages only add an operand.
func TestStage_adds(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 4))
	for _, c := range []struct {
		op    string
		other ir.Shape
		adds  bool
	}{
		{"Add-1", ir.Shape{2, 3}, true}, {"Add-1", ir.Shape{1, 2, 3}, true}, {"Add-1", ir.Shape{3}, false}, {"Add-1", ir.Shape{1, 3}, false},
		{"Subtract-1", ir.Shape{2, 3}, false}, {"Multiply-1", ir.Shape{2, 3}, false},
	} {
		s := layertest.CheckAsStage(t, rng, layertest.FindType(t, Ops, c.op), nil, 0, random(t, rng, ir.Shape{1, 2, 3}), random(t, rng, c.other))
		assert.Equal(t, c.adds, s.Adds > 0, "%+v", c)
	}
}

func TestStage_bias(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, c := range []struct {
		op              string
		through         int
		x, constant     ir.Shape
		elements, inner int
	}{
		{"Add-1", 0, ir.Shape{2, 5, 3, 4}, ir.Shape{1, 5, 1, 1}, 5, 12},
		{"Add-1", 1, ir.Shape{2, 5, 3, 4}, ir.Shape{5, 1, 1}, 5, 12},
		{"Subtract-1", 0, ir.Shape{2, 5, 3, 4}, ir.Shape{1, 5, 1, 1}, 5, 12},
		{"Subtract-1", 1, ir.Shape{2, 5, 3, 4}, ir.Shape{1, 5, 1, 1}, 0, 0},
		{"Multiply-1", 0, ir.Shape{2, 5}, ir.Shape{5}, 0, 0},
		{"Add-1", 0, ir.Shape{7, 5}, ir.Shape{5}, 5, 1},
		{"Add-1", 0, ir.Shape{7, 5}, ir.Shape{7, 1}, 7, 5},
		{"Add-1", 0, ir.Shape{7, 5}, ir.Shape{}, 1, 35},
		{"Add-1", 0, ir.Shape{7, 5}, ir.Shape{1, 7, 5}[1:], 35, 1},
		{"Add-1", 0, ir.Shape{2, 3, 4, 5}, ir.Shape{3, 4, 1}, 12, 5},
		{"Add-1", 0, ir.Shape{2, 3, 4, 5}, ir.Shape{2, 1, 4, 5}, 0, 0},
		{"Add-1", 0, ir.Shape{1, 1}, ir.Shape{1}, 1, 1},
	} {
		x, constant := random(t, rng, c.x), random(t, rng, c.constant)
		inputs := []*ir.Tensor{x, constant}
		if c.through == 1 {
			inputs = []*ir.Tensor{constant, x}
		}
		s := layertest.CheckAsStage(t, rng, layertest.FindType(t, Ops, c.op), nil, c.through, inputs...)
		assert.Equal(t, []int{c.elements, c.inner}, []int{len(s.Bias), s.Inner}, "%s of %v and %v", c.op, c.x, c.constant)
	}
}

// TestStage_none has an input with fewer elements than the output.
func TestStage_none(t *testing.T) {
	p := &ops.Preparation{Attributes: attributes{f: add}, Operands: []int{0, 1}}
	for _, shape := range []ir.Shape{{2, 1}, {2, 3}, {2, 3}} {
		p.Inputs = append(p.Inputs, ir.Fact{Type: ir.F32, Shape: shape.Partial()})
	}
	p.Outputs, p.Inputs = p.Inputs[2:], p.Inputs[:2]
	s, err := stage(p, 0)
	require.NoError(t, err)
	assert.Nil(t, s)
	s, err = stage(p, 1)
	require.NoError(t, err)
	assert.NotNil(t, s)
}

// TestScaleAndAdd multiplies rows by one number each and adds another one, which is a stage, with
// and without a stage behind that.
func TestScaleAndAdd(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	pool := parallel.New(2)
	defer pool.Close()
	const row = 160
	shape, channels := ir.Shape{20, 6, row}, ir.Shape{6, 1}
	data, factors := random(t, rng, shape), random(t, rng, channels)
	for _, c := range []struct {
		bias, inner int
		applies     bool
	}{{6, row, true}, {3, 2 * row, true}, {1, 1, true}, {12, row / 2, false}, {0, 1, false}} {
		bias := ir.Data[float32](random(t, rng, ir.Shape{c.bias}))
		stages := []ops.Stage{{Bias: bias, Inner: c.inner}, {Apply: func(_ *ops.Run, x []float32, at int) {
			for i := range x {
				x[i] *= float32((at + i) % 5)
			}
		}}}
		for _, inputs := range [][]*ir.Tensor{{data, factors}, {factors, data}} {
			for n := 1; n <= 2; n++ {
				g, err := geometryOf(shape, inputs[0].Shape(), inputs[1].Shape(), attributes{})
				require.NoError(t, err)
				p := &ops.Preparation{Inputs: []ir.Fact{{Type: ir.F32}, {Type: ir.F32}}, Threads: 2, Stages: stages[:n]}
				assert.Nil(t, g.scaleAndAdd(p, add))
				prepared := g.scaleAndAdd(p, multiply)
				require.Equal(t, c.applies, prepared != nil)
				if !c.applies {
					continue
				}
				out := random(t, rng, shape)
				require.NoError(t, prepared.Kernel(&ops.Run{Inputs: inputs, Outputs: []*ir.Tensor{out}, Pool: pool}))
				for i, got := range ir.Data[float32](out) {
					want := float64(ir.Data[float32](data)[i])*float64(ir.Data[float32](factors)[i/row%6]) + float64(bias[i/c.inner%c.bias])
					if n == 2 {
						want *= float64(i % 5)
					}
					require.InDelta(t, want, got, 1e-5*max(1, math.Abs(want)), "element %d, %d channels of %d", i, c.bias, c.inner)
				}
			}
		}
	}
}
