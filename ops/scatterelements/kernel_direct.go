package scatterelements

import (
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/parallel"
)

// direct is the tiler of reductions that only need the elements.
type direct struct {
	size int // of an element in bytes
	f    apply
	// neutral is a row of the initial value of elements with updates, or nil if they start with
	// their values in data. set is the operation that stores it.
	neutral []byte
	set     apply
}

func (k *direct) scratch(p *plan, n int) (int, error) {
	if !k.packs(p) {
		return scratchOf(blockLength, 4), nil
	}
	if n > math.MaxInt/(2*max(k.size, 4))-(blockLength+scratchAlign) {
		return 0, errTooMany
	}
	return scratchOf(blockLength, 4) + scratchOf(n, k.size), nil
}

// packs reports whether a tile is reduced in a copy without gaps. With gaps, the elements of a
// tile compete for few sets of a cache, which costs more than the copy if each element is
// visited at least once.
func (k *direct) packs(p *plan) bool {
	return !p.along && p.columns < p.scale && p.rows >= p.length
}

func (k *direct) bytes() int { return k.size }

func (k *direct) tile(p *plan, x buffers, scratch []byte, i int) error {
	t := p.at(i)
	at := carve[uint32](&scratch, blockLength)
	count, length, pitch := p.bands(&t)
	home := x.out[t.data*k.size : (t.data+(count-1)*pitch+length)*k.size]
	from := home
	if x.fresh {
		from = x.data[t.data*k.size:]
	}
	out, outPitch, l := home, pitch, &p.spread
	if k.packs(p) {
		outPitch, l = p.compactPitch(), &p.compact
		out = carve[byte](&scratch, count*outPitch*k.size)
	}
	if !same(out, from) {
		copyBands(x.stop, out, from, count, length*k.size, outPitch*k.size, pitch*k.size)
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
			k.set(out, at, k.neutral, w.columns, 0)
		}
	}
	for w := p.walk(&t, l); w.next(); {
		if x.stop.Requested() {
			return nil
		}
		updates := x.updates[w.updates*k.size:]
		w.prefetch = prefetchOf(updates, p.updatesRow, k.size)
		at, err := w.locate(x.locator, at, x.indices)
		if err != nil {
			return err
		}
		columns, updatesPitch := w.updatesShape()
		k.f(out, at, updates, columns, updatesPitch)
	}
	if !same(out, home) {
		copyBands(x.stop, home, out, count, length*k.size, pitch*k.size, outPitch*k.size)
	}
	return nil
}

// copyBands copies count bands of length bytes. The pitches are the distances between bands.
func copyBands(stop parallel.Stop, to, from []byte, count, length, toPitch, fromPitch int) {
	if length == toPitch && length == fromPitch {
		parallel.Copy(stop, to[:count*length], from)
		return
	}
	meter := stop.Meter()
	for i := range count {
		if meter.Spent(length/32 + 4) {
			return
		}
		parallel.Copy(stop, to[i*toPitch:i*toPitch+length], from[i*fromPitch:])
	}
}

// carve returns memory for n elements from the start of scratch, and removes it from scratch.
// The rest stays aligned for any type.
func carve[T byte | uint32](scratch *[]byte, n int) []T {
	size := scratchOf(n, int(unsafe.Sizeof(*new(T))))
	taken := (*scratch)[:size]
	*scratch = (*scratch)[size:]
	return cast.Bytes[T](taken)[:n]
}

// scratchAlign is a cache line, the alignment of ops.Run.Scratch.
const scratchAlign = 64

// scratchOf returns the number of bytes that carve removes for n elements of size bytes.
func scratchOf(n, size int) int { return (n*size + scratchAlign - 1) &^ (scratchAlign - 1) }

// prefetchOf returns the prefetch for rows of updates.
func prefetchOf(updates []byte, pitch, size int) prefetch {
	return prefetch{first: unsafe.Pointer(unsafe.SliceData(updates)), pitch: pitch * size, size: size}
}
