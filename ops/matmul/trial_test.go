package matmul

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// trial is a product of random matrices. Their elements are small whole numbers, which are exact in
// every type.
type trial struct {
	elementType            ir.ElementType
	transposeA, transposeB bool
	a, b                   *ir.Tensor
	constB                 bool
	threads                int
	rounded                ir.ElementType
	precision              ir.ElementType // of the kernel that prepare has returned
	stages                 []ops.Stage
}

func (c *trial) String() string {
	return fmt.Sprintf("%v%v by %v, transposed %t %t, constant %t, threads %d, rounded to %v, stages %d",
		c.elementType, c.a.Shape(), c.b.Shape(), c.transposeA, c.transposeB, c.constB, c.threads, c.rounded, len(c.stages))
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

// newTrial returns a random trial. size returns the lengths m, depth and n.
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
	c.rounded = []ir.ElementType{ir.Dynamic, ir.Dynamic, ir.BF16, ir.F16}[rng.IntN(4)]
	if elementType == ir.F32 {
		c.stages = randomStages(rng, max(n, 1))
	}
	return c
}

// randomStages returns random stages whose results are whole numbers: biases of n columns, which
// the multiplication can add, other biases, clamps, and other functions.
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

// prepare returns the kernel and a run of it.
func (c *trial) prepare(t testing.TB) (ops.Kernel, *ops.Run) {
	t.Helper()
	in, err := inferred(t, c.transposeA, c.transposeB,
		ir.Fact{Type: c.elementType, Shape: c.a.Shape().Partial()}, ir.Fact{Type: c.elementType, Shape: c.b.Shape().Partial()})
	require.NoError(t, err, "%v", c)
	p := &ops.Preparation{Attributes: in.Attributes, Inputs: in.Inputs, Outputs: in.Outputs, Threads: c.threads, Rounded: c.rounded, Stages: c.stages}
	if c.constB {
		p.Inputs[1].Tensor = c.b
	}
	prepared, err := Ops[0].Prepare(p)
	require.NoError(t, err, "%v", c)
	c.precision = prepared.Precision
	shape, err := in.Outputs[0].Shape.Static()
	require.NoError(t, err)
	out, err := ir.NewTensor(c.elementType, shape...)
	require.NoError(t, err)
	scratch := ir.AlignedBytes(prepared.ScratchBytes)
	// values left by an earlier user of the memory
	for _, bytes := range [][]byte{scratch, out.Bytes()} {
		for i := range bytes {
			bytes[i] = 0x7b
		}
	}
	return prepared.Kernel, &ops.Run{Inputs: []*ir.Tensor{c.a, c.b}, Outputs: []*ir.Tensor{out}, Scratch: scratch}
}

// run returns the product.
func (c *trial) run(t testing.TB) *ir.Tensor {
	t.Helper()
	kernel, r := c.prepare(t)
	r.Pool = parallel.New(c.threads)
	defer r.Pool.Close()
	require.NoError(t, kernel(r), "%v", c)
	return r.Outputs[0]
}

// check compares every step-th element with the sum of products, coordinate by coordinate.
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

// matrices describes the batches and the matrices of an input.
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
