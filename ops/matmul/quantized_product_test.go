package matmul

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

var productOp = &Ops[3]

// productTrial is a QuantizedProduct of random levels.
type productTrial struct {
	attributes
	a, b         *ir.Tensor
	scale        float32
	zeroA, zeroB float32
	stages       []ops.Stage
	threads      int
}

// newProductTrial returns a product of an m by depth matrix and a depth by n matrix in batches that
// broadcast.
func newProductTrial(t testing.TB, rng *rand.Rand, batchA, batchB ir.Shape, m, n, depth int) *productTrial {
	t.Helper()
	zeros := []float32{128, 0, 255, 127.7, -90, 300.25, 128.00001}
	c := &productTrial{
		attributes: attributes{rng.IntN(2) == 0, rng.IntN(2) == 0}, threads: 1 + rng.IntN(3),
		scale: 1e-4 + 1e-3*rng.Float32(), zeroA: zeros[rng.IntN(len(zeros))], zeroB: zeros[rng.IntN(len(zeros))],
	}
	shapeA, shapeB := append(batchA, m, depth), append(batchB, depth, n)
	if c.transposeA {
		shapeA = append(batchA, depth, m)
	}
	if c.transposeB {
		shapeB = append(batchB, n, depth)
	}
	c.a, c.b = layertest.Numbers(t, ir.U8, shapeA), layertest.Numbers(t, ir.U8, shapeB)
	for _, x := range []*ir.Tensor{c.a, c.b} {
		for i := range x.Bytes() {
			x.Bytes()[i] = byte(rng.UintN(256))
		}
	}
	if rng.IntN(2) == 0 {
		c.stages = randomStages(rng, n)
	}
	return c
}

// preparation returns the arguments of the kernel, and the shape of the output.
func (c *productTrial) preparation() (*ops.Preparation, ir.Shape, error) {
	facts := []ir.Fact{{Type: c.a.ElementType(), Shape: c.a.Shape().Partial()}, {Type: c.b.ElementType(), Shape: c.b.Shape().Partial()}}
	for _, v := range []float32{c.scale, c.zeroA, c.zeroB} {
		t, err := ir.TensorOf(ir.F32, ir.Shape{}, []float32{v})
		if err != nil {
			return nil, nil, err
		}
		facts = append(facts, ir.Fact{Type: ir.F32, Shape: ir.Shape{}.Partial(), Tensor: t})
	}
	in := &ops.Inference{Attributes: c.attributes, Inputs: facts, Outputs: make([]ir.Fact, 1)}
	if err := productOp.Infer(in); err != nil {
		return nil, nil, err
	}
	shape, err := in.Outputs[0].Shape.Static()
	return &ops.Preparation{Attributes: c.attributes, Inputs: facts, Outputs: in.Outputs, Threads: c.threads, Stages: c.stages}, shape, err
}

// check compares both kernels with the definition.
func (c *productTrial) check(t testing.TB) {
	t.Helper()
	p, shape, err := c.preparation()
	require.NoError(t, err)
	q, err := newProduct(p)
	require.NoError(t, err)
	want, most := c.reference(t, shape)
	if q == nil {
		require.Empty(t, want)
		return
	}
	r := &ops.Run{Inputs: []*ir.Tensor{c.a, c.b}, Pool: parallel.New(c.threads)}
	defer r.Pool.Close()
	if finish := ops.Compose(c.stages); finish != nil {
		finish(r, want, 0)
	}
	kernels := map[string]func(*ops.Preparation) (*ops.Prepared, error){"floats": q.floats}
	if q.depth > 0 {
		kernels["integers"] = q.integers
	}
	for name, kernel := range kernels {
		prepared, err := kernel(p)
		require.NoError(t, err)
		out, err := ir.NewTensor(ir.F32, shape...)
		require.NoError(t, err)
		r.Outputs, r.Scratch = []*ir.Tensor{out}, make([]byte, prepared.ScratchBytes)
		require.NoError(t, prepared.Kernel(r))
		for i, v := range ir.Data[float32](out) {
			require.InDelta(t, want[i], v, 4e-7*most, "%s, element %d of %v by %v, %+v", name, i, c.a.Shape(), c.b.Shape(), c.attributes)
		}
	}
}

// reference returns the product without stages, and a bound of the sums of the absolute values of
// its terms.
func (c *productTrial) reference(t testing.TB, shape ir.Shape) (want []float32, most float64) {
	t.Helper()
	q, err := newProblem(&ops.Preparation{Attributes: c.attributes, Inputs: []ir.Fact{{Shape: c.a.Shape().Partial()}, {Shape: c.b.Shape().Partial()}}})
	require.NoError(t, err)
	a, b, zeroA, zeroB := c.a.Bytes(), c.b.Bytes(), float64(c.zeroA), float64(c.zeroB)
	if q.transposed {
		a, b, zeroA, zeroB = b, a, zeroB, zeroA
	}
	want = make([]float32, shape.Elements())
	for i := range want {
		batch, row, column := i/(q.m*q.n), i/q.n%q.m, i%q.n
		atA, atB := q.offsets(batch)
		sum := 0.0
		for k := range q.depth {
			sum += (float64(a[atA+row*q.aRow+k*q.aCol]) - zeroA) * (float64(b[atB+k*q.bRow+column*q.bCol]) - zeroB)
		}
		want[i] = float32(sum * float64(c.scale))
	}
	return want, 1 + float64(c.scale)*float64(q.depth)*350*350
}

