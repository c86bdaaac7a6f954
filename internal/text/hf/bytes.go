package hf

// ByteWord returns the bytes that the characters of a word of a byte-level model stand for; ok is
// false, and text nil, if one stands for none.
func ByteWord(word []byte) (text []byte, ok bool) {
	if text, ok = unmapBytes(nil, word); !ok {
		return nil, false
	}
	return text, true
}
