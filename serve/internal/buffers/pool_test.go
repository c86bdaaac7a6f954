package buffers_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/serve/internal/buffers"
)

func TestPool(t *testing.T) {
	var pool buffers.Pool
	for n, capacity := range map[int]int{
		0: 0, 1: 1, 1000: 1024, 1024: 1024, 1025: 2048, 600_000: 1 << 20, 1 << 26: 1 << 26, 1<<26 + 1: 1<<26 + 1,
	} {
		b := pool.Get(n)
		require.Len(t, *b, n)
		require.GreaterOrEqual(t, cap(*b), capacity)
		if n >= 1000 {
			require.Equal(t, capacity, cap(*b), n)
			require.Zero(t, uintptr(unsafe.Pointer(unsafe.SliceData(*b)))%8)
		}
		pool.Put(b)
	}
}

func TestPool_reuses(t *testing.T) {
	var pool buffers.Pool
	// The garbage collector, and the race detector, drop some of what a sync.Pool has.
	for range 1000 {
		b := pool.Get(5000)
		(*b)[0] = 7
		pool.Put(b)
		again := pool.Get(8000)
		require.Len(t, *again, 8000)
		if unsafe.SliceData(*again) == unsafe.SliceData(*b) {
			return
		}
	}
	t.Fatal("no slice was used again")
}

func TestPool_foreignSlice(t *testing.T) {
	var pool buffers.Pool
	b := make([]byte, 3000)
	pool.Put(&b)
	require.Equal(t, 4096, cap(*pool.Get(3000)))
}

func BenchmarkPool(b *testing.B) {
	var pool buffers.Pool
	for b.Loop() {
		pool.Put(pool.Get(600_000))
	}
}
