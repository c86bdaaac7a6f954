// Package buffers keeps byte slices for reuse. A request of some hundred kilobytes costs more by
// memory that is made, cleared and collected than by everything else in a protocol.
package buffers

import (
	"math/bits"
	"sync"

	"github.com/vinoir/vinoir/ir"
)

// Slices of 1 KiB to 64 MiB are kept, rounded up to a power of two. For smaller ones, the pool
// costs more than it saves; larger ones are rare, and would be held for nothing.
const (
	smallest = 10
	largest  = 26
)

// Pool keeps slices that are not in use, until the garbage collector takes them. The zero value is
// ready to use. It is a mem.BufferPool of grpc.
type Pool struct {
	bySize [largest + 1]sync.Pool
}

// Get returns a slice of n bytes, whatever they are. Slices that are kept begin at a cache line,
// and all at an address that suits every element type.
func (p *Pool) Get(n int) *[]byte {
	size := bits.Len(uint(max(n-1, 0)))
	if size < smallest || size > largest {
		b := make([]byte, n)
		return &b
	}
	if b, ok := p.bySize[size].Get().(*[]byte); ok {
		*b = (*b)[:n]
		return b
	}
	b := ir.AlignedBytes(1 << size)[:n]
	return &b
}

// Put takes back a slice that Get returned. It must not be used afterwards.
func (p *Pool) Put(b *[]byte) {
	size := bits.Len(uint(cap(*b))) - 1
	if size < smallest || size > largest || cap(*b) != 1<<size {
		return
	}
	p.bySize[size].Put(b)
}
