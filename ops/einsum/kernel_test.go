package einsum

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// reference computes the definition: for each assignment of indices to labels, it adds the product
// of the selected elements. The lengths belong to the letters.
func reference(t testing.TB, inputs []string, output string, lengths map[rune]int, shapes []ir.Shape, data [][]float64) []float64 {
	var labels []rune
	for label := 'a'; label <= 'z'; label++ {
		if strings.ContainsRune(strings.Join(inputs, ""), label) {
			labels = append(labels, label)
		}
	}
	outLen := 1
	for _, label := range output {
		outLen *= lengths[label]
	}
	out := make([]float64, outLen)
	index := map[rune]int{}
	var visit func(k int)
	visit = func(k int) {
		if k < len(labels) {
			for i := range lengths[labels[k]] {
				index[labels[k]] = i
				visit(k + 1)
			}
			return
		}
		x := 1.0
		for i, s := range inputs {
			at := 0
			for axis, label := range s {
				at *= shapes[i][axis]
				if shapes[i][axis] != 1 {
					at += index[label]
				}
			}
			x *= data[i][at]
		}
		at := 0
		for _, label := range output {
			at = at*lengths[label] + index[label]
		}
		out[at] += x
	}
	visit(0)
	return out
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 300, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

// checkRandom writes random labels; some of them are written as the axes of an ellipsis.
func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	letters := []rune("abcdez"[:2+rng.IntN(5)])
	lengths := map[rune]int{}
	for _, label := range letters {
		lengths[label] = 1 + rng.IntN(4)
		switch rng.IntN(12) {
		case 0:
			lengths[label] = 0
		case 1, 2:
			lengths[label] = 5 + rng.IntN(12)
		}
	}
	var inputs []string
	var shapes []ir.Shape
	var data [][]float64
	full := map[rune]bool{} // labels that some input has at their length
	for range 1 + rng.IntN(3) {
		var s []rune
		for range rng.IntN(5) {
			s = append(s, letters[rng.IntN(len(letters))])
		}
		one := map[rune]bool{}
		shape := ir.Shape{}
		for _, label := range s {
			if _, seen := one[label]; !seen {
				one[label] = rng.IntN(6) == 0
			}
			if one[label] {
				shape = append(shape, 1)
			} else {
				shape = append(shape, lengths[label])
				full[label] = true
			}
		}
		inputs, shapes = append(inputs, string(s)), append(shapes, shape)
		data = append(data, layertest.RandomNumbers(rng, 4, 0.5, shape.Elements()))
	}
	for _, label := range letters {
		if !full[label] {
			lengths[label] = 1
		}
	}
	var output []rune
	for _, label := range letters {
		if strings.ContainsRune(strings.Join(inputs, ""), label) && rng.IntN(2) == 0 {
			output = append(output, label)
		}
	}
	rng.Shuffle(len(output), func(i, j int) { output[i], output[j] = output[j], output[i] })
	want := reference(t, inputs, string(output), lengths, shapes, data)
	shape := ir.Shape{}
	for _, label := range output {
		shape = append(shape, lengths[label])
	}
	equation := strings.Join(inputs, ",") + "->" + string(output)
	for elementType, tolerance := range map[ir.ElementType]float64{ir.F64: 1e-12, ir.F32: 1e-5, ir.F16: 2e-3, ir.BF16: 2e-2} {
		var tensors []*ir.Tensor
		for i := range inputs {
			tensors = append(tensors, layertest.Numbers(t, elementType, shapes[i], data[i]...))
		}
		if largest(want) > 30000 && elementType == ir.F16 {
			continue
		}
		layertest.CheckNear(t, &Ops[0], layertest.Attributes{"equation", equation}, shape, want, tolerance*max(1, largest(want)), tensors...)
	}
}

func largest(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		m = max(m, v, -v)
	}
	return m
}

