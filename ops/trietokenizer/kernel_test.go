package trietokenizer

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/test/texttest"
	"github.com/vinoir/vinoir/ir"
)

var keys = []string{"a", "ab", "abc", "b", "b", "c"}

func inputs(t testing.TB, rows ...[]string) []*ir.Tensor {
	return append(append(texttest.RaggedTensors(t, rows...), texttest.StringTensors(t, keys...)...), texttest.Vector(t, int32(10), 11, 12, 13, -14, -1))
}

func run(t testing.TB, in []*ir.Tensor) ([][]int32, error) {
	out, err := layertest.RunOutputs(&Ops[0], nil, 1, 3, in...)
	if err != nil {
		return nil, err
	}
	return texttest.Rows(t, out), nil
}

func TestKernel(t *testing.T) {
	got, err := run(t, inputs(t, []string{"abab", "abcab"}, []string{"b"}))
	require.NoError(t, err)
	assert.Equal(t, [][]int32{{11, 11, 12, 11}, {-14}, {}}, got, "as many rows as strings")
}

func TestKernel_errors(t *testing.T) {
	for want, rows := range map[string][][]string{
		"string 1: no key starts at byte 2, 0xff": {{"a", "ab\xff"}},
		"string 0: no key starts at byte 0, 0x63": {{"c"}}, // the id of this key is that of none
		"2 rows, and outputs for 1":               {{"a"}, {}},
	} {
		_, err := run(t, inputs(t, rows...))
		assert.EqualError(t, err, want)
	}
	in := inputs(t, []string{"a"})
	in[8] = texttest.Vector(t, int32(1))
	_, err := run(t, in)
	assert.EqualError(t, err, "6 keys and 1 ids")
	ir.Data[int32](in[6])[5] = 99
	_, err = run(t, in)
	assert.EqualError(t, err, "vocabulary: string 5 is from 8 to 99, of 9 bytes")
}

func TestStop(t *testing.T) {
	kernel, r, err := layertest.PrepareOutputs(&Ops[0], nil, 1, 3, inputs(t, []string{strings.Repeat("a", 1<<16)})...)
	require.NoError(t, err)
	defer r.Pool.Close()
	done := make(chan struct{})
	close(done)
	r.Stop = done
	assert.Equal(t, parallel.ErrStopped, kernel(r))
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	var rows [][]string
	want := [][]int32{}
	for range rng.IntN(5) {
		row, ids := []string{""}, []int32{}
		for range rng.IntN(5) {
			word := ""
			for range rng.IntN(9) {
				k := rng.IntN(3)
				id := []int32{10, 12, -14}[k]
				if part := []string{"a", "abc", "b"}[k]; part == "b" && strings.HasSuffix(word, "a") {
					ids[len(ids)-1], id = 11, 0
					word += part
					continue
				} else {
					word += part
				}
				ids = append(ids, id)
			}
			row = append(row, word)
		}
		rows, want = append(rows, row), append(want, ids)
	}
	got, err := run(t, inputs(t, rows...))
	require.NoError(t, err)
	require.Equal(t, want, got[:len(want)])
}

func TestRandom(t *testing.T) {
	for seed := range uint64(50) {
		checkRandom(t, seed)
	}
}

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}
