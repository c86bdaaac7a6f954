package scatterelements

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ops"
)

// wide is the tiler of reductions that are computed in another type than that of the elements.
// It converts the elements of a tile to a copy without gaps, reduces there, and rounds once
// when it stores them.
type wide struct {
	size, wideSize int // of an element in bytes, and of one of the copy
	f              apply
	neutral        []byte // as in direct, in the type of the copy
	set            apply
	widen          func(to, from []byte) // to has at least as many elements as from
	narrow         func(to, from []byte)
	// mean is called instead of narrow if the reduction is mean. It divides by the number of
	// updates of each element, in counts, plus own. It does not change elements without
	// updates.
	mean func(to, sums []byte, counts []uint32, own uint32)
	// The memory of each worker: positions and updates of a block, and the elements of a tile with
	// their counts.
	at, counts    ops.Area[uint32]
	updates, sums ops.Area[byte]
}

func (k *wide) layOut(s *ops.Scratch, workers int, _ *plan, n int) {
	k.at, k.updates = ops.AreasOf[uint32](s, workers, blockLength), ops.AreasOf[byte](s, workers, blockLength, k.wideSize)
	k.sums = ops.AreasOf[byte](s, workers, n, k.wideSize)
	if k.mean != nil {
		k.counts = ops.AreasOf[uint32](s, workers, n)
	}
}

func (k *wide) bytes() int {
	if k.mean != nil {
		return k.wideSize + 4
	}
	return k.wideSize
}

func (k *wide) tile(p *plan, x buffers, i int) error {
	t := p.at(i)
	count, length, pitch := p.bands(&t)
	pack := p.compactPitch()
	at, updates := k.at.Of(x.run, x.worker), k.updates.Of(x.run, x.worker)
	sums := k.sums.Of(x.run, x.worker)[:count*pack*k.wideSize]
	var counts []uint32
	own := uint32(1)
	if k.mean != nil {
		counts = k.counts.Of(x.run, x.worker)[:count*pack]
		clear(counts)
	}
	from := x.out
	if x.fresh {
		from = x.data
	}
	for b := range count {
		if x.stop.Requested() {
			return nil
		}
		first := t.data + b*pitch
		k.widen(sums[b*pack*k.wideSize:], from[first*k.size:(first+length)*k.size])
	}
	if k.neutral != nil {
		own = 0
		for w := p.walk(&t, &p.compact); w.next(); {
			if x.stop.Requested() {
				return nil
			}
			at, err := w.locate(x.locator, at, x.indices)
			if err != nil {
				return err
			}
			k.set(sums, at, k.neutral, w.columns, 0)
		}
	}
	for w := p.walk(&t, &p.compact); w.next(); {
		if x.stop.Requested() {
			return nil
		}
		w.prefetch = prefetchOf(x.updates[w.updates*k.size:], p.updatesRow, k.size)
		at, err := w.locate(x.locator, at, x.indices)
		if err != nil {
			return err
		}
		columns, updatesPitch := w.updatesShape()
		for r := range len(at) / columns {
			first := w.updates + r*updatesPitch
			k.widen(updates[r*columns*k.wideSize:], x.updates[first*k.size:(first+columns)*k.size])
		}
		k.f(sums, at, updates, len(at), 0)
		if k.mean != nil {
			tally(counts, at)
		}
	}
	for b := range count {
		if x.stop.Requested() {
			return nil
		}
		first := (t.data + b*pitch) * k.size
		to, sums := x.out[first:first+length*k.size], sums[b*pack*k.wideSize:(b*pack+length)*k.wideSize]
		if k.mean == nil {
			k.narrow(to, sums)
			continue
		}
		if x.fresh {
			copy(to, x.data[first:])
		}
		k.mean(to, sums, counts[b*pack:][:length], own)
	}
	return nil
}

// converting returns f for the memory of elements.
func converting[D, S any](f func(to []D, from []S)) func(to, from []byte) {
	return func(to, from []byte) { f(cast.Bytes[D](to), cast.Bytes[S](from)) }
}

// dividing returns f for the memory of elements.
func dividing[T, W any](f func(to []T, sums []W, counts []uint32, own uint32)) func(to, sums []byte, counts []uint32, own uint32) {
	return func(to, sums []byte, counts []uint32, own uint32) {
		f(cast.Bytes[T](to), cast.Bytes[W](sums), counts, own)
	}
}

func widenComplex64(to []complex128, from []complex64) {
	to = to[:len(from)]
	for i, v := range from {
		to[i] = complex128(v)
	}
}

func widenComplex128(to, from []complex128) { copy(to, from) }

// meanInt sets to[i] to the mean of an element with updates, rounded down. Signed integers have the
// bits of T.
func meanInt[T unsigned](to []T, sums []int64, counts []uint32, own uint32) {
	sums, counts = sums[:len(to)], counts[:len(to)]
	for i, n := range counts {
		if n == 0 {
			continue
		}
		d := int64(n) + int64(own)
		q := sums[i] / d
		if sums[i] < 0 && q*d != sums[i] {
			q--
		}
		to[i] = T(q)
	}
}

// meanUint is meanInt for unsigned integers.
func meanUint[T unsigned](to []T, sums []uint64, counts []uint32, own uint32) {
	sums, counts = sums[:len(to)], counts[:len(to)]
	for i, n := range counts {
		if n != 0 {
			to[i] = T(sums[i] / (uint64(n) + uint64(own)))
		}
	}
}

// meanFloat is meanInt for floats, without rounding down.
func meanFloat[T float](to []T, sums []float64, counts []uint32, own uint32) {
	sums, counts = sums[:len(to)], counts[:len(to)]
	for i, n := range counts {
		if n != 0 {
			to[i] = T(sums[i] / (float64(n) + float64(own)))
		}
	}
}

// meanHalf returns the mean function of a 16-bit type.
func meanHalf[T uint16 | half.BFloat16](round func(float32) T) func([]T, []float32, []uint32, uint32) {
	return func(to []T, sums []float32, counts []uint32, own uint32) {
		sums, counts = sums[:len(to)], counts[:len(to)]
		for i, n := range counts {
			if n != 0 {
				to[i] = round(sums[i] / (float32(n) + float32(own)))
			}
		}
	}
}

// meanComplex is meanFloat for complex numbers.
func meanComplex[T complexNumber](to []T, sums []complex128, counts []uint32, own uint32) {
	sums, counts = sums[:len(to)], counts[:len(to)]
	for i, n := range counts {
		if n != 0 {
			d := float64(n) + float64(own)
			to[i] = T(complex(real(sums[i])/d, imag(sums[i])/d))
		}
	}
}
