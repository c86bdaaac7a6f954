package charsmap

import (
	"strings"
	"testing"
)

// BenchmarkAppend normalizes a text of 1 MB.
func BenchmarkAppend(b *testing.B) {
	texts := map[string]string{
		"ascii":  "The quick brown fox jumps over the lazy dog, and \"it\" was 12 years old. ",
		"latin":  "D\u00E9j\u00E0 vu, na\u00EFve caf\u00E9: \u00FCber stra\u00DFe ma\u00F1ana. ",
		"han":    "\u6587\u5B57\u304B\u306A\u6F22\u5B57\u3001\u65E5\u672C\u8A9E\u3002",
		"hangul": "\uD55C\uAD6D\uC5B4 \uD14D\uC2A4\uD2B8 ",
		"marks":  "e\u0301u\u0308o\u0302\uFF21\uFB01 ",
	}
	for _, f := range []string{"nfc", "nfd", "nfkc"} {
		for name, text := range texts {
			benchmark(b, f+"/"+name, New(mustBuiltin(b, f, false), plainly), text)
		}
	}
	benchmark(b, "nfkc_fold/ascii", New(mustBuiltin(b, "nfkc", true), plainly), texts["ascii"])
	spaces := Options{AddDummyPrefix: true, RemoveExtraWhitespaces: true, EscapeWhitespaces: true}
	benchmark(b, "spaces/ascii", New(nil, spaces), texts["ascii"])
	benchmark(b, "nfkc_spaces/ascii", New(mustBuiltin(b, "nfkc", false), spaces), texts["ascii"])
}

// BenchmarkAppend_parsed normalizes a text of 1 MB by a map that was parsed.
func BenchmarkAppend_parsed(b *testing.B) {
	m, err := Parse(blobOf(manyKeys()))
	if err != nil {
		b.Fatal(err)
	}
	benchmark(b, "han", New(m, plainly), "\u6587\u5B57\u304B\u306A\u6F22\u5B57\u3001\u65E5\u672C\u8A9E\u3002")
	benchmark(b, "latin", New(m, plainly), "D\u00E9j\u00E0 vu, na\u00EFve caf\u00E9: \u00FCber stra\u00DFe ma\u00F1ana. ")
}

// manyKeys returns as many keys as the maps of SentencePiece models have.
func manyKeys() map[string]string {
	m := map[string]string{}
	for r := rune(0x4E00); r < 0x4E00+5000; r++ {
		m[string(r)] = "\u00E9"
	}
	return m
}

func benchmark(b *testing.B, name string, n *Normalizer, text string) {
	b.Run(name, func(b *testing.B) {
		in := []byte(strings.Repeat(text, 1<<20/len(text)))
		dst := make([]byte, 0, 20*len(in))
		var w Work
		b.SetBytes(int64(len(in)))
		b.ReportAllocs()
		for b.Loop() {
			var err error
			if dst, err = n.Append(dst[:0], in, &w); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkBuiltin makes a map.
func BenchmarkBuiltin(b *testing.B) {
	for b.Loop() {
		mustBuiltin(b, "nfkc", true)
	}
}

// BenchmarkParse parses a map.
func BenchmarkParse(b *testing.B) {
	blob := blobOf(manyKeys())
	b.SetBytes(int64(len(blob)))
	for b.Loop() {
		if _, err := Parse(blob); err != nil {
			b.Fatal(err)
		}
	}
}
