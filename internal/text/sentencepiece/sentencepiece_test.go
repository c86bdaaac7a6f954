package sentencepiece

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/charsmap"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/internal/text/wordcache"
)

// testPiece is a piece of a model that a test makes.
type testPiece struct {
	text  string
	score float32
	kind  pieceType
}

// message is a message in protocol buffers' format.
type message []byte

func (m message) number(field protowire.Number, v uint64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), v)
}

func (m message) bytes(field protowire.Number, v []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), v)
}

func (m message) float(field protowire.Number, v float32) message {
	return protowire.AppendFixed32(protowire.AppendTag(m, field, protowire.Fixed32Type), math.Float32bits(v))
}

// modelOf returns the file of a model. trainer and normalizer are fields of those messages.
func modelOf(k kind, pieces []testPiece, trainer, normalizer message) []byte {
	var file message
	for _, p := range pieces {
		file = file.bytes(1, message(nil).bytes(1, []byte(p.text)).float(2, p.score).number(3, uint64(p.kind)))
	}
	file = file.bytes(2, message(nil).number(3, uint64(k)).bytes(44, []byte("?")))
	return file.bytes(2, trainer).bytes(3, normalizer)
}

// special pieces of all models.
var reserved = []testPiece{{"<unk>", 0, unknown}, {"<s>", 0, control}, {"</s>", 0, control}}

// asIs leaves spaces as they are.
var asIs = message(nil).number(3, 0).number(4, 0).number(5, 0)

func parse(t testing.TB, data []byte) *Model {
	t.Helper()
	m, err := Parse(data, nil, nil)
	require.NoError(t, err)
	return m
}

// encode returns the texts of the pieces of a text.
func encode(t testing.TB, m *Model, text string, o Options) string {
	t.Helper()
	require.NoError(t, m.Check(o))
	ids, err := m.Append([]int32{-7}, []byte(text), o, &Scratch{})
	require.NoError(t, err)
	require.Equal(t, int32(-7), ids[0])
	return pieces(m, ids[1:])
}

func pieces(m *Model, ids []int32) string {
	var all []string
	for _, id := range ids {
		all = append(all, string(m.Piece(id)))
	}
	return strings.Join(all, " ")
}

func TestEncode(t *testing.T) {
	scored := slices.Concat(reserved, []testPiece{
		{"\u2581", -3, normal}, {"a", -2, normal}, {"b", -2.5, normal}, {"ab", -3, normal}, {"\u2581a", -4, normal}, {"c", -5, normal},
		{"abc", -9, unused}, {"<x>", 0, userDefined}, {"bc", -6, normal},
	})
	for _, c := range []struct {
		kind                kind
		trainer, normalizer message
		options             Options
		text, want          string
	}{
		{unigramModel, nil, nil, Options{}, " ab  cab", "\u2581 ab \u2581 c ab"},
		{unigramModel, nil, nil, Options{BOS: true, EOS: true}, "zza z", "<s> \u2581 <unk> a \u2581 <unk> </s>"},
		{unigramModel, nil, nil, Options{BOS: true, Reverse: true}, "ab", "ab \u2581 <s>"},
		{unigramModel, nil, nil, Options{BOS: true, EOS: true}, "", "<s> </s>"},
		{unigramModel, nil, asIs, Options{}, "a<x>abc", "a <x> ab c"},
		{bpeModel, nil, nil, Options{}, "ab cab", "\u2581 ab \u2581 c ab"},
		{bpeModel, nil, nil, Options{}, "abc zz", "\u2581 ab c \u2581 <unk>"},
		{bpeModel, nil, asIs, Options{}, "a<x>bc", "a <x> bc"},
		{bpeModel, message(nil).number(24, 1), nil, Options{}, "ab", "ab \u2581"},
		{bpeModel, nil, nil, Options{Samples: -1, Alpha: 1}, "ab", "\u2581 a b"},
		{charModel, nil, nil, Options{}, "ab<x>z", "\u2581 a b <x> <unk>"},
		{wordModel, nil, nil, Options{}, "a b a", "\u2581a <unk> \u2581a"},
		{wordModel, nil, asIs, Options{}, "\u2581\u2581a", "\u2581 \u2581a"},
	} {
		m := parse(t, modelOf(c.kind, scored, c.trainer, c.normalizer))
		assert.Equal(t, c.want, encode(t, m, c.text, c.options), "%d %q", c.kind, c.text)
	}
}

