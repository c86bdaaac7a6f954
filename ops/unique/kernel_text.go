package unique

import (
	"cmp"
	"encoding/binary"

	"github.com/vinoir/vinoir/internal/parallel"
)

// textKey returns the first bytes of a text, in the order of texts. Others can share them.
func textKey(text string) uint64 {
	var start [8]byte
	copy(start[:], text)
	return binary.BigEndian.Uint64(start[:])
}

// compareTexts compares two slices of texts, byte by byte.
func (k *kernel) compareTexts(meter *parallel.Meter, texts []string, a, b int64) int {
	for o := range k.Outer {
		x, y := (o*k.Length+int(a))*k.Inner, (o*k.Length+int(b))*k.Inner
		for i := range k.Inner {
			v, w := texts[x+i], texts[y+i]
			if c := cmp.Compare(v, w); c != 0 {
				return c
			}
			if meter.Spent(1 + len(v)/8) {
				return 0
			}
		}
	}
	return 0
}
