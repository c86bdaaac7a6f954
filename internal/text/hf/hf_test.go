package hf

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/text/align"
	"github.com/vinoir/vinoir/internal/text/limits"
)

// kase is a line of a file of testdata.
type kase struct {
	Kind      string
	Tokenizer json.RawMessage
	Cases     []struct {
		Text, Second                  string
		IDs, Raw, Pair, Types, Tokens []int32
		Decoded                       []string
		Offsets                       [][2]int32
		RawOffsets                    [][2]int32 `json:"raw_offsets"`
		PairOffsets                   [][2]int32 `json:"pair_offsets"`
	}
}

func cases(t testing.TB) []kase {
	t.Helper()
	var list []kase
	for _, name := range []string{"testdata/cases.jsonl", "testdata/random.jsonl"} {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		for line := range bytes.Lines(data) {
			var c kase
			require.NoError(t, json.Unmarshal(line, &c))
			list = append(list, c)
		}
	}
	require.NotEmpty(t, list)
	return list
}

func open(t testing.TB, data []byte) *Tokenizer {
	t.Helper()
	file, err := Parse(data)
	require.NoError(t, err)
	tokenizer, err := New(file, nil, nil)
	require.NoError(t, err)
	return tokenizer
}

// row joins the tokens of texts.
func row(segments []Segment, texts ...[]int32) (ids, types []int32) {
	ids, types = []int32{}, []int32{}
	for _, s := range segments {
		part := s.IDs
		if s.Text > 0 {
			part = texts[s.Text-1]
		}
		ids = append(ids, part...)
		for range part {
			types = append(types, s.TypeID)
		}
	}
	return ids, types
}

func TestTokenizer(t *testing.T) {
	for i, c := range cases(t) {
		tokenizer, s := open(t, c.Tokenizer), &Scratch{}
		for _, x := range c.Cases {
			ids, err := tokenizer.Append([]int32{}, x.Text, s)
			require.NoError(t, err)
			require.Equal(t, x.Raw, ids, "line %d: %q", i+1, x.Text)
			second, err := tokenizer.Append(nil, x.Second, s)
			require.NoError(t, err)
			single, _ := row(tokenizer.Single, ids)
			require.Equal(t, x.IDs, single)
			pair, types := row(tokenizer.Pair, ids, second)
			require.Equal(t, x.Pair, pair)
			require.Equal(t, x.Types, types)
			for k, want := range x.Decoded {
				got, err := tokenizer.Decode([]byte("> "), x.Tokens, k == 1, s)
				require.NoError(t, err)
				require.Equal(t, "> "+want, string(got), "line %d: %v", i+1, x.Tokens)
			}
		}
	}
}

// rowOffsets joins the offsets of texts, trimmed as those of a row.
func rowOffsets(t *Tokenizer, segments []Segment, special bool, texts []string) ([][2]int32, error) {
	row := [][2]int32{}
	for _, s := range segments {
		if s.Text == 0 {
			row = append(row, make([][2]int32, len(s.IDs))...)
			continue
		}
		text := texts[s.Text-1]
		_, offsets, err := t.AppendOffsets(nil, nil, text, &Scratch{})
		if err != nil {
			return nil, err
		}
		t.Trim(offsets, text, s.Text, special)
		for _, o := range offsets {
			row = append(row, [2]int32{o.Begin, o.End})
		}
	}
	return row, nil
}

func TestTokenizer_offsets(t *testing.T) {
	for i, c := range cases(t) {
		tokenizer, s := open(t, c.Tokenizer), &Scratch{}
		for _, x := range c.Cases {
			ids, _, err := tokenizer.AppendOffsets([]int32{}, nil, x.Text, s)
			require.NoError(t, err)
			require.Equal(t, x.Raw, ids, "line %d: %q", i+1, x.Text)
			texts := []string{x.Text, x.Second}
			for _, row := range []struct {
				segments []Segment
				special  bool
				want     [][2]int32
			}{{[]Segment{{Text: 1}}, false, x.RawOffsets}, {tokenizer.Single, true, x.Offsets}, {tokenizer.Pair, true, x.PairOffsets}} {
				got, err := rowOffsets(tokenizer, row.segments, row.special, texts)
				require.NoError(t, err)
				require.Equal(t, row.want, got, "line %d: %q", i+1, texts)
			}
		}
	}
}

func TestTokenizer_offsetsOfInvalidUTF8(t *testing.T) {
	tokenizer := open(t, []byte(`{"normalizer":{"type":"NFD"},"model":{"type":"BPE","vocab":{"a":0,"\ufffd":1,"\u0301":2},"merges":[]}}`))
	ids, offsets, err := tokenizer.AppendOffsets(nil, nil, "á\xffa\xed\xa0", &Scratch{})
	require.NoError(t, err)
	require.Equal(t, []int32{0, 2, 1, 0, 1, 1}, ids)
	var got []align.Span
	for _, o := range offsets {
		got = append(got, o.Span)
	}
	require.Equal(t, []align.Span{{Begin: 0, End: 2}, {Begin: 0, End: 2}, {Begin: 2, End: 3}, {Begin: 3, End: 4}, {Begin: 4, End: 5}, {Begin: 5, End: 6}}, got)
}

