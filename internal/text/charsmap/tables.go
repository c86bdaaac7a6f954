package charsmap

import (
	_ "embed" // of the tables
	"strings"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/text/deflated"
)

//go:generate sh -c "go run ./_tables -from $VINOIR_CORPUS/text/unicode"

// Each table has an entry for each code point, in ascending order: the distance from the code point
// before, with the surrogates left out, the characters that it becomes, and U+0000. All are
// compressed.
var (
	// composed has the full canonical decompositions of characters that NFC keeps.
	//go:embed composed.deflate
	composed string
	// decomposed has the full canonical decompositions of the others.
	//go:embed decomposed.deflate
	decomposed string
	// compatible has the full compatibility decompositions of characters without a canonical one.
	//go:embed compatible.deflate
	compatible string
	// folded has the simple case folding.
	//go:embed folded.deflate
	folded string
)

// table decodes a table.
func table(compressed string) map[rune]string {
	data := deflated.Decode(compressed)
	t := make(map[rune]string, strings.Count(data, "\x00"))
	r := rune(0)
	for len(data) > 0 {
		distance, size := utf8.DecodeRuneInString(data)
		if distance >= surrogates {
			distance -= surrogateCount
		}
		r += distance
		end := strings.IndexByte(data, 0)
		t[r] = data[size:end]
		data = data[end+1:]
	}
	return t
}
