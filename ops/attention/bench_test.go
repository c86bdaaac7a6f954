package attention

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/levels"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct {
		name string
		t    ir.ElementType
		l, s int
	}{
		{"encoder_f32", ir.F32, 128, 128},
		{"long_f32", ir.F32, 1024, 1024},
		{"decoder_f32", ir.F32, 1, 512},
		{"encoder_f16", ir.F16, 128, 128},
	} {
		in := layertest.Numbers(b, c.t, ir.Shape{1, 12, c.l, 64})
		keys := layertest.Numbers(b, c.t, ir.Shape{1, 12, c.s, 64})
		layertest.Benchmark(b, c.name, &Ops[0], layertest.Attributes{"causal", "false"}, in, keys, keys)
	}
}

// BenchmarkShapes has the numbers of heads, rows and columns of small transformers.
func BenchmarkShapes(b *testing.B) {
	for _, c := range []struct {
		name    string
		h, l, e int
	}{{"3x197x64", 3, 197, 64}, {"12x128x32", 12, 128, 32}, {"12x512x64", 12, 512, 64}} {
		in := layertest.Numbers(b, ir.F32, ir.Shape{1, c.h, c.l, c.e})
		layertest.Benchmark(b, c.name, &Ops[0], layertest.Attributes{"causal", "false"}, in, in, in)
	}
}

// BenchmarkCached has one row of queries, 4 for each head of keys and values, and the types that
// these can be stored in.
func BenchmarkCached(b *testing.B) {
	const heads, groups, rows, columns = 4, 4, 4096, 64
	q := layertest.Numbers(b, ir.F32, ir.Shape{1, heads * groups, 1, columns})
	lengths, err := ir.TensorOf(ir.I64, ir.Shape{4}, []int64{1, heads, rows, columns})
	require.NoError(b, err)
	for _, c := range []struct {
		t       ir.ElementType
		columns int
	}{{ir.F32, columns}, {ir.F16, columns}, {ir.BF16, columns}, {ir.U8, columns + levels.RowExtra}} {
		memory, err := ir.NewTensor(c.t, 1, heads, rows, c.columns)
		require.NoError(b, err)
		layertest.Benchmark(b, c.t.String(), &Ops[1], layertest.Attributes{"groups", strconv.Itoa(groups)}, q, memory, memory, lengths, lengths)
	}
}
