package trie

import "slices"

// fewKeys is the number of keys up to which they are compared, not distributed.
const fewKeys = 1 << 8

// sort sorts the keys: by their first bytes, one byte after the other from the last to the first,
// and then those with the same first bytes among each other, which are few.
func (k *Keys) sort() {
	if len(k.entries) <= fewKeys {
		slices.SortFunc(k.entries, k.compare)
		return
	}
	var counts [prefixLen][256]int32
	for _, e := range k.entries {
		for i := range counts {
			counts[i][byte(e.prefix>>(8*i))]++
		}
	}
	from, to := k.entries, make([]entry, len(k.entries))
	for i := range counts {
		places, at, used := &counts[i], int32(0), 0
		for b, n := range places {
			places[b] = at
			at += n
			if n > 0 {
				used++
			}
		}
		if used == 1 {
			continue // all keys have the same byte here
		}
		for _, e := range from {
			place := &places[byte(e.prefix>>(8*i))]
			to[*place] = e
			*place++
		}
		from, to = to, from
	}
	for lo := 0; lo < len(from); {
		hi := lo + 1
		for hi < len(from) && from[hi].prefix == from[lo].prefix {
			hi++
		}
		if hi > lo+1 {
			slices.SortFunc(from[lo:hi], k.compare)
		}
		lo = hi
	}
	k.entries = from
}
