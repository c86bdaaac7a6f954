package charsmap

// Decompositions returns the characters with a full canonical decomposition, except those of
// Hangul, and those with a compatibility decomposition only, each with its decomposition. A
// canonical one can have characters that have a compatibility decomposition. NFC keeps the
// characters of composed, unless marks are between them.
func Decompositions() (composes, canonical, compatibility map[rune]string) {
	return table(composed), table(decomposed), table(compatible)
}

// Shortest returns the value of the shortest key that text starts with, in a map that was parsed.
func (m *Map) Shortest(text []byte) (value []byte, ok bool) { return m.trie.shortest(text) }
