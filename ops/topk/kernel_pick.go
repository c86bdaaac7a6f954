package topk

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/sorting"
)

// ranking turns the bits of an element into a key: of two elements, the one with the smaller key is
// picked first. Equal numbers, such as 0 and -0, have equal keys. NaN has the greatest key.
type ranking[E element] struct {
	shift          uint // to the sign bit
	sign, inf      E
	negative, flip E // the bits that change in negative floats, and in all elements
	float          bool
}

func newRanking[E element](t ir.ElementType, smallest bool) ranking[E] {
	r := ranking[E]{shift: uint(t.Bits() - 1)}
	r.sign = 1 << r.shift
	switch {
	case t.IsFloat():
		r.float, r.negative, r.flip = true, ^r.sign, r.sign
		inf := math.Float64bits(math.Inf(1))
		if t == ir.F32 {
			inf = 0xff << 23
		}
		r.inf = E(inf)
	case t.Kind() == ir.KindSigned:
		r.flip = r.sign
	}
	if !smallest {
		r.flip = ^r.flip
	}
	return r
}

func (r *ranking[E]) key(v E) E {
	if r.float {
		if v&^r.sign > r.inf {
			return ^E(0)
		}
		if v == r.sign {
			v = 0
		}
	}
	return v ^ -(v>>(r.shift&63))&r.negative ^ r.flip
}

// picker finds the first k elements of a row in the order of their keys, then of their positions.
// It collects candidates: a uint64 that has the key in its upper half and the position in its lower
// half. In wide rows, whose keys or positions do not fit, it is the position alone.
type picker[E element] struct {
	ranking[E]
	length, k int
	// capacity is the number of candidates that are collected before the k best of them are
	// selected.
	capacity  int
	wide      bool
	indexMask uint64 // of the position in a candidate
	byIndex   bool
	isFloat32 bool
	better    func(row []E, from int, limit E) int
}

func newPicker[E element](t ir.ElementType, at attributes, length, k int) picker[E] {
	p := picker[E]{
		ranking: newRanking[E](t, at.smallest), length: length, k: k,
		capacity: length, indexMask: math.MaxUint32, byIndex: at.order == byIndex,
	}
	if length/4 > k { // 2*k can overflow
		p.capacity = min(length, 2*k+64)
	}
	if p.wide = t.Size() > 4 || uint64(length) > math.MaxUint32; p.wide {
		p.indexMask = math.MaxUint64
	}
	p.better = p.nextBetter
	if p.isFloat32 = t == ir.F32; p.isFloat32 {
		p.better = p.nextBetterFloat
	}
	return p
}

func (p *picker[E]) spareLen() int { return sorting.SpareLen(min(p.capacity, p.length)) }

func (p *picker[E]) candidate(row []E, i int) uint64 {
	if p.wide {
		return uint64(i)
	}
	return uint64(p.key(row[i]))<<32 | uint64(i)
}

// pick returns the candidates of the picked elements, in the order of the outputs. If the work must
// stop, it returns other elements or none.
func (p *picker[E]) pick(stop parallel.Stop, row []E, candidates, spare []uint64) []uint64 {
	if p.k == 1 {
		return p.pickOne(stop, row, candidates)
	}
	if p.k <= maxInserted {
		return p.insertEach(stop, row, candidates)
	}
	c, i := candidates[:p.capacity], 0
	meter := stop.Meter()
	for i < len(c) {
		end := min(i+pieceLen, len(c))
		for ; i < end; i++ {
			c[i] = p.candidate(row, i)
		}
		if meter.Spent(4 * pieceLen) {
			return nil // the rest of c holds no positions
		}
	}
	for i < len(row) {
		p.selectBest(stop, row, c, spare)
		n := p.k
		if n, i = p.collect(&meter, row, c, n, i); n == p.k {
			c = c[:n]
			break
		}
		c = c[:n]
	}
	if len(c) > p.k {
		if p.k == len(row) && p.byIndex {
			return c // already in the order of positions
		}
		p.selectBest(stop, row, c, spare)
	}
	c = c[:p.k]
	if !p.byIndex {
		p.sort(stop, row, c, spare)
		return c
	}
	if p.k == len(row) {
		return c
	}
	for i, v := range c {
		c[i] = v & p.indexMask
	}
	sortNumbers(stop, c, spare)
	return c
}

