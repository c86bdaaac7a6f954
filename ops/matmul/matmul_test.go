package matmul

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// inferred runs the parser and the shape rule of a MatMul.
func inferred(t testing.TB, transposeA, transposeB bool, a, b ir.Fact) (*ir.Inference, error) {
	t.Helper()
	layer := &ir.Layer{Type: "MatMul", Data: []ir.Attribute{
		{Name: "transpose_a", Value: fmt.Sprint(transposeA)}, {Name: "transpose_b", Value: fmt.Sprint(transposeB)},
	}}
	attributes, err := parse(ir.AttributesOf(layer))
	require.NoError(t, err)
	in := &ir.Inference{Layer: layer, Attributes: attributes, Inputs: []ir.Fact{a, b}, Outputs: make([]ir.Fact, 1)}
	return in, infer(in)
}

// TestInfer holds what OpenVINO infers.
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

// trial is a product of random matrices of small whole numbers, which are exact in
// every type.
type trial struct {
	elementType            ir.ElementType
	transposeA, transposeB bool
	a, b                   *ir.Tensor
	constB                 bool
	threads                int
	stages                 []ops.Stage
}

func (c *trial) String() string {
	return fmt.Sprintf("%v%v by %v, transposed %t %t, constant %t, threads %d, stages %d",
		c.elementType, c.a.Shape(), c.b.Shape(), c.transposeA, c.transposeB, c.constB, c.threads, len(c.stages))
}

func randomTensor(t testing.TB, rng *rand.Rand, elementType ir.ElementType, shape ir.Shape) *ir.Tensor {
	t.Helper()
	tensor, err := ir.NewTensor(elementType, shape...)
	require.NoError(t, err)
	for i := range tensor.Len() {
		set(tensor, i, rng.IntN(5)-1)
	}
	return tensor
}

func set(t *ir.Tensor, i, v int) {
	switch t.ElementType() {
	case ir.F32:
		ir.Data[float32](t)[i] = float32(v)
	case ir.F64:
		ir.Data[float64](t)[i] = float64(v)
	case ir.F16:
		ir.Data[uint16](t)[i] = float16.Fromfloat32(float32(v)).Bits()
	case ir.BF16:
		ir.Data[half.BFloat16](t)[i] = half.BFloat16Of(float32(v))
	case ir.I8, ir.U8:
		ir.Data[int8](t)[i] = int8(v)
	case ir.I16, ir.U16:
		ir.Data[int16](t)[i] = int16(v)
	case ir.I32, ir.U32:
		ir.Data[int32](t)[i] = int32(v)
	default:
		ir.Data[int64](t)[i] = int64(v)
	}
}

func get(t *ir.Tensor, i int) int {
	switch t.ElementType() {
	case ir.F32:
		return int(ir.Data[float32](t)[i])
	case ir.F64:
		return int(ir.Data[float64](t)[i])
	case ir.F16:
		return int(float16.Frombits(ir.Data[uint16](t)[i]).Float32())
	case ir.BF16:
		return int(ir.Data[half.BFloat16](t)[i].Float32())
	case ir.I8, ir.U8:
		return int(ir.Data[int8](t)[i])
	case ir.I16, ir.U16:
		return int(ir.Data[int16](t)[i])
	case ir.I32, ir.U32:
		return int(ir.Data[int32](t)[i])
	}
	return int(ir.Data[int64](t)[i])
}

// newTrial draws batches and matrices; sizes are those of m, depth and n.
func newTrial(t testing.TB, rng *rand.Rand, elementType ir.ElementType, size func() int) *trial {
	t.Helper()
	c := &trial{
		elementType: elementType, transposeA: rng.IntN(2) == 0, transposeB: rng.IntN(2) == 0,
		constB: rng.IntN(2) == 0, threads: 1 + rng.IntN(3),
	}
	batch := make(ir.Shape, rng.IntN(4))
	for i := range batch {
		batch[i] = 1 + rng.IntN(3)
	}
	stretched := func() ir.Shape {
		s := append(ir.Shape(nil), batch[rng.IntN(len(batch)+1):]...)
		for i := range s {
			if rng.IntN(3) == 0 {
				s[i] = 1
			}
		}
		return s
	}
	m, depth, n := size(), size(), size()
	a, b := append(stretched(), m, depth), append(stretched(), depth, n)
	swap := func(s ir.Shape) { s[len(s)-1], s[len(s)-2] = s[len(s)-2], s[len(s)-1] }
	if c.transposeA {
		swap(a)
	}
	if c.transposeB {
		swap(b)
	}
	if rng.IntN(6) == 0 {
		a = ir.Shape{depth}
	}
	if rng.IntN(6) == 0 {
		b = ir.Shape{depth}
	}
	c.a, c.b = randomTensor(t, rng, elementType, a), randomTensor(t, rng, elementType, b)
	if elementType == ir.F32 {
		c.stages = randomStages(rng, max(n, 1))
	}
	return c
}

