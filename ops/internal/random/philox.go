// Package random has the generators of the layers of random numbers. Both are published algorithms,
// and give the same numbers as OpenVINO for the same seeds.
package random

import "math/bits"

// Philox is the counter-based generator Philox 4x32 with 10 rounds (Salmon et al., Parallel Random
// Numbers: As Easy as 1, 2, 3). Its numbers come in groups of four; group n depends only on the
// key, the counter and n, so that groups can be computed in any order.
type Philox struct {
	Key, Counter uint64
}

// The multipliers of a round, and what each round adds to the halves of the key.
const (
	multiplierN       = 0xd2511f53
	multiplierCounter = 0xcd9e8d57
	keyStepLow        = 0x9e3779b9
	keyStepHigh       = 0xbb67ae85
)

// Group returns group n.
func (p Philox) Group(n uint64) [4]uint32 {
	k0, k1 := uint32(p.Key), uint32(p.Key>>32)
	a, b, c, d := uint32(n), uint32(n>>32), uint32(p.Counter), uint32(p.Counter>>32)
	for range 10 {
		x, y := uint64(a)*multiplierN, uint64(c)*multiplierCounter
		a, b, c, d = uint32(y>>32)^b^k0, uint32(y), uint32(x>>32)^d^k1, uint32(x)
		k0, k1 = k0+keyStepLow, k1+keyStepHigh
	}
	return [4]uint32{a, b, c, d}
}

// pair returns the groups n and n+1. The processor computes two at a time in much less than twice
// the time.
func (p Philox) pair(n uint64) [8]uint32 {
	k0, k1, m := uint32(p.Key), uint32(p.Key>>32), n+1
	a, b, c, d := uint32(n), uint32(n>>32), uint32(p.Counter), uint32(p.Counter>>32)
	e, f, g, h := uint32(m), uint32(m>>32), c, d
	for range 10 {
		x, y := uint64(a)*multiplierN, uint64(c)*multiplierCounter
		z, w := uint64(e)*multiplierN, uint64(g)*multiplierCounter
		a, b, c, d = uint32(y>>32)^b^k0, uint32(y), uint32(x>>32)^d^k1, uint32(x)
		e, f, g, h = uint32(w>>32)^f^k0, uint32(w), uint32(z>>32)^h^k1, uint32(z)
		k0, k1 = k0+keyStepLow, k1+keyStepHigh
	}
	return [8]uint32{a, b, c, d, e, f, g, h}
}

// Fill sets words to the numbers of the groups from n on.
func (p Philox) Fill(words []uint32, n uint64) {
	done := p.fillGroups(words, n)
	words, n = words[4*done:], n+uint64(done)
	for ; len(words) >= 8; words = words[8:] {
		*(*[8]uint32)(words) = p.pair(n)
		n += 2
	}
	for ; len(words) >= 4; words = words[4:] {
		*(*[4]uint32)(words) = p.Group(n)
		n++
	}
	if len(words) > 0 {
		last := p.Group(n)
		copy(words, last[:])
	}
}

// Advance adds n*m to the 128-bit number of counter and group, as OpenVINO does after each
// inference.
func Advance(group, counter, n, m uint64) (newGroup, newCounter uint64) {
	high, low := bits.Mul64(n, m)
	newGroup, carry := bits.Add64(group, low, 0)
	return newGroup, counter + high + carry
}
