package bitcast

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func to(t ir.ElementType) layertest.Attributes {
	return layertest.Attributes{"destination_type", t.String()}
}

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Attributes: to(ir.I32), Inputs: []string{"f32[2,3]"}, Want: "i32[2,3]"},
		{Attributes: to(ir.F16), Inputs: []string{"bf16[1..2,?]"}, Want: "f16[1..2,?]"},
		{Attributes: to(ir.U8), Inputs: []string{"boolean[]"}, Want: "u8[]"},
		{Attributes: to(ir.I4), Inputs: []string{"u4[...]"}, Want: "i4[...]"},
		{Attributes: to(ir.F64), Inputs: []string{"dynamic[2]"}, Want: "f64[2]"},
		{Attributes: to(ir.I64), Inputs: []string{"f32[2]"}, Error: "data is f32, whose elements have 32 bits, and those of i64 have 64"},
		{Attributes: to(ir.I64), Inputs: []string{"string[2]"}, Error: "data is string, whose elements have 0 bits, and those of i64 have 64"},
		{Attributes: to(ir.Boolean), Inputs: []string{"u8[2]"}, Error: "attribute destination_type: boolean, expected a type of fixed size other than boolean"},
		{Attributes: to(ir.String), Inputs: []string{"u8[2]"}, Error: "attribute destination_type: string, expected a type of fixed size other than boolean"},
		{Inputs: []string{"u8[2]"}, Error: "attribute destination_type: dynamic, expected a type of fixed size other than boolean"},
	})
}

func TestKernel(t *testing.T) {
	floats := layertest.Numbers(t, ir.F32, ir.Shape{2, 2}, 1, 0, math.Inf(-1), 1e-45)
	bits := layertest.Ints(t, ir.I32, ir.Shape{2, 2}, 0x3f800000, 0, -0x800000, 1)
	layertest.CheckElements(t, &Ops[0], to(ir.I32), bits.Shape(), layertest.Elements(bits), floats)
	layertest.CheckElements(t, &Ops[0], to(ir.F32), bits.Shape(), layertest.Elements(floats), bits)
}

// checkRandom casts random bits between all types of a size, and back.
func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	types := layertest.Types()
	from, into := types[rng.IntN(len(types))], types[rng.IntN(len(types))]
	if from.Bits() == 0 || from.Bits() != into.Bits() || into == ir.Boolean || into.Kind() == ir.KindComplex {
		return
	}
	in, err := ir.NewTensor(from, rng.IntN(4), 8*rng.IntN(50))
	require.NoError(t, err)
	for i := range in.Bytes() {
		in.Bytes()[i] = byte(rng.Uint32())
	}
	out, err := layertest.Run(&Ops[0], to(into), 2, in)
	require.NoError(t, err, "seed %d", seed)
	require.Equal(t, into, out.ElementType(), "seed %d", seed)
	require.Equal(t, in.Shape(), out.Shape(), "seed %d", seed)
	require.Equal(t, in.Bytes(), out.Bytes(), "seed %d", seed)
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 300, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func TestKernel_allocations(t *testing.T) {
	layertest.CheckAllocations(t, &Ops[0], to(ir.I32), layertest.Counted(t, ir.F32, 300, 280))
}

func BenchmarkLayer(b *testing.B) {
	in, err := ir.NewTensor(ir.F32, 1000, 256)
	require.NoError(b, err)
	layertest.Benchmark(b, "floats", &Ops[0], to(ir.I32), in)
}