// pickOne is pick for k of 1.
func (p *picker[E]) pickOne(stop parallel.Stop, row []E, candidates []uint64) []uint64 {
	meter := stop.Meter()
	best := 0
	for i := 1; i < len(row); i++ {
		i = p.next(&meter, row, i, p.key(row[best]))
		if i >= len(row) {
			break
		}
		best = i
	}
	candidates[0] = uint64(best)
	return candidates[:1]
}

// maxInserted is the greatest k for which each better element is inserted into a sorted list.
const maxInserted = 16

// insertEach is pick for small k.
func (p *picker[E]) insertEach(stop parallel.Stop, row []E, candidates []uint64) []uint64 {
	c := candidates[:p.k]
	for i := range c {
		p.insert(row, c[:i+1], i)
	}
	meter := stop.Meter()
	for i := p.k; i < len(row); i++ {
		if i = p.next(&meter, row, i, p.key(row[c[p.k-1]&p.indexMask])); i < len(row) {
			p.insert(row, c, i)
		}
	}
	if p.byIndex {
		for i, v := range c {
			c[i] = v & p.indexMask
		}
		slices.Sort(c)
	}
	return c
}

// insert inserts element i of row into sorted candidates and drops the last of them.
func (p *picker[E]) insert(row []E, c []uint64, i int) {
	key, added, to := p.key(row[i]), p.candidate(row, i), len(c)-1
	for ; to > 0 && p.key(row[c[to-1]&p.indexMask]) > key; to-- {
		c[to] = c[to-1]
	}
	c[to] = added
}

// collect appends candidates that are better than the first k of c from the elements of row from i
// on, until c is full. It returns their number and the position of the next element.
func (p *picker[E]) collect(meter *parallel.Meter, row []E, c []uint64, n, i int) (int, int) {
	limit := p.worst(row, c[:p.k])
	if p.wide || p.length > 64*p.k {
		for n < len(c) {
			if i = p.next(meter, row, i, limit); i >= len(row) {
				break
			}
			c[n] = p.candidate(row, i)
			n++
			i++
		}
		return n, i
	}
	// Many elements are better, in an order that branches cannot predict.
	bound := uint64(limit) << 32
	for n < len(c) && i < len(row) {
		for end := min(i+pieceLen, len(row)); n < len(c) && i < end; i++ {
			v := uint64(p.key(row[i]))<<32 | uint64(i)
			c[n] = v
			_, less := bits.Sub64(v, bound, 0)
			n += int(less)
		}
		if meter.Spent(2 * pieceLen) {
			break
		}
	}
	return n, i
}

// pieceLen is the number of elements that are compared between two checks of the meter.
const pieceLen = 1 << 14

// next returns the position of the first element from i on whose key is less than limit, or the
// length of row.
func (p *picker[E]) next(meter *parallel.Meter, row []E, i int, limit E) int {
	for i < len(row) {
		end := min(i+pieceLen, len(row))
		from := i
		if i = p.better(row[:end], i, limit); i < end || meter.Spent(2*(end-from)) {
			return i
		}
	}
	return i
}

func (p *picker[E]) nextBetter(row []E, from int, limit E) int {
	for i, v := range row[from:] {
		if p.key(v) < limit {
			return from + i
		}
	}
	return len(row)
}

