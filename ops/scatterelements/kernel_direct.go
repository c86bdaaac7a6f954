package scatterelements

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops"
)

// direct is the tiler of reductions that only need the elements.
type direct struct {
	size int // of an element in bytes
	f    apply
	// neutral is a row of the initial value of elements with updates, or nil if they start with
	// their values in data. set is the operation that stores it.
	neutral []byte
	set     apply
	// The memory of each worker: positions in a block and, if packs, a copy of a tile.
	at     ops.Area[uint32]
	packed ops.Area[byte]
}

func (k *direct) layOut(s *ops.Scratch, workers int, p *plan, n int) {
	k.at = ops.AreasOf[uint32](s, workers, blockLength)
	if k.packs(p) {
		k.packed = ops.AreasOf[byte](s, workers, n, k.size)
	}
}

// packs reports whether a tile is reduced in a copy without gaps. With gaps, the elements of a
// tile compete for few sets of a cache, which costs more than the copy if each element is
// visited at least once.
func (k *direct) packs(p *plan) bool {
	return !p.along && p.columns < p.scale && p.rows >= p.length
}

func (k *direct) bytes() int { return k.size }

func (k *direct) tile(p *plan, x buffers, i int) error {
	t := p.at(i)
	at := k.at.Of(x.run, x.worker)
	count, length, pitch := p.bands(&t)
	home := x.out[t.data*k.size : (t.data+(count-1)*pitch+length)*k.size]
	from := home
	if x.fresh {
		from = x.data[t.data*k.size:]
	}
	out, outPitch, l := home, pitch, &p.spread
	if k.packs(p) {
		outPitch, l = p.compactPitch(), &p.compact
		out = k.packed.Of(x.run, x.worker)[:count*outPitch*k.size]
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

// prefetchOf returns the prefetch for rows of updates.
func prefetchOf(updates []byte, pitch, size int) prefetch {
	return prefetch{first: unsafe.Pointer(unsafe.SliceData(updates)), pitch: pitch * size, size: size}
}