// TestTokenizer_first asks where a piece starts in the text: only there is a space put before it.
// The ids are those of the library.
func TestTokenizer_first(t *testing.T) {
	model := `"model":{"type":"WordLevel","unk_token":"?","vocab":{"?":0,"▁x":1,"▁a":2,"x":3,"ax":4,"▁ax":5}}`
	for head, want := range map[string][]int32{ // of " ax"
		`"pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"first","split":true},`: {5},
		`"normalizer":{"type":"Prepend","prepend":"x"},"pre_tokenizer":{"type":"Sequence","pretokenizers":[
			{"type":"Split","pattern":{"String":"x"},"behavior":"Isolated","invert":false},
			{"type":"Metaspace","replacement":"▁","prepend_scheme":"first","split":true}]},`: {1, 2, 3},
		`"normalizer":{"type":"Strip","strip_left":true,"strip_right":true},
			"pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"first","split":true},`: {4},
	} {
		ids, err := open(t, []byte("{"+head+model+"}")).Append(nil, " ax", &Scratch{})
		require.NoError(t, err)
		require.Equal(t, want, ids, head)
	}
}

func TestTokenizer_invalidUTF8(t *testing.T) {
	tokenizer := open(t, []byte(`{"model":{"type":"BPE","vocab":{"a":0,"\ufffd":1},"merges":[]}}`))
	ids, err := tokenizer.Append(nil, "a\xffa\xed\xa0", &Scratch{})
	require.NoError(t, err)
	require.Equal(t, []int32{0, 1, 0, 1, 1}, ids)
}

func TestTokenizer_oldFiles(t *testing.T) {
	for _, model := range []string{
		`{"vocab":{"ab":0},"max_input_chars_per_word":100}`, `{"vocab":[["ab",-1.5],["?",-2]],"unk_id":1}`, `{"vocab":{"a":1,"b":2,"ab":0},"merges":["a b"]}`, `{"vocab":{"ab":0}}`,
	} {
		ids, err := open(t, []byte(`{"model":`+model+`}`)).Append(nil, "ab", &Scratch{})
		require.NoError(t, err)
		require.Equal(t, []int32{0}, ids)
	}
}

func TestTokenizer_errors(t *testing.T) {
	for text, want := range map[string]string{
		``: `byte 0: found '\x00', expected '{'`,
		`{"model":{"type":"BPE","vocab":{"a":0},"merges":[["a","b"]]}}`:                                   `model: merge 0: "b" is not in the vocabulary`,
		`{"model":{"type":"BPE","vocab":{"a":-1}}}`:                                                       `byte 36: found '-', expected an id`,
		`{"model":{"type":"BPE","vocab":{"a":99999999}}}`:                                                 `byte 43: an id is more than 16777215`,
		`{"model":{"type":"BPE","vocab":{"a":9999999}}}`:                                                  `model: the largest id is 9999999, expected at most 1048592 for 1 words`,
		`{"model":{"type":"BPE","vocab":{"a":0},"merges":["a b c"]}}`:                                     `byte 56: the merge "a b c" has not two parts`,
		`{"model":{"vocab":{"a":0}}} x`:                                                                   `byte 28: more data after the tokenizer`,
		`{"added_tokens":7,"model":{}}`:                                                                   `added_tokens: json: cannot unmarshal number into Go value of type []hf.AddedToken`,
		`{"normalizer":{"type":"Replace","pattern":{"Regex":"(?~x)"},"content":""},"model":{"vocab":{}}}`: `normalizer: the pattern "(?~x)": the group "(?~x)" is not supported`,
		`{"version":"1.0"}`: `the file has no model`,
		`{"model":{"type":"Unigram","unk_id":3,"vocab":[["a",0]]}}`:                                                       `model: unk_id is 3, of 1 words`,
		`{"decoder":` + strings.Repeat(`{"type":"Sequence","decoders":[`, 60) + strings.Repeat(`]}`, 60) + `,"model":{}}`: `byte 1560: more than 100 levels`,
	} {
		file, err := Parse([]byte(text))
		if err == nil {
			_, err = New(file, nil, nil)
		}
		assert.EqualError(t, err, want, text)
	}
}

func TestNew_unsupported(t *testing.T) {
	file, err := Parse([]byte(`{"normalizer":{"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Odd"}]},
		"pre_tokenizer":{"type":"UnicodeScripts"},"post_processor":{"type":"Sequence","processors":[{"type":"P"}]},"decoder":{"type":"D"},
		"model":{"type":"BPE","dropout":0.1,"vocab":{},"merges":[]}}`))
	require.NoError(t, err)
	_, err = New(file, nil, nil)
	var unsupported *UnsupportedError
	require.ErrorAs(t, err, &unsupported)
	require.Equal(t, []string{
		`normalizer.normalizers[1]: type "Odd"`, `pre_tokenizer: type "UnicodeScripts"`, `decoder: type "D"`, `post_processor.processors[0]: type "P"`,
		"model: dropout, which makes tokens random",
	}, unsupported.Components)
}