// nextBetterFloat is nextBetter for float32. It compares numbers instead of keys, unless limit is
// the key of NaN.
func (p *picker[E]) nextBetterFloat(row []E, from int, limit E) int {
	if limit == ^E(0) {
		return p.nextBetter(row, from, limit)
	}
	floats := cast.Slice[float32](row)
	v := uint32(uint64(limit ^ p.flip))
	if v>>31 != 0 { // the keys of negative numbers have their other bits flipped
		v ^= math.MaxInt32
	}
	least := math.Float32frombits(v)
	if p.flip == p.sign {
		return firstBelow(floats, from, least)
	}
	return firstAbove(floats, from, least)
}

// firstAbove returns the position of the first element from i on that is above limit, or the length
// of x.
func firstAbove(x []float32, i int, limit float32) int {
	for ; i+8 <= len(x); i += 8 {
		b := (*[8]float32)(x[i:])
		if b[0] > limit || b[1] > limit || b[2] > limit || b[3] > limit ||
			b[4] > limit || b[5] > limit || b[6] > limit || b[7] > limit {
			break
		}
	}
	for ; i < len(x); i++ {
		if x[i] > limit {
			break
		}
	}
	return i
}

// firstBelow is firstAbove for elements below limit.
func firstBelow(x []float32, i int, limit float32) int {
	for ; i+8 <= len(x); i += 8 {
		b := (*[8]float32)(x[i:])
		if b[0] < limit || b[1] < limit || b[2] < limit || b[3] < limit ||
			b[4] < limit || b[5] < limit || b[6] < limit || b[7] < limit {
			break
		}
	}
	for ; i < len(x); i++ {
		if x[i] < limit {
			break
		}
	}
	return i
}

// improve replaces the candidates in best by those of the elements of row i that are better. It has
// no branch that depends on the data, except for NaN and -0.
func (p *picker[E]) improve(best []uint64, row []E, i int) {
	for c, v := range row {
		best[c] = min(best[c], uint64(p.key(v))<<32|uint64(i))
	}
}

// worst returns the greatest key of the candidates.
func (p *picker[E]) worst(row []E, candidates []uint64) E {
	worst := E(0)
	for _, c := range candidates {
		worst = max(worst, p.key(row[c&p.indexMask]))
	}
	return worst
}

// selectBest moves the k best candidates to the front.
func (p *picker[E]) selectBest(stop parallel.Stop, row []E, c, spare []uint64) {
	if p.wide {
		p.sort(stop, row, c, spare)
		return
	}
	lo, hi := 0, len(c)
	meter := stop.Meter()
	for rounds := 4 * bits.Len(uint(len(c))); hi-lo > 12; rounds-- {
		if rounds == 0 || meter.Spent(4*(hi-lo)) {
			break // many bad pivots: sort the rest
		}
		middle := partition(c[lo:hi]) + lo
		if p.k <= middle {
			hi = middle
		} else {
			lo = middle
		}
	}
	sortNumbers(stop, c[lo:hi], spare)
}

// partition moves the smaller elements of c, which are different, to the front and returns their
// number, which is neither 0 nor len(c). A branch for each element would be mispredicted half of
// the time.
func partition(c []uint64) int {
	a, b, d := c[0], c[len(c)/2], c[len(c)-1]
	pivot := max(min(a, b), min(max(a, b), d)) // the median
	n := 0
	for i, v := range c {
		c[i], c[n] = c[n], v
		_, greater := bits.Sub64(pivot, v, 0)
		n += int(1 - greater)
	}
	return n
}

// sort sorts candidates by key and position.
func (p *picker[E]) sort(stop parallel.Stop, row []E, c, spare []uint64) {
	if !p.wide {
		sortNumbers(stop, c, spare)
		return
	}
	sorting.Sort(stop, c, spare, func(a, b uint64) int {
		if d := cmp.Compare(p.key(row[a]), p.key(row[b])); d != 0 {
			return d
		}
		return cmp.Compare(a, b)
	})
}

func sortNumbers(stop parallel.Stop, c, spare []uint64) {
	if len(c) <= sorting.Block {
		slices.Sort(c)
		return
	}
	sorting.Sort(stop, c, spare, cmp.Compare[uint64])
}
