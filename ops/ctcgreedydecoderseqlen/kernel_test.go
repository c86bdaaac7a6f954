package ctcgreedydecoderseqlen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/ctc"
)

// reference decodes item by item.
func reference(shape ir.Shape, data []float64, lengths []int64, blank int, merge bool) (classes, counts []float64) {
	batch, steps, n := shape[0], shape[1], shape[2]
	for b := range batch {
		var path, decoded []int
		for t := range int(lengths[b]) {
			row, best := data[(b*steps+t)*n:][:n], 0
			for c := range row {
				if row[c] > row[best] {
					best = c
				}
			}
			path = append(path, best)
		}
		for t, class := range path {
			if repeated := t > 0 && path[t-1] == class; class != blank && !(merge && repeated) {
				decoded = append(decoded, class)
			}
		}
		counts = append(counts, float64(len(decoded)))
		for t := range steps {
			if t < len(decoded) {
				classes = append(classes, float64(decoded[t]))
			} else {
				classes = append(classes, -1)
			}
		}
	}
	return classes, counts
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 200, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

var (
	lengthTypes = []ir.ElementType{ir.I8, ir.U8, ir.I16, ir.U16, ir.I32, ir.U32, ir.I64, ir.U64}
	outputTypes = []string{"i32", "i64"}
)

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	compare(t, rng, ir.Shape{rng.IntN(5), rng.IntN(9), 1 + rng.IntN(4)})
}

func compare(t *testing.T, rng *rand.Rand, shape ir.Shape) {
	data := layertest.RandomNumbers(rng, 3, 0.5, shape.Elements())
	lengths := make([]int64, shape[0])
	for i := range lengths {
		lengths[i] = int64(rng.IntN(shape[1] + 1))
	}
	merge, blank := rng.IntN(2) == 0, shape[2]-1
	at := layertest.Attributes{
		"merge_repeated", fmt.Sprint(merge),
		"classes_index_type", outputTypes[rng.IntN(2)], "sequence_length_type", outputTypes[rng.IntN(2)],
	}
	var blankIndex []*ir.Tensor
	if rng.IntN(2) == 0 {
		blank = rng.IntN(shape[2] + 1)
		blankIndex = append(blankIndex, layertest.Ints(t, lengthTypes[rng.IntN(8)], []ir.Shape{{}, {1}}[rng.IntN(2)], int64(blank)))
	}
	classes, counts := reference(shape, data, lengths, blank, merge)
	for i, elementType := range ctc.Types {
		inputs := append([]*ir.Tensor{
			layertest.Numbers(t, elementType, shape, data...), layertest.Ints(t, lengthTypes[(rng.IntN(4)*2+i)%8], shape[:1], lengths...),
		}, blankIndex...)
		for threads := 1; threads <= 3; threads++ {
			got, err := layertest.RunOutputs(&Ops[0], at, threads, 2, inputs...)
			require.NoError(t, err)
			layertest.Near(t, classes, got[0], 0, "classes of %v %v %v", elementType, shape, at)
			layertest.Near(t, counts, got[1], 0, "lengths of %v %v %v", elementType, shape, at)
		}
	}
}

// TestLarge has enough steps and items for two threads, and lengths that fit the smallest type.
func TestLarge(t *testing.T) {
	compare(t, rand.New(rand.NewPCG(3, 4)), ir.Shape{700, 60, 5})
}