// bytePieces are the pieces of bytes.
func bytePieces() []testPiece {
	var all []testPiece
	for b := range 256 {
		digits := "0123456789ABCDEF"
		all = append(all, testPiece{"<0x" + digits[b>>4:b>>4+1] + digits[b&15:b&15+1] + ">", 0, byteValue})
	}
	return all
}

func TestBytes(t *testing.T) {
	all := slices.Concat(reserved, bytePieces(), []testPiece{{"\u2581", -1, normal}, {"a", -2, normal}, {"\u00E9", -3, normal}})
	m := parse(t, modelOf(unigramModel, all, message(nil).number(35, 1), nil))
	assert.Equal(t, "\u2581 a <0xC3> <0xB6> <0xC3> <0xB6> \u00E9", encode(t, m, "a\u00F6\u00F6\u00E9", Options{}))

	id := func(b byte) int32 { return 3 + int32(b) }
	for _, c := range []struct {
		ids  []int32
		want string
	}{
		{[]int32{1, 259, 260, 259, 2}, "a "},
		{[]int32{259, 259, 260}, "a"},
		{[]int32{260, id(0xC3), id(0xB6), 0}, "a\u00F6?"},
		{[]int32{id(0xC3), 259, id(0xB6), id('x')}, "\uFFFD \uFFFDx"},
		{[]int32{id(0xF0), id(0x9F), id(0x98)}, "\uFFFD\uFFFD\uFFFD"},
		{nil, ""},
	} {
		got, err := m.Decode([]byte("<"), c.ids, &Scratch{})
		require.NoError(t, err)
		assert.Equal(t, "<"+c.want, string(got), "%v", c.ids)
	}
	got, err := m.DecodeStream(nil, []int32{259, 260, id(0xC3), 5000, 0}, &Scratch{})
	require.NoError(t, err)
	assert.Equal(t, "\u2581a\xC3<unk>", string(got))
	_, err = m.DecodeStream(nil, []int32{-1}, &Scratch{})
	assert.EqualError(t, err, "id -1 is negative")
	for _, id := range []int32{-1, 262} {
		_, err = m.Decode(nil, []int32{id}, &Scratch{})
		assert.ErrorContains(t, err, "is outside of the 262 pieces")
	}
}

// TestDecode_spaces has a model that adds a space and keeps those of the text, and one that changes
// none.
func TestDecode_spaces(t *testing.T) {
	all := slices.Concat(reserved, []testPiece{{"\u2581", -1, normal}, {"\u2581a\u2581", -2, normal}})
	for _, c := range []struct {
		normalizer message
		want       string
	}{{message(nil).number(4, 0), " a "}, {asIs, "  a "}, {nil, "a "}} {
		m := parse(t, modelOf(unigramModel, all, nil, c.normalizer))
		got, err := m.Decode(nil, []int32{1, 3, 4}, &Scratch{})
		require.NoError(t, err)
		assert.Equal(t, c.want, string(got))
	}
	// A denormalizer changes the text, and one that removes spaces removes them.
	blob := []byte{0x88, 0x01, 0, 0, 0xFF, 0, 0, 0, 0, 0, 0, 0x80}
	blob = append(append(append(blob, strings.Repeat("\x00\x00\x00\x80", 95)...), 'a', 0x81, 1, 0), "bc\x00"...)
	data := message(modelOf(unigramModel, all, nil, nil)).bytes(5, message(nil).bytes(2, blob).number(5, 0))
	got, err := parse(t, data).Decode(nil, []int32{4}, &Scratch{})
	require.NoError(t, err)
	assert.Equal(t, " bc", string(got))
}

// TestTwice has a piece that is normal and a control symbol: its text is the latter.
func TestTwice(t *testing.T) {
	all := slices.Concat(reserved, []testPiece{{"a", -1, normal}, {"a", 0, control}, {"\u2581", -1, normal}})
	m := parse(t, modelOf(charModel, all, nil, nil))
	_, err := m.Append(nil, []byte("a"), Options{}, &Scratch{})
	assert.EqualError(t, err, `the text has the control symbol "a" as a piece`)
	got, err := m.Decode(nil, []int32{3, 4, 5}, &Scratch{})
	require.NoError(t, err)
	assert.Empty(t, got)
}

