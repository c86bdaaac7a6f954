package attention

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// array is a tensor that is read with broadcasting.
type array struct {
	shape  ir.Shape
	values []float64
}

// at returns the element at the last of the given positions. Along an axis of length 1 it
// returns the only element.
func (a array) at(positions ...int) float64 {
	positions = positions[len(positions)-len(a.shape):]
	i := 0
	for k, n := range a.shape {
		i = i*n + min(positions[k], n-1)
	}
	return a.values[i]
}

// random returns an array of random numbers.
func random(rng *rand.Rand, shape ...int) array {
	return array{shape, layertest.RandomNumbers(rng, 8, 0.25, ir.Shape(shape).Elements())}
}

// problemOf holds the inputs of a test. A missing input has no values.
type problemOf struct {
	query, key, value, mask, scale, sink array
	booleans, causal                     bool
}

// reference computes the output, of shape [batch0, batch1, L, Ev], by the definition.
func (p *problemOf) reference(out ir.Shape) []float64 {
	var got []float64
	s, e := p.key.shape[len(p.key.shape)-2], p.query.shape[len(p.query.shape)-1]
	factor := 1 / math.Sqrt(float64(e))
	if p.scale.values != nil {
		factor = p.scale.values[0]
	}
	for i := range out.Elements() {
		ev := i % out[3]
		l := i / out[3] % out[2]
		b1 := i / out[3] / out[2] % out[1]
		b0 := i / out[3] / out[2] / out[1]
		total, sum := 0.0, 0.0
		if p.sink.values != nil {
			sum = math.Exp(p.sink.at(b0, b1, l, 0))
		}
		for k := range s {
			score := 0.0
			for d := range e {
				score += p.query.at(b0, b1, l, d) * p.key.at(b0, b1, k, d)
			}
			score *= factor
			switch {
			case p.causal:
				if k > l {
					score = math.Inf(-1)
				}
			case p.mask.values == nil:
			case p.booleans:
				if p.mask.at(b0, b1, l, k) == 0 {
					score = math.Inf(-1)
				}
			default:
				score += p.mask.at(b0, b1, l, k)
			}
			weight := math.Exp(score)
			sum += weight
			total += weight * p.value.at(b0, b1, k, ev)
		}
		got = append(got, total/sum)
	}
	return got
}

// inputs returns the inputs in the given element type.
func (p *problemOf) inputs(t testing.TB, elementType ir.ElementType) []*ir.Tensor {
	all := []array{p.query, p.key, p.value, p.mask, p.scale, p.sink}
	for len(all) > 3 && all[len(all)-1].values == nil {
		all = all[:len(all)-1]
	}
	in := make([]*ir.Tensor, len(all))
	for i, a := range all {
		switch {
		case i == mask && p.booleans && a.values != nil:
			tensor, err := ir.NewTensor(ir.Boolean, a.shape...)
			require.NoError(t, err)
			for k, v := range a.values {
				tensor.Bytes()[k] = uint8(v)
			}
			in[i] = tensor
		case a.values == nil: // a missing mask or scale before a given input
			v := 0.0
			if i == scale {
				v = 1
			}
			in[i] = layertest.Numbers(t, elementType, ir.Shape{}, v)
		default:
			in[i] = layertest.Numbers(t, elementType, a.shape, a.values...)
		}
	}
	return in
}

var tolerances = map[ir.ElementType]float64{ir.F64: 1e-12, ir.F32: 1e-5, ir.F16: 4e-3, ir.BF16: 4e-2}

