package charsmap

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// blobOf returns the precompiled form of a map.
func blobOf(m map[string]string) []byte {
	b := blobBuilder{units: make([]uint32, 1), taken: map[uint32]bool{0: true}, bases: map[uint32]bool{}}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		b.keys, b.values = append(b.keys, key), append(b.values, uint32(len(b.texts)))
		b.texts += m[key] + "\x00"
	}
	if len(b.keys) == 0 {
		return nil
	}
	b.units[0] = b.place(0, len(b.keys), 0) << 10
	blob := binary.LittleEndian.AppendUint32(nil, uint32(4*len(b.units)))
	for _, unit := range b.units {
		blob = binary.LittleEndian.AppendUint32(blob, unit)
	}
	return append(blob, b.texts+"\x00"...)
}

type blobBuilder struct {
	keys         []string
	values       []uint32
	texts        string
	units        []uint32
	taken, bases map[uint32]bool
}

// place makes the node of the keys lo to hi-1, which have their first depth bytes in common, and
// returns its position.
func (b *blobBuilder) place(lo, hi, depth int) uint32 {
	var labels []uint32
	var starts []int
	leaf := len(b.keys[lo]) == depth
	if leaf {
		labels, starts = append(labels, 0), append(starts, lo)
		lo++
	}
	for i := lo; i < hi; i++ {
		if label := uint32(b.keys[i][depth]); i == lo || label != labels[len(labels)-1] {
			labels, starts = append(labels, label), append(starts, i)
		}
	}
	starts = append(starts, hi)
	position := uint32(1)
	for b.bases[position] || slices.ContainsFunc(labels, func(label uint32) bool { return b.taken[position^label] }) {
		position++
	}
	b.bases[position] = true
	for _, label := range labels {
		b.taken[position^label] = true
		for uint32(len(b.units)) <= position^label {
			b.units = append(b.units, leafValue) // which is no child
		}
	}
	for i, label := range labels {
		q := position ^ label
		if label == 0 && leaf {
			b.units[q] = leafValue | b.values[starts[i]]
			continue
		}
		child := b.place(starts[i], starts[i+1], depth+1)
		b.units[q] = (q^child)<<10 | label
		if len(b.keys[starts[i]]) == depth+1 {
			b.units[q] |= hasLeaf
		}
	}
	return position
}

// reference normalizes as the package comment says, a key at a time.
func reference(m map[string]string, o Options, text string) string {
	piece := func() (size int, value string) {
		for size := len(text); size > 0; size-- {
			if value, ok := m[text[:size]]; ok {
				return size, value
			}
		}
		if r, size := utf8.DecodeRuneInString(text); r != utf8.RuneError || size > 1 {
			return size, text[:size]
		}
		return 1, "\uFFFD"
	}
	for o.RemoveExtraWhitespaces && text != "" {
		size, value := piece()
		if value != " " {
			break
		}
		text = text[size:]
	}
	if text == "" {
		return ""
	}
	out, space := "", " "
	if o.EscapeWhitespaces {
		space = "\u2581"
	}
	if o.AddDummyPrefix && !o.WhitespaceAsSuffix {
		out = " "
	}
	spaced := o.RemoveExtraWhitespaces
	for text != "" {
		size, value := piece()
		text = text[size:]
		if spaced {
			value = strings.TrimLeft(value, " ")
		}
		out += value
		if value != "" {
			spaced = o.RemoveExtraWhitespaces && strings.HasSuffix(value, " ")
		}
	}
	out = strings.ReplaceAll(out, " ", space)
	for o.RemoveExtraWhitespaces && strings.HasSuffix(out, space) {
		out = strings.TrimSuffix(out, space)
	}
	if o.AddDummyPrefix && o.WhitespaceAsSuffix {
		out += space
	}
	return out
}

// alphabet has pieces of keys, values and texts: many texts have keys in them.
var alphabet = []string{"a", "b", "A", " ", "\u00E9", "\u0301", "\u2581", "\U0001F600", "\x80", "\u3000"}

func randomText(rng *rand.Rand, most int) string {
	text := ""
	for range rng.IntN(most + 1) {
		text += alphabet[rng.IntN(len(alphabet))]
	}
	return text
}

func checkRandomMap(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := map[string]string{}
	for range rng.IntN(20) {
		if key := randomText(rng, 3); key != "" {
			m[key] = randomText(rng, 3)
		}
	}
	flag := func() bool { return rng.IntN(2) == 0 }
	options := Options{AddDummyPrefix: flag(), WhitespaceAsSuffix: flag(), RemoveExtraWhitespaces: flag(), EscapeWhitespaces: flag()}
	chars, err := Parse(blobOf(m))
	require.NoError(t, err)
	n := New(chars, options)
	for range 20 {
		text := randomText(rng, 30)
		require.Equal(t, reference(m, options, text), normalize(t, n, text), "%q, %+v, %q", m, options, text)
	}
}