func TestParse_errors(t *testing.T) {
	a := testPiece{"a", -1, normal}
	for want, data := range map[string][]byte{
		"none of the pieces is unknown":                              modelOf(unigramModel, []testPiece{a}, nil, nil),
		"piece 3 is empty":                                           modelOf(unigramModel, append(reserved[:3:3], testPiece{}), nil, nil),
		`pieces 3 and 4 are both "a"`:                                modelOf(unigramModel, append(reserved[:3:3], a, a), nil, nil),
		"pieces 0 and 3 are unknown, expected one":                   modelOf(unigramModel, append(reserved[:3:3], testPiece{"b", 0, unknown}), nil, nil),
		"none of the 3 pieces is one that a text can have":           modelOf(unigramModel, reserved, nil, nil),
		"byte_fallback is set with pieces for 0 bytes, expected 256": modelOf(unigramModel, append(reserved[:3:3], a), message(nil).number(35, 1), nil),
		`piece 3 is the byte "<0x00>" with byte_fallback=false, expected <0x00> to <0xFF> with byte_fallback`: modelOf(unigramModel, append(reserved[:3:3], testPiece{"<0x00>", 0, byteValue}), nil, nil),
		`piece 3 is the byte "<0x0a>" with byte_fallback=true, expected <0x00> to <0xFF> with byte_fallback`:  modelOf(unigramModel, append(reserved[:3:3], testPiece{"<0x0a>", 0, byteValue}), message(nil).number(35, 1), nil),
		"byte 0 of the model is no field of a message":                                                        {0},
		"field 1 at byte 0 of the model is damaged":                                                           {10, 5, 1},
		"field 1 at byte 0 of a piece is damaged":                                                             {10, 2, 10, 9},
		"field 3 at byte 0 of trainer_spec is damaged":                                                        {18, 1, 24},
		"field 2 at byte 0 of normalizer_spec is damaged":                                                     {26, 2, 18, 9},
		"field 2 at byte 0 of denormalizer_spec is damaged":                                                   {42, 2, 18, 9},
		"the character map has 1 bytes, expected more than 4":                                                 modelOf(unigramModel, append(reserved[:3:3], a), nil, message(nil).bytes(2, []byte{1})),
	} {
		_, err := Parse(data, nil, nil)
		assert.EqualError(t, err, want)
	}
	refused := errors.New("refused")
	for _, kind := range []pieceType{normal, userDefined} {
		_, err := Parse(modelOf(unigramModel, append(reserved[:3:3], testPiece{"a", -1, kind}), nil, nil), func(int64) error { return refused }, nil)
		assert.Equal(t, refused, err)
	}
	stop := make(chan struct{})
	close(stop)
	many := slices.Repeat([]testPiece{a}, 1<<15)
	_, err := Parse(modelOf(bpeModel, many, nil, nil), nil, stop)
	assert.Equal(t, parallel.ErrStopped, err)

	assert.NoError(t, Check(modelOf(unigramModel, reserved, nil, nil)))
	assert.EqualError(t, Check(nil), "none of the pieces is unknown")
	assert.EqualError(t, Check([]byte{10, 5, 1}), "field 1 at byte 0 of the model is damaged")
	assert.Equal(t, 96+7*5+wordcache.Bytes(cachedParts)+1<<joinBits/8, ModelBytes(message(nil).bytes(1, []byte("abc"))))
	// What a reader does not know is skipped, and what is damaged in values takes the default.
	data := message(modelOf(unigramModel, append(reserved[:3:3], a), message(nil).number(3, 99), nil)).number(99, 1).float(98, 1)
	data = protowire.AppendFixed64(protowire.AppendTag(data, 97, protowire.Fixed64Type), 1)
	assert.Equal(t, unigramModel, parse(t, data).kind)
}

