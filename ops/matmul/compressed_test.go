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
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/lowbit"
	"github.com/vinoir/vinoir/internal/minifloat"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
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
		{true, []string{a, "u2[5,8]", "f32[]", "u3[5,1]"}, "f32[2,?,5]"},
		{true, []string{a, "u4[5,8]", "f32[]", "u8[]", "f32[16]"}, "f32[2,?,5]"},
		{true, []string{a, "dynamic[...]", "f32[]", "u8[]", "dynamic[...]"}, "f32[...]"},
		{true, []string{a, "u6[5,8]", "f32[]"}, "there are no products with codes of u6 and zero points of dynamic"},
		{true, []string{a, "i4[5,8]", "f32[]", "u8[]", "f32[16]"}, "input 1 is i4, input 4 is f32[16]: expected u4, and f32[16]"},
		{true, []string{a, "u4[5,8]", "f32[]", "u8[]", "f16[16]"}, "input 1 is u4, input 4 is f16[16]: expected u4, and f32[16]"},
		{true, []string{a, "u4[5,8]", "f32[]", "u8[]", "f32[8]"}, "input 1 is u4, input 4 is f32[8]: expected u4, and f32[16]"},
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

// TestInferCompressed_batched has codes of several matrices.
func TestInferCompressed_batched(t *testing.T) {
	const a, rows, groups = "f32[3,?,8]", "u4[3,5,8]", "i4[3,5,4,2]"
	for _, c := range []struct {
		transposed bool
		inputs     []string
		want       string
	}{
		{true, []string{a, rows, "f32[3,5,1]", "u8[5,1]"}, "f32[3,?,5]"},
		{true, []string{a, groups, "f32[3,5,4,1]", "u8[]"}, "f32[3,?,5]"},
		{false, []string{"f32[1,2,8]", "u8[3,8,5]", "f32[3,1,1]"}, "f32[3,2,5]"},
		{false, []string{"f32[?,?,8]", "u2[3,4,2,5]", "f32[4,1,5]"}, "f32[3,?,5]"},
		{true, []string{"f32[3,2,8]", "u4[?,?,?]", "f32[...]"}, "f32[?,2,?]"},
		{true, []string{"f32[2,?,8]", rows, "f32[]"}, "input 0 is [2,?,8], input 1 is [3,5,8]: expected 3 or 1 along axis 0"},
		{true, []string{"f32[1,?,8]", "u4[4097,5,8]", "f32[]"}, "input 1 is [4097,5,8]: there are no batches of more than 4096 matrices"},
		{true, []string{"f32[?,8]", rows, "f32[]"}, "input 0 is [?,8], input 1 is [3,5,8]: expected 3 axes, and 3 or 4"},
		{true, []string{a, "u4[5,8]", "f32[]"}, "input 0 is [3,?,8], input 1 is [5,8]: expected 3 axes, and 3 or 4"},
		{true, []string{a, rows, "f32[2,5,1]"}, "input 2 is [2,5,1], input 1 is [3,5,8]: expected the same lengths except for axis 2, or 1"},
	} {
		got, err := layertest.Infer(t, compressedOp, layertest.Attributes{"transpose_b", strconv.FormatBool(c.transposed), "batched", "true"}, c.inputs...)
		if err != nil {
			got = err.Error()
		}
		assert.Contains(t, got, c.want, "%v", c.inputs)
	}
}

// compressedTrial is a random CompressedMatMul and what its layers compute.
type compressedTrial struct {
	attributes layertest.Attributes
	shape      ir.Shape // of the output
	inputs     []*ir.Tensor
	want       []float64
	size       []float64 // sums of the magnitudes of the products
}

var codeTypes = []ir.ElementType{ir.U2, ir.U3, ir.U4, ir.I4, ir.U8, ir.I8, ir.NF4, ir.F4E2M1, ir.F8E4M3, ir.F8E5M2}

// randomBits returns a tensor of random bits.
func randomBits(t testing.TB, rng *rand.Rand, elementType ir.ElementType, shape ir.Shape) *ir.Tensor {
	tensor, err := ir.NewTensor(elementType, shape...)
	require.NoError(t, err)
	for i := range tensor.Bytes() {
		tensor.Bytes()[i] = byte(rng.Uint32())
		switch elementType { // numbers up to 15
		case ir.F8E4M3:
			tensor.Bytes()[i] &= 0xdf
		case ir.F8E5M2:
			tensor.Bytes()[i] &= 0xcf
		}
	}
	return tensor
}

