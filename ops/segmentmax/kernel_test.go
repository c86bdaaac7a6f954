package segmentmax

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func attributesOf(mode string) layertest.Attributes { return layertest.Attributes{"fill_mode", mode} }

var lowest = map[ir.ElementType]float64{
	ir.F32: -math.MaxFloat32, ir.F64: -math.MaxFloat64, ir.F16: -65504, ir.BF16: -0x1.fep127,
	ir.I8: math.MinInt8, ir.I16: math.MinInt16, ir.I32: math.MinInt32, ir.I64: math.MinInt64,
}

// reference goes through all rows for each element of the output.
func reference(values []float64, ids []int64, segments, width int, fill float64) []float64 {
	want := make([]float64, segments*width)
	for i := range want {
		want[i] = fill
		found := false
		for row, id := range ids {
			if id != int64(i/width) {
				continue
			}
			if v := values[row*width+i%width]; !found || v > want[i] || math.IsNaN(want[i]) {
				want[i] = v
			}
			found = true
		}
	}
	return want
}

func TestRandom(t *testing.T) { layertest.CheckSeeds(t, 500, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	checkRows(t, rng, types[rng.IntN(len(types))], rng.IntN(12), 1+rng.IntN(8), rng.IntN(6))
}

func checkRows(t *testing.T, rng *rand.Rand, elementType ir.ElementType, rows, limit, width int) {
	t.Helper()
	ids := make([]int64, rows)
	for i := range ids {
		ids[i] = int64(rng.IntN(limit))
	}
	slices.Sort(ids)
	values := make([]float64, rows*width)
	for i := range values {
		values[i] = float64(rng.IntN(100))
		if lowest[elementType] != 0 {
			values[i] -= 50
		}
		if elementType.IsFloat() && rng.IntN(6) == 0 {
			values[i] = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[rng.IntN(3)]
		}
	}
	mode, fill := "zero", 0.0
	if rng.IntN(2) == 0 {
		mode, fill = "lowest", lowest[elementType]
	}
	inputs := []*ir.Tensor{layertest.Numbers(t, elementType, ir.Shape{rows, width}, values...), layertest.Ints(t, ir.I64, ir.Shape{rows}, ids...)}
	segments := 0
	if rows > 0 {
		segments = int(ids[rows-1]) + 1
	}
	if rng.IntN(2) == 0 {
		segments = rng.IntN(limit + 3)
		inputs = append(inputs, layertest.Ints(t, ir.I32, ir.Shape{}, int64(segments)))
	}
	layertest.CheckNear(t, &Ops[0], attributesOf(mode), ir.Shape{segments, width}, reference(values, ids, segments, width, fill), 0, inputs...)
}

// TestLarge has enough elements for three threads, in short and in long rows.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	checkRows(t, rng, ir.F32, 3000, 100, 40)
	checkRows(t, rng, ir.F16, 4, 3, 3*piece)
}

// TestOpenVINO has the values that OpenVINO 2026.4.1 computes.
func TestOpenVINO(t *testing.T) {
	data := layertest.Numbers(t, ir.F32, ir.Shape{4, 2}, 1, math.NaN(), 3, 2, -1, 5, 7, 7)
	ids := layertest.Ints(t, ir.I64, ir.Shape{4}, 0, 0, 2, 4)
	layertest.CheckNear(t, &Ops[0], attributesOf("zero"), ir.Shape{5, 2}, []float64{3, 2, 0, 0, -1, 5, 0, 0, 7, 7}, 0, data, ids)
	layertest.CheckNear(t, &Ops[0], attributesOf("lowest"), ir.Shape{2, 2}, []float64{3, 2, -math.MaxFloat32, -math.MaxFloat32}, 0,
		data, ids, layertest.Ints(t, ir.I64, ir.Shape{}, 2))
}

func TestErrors(t *testing.T) {
	data := layertest.Counted(t, ir.F32, 3, 2)
	for _, c := range []struct {
		ids  []int64
		want string
	}{
		{[]int64{-1, 0, 1}, "segment_ids[0] is negative: -1"},
		{[]int64{0, 2, 1}, "segment_ids"},
	} {
		_, err := layertest.Run(&Ops[0], attributesOf("zero"), 1, data, layertest.Ints(t, ir.I64, ir.Shape{len(c.ids)}, c.ids...))
		assert.ErrorContains(t, err, c.want, strconv.Itoa(len(c.ids)))
	}
}

func TestKernel_allocations(t *testing.T) {
	for _, elementType := range types {
		layertest.CheckAllocations(t, &Ops[0], attributesOf("zero"), layertest.Counted(t, elementType, 2000, 40),
			layertest.Ints(t, ir.I64, ir.Shape{2000}, make([]int64, 2000)...), layertest.Ints(t, ir.I64, ir.Shape{}, 50))
	}
}
