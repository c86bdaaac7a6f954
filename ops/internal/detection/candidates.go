package detection

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Float is a type that kernels compute boxes and scores in.
type Float = cast.Float

// Candidate is a box that takes part in a suppression: its score and its index in a list of boxes.
type Candidate[T Float] struct {
	Score T
	Index int32
}

// Compare orders candidates by descending score, and equal scores by ascending index. NaN comes
// last.
func Compare[T Float](a, b Candidate[T]) int {
	switch ka, kb := key(a.Score), key(b.Score); {
	case ka < kb:
		return -1
	case ka > kb:
		return 1
	}
	return int(a.Index) - int(b.Index)
}

// SortBy sorts candidates by compare, which must not count two of them as equal. It exists so that
// all callers share one instance of slices.SortFunc, that of float32; candidates of float64 are
// rare. If the work must stop, it ends early, with candidates in any order; meter counts the work.
func SortBy[T Float](meter *parallel.Meter, candidates []Candidate[T], compare func(a, b Candidate[T]) int) {
	if narrow, ok := any(compare).(func(a, b Candidate[float32]) int); ok {
		slices.SortFunc(cast.Slice[Candidate[float32]](candidates), func(a, b Candidate[float32]) int {
			if meter.Spent(comparison) {
				return 0 // equal candidates are sorted at once
			}
			return narrow(a, b)
		})
		return
	}
	heapSort(meter, candidates, compare)
}

// comparison is the work of comparing two candidates and moving one.
const comparison = 8

// heapSort sorts candidates in less code than slices.SortFunc, and takes twice its time.
func heapSort[T Float](meter *parallel.Meter, candidates []Candidate[T], compare func(a, b Candidate[T]) int) {
	n := len(candidates)
	work := comparison * bits.Len(uint(n)) // of moving one down
	for start := n/2 - 1; start >= 0 && !meter.Spent(work); start-- {
		siftDown(candidates, start, compare)
	}
	for n--; n > 0 && !meter.Spent(work); n-- {
		candidates[0], candidates[n] = candidates[n], candidates[0]
		siftDown(candidates[:n], 0, compare)
	}
}

