package embeddingbag

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// layer is a layer and its inputs.
type layer struct {
	name       string
	mean       bool
	rows, row  int
	table      []float64
	indices    []int64
	bags       int
	bagOf      []int64 // the bag of each member; -1 for none
	offsets    []int64
	defaultRow *int64
	weights    []float64
}

// reference computes each element of the output from all members.
func (l *layer) reference() []float64 {
	out := make([]float64, l.bags*l.row)
	for i := range out {
		bag, count := i/l.row, 0
		for k, index := range l.indices {
			if l.bagOf[k] != int64(bag) {
				continue
			}
			count++
			w := 1.
			if l.weights != nil {
				w = l.weights[k]
			}
			out[i] += w * l.table[int(index)*l.row+i%l.row]
		}
		switch {
		case count == 0 && l.defaultRow != nil && *l.defaultRow >= 0:
			out[i] = l.table[int(*l.defaultRow)*l.row+i%l.row]
		case l.mean:
			out[i] /= float64(max(count, 1))
		}
	}
	return out
}

// inputs returns the inputs in the order of the layer type.
func (l *layer) inputs(t testing.TB, elementType, indexType ir.ElementType) []*ir.Tensor {
	t.Helper()
	n := ir.Shape{len(l.indices)}
	if strings.Contains(l.name, "Packed") {
		n = ir.Shape{l.bags, len(l.indices) / l.bags}
	}
	inputs := []*ir.Tensor{layertest.Numbers(t, elementType, ir.Shape{l.rows, l.row}, l.table...), layertest.Ints(t, indexType, n, l.indices...)}
	switch {
	case strings.Contains(l.name, "Offsets"):
		inputs = append(inputs, layertest.Ints(t, indexType, ir.Shape{l.bags}, l.offsets...))
	case strings.Contains(l.name, "Segments"):
		inputs = append(inputs, layertest.Ints(t, indexType, n, l.bagOf...), layertest.Ints(t, indexType, nil, int64(l.bags)))
	}
	if l.defaultRow != nil {
		inputs = append(inputs, layertest.Ints(t, indexType, nil, *l.defaultRow))
	}
	if l.weights != nil {
		inputs = append(inputs, layertest.Numbers(t, elementType, n, l.weights...))
	}
	return inputs
}

func (l *layer) op(t testing.TB) (*ops.Op, layertest.Attributes) {
	t.Helper()
	if op := layertest.FindType(t, Ops, l.name); l.mean {
		return op, layertest.Attributes{"reduction", "mean"}
	} else {
		return op, nil
	}
}

var names = []string{"EmbeddingBagOffsets-15", "EmbeddingBagOffsetsSum-3", "EmbeddingBagPacked-15", "EmbeddingBagPackedSum-3", "EmbeddingSegmentsSum-3"}

// random returns a layer of small numbers, which all types hold, also sums and products.
func random(rng *rand.Rand, name string, bags, members, row int) *layer {
	l := &layer{name: name, rows: 1 + rng.IntN(5), row: row, bags: bags}
	for range l.rows * l.row {
		l.table = append(l.table, float64(rng.IntN(4)))
	}
	if strings.Contains(name, "Packed") {
		members = (members + bags - 1) / bags * bags
	}
	last := 0
	for i := range members {
		l.indices = append(l.indices, int64(rng.IntN(l.rows)))
		switch {
		case strings.Contains(name, "Packed"):
			l.bagOf = append(l.bagOf, int64(i/(members/bags)))
		case strings.Contains(name, "Segments"):
			l.bagOf = append(l.bagOf, int64(rng.IntN(bags+2)-1))
		default:
			last = min(last+max(rng.IntN(3)-1, 0), bags-1)
			l.bagOf = append(l.bagOf, int64(last))
		}
	}
	if strings.Contains(name, "Offsets") {
		if rng.IntN(2) == 0 { // the first members belong to no bag
			for i := range l.bagOf[:rng.IntN(len(l.bagOf)+1)] {
				l.bagOf[i] = -1
			}
		}
		for b := range int64(bags) {
			at := 0
			for at < members && l.bagOf[at] < b {
				at++
			}
			l.offsets = append(l.offsets, int64(at))
		}
	}
	l.mean = strings.HasSuffix(name, "-15") && rng.IntN(2) == 0
	if v := int64(rng.IntN(l.rows+1) - 1); !strings.Contains(name, "Packed") && rng.IntN(2) == 0 {
		l.defaultRow = &v
	}
	if !l.mean && (l.defaultRow != nil || strings.Contains(name, "Packed")) && rng.IntN(2) == 0 {
		l.weights = make([]float64, members)
		for i := range l.weights {
			l.weights[i] = float64(rng.IntN(3))
		}
	}
	return l
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 150, checkRandom) }