func TestCheck(t *testing.T) {
	m := parse(t, modelOf(wordModel, []testPiece{{"<unk>", 0, unknown}, {"a", 0, normal}}, nil, nil))
	assert.EqualError(t, m.Check(Options{BOS: true}), "the model has no piece for the start of text")
	assert.EqualError(t, m.Check(Options{EOS: true}), "the model has no piece for the end of text")
	assert.EqualError(t, m.Check(Options{Samples: 2}), "nbest_size is 2, expected 0 or 1 for a model of words or characters")
	assert.Equal(t, int32(-1), m.EOS())
	m = parse(t, modelOf(unigramModel, append(reserved[:3:3], testPiece{"a", 0, normal}), message(nil).bytes(46, []byte("</s>")).bytes(47, nil), nil))
	assert.EqualError(t, m.Check(Options{Samples: 513}), "nbest_size is 513, expected at most 512")
	assert.Equal(t, "</s> <unk> a", encode(t, m, "a", Options{BOS: true}))
	assert.Equal(t, int32(2), m.EOS())
}

// letters are the characters of random models and texts.
var letters = []string{"a", "b", "c", "\u00E9", " ", "\u2581", "\u4E2D", "\xFF"}

func randomText(rng *rand.Rand, most int) string {
	text := ""
	for range rng.IntN(most + 1) {
		text += letters[rng.IntN(len(letters))]
	}
	return text
}

// randomModel returns a model with pieces of few characters, and scores of which some are equal.
func randomModel(t testing.TB, rng *rand.Rand, k kind) *Model {
	all := slices.Clone(reserved)
	seen := map[string]bool{}
	for range 3 + rng.IntN(40) {
		text := strings.ReplaceAll(strings.ReplaceAll(randomText(rng, 4), " ", space), "\xFF", "a")
		if text == "" || seen[text] {
			continue
		}
		seen[text] = true
		all = append(all, testPiece{text, -float32(rng.IntN(12)) / 3, []pieceType{normal, normal, normal, normal, normal, normal, unused, userDefined}[rng.IntN(8)]})
	}
	all = append(all, testPiece{"z", -1, normal})
	flag := func() uint64 { return uint64(rng.IntN(2)) }
	trainer := message(nil).number(24, flag())
	if rng.IntN(2) == 0 {
		all, trainer = append(all, bytePieces()...), trainer.number(35, 1)
	}
	return parse(t, modelOf(k, all, trainer, message(nil).number(3, flag()).number(4, flag()).number(5, flag())))
}

// naive returns the ids of a text by a simple search.
func naive(t testing.TB, m *Model, text string) []int32 {
	normalized, err := m.normalizer.Append(nil, []byte(text), &charsmap.Work{})
	require.NoError(t, err)
	w := writer{model: m, scratch: &Scratch{}}
	rest := string(normalized)
	if m.kind == unigramModel {
		naiveUnigram(t, m, rest, &w)
		return w.ids
	}
	var symbols []string
	var frozen []bool
	for rest != "" {
		n, defined := m.symbolLen([]byte(rest))
		symbols, frozen, rest = append(symbols, rest[:n]), append(frozen, defined), rest[n:]
	}
	splits := map[string][2]string{}
	id := func(i int) (int32, bool) {
		if frozen[i] || frozen[i+1] {
			return 0, false
		}
		id, ok := m.normal.find([]byte(symbols[i] + symbols[i+1]))
		if ok && m.types[id] == unused {
			splits[symbols[i]+symbols[i+1]] = [2]string{symbols[i], symbols[i+1]}
		}
		return id, ok
	}
	for i := range max(len(symbols)-1, 0) {
		id(i)
	}
	for {
		best, score := -1, float32(0)
		for i := range max(len(symbols)-1, 0) {
			if frozen[i] || frozen[i+1] {
				continue
			}
			if found, ok := m.normal.find([]byte(symbols[i] + symbols[i+1])); ok && (best < 0 || m.scores[found] > score) {
				best, score = i, m.scores[found]
			}
		}
		if best < 0 {
			break
		}
		symbols[best] += symbols[best+1]
		symbols, frozen = slices.Delete(symbols, best+1, best+2), slices.Delete(frozen, best+1, best+2)
		if best > 0 {
			id(best - 1)
		}
		if best+1 < len(symbols) {
			id(best)
		}
	}
	var write func(text string)
	write = func(text string) {
		found := m.id([]byte(text))
		if split, ok := splits[text]; ok && m.types[found] == unused {
			write(split[0])
			write(split[1])
			return
		}
		require.NoError(t, w.add([]byte(text), found))
	}
	for _, symbol := range symbols {
		write(symbol)
	}
	return w.ids
}

