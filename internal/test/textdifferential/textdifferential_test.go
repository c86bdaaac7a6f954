package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/text"
)

func TestRandomText(t *testing.T) {
	r, again := rand.New(rand.NewPCG(1, 0)), rand.New(rand.NewPCG(1, 0))
	for range 2000 {
		text := randomText(r, 24)
		assert.True(t, utf8.ValidString(text), "%q", text)
		assert.NotContains(t, text, "\x00")
		assert.Equal(t, text, randomText(again, 24))
	}
}

func TestRandomOf(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for _, script := range scripts {
		for range 100 {
			c := randomOf(r, script)
			assert.True(t, unicode.Is(script, c), "%U", c)
		}
	}
}

// nopCloser is a writer that cannot be closed.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// ints returns numbers as a peer writes them.
func ints(numbers ...int32) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, numbers)
	return b
}

func TestPeer(t *testing.T) {
	var sent bytes.Buffer
	answers := append(ints(2, 0, 1, 7, 8, 9, -1, 2), "no"...)
	p := &peer{name: "OpenVINO", in: nopCloser{&sent}, out: bufio.NewReader(bytes.NewReader(answers))}
	require.NoError(t, p.send([]string{"a", "", "bcd"}))
	assert.Equal(t, "\x03\x00\x00\x00\x01\x00\x00\x00a\x00\x00\x00\x00\x03\x00\x00\x00bcd", sent.String())
	rows, err := p.receive(3)
	require.NoError(t, err)
	assert.Equal(t, [][]int32{{7, 8}, {}, {9}}, rows)
	_, err = p.receive(3)
	assert.EqualError(t, err, "OpenVINO refuses the texts: no")
	_, err = p.receive(1)
	assert.ErrorContains(t, err, "OpenVINO died")
}

// answer answers requests from in as a peer, with the tokens of a tokenizer and wrong, unless it is
// negative, at the end of the texts: of those in a batch only if alone is not set.
func answer(t *testing.T, tokenizer *text.Tokenizer, in io.Reader, out io.WriteCloser, wrong int32, alone bool) {
	defer out.Close()
	for {
		var n int32
		if binary.Read(in, binary.LittleEndian, &n) != nil {
			return
		}
		var counts, tokens []int32
		for range n {
			var length int32
			assert.NoError(t, binary.Read(in, binary.LittleEndian, &length))
			b := make([]byte, length)
			_, err := io.ReadFull(in, b)
			assert.NoError(t, err)
			row, err := tokenizer.AppendEncode(t.Context(), nil, string(b), true)
			assert.NoError(t, err)
			if wrong >= 0 && (alone || n > 1) {
				row = append(row, wrong)
			}
			counts, tokens = append(counts, int32(len(row))), append(tokens, row...)
		}
		_, err := out.Write(ints(append(counts, tokens...)...))
		assert.NoError(t, err)
	}
}

func TestOptions_texts(t *testing.T) {
	tokenizer, err := text.Open(filepath.Join(optest.Corpus(t), "text", "tokenizers", "wordlevel"))
	require.NoError(t, err)
	defer tokenizer.Close()
	for _, c := range []struct {
		wrong int32
		alone bool
		want  int
		line  string
	}{
		{-1, false, 0, "0 differ; 0 more of OpenVINO's differ in a batch only"},
		{1, true, 10, "10 differ; 0 more"},
		{1, false, 0, "0 differ; 10 more"},
	} {
		requests, in := io.Pipe()
		answers, out := io.Pipe()
		go answer(t, tokenizer, requests, out, c.wrong, c.alone)
		var w strings.Builder
		o := options{seed: 1, n: 10, batch: 4, parts: 8, shown: 1, duration: 1 << 40}
		got, err := o.texts(t.Context(), &w, "wordlevel", tokenizer, &peer{in: in, out: bufio.NewReader(answers)})
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
		assert.Contains(t, w.String(), "wordlevel: 10 texts with ")
		assert.Contains(t, w.String(), c.line)
		assert.Equal(t, min(c.want, o.shown), strings.Count(w.String(), "OpenVINO ["))
		_ = in.Close()
	}
	assert.ErrorContains(t, (&options{}).run(t.Context(), io.Discard, nil), "a FOLDER is needed")
}

// answerPieces answers requests from in as pieces.py, with wrong at the end of rows and texts.
func answerPieces(t *testing.T, tokenizer *text.Tokenizer, in io.Reader, out io.WriteCloser, wrong bool) {
	defer out.Close()
	read := func() (n int32, err error) {
		err = binary.Read(in, binary.LittleEndian, &n)
		return n, err
	}
	for {
		n, err := read()
		if err != nil {
			return
		}
		var lengths []int32
		var data []byte
		for range max(n, -n) {
			length, err := read()
			assert.NoError(t, err)
			if n > 0 {
				b := make([]byte, length)
				_, err = io.ReadFull(in, b)
				assert.NoError(t, err)
				row, err := tokenizer.AppendEncode(t.Context(), nil, string(b), true)
				assert.NoError(t, err)
				if wrong {
					row = append(row, 1)
				}
				lengths, data = append(lengths, int32(len(row))), append(data, ints(row...)...)
				continue
			}
			row := make([]int32, length)
			assert.NoError(t, binary.Read(in, binary.LittleEndian, row))
			text, err := tokenizer.AppendDecode(t.Context(), nil, row)
			assert.NoError(t, err)
			if wrong {
				text = append(text, '!')
			}
			lengths, data = append(lengths, int32(len(text))), append(data, text...)
		}
		_, err = out.Write(append(ints(lengths...), data...))
		assert.NoError(t, err)
	}
}

func TestOptions_pieces(t *testing.T) {
	tokenizer, err := text.Open("../../../text/testdata/pieces")
	require.NoError(t, err)
	defer tokenizer.Close()
	for _, wrong := range []bool{false, true} {
		requests, in := io.Pipe()
		answers, out := io.Pipe()
		go answerPieces(t, tokenizer, requests, out, wrong)
		var w strings.Builder
		o := options{seed: 1, n: 10, batch: 4, parts: 8, shown: 1, duration: 1 << 40}
		got, err := o.pieces(t.Context(), &w, "small", tokenizer, &peer{in: in, out: bufio.NewReader(answers)})
		require.NoError(t, err)
		assert.Contains(t, w.String(), "small: 10 texts with ")
		if wrong {
			assert.Equal(t, 30, got)
			assert.Contains(t, w.String(), "10 differ; of 20 rows of tokens, 20 differ")
			assert.Equal(t, 2, strings.Count(w.String(), "  sentencepiece "))
		} else {
			assert.Zero(t, got)
			assert.Contains(t, w.String(), "0 differ; of 20 rows of tokens, 0 differ")
		}
		_ = in.Close()
	}
}
