package bytestochars

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/test/texttest"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
)

func texts(t testing.TB, out []*ir.Tensor) []string {
	s := ragged.Strings{Begins: ir.Data[int32](out[0]), Ends: ir.Data[int32](out[1]), Chars: out[2].Bytes()}
	require.NoError(t, s.Check("strings"))
	list := []string{}
	for i := range s.Len() {
		list = append(list, string(s.At(i)))
	}
	return list
}

func TestToChars(t *testing.T) {
	in := texttest.RaggedTensors(t, []string{"a b", "é\n"}, nil, []string{"~\x7f\xad\xff"})
	out, err := layertest.RunOutputs(&Ops[0], nil, 1, 5, in...)
	require.NoError(t, err)
	assert.Equal(t, []string{"aĠb", "Ã©Ċ", "~ġŃÿ"}, texts(t, out[2:]))
	assert.Equal(t, []int32{0, 2, 2}, ir.Data[int32](out[0]))
	assert.Equal(t, []int32{2, 2, 3}, ir.Data[int32](out[1]))

	out, err = layertest.RunOutputs(&Ops[0], nil, 1, 6, append(in, texttest.Vector(t, true, false, true))...)
	require.NoError(t, err)
	assert.Equal(t, []string{"a b", "Ã©Ċ", "~\x7f\xad\xff"}, texts(t, out[2:5]))
	assert.Equal(t, []bool{true, false, true}, ir.Data[bool](out[5]))

	in[0], in[1] = texttest.Vector(t, int32(1), 1), texttest.Vector(t, int32(2), 1)
	out, err = layertest.RunOutputs(&Ops[0], nil, 1, 5, in...)
	require.NoError(t, err)
	assert.Equal(t, []string{"", "Ã©Ċ", ""}, texts(t, out[2:]), "strings in no row are empty")
}

func TestToChars_errors(t *testing.T) {
	in := texttest.RaggedTensors(t, []string{" ", "b"})
	_, err := layertest.RunOutputs(&Ops[0], nil, 1, 6, append(in, texttest.Vector(t, true))...)
	assert.EqualError(t, err, "2 strings and 1 skips")
	in[0], in[1] = texttest.Vector(t, int32(0), 0, 0), texttest.Vector(t, int32(1), 1, 1)
	_, err = layertest.RunOutputs(&Ops[0], nil, 1, 5, in...)
	assert.EqualError(t, err, "string 0: more than 4 bytes")
	_, err = layertest.RunOutputs(&Ops[1], nil, 1, 3, in...)
	assert.EqualError(t, err, "row 2: more than 2 bytes")
	ir.Data[int32](in[1])[2] = 3
	for i := range Ops {
		_, err = layertest.RunOutputs(&Ops[i], nil, 1, 5-2*i, in...)
		assert.EqualError(t, err, "rows: row 2 is from 0 to 3, of 2 items")
	}
	ir.Data[int32](in[2])[1] = 3
	for i := range Ops {
		_, err = layertest.RunOutputs(&Ops[i], nil, 1, 5-2*i, in...)
		assert.EqualError(t, err, "strings: string 1 is from 3 to 2, of 2 bytes")
	}
}

func TestToBytes(t *testing.T) {
	in := texttest.RaggedTensors(t, []string{"aĠb", "Ã©", "Ċ"}, nil, []string{"漢Ġ\xc3", "\x80é\xc2", "ńĲ"})
	out, err := layertest.RunOutputs(&Ops[1], nil, 1, 3, in...)
	require.NoError(t, err)
	assert.Equal(t, []string{"a bé\n", "", "漢 \xc3\x80\xe9\xc2ń\x90"}, texts(t, out), "other characters stay")
}

func TestStop(t *testing.T) {
	in := texttest.RaggedTensors(t, []string{strings.Repeat("a", 1<<18)})
	done := make(chan struct{})
	close(done)
	for i := range Ops {
		kernel, r, err := layertest.PrepareOutputs(&Ops[i], nil, 1, 5-2*i, in...)
		require.NoError(t, err)
		r.Stop = done
		assert.Equal(t, parallel.ErrStopped, kernel(r))
		r.Pool.Close()
	}
}

// checkRandom maps bytes to characters, which are printable, and back.
func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	var rows [][]string
	want := []string{}
	for range rng.IntN(4) {
		var row []string
		for range rng.IntN(4) {
			word := make([]byte, rng.IntN(300))
			for i := range word {
				word[i] = byte(rng.IntN(256))
			}
			row = append(row, string(word))
		}
		rows, want = append(rows, row), append(want, strings.Join(row, ""))
	}
	out, err := layertest.RunOutputs(&Ops[0], nil, 1, 5, texttest.RaggedTensors(t, rows...)...)
	require.NoError(t, err)
	for _, word := range texts(t, out[2:]) {
		require.True(t, utf8.ValidString(word))
		require.NotContains(t, word, " ")
	}
	out, err = layertest.RunOutputs(&Ops[1], nil, 1, 3, out...)
	require.NoError(t, err)
	require.Equal(t, want, texts(t, out))
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

// FuzzToBytes maps any text: what are characters of the table become one byte.
func FuzzToBytes(f *testing.F) {
	f.Add("aĠb漢\xc3")
	f.Fuzz(func(t *testing.T, text string) {
		table, want := newTable(), []byte{}
		for at := 0; at < len(text); at++ {
			b := text[at]
			if at+1 < len(text) {
				for other := range 256 {
					if table.length[other] == 2 && string(table.chars[other][:]) == text[at:at+2] {
						b = byte(other)
						at++
						break
					}
				}
			}
			want = append(want, b)
		}
		out, err := layertest.RunOutputs(&Ops[1], nil, 1, 3, texttest.RaggedTensors(t, []string{text})...)
		require.NoError(t, err)
		require.Equal(t, []string{string(want)}, texts(t, out))
	})
}