func naiveUnigram(t testing.TB, m *Model, text string, w *writer) {
	type way struct {
		score float32
		start int
		id    int32
	}
	ways := map[int]way{0: {}}
	offer := func(at, end int, id int32, sum float64) {
		if old, ok := ways[end]; !ok || sum > float64(old.score) {
			ways[end] = way{float32(sum), at, id}
		}
	}
	for at := 0; at < len(text); {
		size := charLen([]byte(text[at:]))
		known := false
		for end := at + 1; end <= len(text); end++ {
			if id, ok := m.normal.find([]byte(text[at:end])); ok && m.types[id] != unused {
				known = known || end-at == size
				offer(at, end, id, m.unigram.score(id, end-at)+float64(ways[at].score))
			}
		}
		if !known {
			offer(at, at+size, m.unknown, float64(m.unigram.unknown+ways[at].score))
		}
		at += size
	}
	var ends []int
	for at := len(text); at > 0; at = ways[at].start {
		ends = append(ends, at)
	}
	for _, end := range slices.Backward(ends) {
		require.NoError(t, w.add([]byte(text[ways[end].start:end]), ways[end].id))
	}
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := randomModel(t, rng, unigramModel+kind(seed%2))
	var s Scratch
	for range 20 { // parts come again, and are in the cache
		text := randomText(rng, 30)
		got, err := m.Append(nil, []byte(text), Options{}, &s)
		require.NoError(t, err)
		require.Equal(t, append([]int32{}, naive(t, m, text)...), append([]int32{}, got...), "%d, %q", m.kind, text)
	}
}

func TestRandom(t *testing.T) {
	for seed := range uint64(400) {
		checkRandom(t, seed)
	}
}

