package convert

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// values returns n elements: numbers near the limits of the types, other random numbers, or random
// bits.
func values(t testing.TB, rng *rand.Rand, elementType ir.ElementType, n int) *ir.Tensor {
	tensor, err := ir.NewTensor(elementType, n)
	require.NoError(t, err)
	special := []float64{0, math.Copysign(0, -1), 0.5, -0.5, 1.5, 2.5, -1.5, 100.7, -100.7, 127.5, 128, 255.9, 256, 300, 448, 464, 465, 6e4, 65519, 65520,
		1e5, 1 << 31, -(1 << 31), -(1<<31 + 1), 1 << 32, 3e9, 1 << 62, 1 << 63, -(1 << 63), 1.5 * (1 << 63), 1 << 64, 1e30, 1e-8, -1e-8,
		math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32, math.MaxFloat64}
	for i := range n {
		bits := rng.Uint64() >> rng.IntN(64)
		v := special[i%len(special)]
		if rng.IntN(3) == 0 {
			v = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(12)-2))
		}
		switch size := elementType.Size(); {
		case size == 0:
			tensor.SetPacked(i, uint8(bits))
		case elementType == ir.F64:
			ir.Data[float64](tensor)[i] = v
		case elementType == ir.F32:
			ir.Data[float32](tensor)[i] = float32(v)
		case elementType == ir.F16 && i%2 == 0:
			ir.Data[uint16](tensor)[i] = float16.Fromfloat32(float32(v)).Bits()
		case elementType == ir.BF16 && i%2 == 0:
			ir.Data[uint16](tensor)[i] = uint16(math.Float32bits(float32(v)) >> 16)
		case elementType == ir.Boolean:
			tensor.Bytes()[i] = uint8(bits & 1)
		default:
			for b := range size {
				tensor.Bytes()[i*size+b] = byte(bits >> (8 * b))
			}
		}
	}
	return tensor
}

// types returns all element types that can be converted to each other.
func types() []ir.ElementType {
	var list []ir.ElementType
	for t := ir.Boolean; t < ir.String; t++ {
		list = append(list, t)
	}
	return list
}

func TestEveryPair(t *testing.T) {
	t.Run("vectors", testEveryPair)
	t.Run("AVX2", func(t *testing.T) {
		defer cpu.AVX512.Disable()()
		testEveryPair(t)
	})
	t.Run("loops", func(t *testing.T) {
		defer cpu.AVX2.Disable()()
		defer cpu.AVX512.Disable()()
		defer cpu.NEON.Disable()()
		testEveryPair(t)
	})
}

func testEveryPair(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, from := range types() {
		src := values(t, rng, from, 301)
		for _, to := range types() {
			got, err := layertest.Run(&Ops[0], layertest.Attributes{"destination_type", to.String()}, 1, src)
			require.NoError(t, err)
			want, err := ir.NewTensor(to, src.Len())
			require.NoError(t, err)
			for i := range src.Len() {
				compare(t, src, got, want, i)
			}
		}
	}
}

// compare checks element i against the rules. A NaN may have any payload.
func compare(t *testing.T, src, got, want *ir.Tensor, i int) {
	from, to := src.ElementType(), got.ElementType()
	v, have := read(src, i), read(got, i)
	if v.integer == nil && math.IsNaN(v.float) && to.IsFloat() && have.integer == nil && math.IsNaN(have.float) {
		return
	}
	bits := bitsOf(v, from, to)
	if size := to.Size(); size == 0 {
		want.SetPacked(i, uint8(bits))
	} else {
		for b := range size {
			want.Bytes()[i*size+b] = byte(bits >> (8 * b))
		}
	}
	require.Equal(t, layertest.Element(want, i), layertest.Element(got, i), "%v of %v %v to %v", layertest.Element(src, i), from, v, to)
}

// TestParts converts in parts of every length, and on several threads.
func TestParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, pair := range [][2]ir.ElementType{{ir.U4, ir.F32}, {ir.F32, ir.U4}, {ir.U1, ir.I32}, {ir.F16, ir.U3}, {ir.F32, ir.F16}, {ir.U6, ir.U2},
		{ir.F32, ir.I32}, {ir.F32, ir.U8}, {ir.F32, ir.I8}, {ir.I32, ir.F32}, {ir.U8, ir.F32}} {
		for _, n := range []int{0, 1, 2, 7, 8, 9, 15, 100_003} {
			src := values(t, rng, pair[0], n)
			got, err := layertest.Run(&Ops[0], layertest.Attributes{"destination_type", pair[1].String()}, 3, src)
			require.NoError(t, err)
			want, err := ir.NewTensor(pair[1], n)
			require.NoError(t, err)
			for i := range n {
				compare(t, src, got, want, i)
			}
		}
	}
	// A part of 4-bit elements that starts and ends inside of a byte.
	src := values(t, rng, ir.I4, 9)
	out, err := ir.NewTensor(ir.I32, 9)
	require.NoError(t, err)
	require.NoError(t, fromCode(ir.I4, ir.I32)(&ops.Run{Inputs: []*ir.Tensor{src}, Outputs: []*ir.Tensor{out}}, 3, 8))
	for i := range 9 {
		want := int32(0)
		if i >= 3 && i < 8 {
			want = int32(read(src, i).integer.Int64())
		}
		require.Equal(t, want, ir.Data[int32](out)[i])
	}
}

