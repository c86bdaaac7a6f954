package matmul

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/minifloat"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

var compressedOp = &Ops[2]

// TestInferCompressed has no results of OpenVINO, which does not have the type.
func TestInferCompressed(t *testing.T) {
	const a, rows, groups = "f32[2,?,8]", "u4[5,8]", "i4[5,4,2]"
	for _, c := range []struct {
		transposed bool
		inputs     []string
		want       string
	}{
		{true, []string{a, rows, "f32[5,1]"}, "f32[2,?,5]"},
		{true, []string{a, rows, "f32[]", "u4[1]"}, "f32[2,?,5]"},
		{false, []string{a, "u8[8,5]", "f32[1,5]", "i8[5]"}, "f32[2,?,5]"},
		{true, []string{"f32[?,8]", groups, "f32[5,4,1]", "i4[4,1]"}, "f32[?,5]"},
		{false, []string{a, "nf4[4,2,5]", "f32[4,1,5]"}, "f32[2,?,5]"},
		{true, []string{"f32[...]", rows, "f32[...]"}, "f32[...]"},
		{true, []string{"f32[2,?]", "f4e2m1[...]", "f32[...]"}, "f32[...]"},
		{true, []string{"f32[2,?]", "f4e2m1[?,?,?]", "f32[...]"}, "f32[2,?]"},
		{true, []string{"f16[2,8]", rows, "f32[]"}, "input 0 is f16, input 2 is f32, expected f32"},
		{true, []string{a, rows, "f16[]"}, "input 0 is f32, input 2 is f16, expected f32"},
		{true, []string{a, "u2[5,8]", "f32[]"}, "there are no products with codes of u2 and zero points of dynamic"},
		{true, []string{a, "nf4[5,8]", "f32[]", "u4[]"}, "there are no products with codes of nf4 and zero points of u4"},
		{true, []string{a, rows, "f32[]", "f32[]"}, "there are no products with codes of u4 and zero points of f32"},
		{true, []string{a, rows, "f32[]", "nf4[]"}, "there are no products with codes of u4 and zero points of nf4"},
		{true, []string{"f32[8]", rows, "f32[]"}, "input 0 is [8], input 1 is [5,8]: expected 2 or more axes, and 2 or 3"},
		{true, []string{a, "u8[8]", "f32[]"}, "input 0 is [2,?,8], input 1 is [8]: expected 2 or more axes, and 2 or 3"},
		{true, []string{"f32[2,8194]", "u8[5,2,4097]", "f32[]"}, "input 1 is [5,2,4097]: there are no groups of more than 4096 rows"},
		{false, []string{a, rows, "f32[]"}, "input 0 is [2,?,8], input 1 is [5,8]: the rows of one have 8 elements, the columns of the other 5"},
		{true, []string{a, rows, "f32[5,8]"}, "input 2 is [5,8], input 1 is [5,8]: expected the same lengths except for axis 1, or 1"},
		{true, []string{a, rows, "f32[4,1]"}, "input 2 is [4,1], input 1 is [5,8]: expected the same lengths except for axis 1, or 1"},
		{true, []string{a, rows, "f32[1,1,1]"}, "input 2 is [1,1,1], input 1 is [5,8]: expected the same lengths except for axis 1, or 1"},
		{true, []string{a, groups, "f32[]", "i4[5,1,2]"}, "input 3 is [5,1,2], input 1 is [5,4,2]: expected the same lengths except for axis 2, or 1"},
	} {
		got, err := layertest.Infer(t, compressedOp, layertest.Attributes{"transpose_b", strconv.FormatBool(c.transposed)}, c.inputs...)
		if err != nil {
			got = err.Error()
		}
		assert.Contains(t, got, c.want, "%v", c.inputs)
	}
}

// compressedTrial is a random CompressedMatMul and what its layers compute.
type compressedTrial struct {
	attributes  layertest.Attributes
	m, n, depth int
	inputs      []*ir.Tensor
	want        []float64
	size        []float64 // sums of the magnitudes of the products
}

var codeTypes = []ir.ElementType{ir.U4, ir.I4, ir.U8, ir.I8, ir.NF4, ir.F4E2M1}

// randomBits returns a tensor of random bits.
func randomBits(t testing.TB, rng *rand.Rand, elementType ir.ElementType, shape ir.Shape) *ir.Tensor {
	tensor, err := ir.NewTensor(elementType, shape...)
	require.NoError(t, err)
	for i := range tensor.Bytes() {
		tensor.Bytes()[i] = byte(rng.Uint32())
	}
	return tensor
}

