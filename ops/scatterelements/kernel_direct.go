package scatterelements

import (
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/parallel"
)

// direct is the tiler of reductions that only need the elements.
type direct[T any] struct {
	f apply[T]
	// neutral is a row of the initial value of elements with updates, or nil if they start with
	// their values in data.
	neutral []T
}

func (k *direct[T]) scratch(p *plan, n int) (int, error) {
	if !k.packs(p) {
		return scratchOf[uint32](blockLength), nil
	}
	if n > math.MaxInt/(2*max(k.bytes(), 4))-(blockLength+scratchAlign) {
		return 0, errTooMany
	}
	return scratchOf[uint32](blockLength) + scratchOf[T](n), nil
}

// packs reports whether a tile is reduced in a copy without gaps. With gaps, the elements of a
// tile compete for few sets of a cache, which costs more than the copy if each element is
// visited at least once. Strings stay where the garbage collector finds them.
func (k *direct[T]) packs(p *plan) bool {
	_, text := any(*new(T)).(string)
	return !text && !p.along && p.columns < p.scale && p.rows >= p.length
}

func (k *direct[T]) bytes() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

func (k *direct[T]) tile(p *plan, x buffers[T], scratch []byte, i int) error {
	t := p.at(i)
	at := carve[uint32](&scratch, blockLength)
	count, length, pitch := p.bands(&t)
	home := x.out[t.data : t.data+(count-1)*pitch+length]
	from := home
	if x.fresh {
		from = x.data[t.data:]
	}
	out, outPitch, l := home, pitch, &p.spread
	if k.packs(p) {
		outPitch, l = p.compactPitch(), &p.compact
		out = carve[T](&scratch, count*outPitch)
	}
	if !same(out, from) {
		copyBands(x.stop, out, from, count, length, outPitch, pitch)
	}
	if k.neutral != nil {
		for w := p.walk(&t, l); w.next(); {
			if x.stop.Requested() {
				return nil
			}
			at, err := w.locate(x.locator, at, x.indices)
			if err != nil {
				return err
			}
			set(out, at, k.neutral, w.columns, 0)
		}
	}
	for w := p.walk(&t, l); w.next(); {
		if x.stop.Requested() {
			return nil
		}
		updates := x.updates[w.updates:]
		w.prefetch = prefetchOf(updates, p.updatesRow)
		at, err := w.locate(x.locator, at, x.indices)
		if err != nil {
			return err
		}
		columns, updatesPitch := w.updatesShape()
		k.f(out, at, updates, columns, updatesPitch)
	}
	if !same(out, home) {
		copyBands(x.stop, home, out, count, length, pitch, outPitch)
	}
	return nil
}

// copyBands copies count bands of length elements. The pitches are the distances between bands.
func copyBands[T any](stop parallel.Stop, to, from []T, count, length, toPitch, fromPitch int) {
	if length == toPitch && length == fromPitch {
		parallel.Copy(stop, to[:count*length], from)
		return
	}
	meter := stop.Meter()
	for i := range count {
		if meter.Spent(length/8 + 4) {
			return
		}
		parallel.Copy(stop, to[i*toPitch:i*toPitch+length], from[i*fromPitch:])
	}
}

// carve returns memory for n elements from the start of scratch, and removes it from scratch.
// The rest stays aligned for any type.
func carve[T any](scratch *[]byte, n int) []T {
	size := scratchOf[T](n)
	taken := (*scratch)[:size]
	*scratch = (*scratch)[size:]
	return cast.Bytes[T](taken)[:n]
}

// scratchAlign is a cache line, the alignment of ops.Run.Scratch.
const scratchAlign = 64

// scratchOf returns the number of bytes that carve removes for n elements.
func scratchOf[T any](n int) int {
	var zero T
	return (n*int(unsafe.Sizeof(zero)) + scratchAlign - 1) &^ (scratchAlign - 1)
}

// prefetchOf returns the prefetch for rows of updates.
func prefetchOf[T any](updates []T, pitch int) prefetch {
	var zero T
	size := int(unsafe.Sizeof(zero))
	return prefetch{first: unsafe.Pointer(unsafe.SliceData(updates)), pitch: pitch * size, size: size}
}