func FuzzRandom(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

// FuzzParse parses any file, and encodes and decodes with it.
func FuzzParse(f *testing.F) {
	scored := slices.Concat(reserved, []testPiece{{"\u2581", -3, normal}, {"a", -2, normal}, {"\u2581a", -4, unused}, {"<x>", 0, userDefined}})
	for k := unigramModel; k <= charModel; k++ {
		f.Add(modelOf(k, scored, message(nil).number(24, 1), asIs), "a <x>a\xFF", int32(3))
	}
	f.Add(modelOf(bpeModel, append(bytePieces(), scored...), message(nil).number(35, 1), nil), "a", int32(70))
	f.Fuzz(func(t *testing.T, data []byte, text string, id int32) {
		m, err := Parse(data, nil, nil)
		if err != nil {
			return
		}
		require.NoError(t, Check(data))
		var s Scratch
		for _, o := range []Options{{}, {Samples: -1, Alpha: 0.5}, {Samples: 5, Alpha: 0.5}} {
			if m.Check(o) == nil {
				_, _ = m.Append(nil, []byte(text), o, &s)
			}
		}
		_, _ = m.Decode(nil, []int32{id, 0}, &s)
		_, _ = m.DecodeStream(nil, []int32{id}, &s)
	})
}

// TestSamples compares how often segmentations are drawn with their probabilities.
func TestSamples(t *testing.T) {
	all := slices.Concat(reserved, []testPiece{{"a", -1, normal}, {"b", -1.5, normal}, {"ab", -2, normal}, {"aba", -3, normal}})
	m := parse(t, modelOf(unigramModel, all, nil, asIs))
	scores := map[string]float64{"a b a": -3.5, "ab a": -3, "aba": -3}
	const draws = 4000
	for _, o := range []Options{{Samples: -1, Alpha: 2}, {Samples: 512, Alpha: 0.5}, {Samples: 2, Alpha: 1}} {
		counts := map[string]int{}
		for seed := range uint64(draws) {
			o.Seed = seed
			counts[encode(t, m, "aba", o)]++
		}
		total := 0.
		for text, score := range scores {
			if o.Samples != 2 || text != "a b a" {
				total += math.Exp(float64(o.Alpha) * score)
			}
		}
		for text, score := range scores {
			want := draws * math.Exp(float64(o.Alpha)*score) / total
			if o.Samples == 2 && text == "a b a" {
				want = 0
			}
			assert.InDelta(t, want, counts[text], 120, "%+v %s", o, text)
		}
	}
	// Long texts have more segmentations than wait.
	text := strings.Repeat("aba", 3000)
	for _, o := range []Options{{Samples: -1, Alpha: 1}, {Samples: 512, Alpha: 1}} {
		got := strings.ReplaceAll(encode(t, m, text, o), " ", "")
		assert.Equal(t, text, got)
		assert.Equal(t, encode(t, m, text, o), encode(t, m, text, o), "the same seed has the same ids")
	}
	m = parse(t, modelOf(bpeModel, all, nil, asIs))
	merged := 0
	for seed := range uint64(draws) {
		if encode(t, m, "ab", Options{Samples: -1, Alpha: 0.25, Seed: seed}) == "ab" {
			merged++
		}
	}
	assert.InDelta(t, 0.75*draws, merged, 120)
}

// TestLong has texts that only a search of nearly linear time ends soon.
func TestLong(t *testing.T) {
	all := slices.Clone(reserved)
	text := ""
	for i := range 12 {
		text += strings.Repeat("a", 1<<i-len(text))
		all = append(all, testPiece{text, -float32(i), normal})
	}
	for k := unigramModel; k <= charModel; k++ {
		m := parse(t, modelOf(k, all, nil, asIs))
		ids, err := m.Append(nil, []byte(strings.Repeat("a", 1<<15)), Options{}, &Scratch{})
		require.NoError(t, err)
		want := map[kind]int{unigramModel: 1 << 15, bpeModel: 1 << 15 >> 11, wordModel: 1, charModel: 1 << 15}[k]
		assert.Len(t, ids, want, "%d", k)
	}
}

func TestLimits(t *testing.T) {
	all := slices.Concat(reserved, bytePieces(), []testPiece{{"\u2581", -1, normal}, {"a", -2, normal}, {"aa", -3, normal}, {"aaa", -3, unused}})
	refused := errors.New("refused")
	stop := make(chan struct{})
	close(stop)
	text := []byte(strings.Repeat("aa b\u00E9", 1<<16))
	ids := slices.Repeat([]int32{3, 260, 0, 261}, 1<<15)
	for k := unigramModel; k <= charModel; k++ {
		m := parse(t, modelOf(k, all, message(nil).number(35, 1), nil))
		for _, o := range []Options{{BOS: true}, {EOS: true}, {Samples: -1, Alpha: 0.5}, {Samples: 3, Alpha: 0.5}} {
			if m.Check(o) != nil {
				continue
			}
			var s Scratch
			s.Stop = stop
			_, err := m.Append(nil, text, o, &s)
			assert.Equal(t, parallel.ErrStopped, err)
			for allowed := int64(1 << 10); allowed < 1<<24; allowed *= 4 {
				left := allowed
				var s Scratch
				s.Reserve = func(bytes int64) error {
					if left -= bytes; left < 0 {
						return refused
					}
					return nil
				}
				if _, err := m.Append(nil, text[:1<<12], o, &s); err != nil {
					assert.Equal(t, refused, err)
				}
				if _, err := m.Decode(nil, ids[:1<<10], &s); err != nil {
					assert.Equal(t, refused, err)
				}
				if _, err := m.DecodeStream(nil, ids[:1<<10], &s); err != nil {
					assert.Equal(t, refused, err)
				}
			}
		}
		var s Scratch
		s.Stop = stop
		_, err := m.Decode(nil, ids, &s)
		assert.Equal(t, parallel.ErrStopped, err)
		_, err = m.DecodeStream(nil, ids, &s)
		assert.Equal(t, parallel.ErrStopped, err)
	}
}

func TestAllocations(t *testing.T) {
	all := slices.Concat(reserved, []testPiece{{"\u2581", -1, normal}, {"a", -2, normal}, {"aa", -3, normal}})
	text, ids := []byte("aaa aa \u00E9"), []int32{3, 4, 5, 0}
	for k := unigramModel; k <= charModel; k++ {
		m := parse(t, modelOf(k, all, nil, nil))
		var s Scratch
		dst, out := make([]int32, 0, 50), make([]byte, 0, 50)
		assert.Zero(t, testing.AllocsPerRun(10, func() {
			dst, _ = m.Append(dst[:0], text, Options{BOS: true}, &s)
			out, _ = m.Decode(out[:0], ids, &s)
		}), "%d", k)
	}
}

func stringsOf(texts ...string) ragged.Strings {
	var s ragged.Strings
	for _, text := range texts {
		s.Append([]byte(text))
	}
	return s
}

func TestSpecial(t *testing.T) {
	all := slices.Concat(reserved, []testPiece{{"\u2581", -1, normal}, {"a", -2, normal}, {"<x>", 0, control}, {"sop", 0, control}, {"<x><x>", 0, control}})
	m := parse(t, modelOf(unigramModel, all, nil, nil))
	for _, c := range []struct {
		tokens  []string
		options Options
		text    string
		want    string
	}{
		{[]string{"<x>"}, Options{}, "a<x>a <x>", "\u2581 a <x> \u2581 a <x>"},
		{[]string{"<x>", "<x><x>"}, Options{}, "<x><x>", "<x> <x>"},
		{[]string{"<x><x>", "<x>"}, Options{}, "<x><x><x>", "<x><x> <x>"},
		{[]string{"<x>"}, Options{BOS: true, EOS: true}, "a<x>a", "<s> \u2581 a <x> <s> \u2581 a </s>"},
		{[]string{"<x>"}, Options{BOS: true, EOS: true, Reverse: true}, "a<x>", "</s> <x> a \u2581 <s>"},
		{[]string{"sop"}, Options{}, "sop asop sopa a sop", "sop \u2581 a sop sop \u2581 a \u2581 a sop"},
		{[]string{"sop"}, Options{}, "asopa", "\u2581 a <unk> a"},
		{[]string{"sop"}, Options{}, "\u00E9sop\u0301 a", "\u2581 <unk> \u2581 a"},
		{[]string{"", "<x>"}, Options{}, "a<x>", "\u2581 a <unk>"},
		{[]string{"<x>", ""}, Options{}, "<x><x>", "<x> <x>"},
		{[]string{"<x>", "\xFF"}, Options{}, "<x>", "\u2581 <unk>"},
		{nil, Options{EOS: true}, "a", "\u2581 a </s>"},
		{[]string{"<x>"}, Options{BOS: true, EOS: true}, "", "</s>"},
	} {
		var ids []int32
		for _, token := range c.tokens {
			ids = append(ids, m.id([]byte(token)))
		}
		sp, err := NewSpecial(stringsOf(c.tokens...), ids, nil, nil)
		require.NoError(t, err)
		var s Scratch
		got, err := m.AppendSplit(nil, []byte(c.text), sp, c.options, &s)
		require.NoError(t, err)
		assert.Equal(t, c.want, pieces(m, got), "%q %q", c.tokens, c.text)
	}
	_, err := NewSpecial(stringsOf("a", "b"), []int32{1}, nil, nil)
	assert.EqualError(t, err, "there are 2 special tokens and 1 ids")
	stop := make(chan struct{})
	close(stop)
	_, err = NewSpecial(stringsOf(slices.Repeat([]string{"abcdefgh"}, 1<<15)...), make([]int32, 1<<15), nil, stop)
	assert.Equal(t, parallel.ErrStopped, err)
	sp, err := NewSpecial(stringsOf("<x>"), []int32{5}, nil, nil)
	require.NoError(t, err)
	var s Scratch
	s.Stop = stop
	_, err = m.AppendSplit(nil, []byte(strings.Repeat("a", 1<<18)), sp, Options{}, &s)
	assert.Equal(t, parallel.ErrStopped, err)
	assert.Equal(t, int64(128), SpecialBytes(2))
}

// FuzzSpecial finds any tokens in any text: all of the text is either a token or encoded.
func FuzzSpecial(f *testing.F) {
	f.Add("<x>", "sop", "a<x> sop")
	f.Add("", "a", "b")
	all := slices.Concat(reserved, bytePieces(), []testPiece{{"a", -2, normal}})
	m, err := Parse(modelOf(unigramModel, all, message(nil).number(35, 1), asIs), nil, nil)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, a, b, text string) {
		sp, err := NewSpecial(stringsOf(a, b), []int32{-1, -2}, nil, nil)
		require.NoError(t, err)
		ids, err := m.AppendSplit(nil, []byte(text), sp, Options{}, &Scratch{})
		require.NoError(t, err)
		if !utf8.ValidString(text) {
			return
		}
		got := ""
		for _, id := range ids {
			switch {
			case id == -1:
				got += a
			case id == -2:
				got += b
			default:
				part, err := m.DecodeStream(nil, []int32{id}, &Scratch{})
				require.NoError(t, err)
				got += string(part)
			}
		}
		require.Equal(t, text, got)
	})
}