// siftDown moves candidate i of a heap down until none below it comes after it.
func siftDown[T Float](heap []Candidate[T], i int, compare func(a, b Candidate[T]) int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && compare(heap[child], heap[child+1]) < 0 {
			child++
		}
		if compare(heap[i], heap[child]) >= 0 {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

// scoresPerCheck is the number of scores that Above reads between two checks of the meter.
const scoresPerCheck = 1 << 14

// Above appends a candidate for each score above threshold to dst, which must have the capacity for
// all scores, and returns the result. Index is the position of the score. NaN is above nothing. It
// ends early if the work must stop; meter counts the work.
func Above[T Float](meter *parallel.Meter, dst []Candidate[T], scores []T, threshold T) []Candidate[T] {
	for lo := 0; lo < len(scores) && !meter.Spent(scoresPerCheck); lo += scoresPerCheck {
		dst = aboveFrom(dst, scores, lo, min(lo+scoresPerCheck, len(scores)), threshold)
	}
	return dst
}

// aboveFrom is Above for the scores i to end-1.
func aboveFrom[T Float](dst []Candidate[T], scores []T, i, end int, threshold T) []Candidate[T] {
	n := len(dst)
	dst = dst[:n+end-i]
	if unsafe.Sizeof(threshold) == 4 {
		seen, found := aboveVectors(cast.Slice[Candidate[float32]](dst[n:]), cast.Slice[float32](scores[i:end]), i, float32(threshold))
		i, n = i+seen, n+found
	}
	for i < end {
		// Most scores of a detector are low: skip them in blocks.
		if end-i >= 8 {
			b := (*[8]T)(scores[i:])
			if !(b[0] > threshold || b[1] > threshold || b[2] > threshold || b[3] > threshold ||
				b[4] > threshold || b[5] > threshold || b[6] > threshold || b[7] > threshold) {
				i += 8
				continue
			}
		}
		for stop := min(i+8, end); i < stop; i++ {
			// A branch for each score would be mispredicted too often.
			dst[n] = Candidate[T]{scores[i], int32(i)}
			if scores[i] > threshold {
				n++
			}
		}
	}
	return dst[:n]
}

const (
	// fewCandidates is the number of candidates from which on Sort sorts by digits.
	fewCandidates = 64
	// manyCandidates is the number from which on long digits are faster than short ones.
	manyCandidates = 1024

	shortDigit, longDigit = 8, 11 // bits
)

// Sort sorts candidates in the order of Compare. They must be in ascending order of Index before. A
// score of -0 can become 0.
// spare has at least as many elements; Sort overwrites them. It ends early, with candidates in any
// order and perhaps not each of them, if the work must stop; meter counts the work.
func Sort[T Float](meter *parallel.Meter, candidates, spare []Candidate[T]) {
	switch n := len(candidates); {
	case n < fewCandidates:
		SortBy(meter, candidates, Compare[T])
	case n < manyCandidates:
		sortByDigits(meter, candidates, spare[:n], shortDigit)
	default:
		sortByDigits(meter, candidates, spare[:n], longDigit)
	}
}

// Best moves the best candidates to the front, at least n of them and no better ones behind, and
// returns their number. It keeps the order within both parts: they can be sorted alone, as far as
// they are needed. spare and meter are those of Sort.
func Best[T Float](meter *parallel.Meter, candidates, spare []Candidate[T], n int) int {
	if n <= 0 || len(candidates) < fewCandidates || n > len(candidates)/2 {
		return len(candidates)
	}
	shift := uint(8*unsafe.Sizeof(T(0))) - longDigit
	var counts [1 << longDigit]int32
	for lo := 0; lo < len(candidates) && !meter.Spent(scoresPerCheck); lo += scoresPerCheck {
		for _, c := range candidates[lo:min(lo+scoresPerCheck, len(candidates))] {
			counts[key(c.Score)>>shift]++
		}
	}
	last, best := uint64(0), int(counts[0])
	for best < n && last < 1<<longDigit-1 {
		last++
		best += int(counts[last])
	}
	if best == len(candidates) || meter.Spent(1) {
		return len(candidates)
	}
	front := 0
	for lo := 0; lo < len(candidates) && !meter.Spent(scoresPerCheck); lo += scoresPerCheck {
		for i := lo; i < min(lo+scoresPerCheck, len(candidates)); i++ {
			// A branch would be mispredicted too often.
			c := candidates[i]
			candidates[front], spare[i-front] = c, c
			if key(c.Score)>>shift <= last {
				front++
			}
		}
	}
	copy(candidates[front:], spare)
	return best
}

// sortByDigits sorts by each digit of the keys, from the lowest to the highest. Each pass keeps the
// order of candidates with equal digits. Meanwhile, the bits of a score are its key.
func sortByDigits[T Float](meter *parallel.Meter, candidates, spare []Candidate[T], digitBits uint) {
	var memory [1 << longDigit]int32
	starts := memory[:1<<digitBits]
	mask := uint64(len(starts) - 1)
	for lo := 0; lo < len(candidates) && !meter.Spent(scoresPerCheck); lo += scoresPerCheck {
		piece := candidates[lo:min(lo+scoresPerCheck, len(candidates))]
		for i := range piece {
			k := key(piece[i].Score)
			piece[i].Score = ofBits[T](k)
			starts[k&mask]++
		}
	}
	from, to := candidates, spare
	for shift := uint(0); shift < uint(8*unsafe.Sizeof(T(0))); shift += digitBits {
		if shift > 0 {
			clear(starts)
			for lo := 0; lo < len(from) && !meter.Spent(scoresPerCheck); lo += scoresPerCheck {
				for _, c := range from[lo:min(lo+scoresPerCheck, len(from))] {
					starts[bitsOf(c.Score)>>shift&mask]++
				}
			}
		}
		if starts[bitsOf(from[0].Score)>>shift&mask] == int32(len(from)) {
			continue // all have the same digit
		}
		at := int32(0)
		for i, n := range starts {
			starts[i] = at
			at += n
		}
		if meter.Spent(1) {
			return // starts are not complete
		}
		for lo := 0; lo < len(from) && !meter.Spent(scoresPerCheck); lo += scoresPerCheck {
			for _, c := range from[lo:min(lo+scoresPerCheck, len(from))] {
				d := bitsOf(c.Score) >> shift & mask
				to[starts[d]] = c
				starts[d]++
			}
		}
		from, to = to, from
	}
	for lo := 0; lo < len(from) && !meter.Spent(scoresPerCheck); lo += scoresPerCheck {
		for i, c := range from[lo:min(lo+scoresPerCheck, len(from))] {
			candidates[lo+i] = Candidate[T]{scoreOf[T](bitsOf(c.Score)), c.Index}
		}
	}
}

// bitsOf returns the bits of a number.
func bitsOf[T Float](v T) uint64 {
	if unsafe.Sizeof(v) == 4 {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(float64(v))
}

// ofBits is the reverse of bitsOf.
func ofBits[T Float](b uint64) T {
	if unsafe.Sizeof(T(0)) == 4 {
		return T(math.Float32frombits(uint32(b)))
	}
	return T(math.Float64frombits(b))
}

// scoreOf is the reverse of key, except for -0, which has the key of 0.
func scoreOf[T Float](key uint64) T {
	if unsafe.Sizeof(T(0)) == 4 {
		return T(score32(uint32(key)))
	}
	return T(score64(key))
}

func score32(key uint32) float32 {
	return math.Float32frombits(key ^ uint32(^(int32(key)>>31))&math.MaxInt32)
}

func score64(key uint64) float64 {
	return math.Float64frombits(key ^ uint64(^(int64(key)>>63))&math.MaxInt64)
}

// key returns a number that is smaller for higher scores, equal for equal ones, and greatest for
// NaN.
func key[T Float](score T) uint64 {
	if unsafe.Sizeof(score) == 4 {
		return uint64(key32(float32(score)))
	}
	return key64(float64(score))
}

func key32(score float32) uint32 {
	if score != score {
		return math.MaxUint32
	}
	b := math.Float32bits(score + 0) // 0 has one sign
	// the bits of positive numbers are in ascending order
	return b ^ uint32(^(int32(b)>>31))&math.MaxInt32
}

func key64(score float64) uint64 {
	if score != score {
		return math.MaxUint64
	}
	b := math.Float64bits(score + 0)
	return b ^ uint64(^(int64(b)>>63))&math.MaxInt64
}