// newCompressed returns a product with one matrix, or with a batch of them if matrices is not 0.
func newCompressed(t testing.TB, rng *rand.Rand, codes ir.ElementType, matrices, m, n, groups, length int) *compressedTrial {
	depth := groups * length
	at := compressedAttributes{transposed: rng.IntN(2) == 0, batched: matrices > 0}
	c := &compressedTrial{attributes: layertest.Attributes{"transpose_b", strconv.FormatBool(at.transposed), "batched", strconv.FormatBool(at.batched)}}
	rank := 3
	if groups == 1 && rng.IntN(2) == 0 {
		rank = 2
	}
	c.shape = ir.Shape{m, n}
	aShape := ir.Shape{m, depth}
	if at.batched {
		rank++
		c.shape, aShape = ir.Shape{matrices, m, n}, ir.Shape{matrices, m, depth}
		if rng.IntN(4) == 0 {
			aShape[0] = 1
		}
	}
	columnAxis, groupAxis, rowAxis := at.codeAxes(rank)
	shape := make(ir.Shape, rank)
	shape[0] = matrices
	shape[columnAxis], shape[rowAxis] = n, length
	if groupAxis >= 0 {
		shape[groupAxis] = groups
	}
	// factors returns the shape of scales or zero points.
	factors := func() ir.Shape {
		s := append(ir.Shape{}, shape...)
		s[rowAxis] = 1
		for _, axis := range []int{columnAxis, 0} {
			if rng.IntN(4) == 0 {
				s[axis] = 1
			}
		}
		for len(s) > 0 && s[0] == 1 && rng.IntN(2) == 0 {
			s = s[1:]
		}
		return s
	}
	x := make([]float64, aShape.Elements())
	for i := range x {
		x[i] = float64(float32(2*rng.Float64() - 1))
	}
	scale := layertest.Numbers(t, ir.F32, factors())
	for i := range ir.Data[float32](scale) {
		ir.Data[float32](scale)[i] = float32(rng.IntN(100)) / 64
	}
	c.inputs = []*ir.Tensor{layertest.Numbers(t, ir.F32, aShape, x...), randomBits(t, rng, codes, shape), scale}
	integer := func(c uint8) float32 { return float32(c) }
	value := map[ir.ElementType]func(code uint8) float32{
		ir.NF4: minifloat.NF4ToF32, ir.F4E2M1: minifloat.F4E2M1ToF32, ir.F8E4M3: minifloat.F8E4M3ToF32, ir.F8E5M2: minifloat.F8E5M2ToF32,
		ir.U2: integer, ir.U3: integer, ir.U4: integer, ir.I4: func(c uint8) float32 { return float32(int8(c<<4) >> 4) },
		ir.U8: integer, ir.I8: func(c uint8) float32 { return float32(int8(c)) },
	}
	codeOf := func(t *ir.Tensor, i int) uint8 {
		if t.ElementType().Size() > 0 {
			return t.Bytes()[i]
		}
		return t.Packed(i)
	}
	numberOf := func(t *ir.Tensor, i int) float32 { return value[t.ElementType()](codeOf(t, i)) }
	f, _ := formatOf(codes)
	var zero *ir.Tensor
	if f.Table == nil && f.Float == lowbit.Integer && rng.IntN(3) > 0 {
		zero = randomBits(t, rng, codeTypes[rng.IntN(6)], factors())
		c.inputs = append(c.inputs, zero)
	}
	var table *ir.Tensor
	if codes == ir.U4 && zero != nil && rng.IntN(2) == 0 {
		numbers := make([]float64, 16)
		for i := range numbers {
			numbers[i] = float64(float32(rng.NormFloat64()))
		}
		table = layertest.Numbers(t, ir.F32, ir.Shape{16}, numbers...)
		c.inputs = append(c.inputs, table)
	}
	// index returns the element of list for a matrix, a group and a column.
	index := func(list *ir.Tensor, matrix, group, column int) int {
		i := column * strideOf(list.Shape(), shape, columnAxis)
		if groupAxis >= 0 {
			i += group * strideOf(list.Shape(), shape, groupAxis)
		}
		if at.batched {
			i += matrix * strideOf(list.Shape(), shape, 0)
		}
		return i
	}
	c.want, c.size = make([]float64, c.shape.Elements()), make([]float64, c.shape.Elements())
	for matrix := range max(matrices, 1) {
		firstRow := 0
		if at.batched && aShape[0] > 1 {
			firstRow = matrix * m
		}
		for k := range depth {
			for j := range n {
				i := k*n + j
				if at.transposed {
					i = j*depth + k
				}
				i += matrix * n * depth
				v := numberOf(c.inputs[1], i)
				if table != nil {
					v = ir.Data[float32](table)[codeOf(c.inputs[1], i)]
				}
				if zero != nil {
					v -= numberOf(zero, index(zero, matrix, k/length, j))
				}
				v *= ir.Data[float32](scale)[index(scale, matrix, k/length, j)]
				for i := range m {
					product := x[(firstRow+i)*depth+k] * float64(v)
					c.want[(matrix*m+i)*n+j] += product
					c.size[(matrix*m+i)*n+j] += math.Abs(product)
				}
			}
		}
	}
	return c
}

func (c *compressedTrial) check(t *testing.T) {
	layertest.CheckRuns(t, compressedOp, c.attributes, c.inputs, func(r layertest.Result) {
		require.NoError(t, r.Err, r.Layer)
		require.Equal(t, c.shape, r.Output.Shape())
		c.near(t, r, 1e-6)
	})
}