// TestBorders has results of OpenVINO.
func TestBorders(t *testing.T) {
	const a, b, c = 0, 1, 2
	nan := math.NaN()
	path := func(classes ...int) []float64 {
		rows := make([]float64, 3*len(classes))
		for i, class := range classes {
			rows[3*i+class] = 1
		}
		return rows
	}
	for _, test := range []struct {
		data          []float64
		length        int64
		blank         []int64
		merge         bool
		want, length2 []float64
	}{
		{path(a, a, b, c, b, b), 6, nil, true, []float64{0, 1, 1, -1, -1, -1}, []float64{3}},
		{path(a, a, b, c, b, b), 0, nil, true, []float64{-1, -1, -1, -1, -1, -1}, []float64{0}},
		{path(a, a, b, c, b, b), 6, []int64{0}, true, []float64{1, 2, 1, -1, -1, -1}, []float64{3}},
		{path(a, a, b, c, b, b), 6, []int64{3}, true, []float64{0, 1, 2, 1, -1, -1}, []float64{4}},
		{path(a, a, b, c, b, b), 6, []int64{-1}, true, []float64{0, 1, 2, 1, -1, -1}, []float64{4}},
		{path(a, a, b, c, b, b), 6, []int64{2}, false, []float64{0, 0, 1, 1, 1, -1}, []float64{5}},
		{[]float64{1, 1, 0, nan, 5, 0, 0, nan, 2}, 3, nil, false, []float64{0, 0, -1}, []float64{2}},
	} {
		inputs := []*ir.Tensor{
			layertest.Numbers(t, ir.F32, ir.Shape{1, len(test.want), 3}, test.data...), layertest.Ints(t, ir.I32, ir.Shape{1}, test.length),
		}
		if test.blank != nil {
			inputs = append(inputs, layertest.Ints(t, ir.I64, ir.Shape{1}, test.blank...))
		}
		got, err := layertest.RunOutputs(&Ops[0], layertest.Attributes{"merge_repeated", fmt.Sprint(test.merge)}, 1, 2, inputs...)
		require.NoError(t, err)
		layertest.Near(t, test.want, got[0], 0, "classes")
		layertest.Near(t, test.length2, got[1], 0, "length")
	}
}

func TestErrors(t *testing.T) {
	data, lengths := layertest.Numbers(t, ir.F32, ir.Shape{2, 4, 3}), layertest.Ints(t, ir.I32, ir.Shape{2}, 4, 4)
	for want, inputs := range map[string][]*ir.Tensor{
		"sequence_length[1] is 5, expected 0 to 4":                       {data, layertest.Ints(t, ir.I32, ir.Shape{2}, 4, 5)},
		"sequence_length[0] is -1, expected 0 to 4":                      {data, layertest.Ints(t, ir.I64, ir.Shape{2}, -1, 5)},
		"CTCGreedyDecoderSeqLen-6 has no kernel for input 1 of type f32": {data, layertest.Numbers(t, ir.F32, ir.Shape{2})},
		"data has shape [2,4,0]: there are no classes":                   {layertest.Numbers(t, ir.F32, ir.Shape{2, 4, 0}), lengths},
		"CTCGreedyDecoderSeqLen-6 has no kernel for input 0 of type i":   {layertest.Numbers(t, ir.I32, ir.Shape{2, 4, 3}), lengths},
	} {
		_, err := layertest.RunOutputs(&Ops[0], nil, 1, 2, inputs...)
		assert.ErrorContains(t, err, want)
	}
	_, err := layertest.RunOutputs(&Ops[0], layertest.Attributes{"classes_index_type", "f32"}, 1, 2, data, lengths)
	assert.ErrorContains(t, err, "classes_index_type is f32, expected i32 or i64")
	_, err = layertest.RunOutputs(&Ops[0], layertest.Attributes{"sequence_length_type", "u8"}, 1, 2, data, lengths)
	assert.ErrorContains(t, err, "sequence_length_type is u8, expected i32 or i64")
	_, err = storeOf("classes_index_type", ir.I32, math.MaxInt32)
	assert.NoError(t, err)
}

// TestKernel_allocations has enough steps for two threads.
func TestKernel_allocations(t *testing.T) {
	layertest.CheckAllocationsOf(t, &Ops[0], nil, 2,
		layertest.Numbers(t, ir.F16, ir.Shape{60, 40, 50}), layertest.Numbers(t, ir.I32, ir.Shape{60}), layertest.Numbers(t, ir.I32, ir.Shape{1}))
}
