package memory

// filter is a set of hashes that takes two bytes for each. It is a Bloom filter: it finds one in
// 400 of the hashes that were not added.
type filter struct {
	bits []uint64
	n    int
}

// maxFilter bounds the number of hashes in a filter.
const maxFilter = 1 << 14

// add adds a hash, and reports whether it was there. The filter becomes empty when it has more than
// max hashes.
func (f *filter) add(hash uint64, max int) bool {
	if f.bits == nil {
		f.bits = make([]uint64, min(max, maxFilter)/4+1)
	}
	found := true
	for range 4 {
		word, bit := &f.bits[hash%uint64(len(f.bits))], uint64(1)<<(hash>>58)
		found = found && *word&bit != 0
		*word |= bit
		hash *= 0x9e3779b97f4a7c15 // of Fibonacci hashing
	}
	if !found {
		f.n++
	}
	if f.n > 4*len(f.bits) {
		clear(f.bits)
		f.n = 0
	}
	return found
}