// FuzzKernel sums random bags.
func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	row := 1 + rng.IntN([]int{20, 150}[rng.IntN(2)])
	if rng.IntN(2) == 0 {
		row = (row + 3) &^ 3 // which the code for NEON needs
	}
	l := random(rng, names[rng.IntN(len(names))], 1+rng.IntN(5), rng.IntN(12), row)
	if l.mean { // of whole numbers
		for i := range l.table {
			l.table[i] = 3
		}
	}
	compare(t, l, Ops[0].Types...)
}

func compare(t *testing.T, l *layer, types ...ir.ElementType) {
	t.Helper()
	op, attributes := l.op(t)
	for i, elementType := range types {
		layertest.CheckNear(t, op, attributes, ir.Shape{l.bags, l.row}, l.reference(), 0, l.inputs(t, elementType, []ir.ElementType{ir.I32, ir.I64}[i%2])...)
	}
}

// TestLarge has enough work for several threads, rows of several blocks of columns, and large bags.
func TestLarge(t *testing.T) {
	wide := random(rand.New(rand.NewPCG(5, 6)), names[0], 2, 7, 2*columns+5)
	wide.mean = false
	compare(t, wide, ir.F32, ir.F16, ir.I32)
	full := random(rand.New(rand.NewPCG(7, 8)), names[1], 20, 2000, callWork/1000)
	for i := range full.offsets {
		full.offsets[i] = int64(i * i)
	}
	for i := range full.bagOf {
		full.bagOf[i] = int64(min(math.Sqrt(float64(i)), 19))
	}
	compare(t, full, ir.F32)
	for _, name := range names {
		l := random(rand.New(rand.NewPCG(3, 4)), name, 300, 1000, 70)
		l.mean = false
		compare(t, l, ir.F32, ir.F16, ir.I32)
	}
}

