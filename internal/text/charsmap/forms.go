package charsmap

// Decompositions returns the characters with a full canonical decomposition, except those of
// Hangul, and those with a compatibility decomposition only, each with its decomposition. A
// canonical one can have characters that have a compatibility decomposition. NFC keeps the
// characters of composed, unless marks are between them.
func Decompositions() (composes, canonical, compatibility map[rune]string) {
	return table(composed), table(decomposed), table(compatible)
}

// Shortest returns the value of the shortest key that text starts with, in a map that was parsed.
func (m *Map) Shortest(text []byte) (value []byte, ok bool) {
	t := &m.trie
	position := t.root
	for _, b := range text {
		q := position ^ uint32(b)
		if q >= uint32(len(t.units)) {
			break
		}
		unit := t.units[q]
		if unit&(leafValue|0xFF) != uint32(b) {
			break
		}
		position = q ^ offset(unit)
		if unit&hasLeaf != 0 {
			return t.text(t.units[position] &^ leafValue), true
		}
	}
	return nil, false
}