func TestParse_random(t *testing.T) {
	for seed := range uint64(300) {
		checkRandomMap(t, seed)
	}
}

func FuzzParse_random(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandomMap)
}

// TestBuiltin_random compares built-in maps with maps that have all their keys.
func TestBuiltin_random(t *testing.T) {
	parts := []rune("eE \u0301\u0302\u0323\u00C2\u00A8\u017F\u0307\u0340\u212B\uFF21\uFF76\u3099\u1100\u1161\u11A8\uAC00\uAC01\u3131\u314F")
	for _, f := range forms[1:] {
		m := mustBuiltin(t, f.form, f.fold)
		keys := map[string]string{}
		n := New(m, plainly)
		// Every text of up to three parts that is not replaced part by part is a key.
		collect := func(text string, parts ...string) {
			got := normalize(t, n, text)
			if want := reference(keys, plainly, text); got != want {
				keys[text] = got
			}
		}
		for _, a := range parts {
			collect(string(a))
		}
		for _, a := range parts {
			for _, b := range parts {
				collect(string(a) + string(b))
			}
		}
		for _, a := range parts {
			for _, b := range parts {
				for _, c := range parts {
					collect(string(a) + string(b) + string(c))
				}
			}
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 1000 {
			text := ""
			for range 1 + rng.IntN(12) {
				text += string(parts[rng.IntN(len(parts))])
			}
			require.Equal(t, reference(keys, plainly, text), normalize(t, n, text), "%s, %q", f.table, text)
		}
	}
}

func TestParse_errors(t *testing.T) {
	units := func(texts string, units ...uint32) []byte {
		blob := binary.LittleEndian.AppendUint32(nil, uint32(4*len(units)))
		for _, unit := range units {
			blob = binary.LittleEndian.AppendUint32(blob, unit)
		}
		return append(blob, texts...)
	}
	for want, blob := range map[string][]byte{
		"the character map has 3 bytes, expected more than 4":                           {1, 2, 3},
		"the trie of the character map has 9 bytes, the map has 10":                     {9, 0, 0, 0, 1, 2, 3, 4, 5, 6},
		"the trie of the character map has 4294967295 bytes, the map has 8":             {255, 255, 255, 255, 1, 2, 3, 4},
		"the trie of the character map has 3 bytes, expected 4 to 2147483647":           {3, 0, 0, 0, 1, 2, 3, 0},
		"the last value of the character map ends with 1, expected 0":                   {4, 0, 0, 0, 1, 2, 3, 4, 1},
		"unit 97 of the trie of the character map has its value in unit 4194401, of 98": units("\x00", slices.Concat([]uint32{0xFF}, slices.Repeat([]uint32{leafValue}, 96), []uint32{1<<24 | 1<<9 | hasLeaf | 'a'})...),
		"unit 97 of the trie of the character map has its value at byte 1, of 1":        units("\x00", slices.Concat([]uint32{0xFF, leafValue | 1}, slices.Repeat([]uint32{leafValue}, 95), []uint32{96<<10 | hasLeaf | 'a'})...),
		"unit 97 of the trie of the character map leads back to position 0":             units("\x00", slices.Concat([]uint32{0xFF}, slices.Repeat([]uint32{leafValue}, 96), []uint32{97<<10 | 'a'})...),
	} {
		_, err := Parse(blob)
		assert.EqualError(t, err, want)
	}
	m, err := Parse(nil)
	require.NoError(t, err)
	assert.Equal(t, "a b\uFFFD", normalize(t, New(m, plainly), "a b\xFF"))

	key := strings.Repeat("a", longestKey)
	m, err = Parse(blobOf(map[string]string{key: "b"}))
	require.NoError(t, err)
	assert.Equal(t, "ba", normalize(t, New(m, plainly), key+"a"))
	_, err = Parse(blobOf(map[string]string{key + "a": "b"}))
	assert.EqualError(t, err, "the trie of the character map has a key of more than 256 bytes")
}

// FuzzParse parses any blob, and normalizes any text with it: whatever they hold, it ends.
func FuzzParse(f *testing.F) {
	f.Add(blobOf(map[string]string{"a": "b", "ab": "", "\u00E9": "e"}), "abc \u00E9")
	f.Add([]byte{8, 0, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 'a', 0}, "aaa")
	f.Fuzz(func(t *testing.T, blob []byte, text string) {
		if m, err := Parse(blob); err == nil {
			normalize(t, New(m, Options{RemoveExtraWhitespaces: true, EscapeWhitespaces: true}), text)
		}
	})
}

// FuzzBuiltin normalizes any text.
func FuzzBuiltin(f *testing.F) {
	var maps []*Map
	for _, form := range forms {
		maps = append(maps, mustBuiltin(f, form.form, form.fold))
	}
	f.Add("a\u0301 \u1100\u1161\xFF")
	f.Fuzz(func(t *testing.T, text string) {
		for _, m := range maps {
			got := normalize(t, New(m, plainly), text)
			require.True(t, utf8.ValidString(got))
		}
	})
}
