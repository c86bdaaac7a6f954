package reversesequence

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func attributesOf(batch, seq int) layertest.Attributes {
	return layertest.Attributes{"batch_axis", fmt.Sprint(batch), "seq_axis", fmt.Sprint(seq)}
}

// compare computes the definition coordinate by coordinate, and compares the layer with it. The
// lengths are of an element type of their own.
func compare(t *testing.T, data *ir.Tensor, batch, seq int, lengths []float64, lengthType ir.ElementType) {
	t.Helper()
	shape := data.Shape()
	want := make([]string, data.Len())
	for i := range want {
		at := index.Position(i, shape)
		s := (seq + len(shape)) % len(shape)
		if n := int(lengths[at[(batch+len(shape))%len(shape)]]); at[s] < n {
			at[s] = n - 1 - at[s]
		}
		from := 0
		for k, c := range at {
			from = from*shape[k] + c
		}
		want[i] = layertest.Element(data, from)
	}
	layertest.CheckElements(t, &Ops[0], attributesOf(batch, seq), shape, want, data, layertest.Numbers(t, lengthType, ir.Shape{len(lengths)}, lengths...))
}

func TestKernelAgainstReference(t *testing.T) {
	for seed := range uint64(300) {
		checkRandom(t, seed)
	}
}

// FuzzKernel reverses tensors of random types and shapes.
func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	types := layertest.Types()
	shape := make([]int, 2+rng.IntN(3))
	for k := range shape {
		if shape[k] = 1 + rng.IntN(6); rng.IntN(30) == 0 {
			shape[k] = 0
		}
	}
	batch, seq := rng.IntN(2*len(shape))-len(shape), rng.IntN(2*len(shape))-len(shape)
	lengths := make([]float64, shape[(batch+len(shape))%len(shape)])
	for i := range lengths {
		lengths[i] = float64(rng.IntN(shape[(seq+len(shape))%len(shape)] + 1))
	}
	lengthTypes := []ir.ElementType{ir.I32, ir.I64, ir.I8, ir.U8, ir.I16, ir.U16, ir.U32, ir.U64, ir.F32, ir.F64, ir.F16, ir.BF16}
	compare(t, layertest.Counted(t, types[rng.IntN(len(types))], shape...), batch, seq, lengths, lengthTypes[rng.IntN(len(lengthTypes))])
}

// TestLarge has enough work for several threads.
func TestLarge(t *testing.T) {
	lengths := make([]float64, 30)
	for i := range lengths {
		lengths[i] = float64(i * 3)
	}
	for _, elementType := range []ir.ElementType{ir.U8, ir.F32, ir.U4, ir.String} {
		compare(t, layertest.Counted(t, elementType, 30, 100, 90), 0, 1, lengths, ir.I64)
		compare(t, layertest.Counted(t, elementType, 100, 90, 30), 2, 0, lengths, ir.I64)
	}
}

// TestKernel_lengths has results and errors of OpenVINO.
func TestKernel_lengths(t *testing.T) {
	data := layertest.Counted(t, ir.F32, 2, 3)
	compare(t, data, 0, 1, []float64{1.9, 2.5}, ir.F32)
	compare(t, data, 0, 1, []float64{0, 1}, ir.I32)
	compare(t, data, 1, 1, []float64{1, 2, 3}, ir.I32)
	for want, lengths := range map[string]*ir.Tensor{
		"seq_lengths[1] is 4, axis 1 of data has 3 elements":                   layertest.Ints(t, ir.I32, ir.Shape{2}, 0, 4),
		"seq_lengths[0] is -1, axis 1 of data has 3 elements":                  layertest.Ints(t, ir.I64, ir.Shape{2}, -1, 4),
		"seq_lengths[0] is NaN, axis 1 of data has 3 elements":                 layertest.Numbers(t, ir.F32, ir.Shape{2}, math.NaN(), 1),
		"seq_lengths[1] is +Inf, axis 1 of data has 3 elements":                layertest.Numbers(t, ir.F16, ir.Shape{2}, 3.5, math.Inf(1)),
		"seq_lengths[0] is 9223372036854775807, axis 1 of data has 3 elements": layertest.Ints(t, ir.U64, ir.Shape{2}, math.MaxInt64, 1),
	} {
		_, err := layertest.Run(&Ops[0], nil, 1, data, lengths)
		require.EqualError(t, err, want)
	}
}

func TestKernel_allocations(t *testing.T) {
	lengths := layertest.Ints(t, ir.I32, ir.Shape{60}, make([]int64, 60)...)
	for _, elementType := range []ir.ElementType{ir.U8, ir.F32, ir.U4, ir.String} {
		layertest.CheckAllocations(t, &Ops[0], nil, layertest.Counted(t, elementType, 60, 60, 9), lengths)
	}
	layertest.CheckAllocations(t, &Ops[0], nil, layertest.Counted(t, ir.F32, 60, 60, 9), layertest.Numbers(t, ir.F16, ir.Shape{60}))
}
