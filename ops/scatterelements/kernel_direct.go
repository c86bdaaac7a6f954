package scatterelements

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
)

// direct is the tiler of reductions that need nothing but the elements.
type direct[T any] struct {
	f apply[T]
	// neutral is a row of the value that a touched element starts with, nil
	// where it starts with what data holds.
	neutral []T
}

func (k *direct[T]) scratch(int) (int, error) { return scratchOf[uint32](blockLength), nil }

func (k *direct[T]) packs() bool { return false }

func (k *direct[T]) bytes() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

func (k *direct[T]) tile(p *plan, x buffers[T], scratch []byte, i int) error {
	t := p.at(i)
	at := carve[uint32](&scratch, blockLength)
	count, length, pitch := p.bands(&t)
	out := x.out[t.data : t.data+(count-1)*pitch+length]
	if x.fresh {
		copyBands(out, x.data[t.data:], count, length, pitch)
	}
	if k.neutral != nil {
		for w := p.walk(&t, &p.spread); w.next(); {
			at, err := w.locate(x.locator, at, x.indices)
			if err != nil {
				return err
			}
			set(out, at, k.neutral, w.columns, 0)
		}
	}
	for w := p.walk(&t, &p.spread); w.next(); {
		updates := x.updates[w.updates:]
		w.prefetch = prefetchOf(updates, p.updatesRow)
		at, err := w.locate(x.locator, at, x.indices)
		if err != nil {
			return err
		}
		columns, pitch := w.updatesShape()
		k.f(out, at, updates, columns, pitch)
	}
	return nil
}

// copyBands copies count stretches of length elements.
func copyBands[T any](to, from []T, count, length, pitch int) {
	if length == pitch {
		copy(to[:count*length], from)
		return
	}
	for i := range count {
		copy(to[i*pitch:i*pitch+length], from[i*pitch:])
	}
}

// carve takes n elements from the front of scratch, and leaves it aligned for
// any type.
func carve[T any](scratch *[]byte, n int) []T {
	size := scratchOf[T](n)
	taken := (*scratch)[:size]
	*scratch = (*scratch)[size:]
	return cast.Bytes[T](taken)[:n]
}

// scratchAlign is a cache line: what ops.Run.Scratch starts at.
const scratchAlign = 64

// scratchOf returns the bytes that carve takes for n elements.
func scratchOf[T any](n int) int {
	var zero T
	return (n*int(unsafe.Sizeof(zero)) + scratchAlign - 1) &^ (scratchAlign - 1)
}

// prefetchOf returns the prefetch of rows of updates.
func prefetchOf[T any](updates []T, pitch int) prefetch {
	var zero T
	size := int(unsafe.Sizeof(zero))
	return prefetch{first: unsafe.Pointer(unsafe.SliceData(updates)), pitch: pitch * size, size: size}
}
