package scatterelements

import (
	"errors"
	"math"

	"github.com/vinoir/vinoir/internal/half"
)

// wide is the tiler of reductions that are computed in another type than that of the elements.
// It converts the elements of a tile to a copy without gaps, reduces there, and rounds once
// when it stores them.
type wide[T, W any] struct {
	f       apply[W]
	neutral []W                    // as in direct
	widen   func(to []W, from []T) // len(to) is at least len(from)
	narrow  func(to []T, from []W)
	// mean is called instead of narrow if the reduction is mean. It divides by the number of
	// updates of each element, in counts, plus own. It does not change elements without
	// updates.
	mean func(to []T, sums []W, counts []uint32, own uint32)
}

// errTooMany is the error for a tile whose copy needs more memory than fits an int.
var errTooMany = errors.New("too many elements")

func (k *wide[T, W]) scratch(_ *plan, n int) (int, error) {
	if n > math.MaxInt/k.bytes()-(blockLength+scratchAlign) {
		return 0, errTooMany
	}
	bytes := scratchOf[uint32](blockLength) + scratchOf[W](blockLength) + scratchOf[W](n)
	if k.mean != nil {
		bytes += scratchOf[uint32](n)
	}
	return bytes, nil
}

func (k *wide[T, W]) packs(*plan) bool { return true }

func (k *wide[T, W]) bytes() int {
	n := scratchOf[W](scratchAlign) / scratchAlign
	if k.mean != nil {
		n += 4
	}
	return n
}

func (k *wide[T, W]) tile(p *plan, x buffers[T], scratch []byte, i int) error {
	t := p.at(i)
	count, length, pitch := p.bands(&t)
	pack := p.compactPitch()
	at := carve[uint32](&scratch, blockLength)
	updates := carve[W](&scratch, blockLength)
	sums := carve[W](&scratch, count*pack)
	var counts []uint32
	own := uint32(1)
	if k.mean != nil {
		counts = carve[uint32](&scratch, count*pack)
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
		k.widen(sums[b*pack:b*pack+length], from[first:first+length])
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
			set(sums, at, k.neutral, w.columns, 0)
		}
	}
	for w := p.walk(&t, &p.compact); w.next(); {
		if x.stop.Requested() {
			return nil
		}
		w.prefetch = prefetchOf(x.updates[w.updates:], p.updatesRow)
		at, err := w.locate(x.locator, at, x.indices)
		if err != nil {
			return err
		}
		for r := range w.rows {
			first := w.updates + r*p.updatesRow
			k.widen(updates[r*w.columns:], x.updates[first:first+w.columns])
		}
		k.f(sums, at, updates, w.columns, w.columns)
		if k.mean != nil {
			tally(counts, at)
		}
	}
	for b := range count {
		if x.stop.Requested() {
			return nil
		}
		first := t.data + b*pitch
		to, sums := x.out[first:first+length], sums[b*pack:b*pack+length]
		if k.mean == nil {
			k.narrow(to, sums[:length])
			continue
		}
		if x.fresh {
			copy(to, x.data[first:])
		}
		k.mean(to, sums, counts[b*pack:], own)
	}
	return nil
}

// convert converts the elements of from.
func convert[T, W ordered](to []W, from []T) {
	to = to[:len(from)]
	for i, v := range from {
		to[i] = W(v)
	}
}

func widenComplex64(to []complex128, from []complex64) {
	to = to[:len(from)]
	for i, v := range from {
		to[i] = complex128(v)
	}
}

func widenComplex128(to, from []complex128) { copy(to, from) }

// meanInt sets to[i] to the mean of an element with updates, rounded down.
func meanInt[T integer](to []T, sums []int64, counts []uint32, own uint32) {
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
func meanUint[T integer](to []T, sums []uint64, counts []uint32, own uint32) {
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
