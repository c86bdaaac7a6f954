package buffers

// Lender lends memory from a pool for one request, and gives all of it back at once.
type Lender struct {
	pool *Pool
	lent []*[]byte
}

// NewLender returns a Lender of memory from p.
func NewLender(p *Pool) *Lender { return &Lender{pool: p} }

// Get returns n bytes with any content.
func (l *Lender) Get(n int) []byte {
	b := l.pool.Get(n)
	l.lent = append(l.lent, b)
	return (*b)[:n:n]
}

// Grow returns n bytes that begin with those of b, the last memory that Get or Grow returned.
func (l *Lender) Grow(b []byte, n int) []byte {
	last := l.lent[len(l.lent)-1]
	if n <= cap(*last) {
		return (*last)[:n:n]
	}
	larger := l.pool.Get(n)
	copy(*larger, b)
	l.pool.Put(last)
	l.lent[len(l.lent)-1] = larger
	return (*larger)[:n:n]
}

// Free gives everything back. Nothing may use it afterwards.
func (l *Lender) Free() {
	for _, b := range l.lent {
		l.pool.Put(b)
	}
	l.lent = nil
}