func TestRefused(t *testing.T) {
	fact := func(elementType ir.ElementType) []ir.Fact {
		return []ir.Fact{{Type: elementType, Shape: ir.StaticShape(1)}}
	}
	_, err := Prepare(&ops.Preparation{Inputs: fact(ir.String), Outputs: fact(ir.F32)})
	require.EqualError(t, err, "there is no conversion from string to f32")
	_, err = Prepare(&ops.Preparation{Inputs: fact(ir.F32), Outputs: fact(ir.Complex64)})
	require.EqualError(t, err, "there is no conversion from f32 to complex64")
	_, err = Prepare(&ops.Preparation{Inputs: fact(ir.String), Outputs: fact(ir.String)})
	require.NoError(t, err)
}

// TestFloatsToIntegers has values that processors convert differently.
func TestFloatsToIntegers(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for v, want := range map[float64][3]int64{ // as i32, i64, u64
		nan: {math.MinInt32, math.MinInt64, math.MinInt64}, inf: {math.MinInt32, math.MinInt64, 0}, -inf: {math.MinInt32, math.MinInt64, math.MinInt64},
		1 << 31: {math.MinInt32, 1 << 31, 1 << 31}, -(1 << 31): {math.MinInt32, -(1 << 31), -(1 << 31)}, -2.9: {-2, -2, -2}, 2.9: {2, 2, 2},
		1 << 63: {math.MinInt32, math.MinInt64, math.MinInt64}, -(1 << 63): {math.MinInt32, math.MinInt64, math.MinInt64}, 1 << 64: {math.MinInt32, math.MinInt64, 0},
	} {
		got := [3]int64{int64(toInt32(v)), toInt64(v), int64(toUint64(v))}
		require.Equal(t, want, got, "%v", v)
	}
}

func TestKernel_allocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, pair := range [][2]ir.ElementType{{ir.F16, ir.F32}, {ir.F32, ir.U4}, {ir.U4, ir.F32}, {ir.I64, ir.Boolean}, {ir.I32, ir.U32}} {
		layertest.CheckAllocations(t, &Ops[0], layertest.Attributes{"destination_type", pair[1].String()}, values(t, rng, pair[0], 100))
	}
}

// FuzzKernel converts the elements in data.
func FuzzKernel(f *testing.F) {
	f.Add(uint8(1), uint8(2), []byte("any bytes at all"))
	f.Fuzz(func(t *testing.T, from, to uint8, data []byte) {
		all := types()
		src, dst := all[int(from)%len(all)], all[int(to)%len(all)]
		// 24 bytes are whole groups of every type
		n := min(len(data), 1000) / 24 * 24 * 8 / src.Bits()
		tensor, err := ir.TensorOfBytes(src, ir.Shape{n}, append([]byte(nil), data...))
		require.NoError(t, err)
		got, err := layertest.Run(&Ops[0], layertest.Attributes{"destination_type", dst.String()}, 2, tensor)
		require.NoError(t, err)
		want, err := ir.NewTensor(dst, n)
		require.NoError(t, err)
		if src == dst {
			return // booleans other than 0 and 1 are copied as they are
		}
		for i := range n {
			compare(t, tensor, got, want, i)
		}
	})
}

// TestRows compares the assembly with the portable loops, for every length and alignment that makes
// a difference, and checks that the memory around the row is unchanged.
func TestRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, pair := range [][2]ir.ElementType{{ir.F32, ir.I32}, {ir.F32, ir.U8}, {ir.I32, ir.F32}, {ir.U8, ir.F32}, {ir.Boolean, ir.F32}} {
		src := values(t, rng, pair[0], 80)
		portable := map[ir.ElementType]ops.Part{
			ir.I32: throughFloats(ir.F32, ir.I32, nil), ir.U8: throughFloats(ir.F32, ir.U8, nil),
		}[pair[1]]
		if pair[1] == ir.F32 {
			portable = throughIntegers(pair[0], ir.F32)
			if pair[0] == ir.Boolean {
				src.Bytes()[3], src.Bytes()[12] = 0x80, 7 // true as well
				portable = fromCode(ir.Boolean, ir.F32)
			}
		}
		for n := range 40 {
			for at := range 3 {
				var bytes [2][]byte
				for k, part := range []ops.Part{portable, vectorPart(pair[0], pair[1])} {
					out, err := ir.NewTensor(pair[1], 80)
					require.NoError(t, err)
					for i := range out.Bytes() {
						out.Bytes()[i] = 0xcd
					}
					require.NoError(t, part(&ops.Run{Inputs: []*ir.Tensor{src}, Outputs: []*ir.Tensor{out}}, at, at+n))
					bytes[k] = out.Bytes()
				}
				require.Equal(t, bytes[0], bytes[1], "%v, %d from %d", pair, n, at)
			}
		}
	}
}