// latest reads a model as release 0.2.3 does.
func latest(t *testing.T, data []byte, o ParseOptions) *Model {
	t.Helper()
	o.Latest = true
	m, err := o.Parse(data, nil, nil)
	require.NoError(t, err)
	return m
}

func TestParseOptions_latest(t *testing.T) {
	// 0.1 for each byte but the first is more than what is lost by the other pieces.
	list := append(slices.Clone(reserved), testPiece{"ab", 0, userDefined}, testPiece{"a", -0.02, normal}, testPiece{"b", -0.02, normal})
	data := modelOf(unigramModel, list, nil, asIs)
	assert.Equal(t, "a b", encode(t, parse(t, data), "ab", Options{}))
	assert.Equal(t, "ab", encode(t, latest(t, data, ParseOptions{}), "ab", Options{}))

	words := append(slices.Clone(reserved), testPiece{"\u2581a", 0, normal})
	data = modelOf(wordModel, words, nil, asIs)
	_, err := parse(t, data).Append(nil, []byte("</s>"), Options{}, &Scratch{})
	assert.EqualError(t, err, `the text has the control symbol "</s>" as a piece`)
	assert.Equal(t, "<unk>", encode(t, latest(t, data, ParseOptions{}), "</s>", Options{}))

	assert.Equal(t, "\u2581a", encode(t, parse(t, modelOf(wordModel, words, nil, nil)), "a", Options{}))
	assert.Equal(t, "<unk>", encode(t, latest(t, modelOf(wordModel, words, nil, nil), ParseOptions{NoDummyPrefix: true}), "a", Options{}))
}