// randomStages returns stages that a multiplication can do itself, n columns wide
// or not, and others, whose results are whole numbers.
func randomStages(rng *rand.Rand, n int) []ops.Stage {
	var stages []ops.Stage
	for range rng.IntN(4) {
		var s ops.Stage
		switch rng.IntN(4) {
		case 0:
			s = biasStage(rng, n, 1)
		case 1:
			s = biasStage(rng, 1+rng.IntN(3), 1+rng.IntN(3))
		case 2:
			s = ops.Stage{Clamp: true, Lo: float32(rng.IntN(4)), Hi: float32(4 + rng.IntN(30))}
			s.Apply = func(_ *ops.Run, x []float32, _ int) {
				for i, v := range x {
					x[i] = min(max(v, s.Lo), s.Hi)
				}
			}
		default:
			s.Apply = func(_ *ops.Run, x []float32, at int) {
				for i, v := range x {
					x[i] = 2*v - float32((at+i)%5)
				}
			}
		}
		stages = append(stages, s)
	}
	return stages
}

func biasStage(rng *rand.Rand, n, inner int) ops.Stage {
	s := ops.Stage{Bias: make([]float32, n), Inner: inner}
	for i := range s.Bias {
		s.Bias[i] = float32(rng.IntN(9) - 4)
	}
	s.Apply = func(_ *ops.Run, x []float32, at int) {
		for i := range x {
			x[i] += s.Bias[(at+i)/inner%n]
		}
	}
	return s
}

// run returns the product.
func (c *trial) run(t testing.TB) *ir.Tensor {
	t.Helper()
	in, err := inferred(t, c.transposeA, c.transposeB,
		ir.Fact{Type: c.elementType, Shape: c.a.Shape().Partial()}, ir.Fact{Type: c.elementType, Shape: c.b.Shape().Partial()})
	require.NoError(t, err, "%v", c)
	p := &ops.Preparation{Attributes: in.Attributes, Inputs: in.Inputs, Outputs: in.Outputs, Threads: c.threads, Stages: c.stages}
	if c.constB {
		p.Inputs[1].Tensor = c.b
	}
	kernel, err := prepare(p)
	require.NoError(t, err, "%v", c)
	shape, err := in.Outputs[0].Shape.Static()
	require.NoError(t, err)
	out, err := ir.NewTensor(c.elementType, shape...)
	require.NoError(t, err)
	scratch := ir.AlignedBytes(p.ScratchBytes)
	for _, bytes := range [][]byte{scratch, out.Bytes()} { // what the last user left
		for i := range bytes {
			bytes[i] = 0x7b
		}
	}
	pool := parallel.New(c.threads)
	defer pool.Close()
	require.NoError(t, kernel(&ops.Run{Inputs: []*ir.Tensor{c.a, c.b}, Outputs: []*ir.Tensor{out}, Scratch: scratch, Pool: pool}), "%v", c)
	return out
}

// check compares with the sum of products, coordinate by coordinate, in every
// step-th element.
func (c *trial) check(t testing.TB, got *ir.Tensor, step int) {
	t.Helper()
	a, b := asMatrix(c.a.Shape(), c.transposeA, true), asMatrix(c.b.Shape(), c.transposeB, false)
	out := append(ir.Shape(nil), got.Shape()...)
	if len(c.b.Shape()) == 1 {
		out = append(out, 1)
	}
	if len(c.a.Shape()) == 1 {
		out = append(out[:len(out)-1], 1, out[len(out)-1])
	}
	for i := 0; i < got.Len(); i += step {
		at := coordinates(out, i)
		batch, row, column := at[:len(at)-2], at[len(at)-2], at[len(at)-1]
		sum := 0
		for p := range a.columns {
			sum += get(c.a, a.element(batch, row, p)) * get(c.b, b.element(batch, p, column))
		}
		if c.elementType.Size() == 1 {
			sum = int(int8(sum))
		}
		if finish := ops.Compose(c.stages); finish != nil {
			x := []float32{float32(sum)}
			finish(nil, x, i)
			sum = int(x[0])
		}
		require.Equal(t, sum, get(got, i), "%v: element %v", c, at)
	}
}

func coordinates(shape ir.Shape, i int) []int {
	at := make([]int, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		at[axis] = i % shape[axis]
		i /= shape[axis]
	}
	return at
}

// matrices are the batches of an input and one matrix, transposed or not.
type matrices struct {
	batch         ir.Shape
	rows, columns int
	transposed    bool
}

func asMatrix(s ir.Shape, transpose, row bool) matrices {
	switch {
	case len(s) == 1 && row:
		return matrices{nil, 1, s[0], false}
	case len(s) == 1:
		return matrices{nil, s[0], 1, false}
	case transpose:
		return matrices{s[:len(s)-2], s[len(s)-1], s[len(s)-2], true}
	}
	return matrices{s[:len(s)-2], s[len(s)-2], s[len(s)-1], false}
}

