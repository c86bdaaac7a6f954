package scatterelements

import "unsafe"

// direct is the tiler of reductions that need nothing but the elements.
type direct[T any] struct {
	f apply[T]
	// neutral is a row of the value that a touched element starts with, nil
	// where it starts with what data holds.
	neutral []T
}

func (k *direct[T]) scratch(n int) int {
	return scratchOf[uint32](blockLength) + scratchOf[T](n)
}

func (k *direct[T]) bytes() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

func (k *direct[T]) tile(p *plan, x buffers[T], scratch []byte, i int) error {
	t := p.at(i)
	at := carve[uint32](&scratch, blockLength)
	count, length, pitch := p.bands(&t)
	out := x.out[t.data : t.data+(count-1)*pitch+length]
	from := out
	if x.fresh {
		from = x.data[t.data:]
	}
	if !p.staged {
		if x.fresh {
			copyBands(out, from, count, length, pitch, pitch)
		}
		return k.reduce(p, &x, &t, out, at, &p.spread)
	}
	packed := carve[T](&scratch, count*p.compactPitch())
	copyBands(packed, from, count, length, p.compactPitch(), pitch)
	if err := k.reduce(p, &x, &t, packed, at, &p.compact); err != nil {
		return err
	}
	copyBands(out, packed, count, length, pitch, p.compactPitch())
	return nil
}

// reduce does the work of a tile on its elements in layout l.
func (k *direct[T]) reduce(p *plan, x *buffers[T], t *tileAt, out []T, at []uint32, l *layout) error {
	if k.neutral != nil {
		for w := p.walk(t, l); w.next(); {
			at, err := w.locate(x.locator, at, x.indices)
			if err != nil {
				return err
			}
			set(out, at, k.neutral, w.columns, 0)
		}
	}
	for w := p.walk(t, l); w.next(); {
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
func copyBands[T any](to, from []T, count, length, toPitch, fromPitch int) {
	if length == toPitch && length == fromPitch {
		copy(to[:count*length], from)
		return
	}
	for i := range count {
		copy(to[i*toPitch:i*toPitch+length], from[i*fromPitch:])
	}
}

// carve takes n elements from the front of scratch, and leaves it aligned for
// any type.
func carve[T any](scratch *[]byte, n int) []T {
	size := scratchOf[T](n)
	taken := (*scratch)[:size]
	*scratch = (*scratch)[size:]
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(taken))), n)
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
