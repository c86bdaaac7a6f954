package stringtohashbucket

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func inputs(t testing.TB, texts ...string) []*ir.Tensor {
	t.Helper()
	all := strings.Join(texts, "")
	bytes, err := ir.NewTensor(ir.U8, len(all))
	require.NoError(t, err)
	copy(bytes.Bytes(), all)
	var begins, ends []int64
	n := 0
	for _, text := range texts {
		begins = append(begins, int64(n))
		n += len(text)
		ends = append(ends, int64(n))
	}
	shape := ir.Shape{len(texts)}
	return []*ir.Tensor{layertest.Ints(t, ir.I32, shape, begins...), layertest.Ints(t, ir.I32, shape, ends...), bytes}
}

// TestKernel has results of OpenVINO, for strings of each length that is hashed in another way.
func TestKernel(t *testing.T) {
	x := strings.Repeat("x", 200)
	want := map[int]int64{0: 377723, 1: 598337, 2: 416770, 3: 16948, 4: 76307, 7: 177313, 8: 685690, 9: 456323, 15: 464981, 16: 762252, 17: 200771, 31: 601048, 32: 750362, 33: 302064, 63: 652133, 64: 518772, 65: 595507, 127: 606344, 128: 308422, 129: 291940, 200: 603131}
	for length, hash := range want {
		out, err := layertest.Run(&Ops[0], layertest.Attributes{"num_buckets", "1000003"}, 1, inputs(t, x[:length])...)
		require.NoError(t, err)
		assert.Equal(t, hash, ir.Data[int64](out)[0], "%d", length)
	}
	in := inputs(t, "abc")
	ir.Data[int32](in[1])[0] = 4
	_, err := layertest.Run(&Ops[0], nil, 1, in...)
	assert.EqualError(t, err, "strings: string 0 is from 0 to 4, of 3 bytes")
}

func TestShape(t *testing.T) {
	got, err := layertest.Infer(t, &Ops[0], nil, "i32[2,?]", "i32[?,3]", "u8[9]")
	require.NoError(t, err)
	assert.Equal(t, "i64[2,3]", got)
	_, err = layertest.Infer(t, &Ops[0], nil, "i32[2]", "i32[2]", "i8[9]")
	assert.EqualError(t, err, "input 2, chars, is i8, expected u8")
	for _, n := range []string{"0", "-3"} {
		_, err = layertest.Infer(t, &Ops[0], layertest.Attributes{"num_buckets", n}, "i32[2]", "i32[2]", "u8[9]")
		assert.ErrorContains(t, err, "attribute num_buckets: ")
	}
}

func TestKernel_stop(t *testing.T) {
	kernel, r, err := layertest.Prepare(&Ops[0], nil, 1, inputs(t, make([]string, 1<<16)...)...)
	require.NoError(t, err)
	defer r.Pool.Close()
	done := make(chan struct{})
	close(done)
	r.Stop = done
	assert.Equal(t, parallel.ErrStopped, kernel(r))
	layertest.CheckAllocations(t, &Ops[0], nil, inputs(t, "abc", "")...)
}

// FuzzKernel hashes any text, and finds the same hash at another address.
func FuzzKernel(f *testing.F) {
	f.Add("abc")
	f.Fuzz(func(t *testing.T, text string) {
		out, err := layertest.Run(&Ops[0], layertest.Attributes{"num_buckets", "1000"}, 1, inputs(t, "x", text, text)...)
		require.NoError(t, err)
		hashes := ir.Data[int64](out)
		require.Equal(t, hashes[1], hashes[2])
		require.Less(t, hashes[1], int64(1000))
		require.GreaterOrEqual(t, hashes[1], int64(0))
	})
}

func BenchmarkLayer(b *testing.B) {
	texts := make([]string, 4000)
	for i := range texts {
		texts[i] = strings.Repeat("a", 5+i%55)
	}
	layertest.Benchmark(b, "words", &Ops[0], layertest.Attributes{"num_buckets", "1000"}, inputs(b, texts...)...)
}