func (m matrices) element(batch []int, row, column int) int {
	i := 0
	for k, n := range m.batch {
		i *= n
		if n > 1 {
			i += batch[len(batch)-len(m.batch)+k]
		}
	}
	i *= m.rows * m.columns
	if m.transposed {
		return i + column*m.rows + row
	}
	return i + row*m.columns + column
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

// TestKernels_large reaches every way of splitting the work.
func TestKernels_large(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, shapes := range [][2]ir.Shape{
		{{300, 270}, {270, 90}}, {{20, 400}, {400, 500}}, {{1, 300}, {300, 1000}}, {{600, 300}, {300, 1}},
		{{3, 70, 40}, {3, 40, 70}}, {{3, 197, 30}, {3, 30, 300}}, {{900, 20}, {20, 600}}, {{2, 500, 40}, {2, 40, 7}}, {{150, 900}, {900, 2}}, {{5, 1, 260, 30}, {30, 40}}, {{2, 90, 210}, {2, 210, 60}},
	} {
		for _, elementType := range []ir.ElementType{ir.F32, ir.I32, ir.F16} {
			for threads := 1; threads <= 4; threads += 3 {
				for _, constB := range []bool{false, true} {
					c := &trial{elementType: elementType, threads: threads, constB: constB}
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

// TestKernels_threads holds that the number of threads changes no bit.
func TestKernels_threads(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	c := &trial{elementType: ir.F32, a: randomTensor(t, rng, ir.F32, ir.Shape{170, 700}), b: randomTensor(t, rng, ir.F32, ir.Shape{700, 130})}
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
		assert.Equal(t, want, got, "%d threads", threads)
	}
}

func TestPrepare_refuses(t *testing.T) {
	fact := func(elementType ir.ElementType, lengths ...int) ir.Fact {
		return ir.Fact{Type: elementType, Shape: ir.StaticShape(lengths...)}
	}
	prepareAs := func(a, b, out ir.Fact) error {
		_, err := prepare(&ops.Preparation{Attributes: attributes{}, Inputs: []ir.Fact{a, b}, Outputs: []ir.Fact{out}, Threads: 1})
		return err
	}
	assert.EqualError(t, prepareAs(fact(ir.F32, 2, 3), fact(ir.F32, 4, 2), fact(ir.F32, 2, 2)),
		"input 0 is [2,3], input 1 is [4,2]: the rows of one have 3 elements, the columns of the other 4")
	assert.EqualError(t, prepareAs(fact(ir.F32, 2, 3, 3), fact(ir.F32, 3, 3, 3), fact(ir.F32, 3, 3, 3)),
		"input 0 is [2,3,3], input 1 is [3,3,3]: the batches 2 and 3 do not broadcast")
	assert.EqualError(t, prepareAs(fact(ir.U4, 2, 2), fact(ir.U4, 2, 2), fact(ir.U4, 2, 2)), "element type u4 is not computed")
	assert.EqualError(t, prepareAs(fact(ir.F32), fact(ir.F32, 2), fact(ir.F32, 2)), "input 0 is [], input 1 is [2]: a scalar is no matrix")
}

// FuzzKernels takes any matrices and batches.
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

func BenchmarkKernels(b *testing.B) {
	for _, c := range []struct {
		a, b   ir.Shape
		constB bool
		t      ir.ElementType
	}{
		{ir.Shape{128, 384}, ir.Shape{384, 384}, true, ir.F32}, {ir.Shape{128, 384}, ir.Shape{384, 384}, false, ir.F32},
		{ir.Shape{12, 128, 32}, ir.Shape{12, 32, 128}, false, ir.F32}, {ir.Shape{1, 1024}, ir.Shape{1024, 1024}, true, ir.F32},
		{ir.Shape{4, 4}, ir.Shape{4, 4}, false, ir.F32}, {ir.Shape{128, 384}, ir.Shape{384, 384}, true, ir.F16},
		{ir.Shape{128, 384}, ir.Shape{384, 384}, false, ir.I32},
	} {
		b.Run(fmt.Sprint(c.t, c.a, c.b, c.constB), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(4, 4))
			x, y := randomTensor(b, rng, c.t, c.a), randomTensor(b, rng, c.t, c.b)
			in, err := inferred(b, false, false, ir.Fact{Type: c.t, Shape: c.a.Partial()}, ir.Fact{Type: c.t, Shape: c.b.Partial()})
			require.NoError(b, err)
			if c.constB {
				in.Inputs[1].Tensor = y
			}
			p := &ops.Preparation{Attributes: in.Attributes, Inputs: in.Inputs, Outputs: in.Outputs, Threads: 1}
			kernel, err := prepare(p)
			require.NoError(b, err)
			shape, err := in.Outputs[0].Shape.Static()
			require.NoError(b, err)
			out, err := ir.NewTensor(c.t, shape...)
			require.NoError(b, err)
			r := &ops.Run{Inputs: []*ir.Tensor{x, y}, Outputs: []*ir.Tensor{out}, Scratch: ir.AlignedBytes(p.ScratchBytes)}
			b.ReportAllocs()
			for b.Loop() {
				if err := kernel(r); err != nil {
					b.Fatal(err)
				}
			}
			flops := 2 * float64(out.Len()) * float64(c.a[len(c.a)-1])
			b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

// TestConstantIsPackedOnce prepares a product by a constant for two shapes of the
// other matrix.
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
				Keep: func(key string, make func() (any, error)) (v any, err error) {
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