// withoutFeatures runs test with several sets of instructions.
func withoutFeatures(t *testing.T, test func(t *testing.T)) {
	for _, off := range cpu.Distinct([][]*cpu.Feature{nil, {cpu.AMX}, {cpu.AMX, cpu.AVX512VNNI}, {cpu.AMX, cpu.AVX512VNNI, cpu.AVXVNNI, cpu.AVX512}, {cpu.AMX, cpu.AVX512VNNI, cpu.AVXVNNI, cpu.AVX512, cpu.FMA}, {cpu.DotProd}}) {
		t.Run(fmt.Sprint("without ", off), func(t *testing.T) {
			defer cpu.Disable(off...)()
			test(t)
		})
	}
}

func TestQuantizedProduct(t *testing.T) {
	withoutFeatures(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for range 200 {
			checkProduct(t, rng)
		}
		for _, size := range [][3]int{{197, 64, 70}, {40, 300, 801}, {1, 9, 1700}, {150, 1, 33}} {
			newProductTrial(t, rng, ir.Shape{2}, ir.Shape{2}, size[0], size[1], size[2]).check(t)
		}
	})
}

func checkProduct(t testing.TB, rng *rand.Rand) {
	var batchA, batchB ir.Shape
	for range rng.IntN(3) {
		n := rng.IntN(4)
		batchA, batchB = append(batchA, n), append(batchB, n)
		switch rng.IntN(4) {
		case 0:
			batchA[len(batchA)-1] = 1
		case 1:
			batchB[len(batchB)-1] = 1
		}
	}
	if rng.IntN(4) == 0 {
		batchA = nil
	}
	newProductTrial(t, rng, batchA, batchB, rng.IntN(20), rng.IntN(40), rng.IntN(50)).check(t)
}

func FuzzQuantizedProduct(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkProduct(t, rand.New(rand.NewPCG(seed, 7))) })
}

// TestQuantizedProduct_sums has the largest levels: all sums fit an int32 where the product is one
// of integers.
func TestQuantizedProduct_sums(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for depth, algorithm := range map[int]string{33025: "i8", 33026: "dynamic"} {
		c := newProductTrial(t, rng, nil, nil, 48, 48, depth)
		c.stages, c.zeroA, c.zeroB, c.scale = nil, 0, 0, 1
		for _, x := range []*ir.Tensor{c.a, c.b} {
			for i := range x.Bytes() {
				x.Bytes()[i] = 255
			}
		}
		p, shape, err := c.preparation()
		require.NoError(t, err)
		prepared, err := prepareProduct(p)
		require.NoError(t, err)
		assert.Equal(t, algorithm, prepared.Precision.String())
		out, err := ir.NewTensor(ir.F32, shape...)
		require.NoError(t, err)
		require.NoError(t, prepared.Kernel(&ops.Run{Inputs: []*ir.Tensor{c.a, c.b}, Outputs: []*ir.Tensor{out}, Scratch: make([]byte, prepared.ScratchBytes)}))
		for _, v := range ir.Data[float32](out) {
			require.InEpsilon(t, 255*255*float64(depth), v, 1e-5)
		}
	}
}

// TestQuantizedProduct_allocations has products in integers and in f32, with and without sums of
// rows and columns.
func TestQuantizedProduct_allocations(t *testing.T) {
	for _, n := range []int{5, 50} {
		for _, zero := range []float32{128, 3.5} {
			number, err := ir.TensorOf(ir.F32, ir.Shape{}, []float32{zero})
			require.NoError(t, err)
			levels := layertest.Numbers(t, ir.U8, ir.Shape{2, n, 60})
			layertest.CheckAllocations(t, productOp, layertest.Attributes{"transpose_a", "false", "transpose_b", "true"}, levels, levels, number, number, number)
		}
	}
}

func TestQuantizedProduct_refuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	nan := float32(math.NaN())
	for _, c := range []struct {
		spoil func(c *productTrial)
		want  string
	}{
		{func(c *productTrial) { c.b = layertest.Numbers(t, ir.I8, c.b.Shape()) }, "input 1 is i8, expected u8"},
		{func(c *productTrial) { c.a = layertest.Numbers(t, ir.F32, c.a.Shape()) }, "input 0 is f32, expected u8"},
		{func(c *productTrial) { c.a = layertest.Numbers(t, ir.U8, ir.Shape{3, 12}) }, "input 0 is [3,12], input 1 is [8,5]: the rows of one have 12 elements, the columns of the other 8"},
		{func(c *productTrial) { c.zeroA = nan }, "input 3 is NaN, expected a level of zero from -1024 to 1024"},
		{func(c *productTrial) { c.zeroB = -1025 }, "input 4 is -1025, expected a level of zero from -1024 to 1024"},
		{func(c *productTrial) { c.zeroB = float32(math.Inf(1)) }, "input 4 is +Inf, expected a level of zero from -1024 to 1024"},
	} {
		trial := newProductTrial(t, rng, nil, nil, 3, 5, 8)
		trial.attributes = attributes{}
		trial.a, trial.b = layertest.Numbers(t, ir.U8, ir.Shape{3, 8}), layertest.Numbers(t, ir.U8, ir.Shape{8, 5})
		c.spoil(trial)
		p, _, err := trial.preparation()
		if err == nil {
			_, err = prepareProduct(p)
		}
		assert.EqualError(t, err, c.want)
	}
	trial := newProductTrial(t, rng, nil, nil, 3, 5, 8)
	p, _, err := trial.preparation()
	require.NoError(t, err)
	for _, bad := range []ir.Fact{{Type: ir.F32, Shape: ir.Shape{}.Partial()}, {Type: ir.F32, Shape: ir.Shape{2}.Partial(), Tensor: layertest.Numbers(t, ir.F32, ir.Shape{2})}} {
		p.Inputs[2] = bad
		_, err = prepareProduct(p)
		assert.EqualError(t, err, "input 2 is f32"+bad.Shape.String()+", expected a constant of f32 with one element")
	}
}