// TestKernel_borders has results of OpenVINO.
func TestKernel_borders(t *testing.T) {
	two, zero, none := int64(2), int64(0), int64(-1)
	table := []float64{1, 2, -2, 5, 5, 6}
	for _, c := range []struct {
		l     layer
		types []ir.ElementType
		want  []float64
	}{
		// A default row has no weight.
		{layer{name: "EmbeddingBagOffsets-15", indices: []int64{0, 2, 1}, offsets: []int64{0, 0, 2}, bags: 3, defaultRow: &two, weights: []float64{10, 20, 30}},
			[]ir.ElementType{ir.F32, ir.F64, ir.I32}, []float64{5, 6, 110, 140, -60, 150}},
		{layer{name: "EmbeddingBagOffsets-15", mean: true, indices: []int64{0, 2, 1}, offsets: []int64{0, 0, 2}, bags: 3, defaultRow: &two},
			[]ir.ElementType{ir.F32, ir.F16, ir.I8}, []float64{5, 6, 3, 4, -2, 5}},
		{layer{name: "EmbeddingSegmentsSum-3", indices: []int64{0, 2, 1}, bagOf: []int64{2, 0, 2}, bags: 3, defaultRow: &zero},
			[]ir.ElementType{ir.F32, ir.BF16, ir.I64}, []float64{5, 6, 1, 2, -1, 7}},
		{layer{name: "EmbeddingSegmentsSum-3", indices: []int64{0, 2, 1}, bagOf: []int64{-1, 0, 9}, bags: 2, defaultRow: &none},
			[]ir.ElementType{ir.F32, ir.I16}, []float64{5, 6, 0, 0}},
		// Means of integers are rounded towards zero.
		{layer{name: "EmbeddingBagPacked-15", mean: true, indices: []int64{0, 1, 1, 2}, bags: 2}, []ir.ElementType{ir.I32, ir.I8, ir.I64}, []float64{0, 3, 1, 5}},
		// Offsets that are the number of indices.
		{layer{name: "EmbeddingBagOffsetsSum-3", indices: []int64{0, 2, 1}, offsets: []int64{0, 3, 3}, bags: 3}, []ir.ElementType{ir.F32, ir.F16}, []float64{4, 13, 0, 0, 0, 0}},
	} {
		c.l.rows, c.l.row, c.l.table = 3, 2, table
		op, attributes := c.l.op(t)
		for _, elementType := range c.types {
			layertest.CheckNear(t, op, attributes, ir.Shape{c.l.bags, 2}, c.want, 0, c.l.inputs(t, elementType, ir.I32)...)
		}
	}
	// Sums wrap, before the mean is computed, and the number of members may be beyond the type.
	op := layertest.FindType(t, Ops, "EmbeddingBagPacked-15")
	ones := layertest.Ints(t, ir.I32, ir.Shape{1, 256}, make([]int64, 256)...)
	layertest.CheckNear(t, op, layertest.Attributes{"reduction", "mean"}, ir.Shape{1, 1}, []float64{0}, 0, layertest.Numbers(t, ir.I8, ir.Shape{1, 1}, 3), ones)
	three := layertest.Ints(t, ir.I32, ir.Shape{1, 3}, 0, 1, 1)
	layertest.CheckNear(t, op, layertest.Attributes{"reduction", "mean"}, ir.Shape{1, 1}, []float64{21}, 0, layertest.Numbers(t, ir.I8, ir.Shape{2, 1}, 120, 100), three)
}

func TestKernel_errors(t *testing.T) {
	three, low := int64(3), int64(-2)
	for _, c := range []struct {
		l   layer
		err string
	}{
		{layer{name: "EmbeddingBagOffsetsSum-3", indices: []int64{0, 7}, offsets: []int64{0}}, "indices: index 7 at position [1] is outside [0,2]"},
		{layer{name: "EmbeddingBagPacked-15", indices: []int64{0, -1}}, "indices: index -1 at position [0 1] is outside [0,2]"},
		{layer{name: "EmbeddingBagOffsets-15", indices: []int64{0, 1}, offsets: []int64{2, 0}}, "offsets[1] is 0, expected a number from 2, the offset before it, to 2, the number of indices"},
		{layer{name: "EmbeddingBagOffsets-15", indices: []int64{0, 1}, offsets: []int64{0, 9}}, "offsets[1] is 9, expected a number from 0, the offset before it, to 2, the number of indices"},
		{layer{name: "EmbeddingBagOffsets-15", indices: []int64{0, 1}, offsets: []int64{-1, 0}}, "offsets[0] is -1, expected a number from 0, the offset before it, to 2, the number of indices"},
		{layer{name: "EmbeddingBagOffsets-15", indices: []int64{0}, offsets: []int64{0, 0}, defaultRow: &three}, "default_index is 3, emb_table has 3 rows"},
		{layer{name: "EmbeddingSegmentsSum-3", indices: []int64{0}, bagOf: []int64{4}, defaultRow: &low}, "default_index is -2, emb_table has 3 rows"},
	} {
		c.l.rows, c.l.row, c.l.bags, c.l.table = 3, 1, max(len(c.l.offsets), 1), []float64{1, 2, 3}
		op, attributes := c.l.op(t)
		_, err := layertest.Run(op, attributes, 1, c.l.inputs(t, ir.F32, ir.I64)...)
		require.EqualError(t, err, c.err)
	}
}

func TestKernel_allocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, name := range names {
		for _, elementType := range []ir.ElementType{ir.F32, ir.F16, ir.I8} {
			l := random(rng, name, 300, 1000, 70)
			op, attributes := l.op(t)
			layertest.CheckAllocations(t, op, attributes, l.inputs(t, elementType, ir.I32)...)
		}
	}
}