// near checks that each element of the output differs from that wanted by less than tolerance times
// the sum of the sizes of its products.
func (c *compressedTrial) near(t *testing.T, r layertest.Result, tolerance float64) {
	t.Helper()
	for i, v := range ir.Data[float32](r.Output) {
		// Not by InDelta: there are millions of elements.
		if bound := tolerance*c.size[i] + 1e-30; !(math.Abs(c.want[i]-float64(v)) <= bound) {
			require.Failf(t, "not near", "%s: element %d is %v, want %v, within %g", r.Layer, i, v, c.want[i], bound)
		}
	}
}

// checkCompressed checks a random product.
func checkCompressed(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	pick := func(list ...int) int { return list[rng.IntN(len(list))] }
	for _, codes := range codeTypes {
		newCompressed(t, rng, codes, pick(0, 0, 1, 2, 3), pick(1, 1, 2, 3, 4, 5, 8, 9, 13, 40), 1+rng.IntN(pick(5, 90)), pick(1, 1, 2, 5), pick(1, 2, 7, 8, 32, 50, 130, 300)).check(t)
	}
}

// TestCompressed has the instruction sets of CheckSeeds, and two that lie between them.
func TestCompressed(t *testing.T) {
	layertest.CheckSeeds(t, 25, checkCompressed)
	for _, off := range cpu.Distinct([][]*cpu.Feature{nil, {cpu.AVX512}, {cpu.AVX512, cpu.FMA}})[1:] {
		t.Run(fmt.Sprint("without ", off), func(t *testing.T) {
			defer cpu.Disable(off...)()
			for seed := range uint64(25) {
				checkCompressed(t, seed)
			}
		})
	}
}

func FuzzCompressed(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkCompressed)
}

// TestCompressed_large has several blocks of rows of a, blocks of the depth and groups of columns.
func TestCompressed_large(t *testing.T) {
	if testing.Short() {
		t.Skip("large products")
	}
	rng := rand.New(rand.NewPCG(3, 7))
	for _, shape := range [][5]int{{0, 1, 700, 9, 64}, {0, 500, 300, 8, 64}, {0, 20, 290, 1, 1000}, {0, 12, 40, 3, 512}, {0, 9, 33, 2, 1016}, {5, 1, 300, 9, 64}, {3, 500, 70, 8, 64}} {
		for _, codes := range []ir.ElementType{ir.U4, ir.I8} {
			c := newCompressed(t, rng, codes, shape[0], shape[1], shape[2], shape[3], shape[4])
			c.check(t)
			layertest.CheckStages(t, compressedOp, c.attributes, 2, c.inputs...)
		}
	}
}

// TestCompressed_pairs rounds the rows of a and the weights to bf16 or f16: each by 1/256 of its
// size at most.
func TestCompressed_pairs(t *testing.T) {
	for _, rounded := range []ir.ElementType{ir.BF16, ir.F16} {
		t.Run(rounded.String(), func(t *testing.T) { checkCompressedPairs(t, rounded) })
	}
}

func checkCompressedPairs(t *testing.T, rounded ir.ElementType) {
	t.Helper()
	op := *compressedOp
	op.Prepare = func(p *ops.Preparation) (*ops.Prepared, error) {
		p.Rounded = rounded
		prepared, err := compressedOp.Prepare(p)
		// f16 does not always pay
		if err == nil && p.Outputs[0].Shape.Rank() == 2 && (rounded == ir.BF16 || !gemm.HasPairs(true)) {
			assert.Equal(t, rounded, prepared.Precision)
		}
		return prepared, err
	}
	rng := rand.New(rand.NewPCG(6, 7))
	for i, shape := range [][5]int{{0, 9, 33, 2, 16}, {0, 40, 70, 9, 64}, {0, 200, 40, 14, 64}, {0, 20, 100, 1, 1000}, {3, 30, 70, 3, 34}} {
		for j, codes := range codeTypes {
			// all types with the small shapes, each with one that is not
			if shape[1]*shape[2] > 1000 && (i+j)%3 > 0 {
				continue
			}
			c := newCompressed(t, rng, codes, shape[0], shape[1], shape[2], shape[3], shape[4])
			layertest.CheckRuns(t, &op, c.attributes, c.inputs, func(r layertest.Result) {
				require.NoError(t, r.Err, r.Layer)
				c.near(t, r, 1.0/127)
			})
		}
	}
}

func TestCompressed_allocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 7))
	for _, m := range []int{1, 6, 30} {
		for _, matrices := range []int{0, 3} {
			c := newCompressed(t, rng, ir.U4, matrices, m, 70, 3, 50)
			layertest.CheckAllocations(t, compressedOp, c.attributes, c.inputs...)
		}
	}
}

// TestCompressed_empty has lengths of 0.
func TestCompressed_empty(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	for _, shape := range [][4]int{{0, 5, 2, 8}, {3, 0, 2, 8}, {3, 5, 0, 8}, {3, 5, 2, 0}, {3, 5, 1, 0}} {
		for _, matrices := range []int{0, 2} {
			newCompressed(t, rng, ir.I4, matrices, shape[0], shape[1], shape[2], shape[3]).check(t)
		}
	}
}
