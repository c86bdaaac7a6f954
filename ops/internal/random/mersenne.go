package random

const (
	mersenneLen = 624
	mersenneLag = 397
)

// Mersenne is the generator MT19937 (Matsumoto and Nishimura, Mersenne Twister). A seed must be set
// before Next is called. It is small enough for the stack.
type Mersenne struct {
	state [mersenneLen]uint32
	next  int
}

// Seed seeds the generator with a number, as PyTorch does.
func (m *Mersenne) Seed(seed uint32) {
	m.state[0] = seed
	for i := 1; i < mersenneLen; i++ {
		last := m.state[i-1]
		m.state[i] = 1812433253*(last^last>>30) + uint32(i)
	}
	m.next = mersenneLen
}

// SeedSequence seeds the generator with two numbers, as a seed_seq of them does in C++.
func (m *Mersenne) SeedSequence(seeds [2]uint32) {
	// The constants are those of the C++ standard, [rand.util.seedseq], for a state of 624 words.
	const (
		n = mersenneLen
		t = 11
		p = (n - t) / 2
		q = p + t
	)
	mix := func(x uint32) uint32 { return x ^ x>>27 }
	b := &m.state
	for i := range b {
		b[i] = 0x8b8b8b8b
	}
	for k := range n {
		r := 1664525 * mix(b[k]^b[(k+p)%n]^b[(k+n-1)%n])
		s := r + uint32(k)
		switch {
		case k == 0:
			s = r + uint32(len(seeds))
		case k <= len(seeds):
			s += seeds[k-1]
		}
		b[(k+p)%n] += r
		b[(k+q)%n] += s
		b[k] = s
	}
	for k := range n {
		r := 1566083941 * mix(b[k]+b[(k+p)%n]+b[(k+n-1)%n])
		s := r - uint32(k)
		b[(k+p)%n] ^= r
		b[(k+q)%n] ^= s
		b[k] = s
	}
	m.next = mersenneLen
}

// Next returns the next number.
func (m *Mersenne) Next() uint32 {
	if m.next >= mersenneLen {
		m.twist()
	}
	y := m.state[m.next]
	m.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// Fill sets words to the next numbers.
func (m *Mersenne) Fill(words []uint32) {
	for i := range words {
		words[i] = m.Next()
	}
}

// twist computes the next 624 words of the state.
func (m *Mersenne) twist() {
	s := &m.state
	for i := range s {
		next, far := s[(i+1)%mersenneLen], s[(i+mersenneLag)%mersenneLen]
		y := s[i]&(1<<31) | next&(1<<31-1)
		s[i] = far ^ y>>1 ^ -(next&1)&0x9908b0df
	}
	m.next = 0
}