func TestDecodePieces(t *testing.T) {
	m := parse(t, modelOf(charModel, append(slices.Clone(reserved), testPiece{"\u2581a", 0, normal}), nil, nil))
	texts := [][]byte{[]byte("<s>"), []byte("\u2581a"), []byte("\u2581b"), []byte("<unk>"), []byte("\u2581a")}
	got, err := m.DecodePieces([]byte("x"), texts, &Scratch{})
	require.NoError(t, err)
	assert.Equal(t, "xa\u2581b? a", string(got))
}

func TestUnknowns(t *testing.T) {
	m := parse(t, modelOf(charModel, append(slices.Clone(reserved), testPiece{"a", 0, normal}), nil, asIs))
	s := &Scratch{}
	ids, err := m.Append([]int32{9}, []byte("xyaza"), Options{Surfaces: true}, s)
	require.NoError(t, err)
	assert.Equal(t, []int32{9, 0, 3, 0, 3}, ids)
	got := map[int]string{}
	s.Unknowns(func(at int, text []byte) { got[at] = string(text) })
	assert.Equal(t, map[int]string{1: "xy", 3: "z"}, got)

	full := errors.New("full")
	s = &Scratch{}
	n := 0
	s.Reserve = func(int64) error {
		if n++; n > 2 {
			return full
		}
		return nil
	}
	_, err = m.Append(make([]int32, 0, 8), []byte("xy"), Options{Surfaces: true}, s)
	assert.ErrorIs(t, err, full)
}

func TestSymbols(t *testing.T) {
	list := append(slices.Clone(reserved), testPiece{"<p>", 0, control}, testPiece{"a", 0, normal})
	m := parse(t, modelOf(charModel, list, message(nil).bytes(48, []byte("<p>")), asIs))
	assert.Equal(t, []int32{0, 1, 2, 3, 4}, []int32{m.Unknown(), m.BOS(), m.EOS(), m.Pad(), m.ID([]byte("a"))})
	assert.True(t, m.IsControl(3))
	assert.False(t, m.IsControl(4))
	assert.EqualValues(t, -1, parse(t, modelOf(charModel, list, nil, asIs)).Pad())
}