func TestKernelAgainstReference(t *testing.T) {
	layertest.CheckSeeds(t, 150, checkRandom)
}

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	l, s, e, ev := 1+rng.IntN(7), 1+rng.IntN(9), 1+rng.IntN(5), 1+rng.IntN(5)
	b0, b1 := 1+rng.IntN(3), 1+rng.IntN(3)
	// one returns 1 at random, so that the axis is broadcast, and n otherwise.
	one := func(n int) int {
		if rng.IntN(3) == 0 {
			return 1
		}
		return n
	}
	p := problemOf{
		query: random(rng, b0, b1, l, e), key: random(rng, one(b0), one(b1), s, e), value: random(rng, one(b0), one(b1), s, ev),
		causal: rng.IntN(3) == 0, booleans: rng.IntN(2) == 0,
	}
	if rng.IntN(2) == 0 {
		p.mask = random(rng, []int{one(b0), one(b1), one(l), one(s)}[rng.IntN(3):]...)
		if rng.IntN(5) == 0 {
			p.mask = random(rng)
		}
		if p.booleans {
			for i := range p.mask.values {
				p.mask.values[i] = float64(min(rng.IntN(4), 1))
			}
			p.mask.values[0] = 1
		}
	}
	if rng.IntN(2) == 0 {
		p.scale = random(rng, []int{1}[rng.IntN(2):]...)
	}
	if rng.IntN(3) == 0 {
		p.sink = random(rng, one(b0), one(b1), one(l), 1)
	}
	if p.sink.values != nil && p.scale.values == nil {
		p.scale = array{ir.Shape{}, []float64{1}}
	}
	checkProblem(t, &p, ir.Shape{b0, b1, l, ev})
}

func checkProblem(t *testing.T, p *problemOf, shape ir.Shape) {
	want := p.reference(shape)
	attributes := layertest.Attributes{"causal", map[bool]string{true: "true", false: "false"}[p.causal]}
	for elementType, tolerance := range tolerances {
		layertest.CheckNear(t, &Ops[0], attributes, shape, want, tolerance, p.inputs(t, elementType)...)
	}
}

// TestKernel_tiles has several tiles of rows, blocks of the depth, and threads.
func TestKernel_tiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, causal := range []bool{false, true} {
		p := problemOf{query: random(rng, 1, 2, 130, 3), key: random(rng, 1, 2, 300, 3), value: random(rng, 1, 2, 300, 2), causal: causal}
		checkProblem(t, &p, ir.Shape{1, 2, 130, 2})
	}
	p := problemOf{query: random(rng, 1, 1, 3, 600), key: random(rng, 1, 1, 5, 600), value: random(rng, 1, 1, 5, 2)}
	for i := range p.key.values {
		p.key.values[i] /= 32
	}
	checkProblem(t, &p, ir.Shape{1, 1, 3, 2})
}

// TestKernel_rounded rounds query, key, value and the weights to bf16 or f16.
func TestKernel_rounded(t *testing.T) {
	t.Run("bf16", func(t *testing.T) { checkRounded(t, ir.BF16, 0.05) })
	t.Run("f16", func(t *testing.T) { checkRounded(t, ir.F16, 0.007) })
}

func checkRounded(t *testing.T, rounded ir.ElementType, tolerance float64) {
	t.Helper()
	op := Ops[0]
	op.Prepare = func(p *ops.Preparation) (*ops.Prepared, error) {
		p.Rounded = rounded
		prepared, err := Ops[0].Prepare(p)
		if err == nil && (rounded == ir.BF16 || !gemm.HasPairs(true)) { // f16 does not always pay
			assert.Equal(t, rounded, prepared.Precision)
		}
		return prepared, err
	}
	rng := rand.New(rand.NewPCG(4, 2))
	for _, c := range []struct{ l, s, e, ev int }{{2, 5, 32, 3}, {100, 150, 33, 20}, {40, 134, 64, 12}, {33, 2500, 32, 1}, {7, 64, 1000, 1}} {
		for _, rows := range []int{c.l, 1} { // one row of query for all of the mask, too
			p := problemOf{query: random(rng, 1, 2, rows, c.e), key: random(rng, 1, 2, c.s, c.e), value: random(rng, 1, 2, c.s, c.ev), mask: random(rng, c.l, c.s)}
			shape := ir.Shape{1, 2, c.l, c.ev}
			layertest.CheckNear(t, &op, layertest.Attributes{"causal", "false"}, shape, p.reference(shape), tolerance, p.inputs(t, ir.F32)...)
		}
	}
}

