package charsmap

import (
	"bytes"
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
)

// doubleArray is a trie in the form of Darts-clone, which shares the ends of keys. The node at
// position p has the child for byte b at q = p ^ b, if the label of unit q is b; that child is at
// position q ^ offset of unit q. If unit q has a leaf, the unit at that position holds the value:
// where a text that ends with a NUL starts in texts.
type doubleArray struct {
	units []uint32
	texts []byte
	root  uint32
}

// longestKey is the greatest length of a key in bytes, and bounds what a position of a text costs.
// Keys of real maps have up to 18.
const longestKey = 256

const (
	leafValue = 1 << 31 // marks a unit that holds a value
	hasLeaf   = 1 << 8
)

func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

// ParsedBytes returns the size of the Map that Parse makes from a blob, and of what it needs
// meanwhile.
func ParsedBytes(blob []byte) int64 { return int64(len(blob)) * 5 }

// Parse reads a precompiled map: the length of a trie in bytes as a little-endian u32, the trie,
// and the values of keys, which end with a NUL each. An empty blob is a map without keys. The trie
// must have no cycle, keys of at most 256 bytes, and values that exist. Parse does not keep the
// blob.
func Parse(blob []byte) (*Map, error) {
	m := &Map{}
	if len(blob) == 0 {
		return m, nil
	}
	if len(blob) <= 4 {
		return nil, faults.Errorf("the character map has %d bytes, expected more than 4", len(blob))
	}
	size := binary.LittleEndian.Uint32(blob)
	if int64(size) >= int64(len(blob)-4) {
		return nil, faults.Errorf("the trie of the character map has %d bytes, the map has %d", size, len(blob))
	}
	trie, texts := blob[4:4+size], blob[4+size:]
	if len(trie) < 4 || len(trie) > math.MaxInt32 {
		return nil, faults.Errorf("the trie of the character map has %d bytes, expected 4 to %d", len(trie), math.MaxInt32)
	}
	if texts[len(texts)-1] != 0 {
		return nil, faults.Errorf("the last value of the character map ends with %d, expected 0", texts[len(texts)-1])
	}
	units := make([]uint32, len(trie)/4)
	for i := range units {
		units[i] = binary.LittleEndian.Uint32(trie[4*i:])
	}
	m.trie = doubleArray{units: units, texts: bytes.Clone(texts), root: offset(units[0])}
	if err := m.trie.check(); err != nil {
		return nil, err
	}
	return m, nil
}

// step is a position on the path that check follows.
type step struct {
	position, next, last uint32 // next and last are those of its children that are left
	height               int    // the length of the longest key below it, so far
}

// check visits each position that the root leads to once, and returns an error if a value does not
// exist, a key is too long, or a path leads back to itself.
func (t *doubleArray) check() error {
	const unknown, open = 0, -1
	first, children := t.children()
	heights := make([]int16, len(first)) // of positions, plus 1
	path := make([]step, 0, longestKey+1)
	enter := func(position uint32) {
		s := step{position: position}
		if int(position) < len(heights)-1 {
			heights[position] = open
			s.next, s.last = first[position], first[position+1]
		}
		path = append(path, s)
	}
	enter(t.root)
	for len(path) > 0 {
		top := &path[len(path)-1]
		if top.next == top.last {
			if len(path)+top.height > longestKey+1 {
				return faults.Errorf("the trie of the character map has a key of more than %d bytes", longestKey)
			}
			height := top.height + 1
			if int(top.position) < len(heights) {
				heights[top.position] = int16(height)
			}
			if path = path[:len(path)-1]; len(path) > 0 {
				path[len(path)-1].height = max(path[len(path)-1].height, height)
			}
			continue
		}
		q := children[top.next]
		top.next++
		child := q ^ offset(t.units[q])
		if err := t.checkValue(q, child); err != nil {
			return err
		}
		height := int16(unknown)
		if int(child) < len(heights) {
			height = heights[child]
		}
		switch {
		case height == open:
			return faults.Errorf("unit %d of the trie of the character map leads back to position %d", q, child)
		case height != unknown:
			top.height = max(top.height, int(height))
		case len(path) > longestKey:
			return faults.Errorf("the trie of the character map has a key of more than %d bytes", longestKey)
		default:
			enter(child)
		}
	}
	return nil
}

// children returns the units that are children, sorted by the positions that they are children of:
// those of position p are children[first[p]:first[p+1]].
func (t *doubleArray) children() (first, children []uint32) {
	first = make([]uint32, len(t.units)+257)
	for q, unit := range t.units {
		if unit&leafValue == 0 {
			first[uint32(q)^unit&0xFF]++
		}
	}
	n := uint32(0)
	for i, count := range first {
		n += count
		first[i] = n
	}
	children = make([]uint32, n)
	for q, unit := range t.units {
		if unit&leafValue == 0 {
			at := &first[uint32(q)^unit&0xFF]
			*at--
			children[*at] = uint32(q)
		}
	}
	return first, children
}

// checkValue returns an error if unit q has a value that does not exist.
func (t *doubleArray) checkValue(q, child uint32) error {
	if t.units[q]&hasLeaf == 0 {
		return nil
	}
	if child >= uint32(len(t.units)) {
		return faults.Errorf("unit %d of the trie of the character map has its value in unit %d, of %d", q, child, len(t.units))
	}
	if at := t.units[child] &^ leafValue; at >= uint32(len(t.texts)) {
		return faults.Errorf("unit %d of the trie of the character map has its value at byte %d, of %d", q, at, len(t.texts))
	}
	return nil
}

// next returns the position of the child for b, and whether a key ends there; ok is false if there
// is no child.
func (t *doubleArray) next(position uint32, b byte) (child uint32, leaf, ok bool) {
	q := position ^ uint32(b)
	if q >= uint32(len(t.units)) {
		return 0, false, false
	}
	unit := t.units[q]
	if unit&(leafValue|0xFF) != uint32(b) {
		return 0, false, false
	}
	return q ^ offset(unit), unit&hasLeaf != 0, true
}

// match returns the length of the longest key in front of text, and its value; 0 if there is none.
func (t *doubleArray) match(text []byte) (size int, value []byte) {
	at := uint32(math.MaxUint32)
	position := t.root
	for i, b := range text {
		child, leaf, ok := t.next(position, b)
		if !ok {
			break
		}
		if position = child; leaf {
			at, size = child, i+1
		}
	}
	if size == 0 {
		return 0, nil
	}
	return size, t.valueAt(at)
}

// shortest returns the value of the shortest key in front of text; ok is false if there is none.
func (t *doubleArray) shortest(text []byte) (value []byte, ok bool) {
	position := t.root
	for _, b := range text {
		child, leaf, ok := t.next(position, b)
		switch {
		case !ok:
			return nil, false
		case leaf:
			return t.valueAt(child), true
		}
		position = child
	}
	return nil, false
}

// valueAt returns the value of the key that ends at a position.
func (t *doubleArray) valueAt(position uint32) []byte {
	value := t.texts[t.units[position]&^leafValue:]
	return value[:bytes.IndexByte(value, 0)]
}

// byteAlone returns what match returns for b, which is ASCII, and the class of a byte that is
// replaced by one.
func (t *doubleArray) byteAlone(b byte) (size int, value []byte, follow class) {
	size, value = t.match([]byte{b})
	position, _, ok := t.next(t.root, b)
	if !ok {
		return size, value, plain
	}
	follow = plain
	for label := range 256 {
		if _, _, ok := t.next(position, byte(label)); ok {
			if label < utf8.RuneSelf {
				return size, value, special
			}
			follow = first
		}
	}
	return size, value, follow
}