// The results are OpenVINO's.
func TestKernel_ellipsis(t *testing.T) {
	count := func(shape ...int) *ir.Tensor {
		values := make([]float64, ir.Shape(shape).Elements())
		for i := range values {
			values[i] = float64(i + 1)
		}
		return layertest.Numbers(t, ir.F32, shape, values...)
	}
	for _, c := range []struct {
		equation string
		shape    ir.Shape
		want     []float64
		inputs   []*ir.Tensor
	}{
		{"a...->a", ir.Shape{2}, []float64{21, 57}, []*ir.Tensor{count(2, 3, 2)}},
		{"...a,a->...", ir.Shape{2, 2}, []float64{14, 32, 50, 68}, []*ir.Tensor{count(2, 2, 3), count(3)}},
		{"aa,aa->a", ir.Shape{3}, []float64{1, 25, 81}, []*ir.Tensor{count(3, 3), count(3, 3)}},
		{"i...i->...", ir.Shape{3}, []float64{9, 13, 17}, []*ir.Tensor{count(2, 3, 2)}},
		{"...,...->...", ir.Shape{2, 3}, []float64{1, 2, 3, 2, 4, 6}, []*ir.Tensor{count(2, 1), count(3)}},
		{"...a,...b->ab", ir.Shape{3, 2}, []float64{5, 10, 7, 14, 9, 18}, []*ir.Tensor{count(2, 3), count(1, 2)}},
		{"ab,b->a", ir.Shape{3}, []float64{0, 0, 0}, []*ir.Tensor{count(3, 0), count(0)}},
		{"ab,ab->a", ir.Shape{2}, []float64{6, 30}, []*ir.Tensor{count(2, 1), count(2, 3)}},
	} {
		layertest.CheckNear(t, &Ops[0], layertest.Attributes{"equation", c.equation}, c.shape, c.want, 0, c.inputs...)
	}
}

func TestKernel_integersWrap(t *testing.T) {
	for elementType, want := range map[ir.ElementType]int64{ir.I8: -12, ir.U8: 244, ir.I32: 500, ir.U16: 500, ir.I64: 500} {
		out, err := layertest.Run(&Ops[0], layertest.Attributes{"equation", "ab,b->a"}, 1,
			layertest.Ints(t, elementType, ir.Shape{1, 2}, 100, 50), layertest.Ints(t, elementType, ir.Shape{2}, 4, 2))
		require.NoError(t, err)
		assert.Equal(t, layertest.Elements(layertest.Ints(t, elementType, ir.Shape{1}, want)), layertest.Elements(out))
	}
}

func TestKernel_errors(t *testing.T) {
	_, err := layertest.Run(&Ops[0], layertest.Attributes{"equation", "ab->aab"}, 1, layertest.Counted(t, ir.F32, 2, 3))
	assert.ErrorContains(t, err, "the output has label 'a' twice")
}

// TestKernel_large has products that are divided among threads, blocks of the depth and parts of
// the columns, and outputs that are transposed.
func TestKernel_large(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		inputs []string
		output string
	}{
		{[]string{"ij", "jk"}, "ik"}, {[]string{"ij", "jk"}, "ki"}, {[]string{"bij", "bjk"}, "bik"}, {[]string{"ibj", "jbk"}, "ikb"},
		{[]string{"j", "jk"}, "k"}, {[]string{"ij", "j"}, "i"}, {[]string{"bij", "cjk"}, "bcik"}, {[]string{"ijb", "bjk"}, "ik"},
		{[]string{"bi", "bi"}, ""}, {[]string{"bk", "bk"}, "k"}, {[]string{"ij", "jk", "kb"}, "ib"}, {[]string{"kij"}, "j"},
	} {
		lengths := map[rune]int{'i': 33, 'j': 70, 'k': 41, 'b': 5, 'c': 2}
		var shapes []ir.Shape
		var data [][]float64
		var tensors []*ir.Tensor
		for i, s := range c.inputs {
			shape := ir.Shape{}
			for _, label := range s {
				shape = append(shape, lengths[label])
			}
			shapes = append(shapes, shape)
			data = append(data, layertest.RandomNumbers(rng, 4, 0.25, shape.Elements()))
			tensors = append(tensors, layertest.Numbers(t, ir.F32, shape, data[i]...))
		}
		shape := ir.Shape{}
		for _, label := range c.output {
			shape = append(shape, lengths[label])
		}
		want := reference(t, c.inputs, c.output, lengths, shapes, data)
		at := layertest.Attributes{"equation", strings.Join(c.inputs, ",") + "->" + c.output}
		layertest.CheckNear(t, &Ops[0], at, shape, want, 1e-5*max(1, largest(want)), tensors...)
		layertest.CheckAllocations(t, &Ops[0], at, tensors...)
	}
	wide := []*ir.Tensor{layertest.Numbers(t, ir.F16, ir.Shape{3, 1500}), layertest.Numbers(t, ir.F16, ir.Shape{1500, 4500})}
	layertest.CheckAllocations(t, &Ops[0], layertest.Attributes{"equation", "ij,jk->ik"}, wide...)
}