// TestKernel_stretchedQuery has a mask with more rows than query.
func TestKernel_stretchedQuery(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	p := problemOf{query: random(rng, 1, 1, 1, 4), key: random(rng, 1, 1, 5, 4), value: random(rng, 1, 1, 5, 2), mask: random(rng, 2, 1, 6, 5)}
	checkProblem(t, &p, ir.Shape{2, 1, 6, 2})
}

func TestKernel_empty(t *testing.T) {
	for elementType := range tolerances {
		zeros := func(shape ...int) *ir.Tensor { return layertest.Numbers(t, elementType, shape) }
		for _, c := range []struct {
			l, s, e, ev int
			want        []float64
		}{
			{2, 0, 3, 2, []float64{0, 0, 0, 0}}, {0, 2, 3, 2, []float64{}}, {2, 2, 3, 0, []float64{}}, {1, 2, 0, 2, []float64{1, 1}},
			{2, 2, 0, 2, []float64{1, 1, 1, 1}},
		} {
			value := layertest.Numbers(t, elementType, ir.Shape{1, c.s, c.ev}, ones(c.s*c.ev)...)
			out, err := layertest.Run(&Ops[0], layertest.Attributes{"causal", "false"}, 2, zeros(1, c.l, c.e), zeros(1, c.s, c.e), value)
			require.NoError(t, err)
			assert.Equal(t, c.want, layertest.Floats(t, out), "%v %+v", elementType, c)
		}
	}
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// TestKernel_nothingLeft has a mask that excludes all keys of a row.
func TestKernel_nothingLeft(t *testing.T) {
	p := problemOf{
		query: array{ir.Shape{1, 2, 1}, []float64{1, 1}}, key: array{ir.Shape{1, 2, 1}, []float64{1, 2}},
		value: array{ir.Shape{1, 2, 1}, []float64{3, 4}}, mask: array{ir.Shape{2, 2}, []float64{0, 0, 1, 0}}, booleans: true,
	}
	out, err := layertest.Run(&Ops[0], layertest.Attributes{"causal", "false"}, 1, p.inputs(t, ir.F32)...)
	require.NoError(t, err)
	got := layertest.Floats(t, out)
	assert.True(t, math.IsNaN(got[0]))
	assert.Equal(t, 3.0, got[1])
}

func TestPrepare_errors(t *testing.T) {
	f := func(shape ...int) ir.Fact { return ir.Fact{Type: ir.F32, Shape: ir.Shape(shape).Partial()} }
	for _, c := range []struct {
		inputs []ir.Fact
		out    ir.Fact
		want   string
	}{
		{[]ir.Fact{f(1, 2, 3), f(1, 1, 3), f(1, 1, 3), f(2, 7)}, f(1, 2, 3),
			"input 3 has shape [2,7], which does not fit 2 rows, 1 columns and batches of [1]"},
		{[]ir.Fact{f(1, 2, 3), f(1, 1, 3), f(1, 1, 3), f(), f(0)}, f(1, 2, 3), "scale has shape [0], which has no element"},
		{[]ir.Fact{f(2, 2, 3), f(3, 1, 3), f(2, 1, 3)}, f(2, 2, 3),
			"input 1 has shape [3,1,3], which does not fit 1 rows, 3 columns and batches of [2]"},
	} {
		_, err := Ops[0].Prepare(&ops.Preparation{Attributes: attributes{}, Inputs: c.inputs, Outputs: []ir.Fact{c.out}, Threads: 1})
		assert.EqualError(t, err, c.want)
	}
}

func TestKernel_allocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for elementType := range tolerances {
		p := problemOf{query: random(rng, 2, 20, 8), key: random(rng, 2, 30, 8), value: random(rng, 2, 30, 8), mask: random(rng, 20, 30)}
		layertest.CheckAllocations(t, &Ops[0], layertest.Attributes{"causal", "false"}, p.inputs(t, elementType)...)
	}
}