// TestTokenizer_limit refuses the n-th request for memory, for each n. The error comes back.
func TestTokenizer_limit(t *testing.T) {
	for _, c := range cases(t) {
		tokenizer := open(t, c.Tokenizer)
		for refused := 0; ; refused++ {
			n := 0
			s := &Scratch{Limits: limits.Limits{Reserve: func(int64) error {
				if n++; n > refused {
					return os.ErrClosed
				}
				return nil
			}}}
			ids, _, err := tokenizer.AppendOffsets(nil, nil, strings.Repeat(c.Cases[0].Text+" ", 20), s)
			if err == nil {
				_, err = tokenizer.Decode(nil, ids, true, s)
			}
			if n <= refused {
				require.NoError(t, err)
				break
			}
			require.ErrorIs(t, err, os.ErrClosed)
		}
	}
}

// TestNew_limit refuses the n-th request for memory of New, for each n.
func TestNew_limit(t *testing.T) {
	for _, c := range cases(t) {
		file, err := Parse(c.Tokenizer)
		require.NoError(t, err)
		for refused := 0; ; refused++ {
			n := 0
			_, err := New(file, func(int64) error {
				if n++; n > refused {
					return os.ErrClosed
				}
				return nil
			}, nil)
			if n <= refused {
				require.NoError(t, err)
				break
			}
			require.ErrorIs(t, err, os.ErrClosed)
		}
	}
}

// TestParse_strings has the escapes of JSON, and what is not valid in a string or a number.
func TestParse_strings(t *testing.T) {
	file, err := Parse([]byte(`{"model":{"type":"Unigram","unk_id":0,"vocab":[["\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00",-1.5e1]]}}`))
	require.NoError(t, err)
	tokenizer, err := New(file, nil, nil)
	require.NoError(t, err)
	require.Equal(t, "\"\\/\b\f\n\r\té😀", tokenizer.Token(0))
	for _, text := range []string{
		"\"\xff\"", "\"\\n\xff\"", `"\x"`, `"\ud800"`, `"\ud800\u0041"`, `"\u12g4"`, `"\u12`, `"\`, "\"\n\"", "\"\\n\n\"", `"a`, `"\na`,
	} {
		_, err := Parse([]byte(`{"model":{"type":"BPE","vocab":{` + text + `:0}}}`))
		require.Error(t, err, text)
	}
	for _, number := range []string{"-", "1e", "1e999", "x", "--1"} {
		_, err := Parse([]byte(`{"model":{"type":"Unigram","vocab":[["a",` + number + `]]}}`))
		require.Error(t, err, number)
	}
}

func Test_translate(t *testing.T) {
	for pattern, want := range map[string]string{
		`^a$`: `(?m:^)a(?m:$)`, `(?m:.)`: `(?s:.)`, `a{1,2}+`: `(?:a{1,2})+`, `(ab){2}+c`: `(?:(ab){2})+c`, `\h`: `[0-9A-Fa-f]`, `a{,2}`: `a{0,2}`,
		`[\S]`: `[\S\x{180e}]`, `\p{Han}\p{^L}`: `\p{sc:Han}\P{L}`, `\u4e00`: `\x{4e00}`, `(?#x)a{b`: `a\{b`, `[]a]`: `[]a]`, `[[:alpha:]]`: `[[:alpha:]]`,
	} {
		got, err := translate(pattern)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, pattern := range []string{`\`, `[`, `[a[b]]`, `[a&&b]`, `(?~a)`, `\p`, `\k<a>`, `[\W]`, `\u12`, `(?#`} {
		_, err := translate(pattern)
		require.Error(t, err, pattern)
	}
}

func FuzzTokenizer(f *testing.F) {
	for _, c := range cases(f)[:8] {
		f.Add([]byte(c.Tokenizer), c.Cases[0].Text)
	}
	f.Add([]byte(`{"model":{"vocab":[["a",1]],"unk_id":0,"byte_fallback":true}}`), "ab")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		if len(text) > 1<<10 {
			return
		}
		file, err := Parse(data)
		if err != nil {
			return
		}
		tokenizer, err := New(file, nil, nil)
		if err != nil {
			return
		}
		s := &Scratch{}
		ids, err := tokenizer.Append(nil, text, s)
		if err != nil {
			return
		}
		same, offsets, err := tokenizer.AppendOffsets(nil, nil, text, s)
		require.NoError(t, err)
		require.True(t, slices.Equal(ids, same), "%v, %v", ids, same)
		require.Len(t, offsets, len(ids))
		for number := 1; number <= 2; number++ {
			tokenizer.Trim(offsets, text, number, number > 1)
		}
		for _, o := range offsets {
			require.True(t, 0 <= o.Begin && o.Begin <= o.End && int(o.End) <= len(text), "%v of %q", o, text)
		}
		_, _ = tokenizer.Decode(nil, append(ids, -1, 1<<30), true, s)
	})
}
