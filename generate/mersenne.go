package generate

// mersenne is std::mt19937, the generator of random numbers that GenAI draws tokens with.
type mersenne struct {
	state [624]uint32
	next  int
}

// seed starts the sequence of numbers of a seed.
func (m *mersenne) seed(seed uint32) {
	m.state[0] = seed
	for i := 1; i < len(m.state); i++ {
		last := m.state[i-1]
		m.state[i] = 1812433253*(last^last>>30) + uint32(i)
	}
	m.next = len(m.state)
}

// uint32 returns the next number.
func (m *mersenne) uint32() uint32 {
	if m.next == len(m.state) {
		for i := range m.state {
			y := m.state[i]&(1<<31) | m.state[(i+1)%len(m.state)]&(1<<31-1)
			m.state[i] = m.state[(i+397)%len(m.state)] ^ y>>1 ^ y&1*0x9908b0df
		}
		m.next = 0
	}
	y := m.state[m.next]
	m.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// float32 returns the next number as std::uniform_real_distribution of libstdc++ makes it: at least
// 0 and less than 1.
func (m *mersenne) float32() float32 {
	const below1 = 1 - 1.0/(1<<24)
	return min(float32(m.uint32())*(1.0/(1<<32)), below1)
}
