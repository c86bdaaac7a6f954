package jsontensor_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/jsonscan"
	"github.com/vinoir/vinoir/serve/internal/jsontensor"
)

// BenchmarkRead reads 150,000 numbers: a picture as FP32, with the digits that Python writes for
// them, and as UINT8.
func BenchmarkRead(b *testing.B) {
	const elements = 150_000
	random := rand.New(rand.NewPCG(1, 2))
	floats, bytes := []byte("["), []byte("[")
	for i := range elements {
		if i > 0 {
			floats, bytes = append(floats, ", "...), append(bytes, ',')
		}
		floats = strconv.AppendFloat(floats, float64(random.Float32()), 'f', -1, 64)
		bytes = strconv.AppendUint(bytes, uint64(random.Uint32N(256)), 10)
	}
	for _, c := range []struct {
		elementType ir.ElementType
		text        []byte
	}{{ir.F32, append(floats, ']')}, {ir.F64, append(floats, ']')}, {ir.U8, append(bytes, ']')}} {
		b.Run(c.elementType.String(), func(b *testing.B) {
			memory := ir.AlignedBytes(8 * elements)
			options := jsontensor.Options{Memory: func(n int) []byte { return memory[:n] }}
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := jsontensor.Read(jsonscan.New(c.text, 8), c.elementType, ir.Shape{elements}, options)
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkAppend writes 150,000 numbers.
func BenchmarkAppend(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	tensor, err := ir.NewTensor(ir.F32, 150_000)
	require.NoError(b, err)
	for i := range ir.Data[float32](tensor) {
		ir.Data[float32](tensor)[i] = random.Float32()
	}
	text, err := jsontensor.Append(nil, tensor)
	require.NoError(b, err)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, err := jsontensor.Append(text[:0], tensor)
		require.NoError(b, err)
	}
}