func newCompressed(t testing.TB, rng *rand.Rand, codes ir.ElementType, m, n, groups, length int) *compressedTrial {
	c := &compressedTrial{m: m, n: n, depth: groups * length}
	transposed := rng.IntN(2) == 0
	c.attributes = layertest.Attributes{"transpose_b", strconv.FormatBool(transposed)}
	at := compressedAttributes{transposed}
	rank := 3
	if groups == 1 && rng.IntN(2) == 0 {
		rank = 2
	}
	columnAxis, groupAxis, rowAxis := at.codeAxes(rank)
	shape := make(ir.Shape, rank)
	shape[columnAxis], shape[rowAxis] = n, length
	if groupAxis >= 0 {
		shape[groupAxis] = groups
	}
	// factors returns the shape of scales or zero points.
	factors := func() ir.Shape {
		s := append(ir.Shape{}, shape...)
		s[rowAxis] = 1
		if rng.IntN(4) == 0 {
			s[columnAxis] = 1
		}
		for len(s) > 0 && s[0] == 1 && rng.IntN(2) == 0 {
			s = s[1:]
		}
		return s
	}
	x := make([]float64, m*c.depth)
	for i := range x {
		x[i] = float64(float32(2*rng.Float64() - 1))
	}
	scale := layertest.Numbers(t, ir.F32, factors())
	for i := range ir.Data[float32](scale) {
		ir.Data[float32](scale)[i] = float32(rng.IntN(100)) / 64
	}
	c.inputs = []*ir.Tensor{layertest.Numbers(t, ir.F32, ir.Shape{m, c.depth}, x...), randomBits(t, rng, codes, shape), scale}
	value := map[ir.ElementType]func(code uint8) float32{
		ir.NF4: minifloat.NF4ToF32, ir.F4E2M1: minifloat.F4E2M1ToF32,
		ir.U4: func(c uint8) float32 { return float32(c & 15) }, ir.I4: func(c uint8) float32 { return float32(int8(c<<4) >> 4) },
		ir.U8: func(c uint8) float32 { return float32(c) }, ir.I8: func(c uint8) float32 { return float32(int8(c)) },
	}
	numberOf := func(t *ir.Tensor, i int) float32 {
		if t.ElementType().Size() > 0 {
			return value[t.ElementType()](t.Bytes()[i])
		}
		return value[t.ElementType()](t.Packed(i))
	}
	f, _ := formatOf(codes)
	var zero *ir.Tensor
	if f.Table == nil && rng.IntN(3) > 0 {
		zero = randomBits(t, rng, codeTypes[rng.IntN(4)], factors())
		c.inputs = append(c.inputs, zero)
	}
	// index returns the element of list for a group and a column.
	index := func(list *ir.Tensor, group, column int) int {
		at := 0
		if groupAxis >= 0 {
			at = group * strideOf(list.Shape(), shape, groupAxis)
		}
		return at + column*strideOf(list.Shape(), shape, columnAxis)
	}
	c.want, c.size = make([]float64, m*n), make([]float64, m*n)
	for k := range c.depth {
		for j := range n {
			at := k*n + j
			if transposed {
				at = j*c.depth + k
			}
			v := numberOf(c.inputs[1], at)
			if zero != nil {
				v -= numberOf(zero, index(zero, k/length, j))
			}
			v *= ir.Data[float32](scale)[index(scale, k/length, j)]
			for i := range m {
				product := x[i*c.depth+k] * float64(v)
				c.want[i*n+j] += product
				c.size[i*n+j] += math.Abs(product)
			}
		}
	}
	return c
}

func (c *compressedTrial) check(t *testing.T) {
	layertest.CheckRuns(t, compressedOp, c.attributes, c.inputs, func(r layertest.Result) {
		require.NoError(t, r.Err, r.Layer)
		require.Equal(t, ir.Shape{c.m, c.n}, r.Output.Shape())
		for i, v := range ir.Data[float32](r.Output) {
			require.InDelta(t, c.want[i], v, 1e-6*c.size[i]+1e-30, "%s: element %d", r.Layer, i)
		}
	})
}

// checkCompressed checks a random product.
func checkCompressed(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	pick := func(list ...int) int { return list[rng.IntN(len(list))] }
	for _, codes := range codeTypes {
		newCompressed(t, rng, codes, pick(1, 1, 2, 3, 4, 5, 8, 9, 13, 40), 1+rng.IntN(pick(5, 90)), pick(1, 1, 2, 5), pick(1, 2, 7, 8, 32, 50, 130, 300)).check(t)
	}
}

func TestCompressed(t *testing.T) {
	for _, disable := range [][]*cpu.Feature{nil, {cpu.AVX512}, {cpu.AVX512, cpu.FMA}} {
		for _, f := range disable {
			defer f.Disable()()
		}
		layertest.CheckSeeds(t, 25, checkCompressed)
	}
}

func FuzzCompressed(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkCompressed)
}

// TestCompressed_large has several blocks of rows of a, blocks of the depth and groups of columns.
func TestCompressed_large(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 7))
	for _, shape := range [][4]int{{1, 700, 9, 64}, {500, 300, 8, 64}, {20, 290, 1, 1000}, {12, 40, 3, 512}, {9, 33, 2, 1016}} {
		for _, codes := range []ir.ElementType{ir.U4, ir.I8} {
			c := newCompressed(t, rng, codes, shape[0], shape[1], shape[2], shape[3])
			c.check(t)
			layertest.CheckStages(t, compressedOp, c.attributes, 2, c.inputs...)
		}
	}
}

func TestCompressed_allocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 7))
	for _, m := range []int{1, 6, 30} {
		c := newCompressed(t, rng, ir.U4, m, 70, 3, 50)
		layertest.CheckAllocations(t, compressedOp, c.attributes, c.inputs...)
	}
}

// TestCompressed_empty has lengths of 0.
func TestCompressed_empty(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	for _, shape := range [][4]int{{0, 5, 2, 8}, {3, 0, 2, 8}, {3, 5, 0, 8}, {3, 5, 2, 0}, {3, 5, 1, 0}} {
		newCompressed(t, rng, ir.I4, shape[0], shape[1], shape[2], shape[3]).check(t)
	}
}
