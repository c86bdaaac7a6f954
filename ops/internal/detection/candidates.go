package detection

import (
	"math"
	"slices"
	"unsafe"

	"github.com/vinoir/vinoir/internal/parallel"
)

// Float is a type that kernels compute boxes and scores in.
type Float interface{ float32 | float64 }

// Candidate is a box that takes part in a suppression: its score and its index in a list of boxes.
type Candidate[T Float] struct {
	Score T
	Index int32
}

// Compare orders candidates by descending score, and equal scores by ascending index. NaN comes last.
func Compare[T Float](a, b Candidate[T]) int {
	switch ka, kb := key(a.Score), key(b.Score); {
	case ka < kb:
		return -1
	case ka > kb:
		return 1
	}
	return int(a.Index) - int(b.Index)
}

// SortBy sorts candidates by compare. It exists so that all callers share one instance of slices.SortFunc.
func SortBy[T Float](candidates []Candidate[T], compare func(a, b Candidate[T]) int) {
	slices.SortFunc(candidates, compare)
}

// scoresPerCheck is the number of scores that Above reads between two checks of the meter.
const scoresPerCheck = 1 << 14

// Above appends a candidate for each score above threshold to dst, which must have the capacity for
// all scores, and returns the result. Index is the position of the score. NaN is above nothing. It ends
// early if the work must stop; meter counts the work.
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
	manyCandidates = 2048

	shortDigit, longDigit = 8, 11 // bits
)

// Sort sorts candidates in the order of Compare. They must be in ascending order of Index before. A score of
// -0 can become 0.
// spare has at least as many elements; Sort overwrites them. It ends early, with candidates in any order and
// perhaps not each of them, if the work must stop; meter counts the work.
func Sort[T Float](meter *parallel.Meter, candidates, spare []Candidate[T]) {
	switch n := len(candidates); {
	case n < fewCandidates:
		SortBy(candidates, Compare[T])
	case n < manyCandidates:
		sortByDigits(meter, candidates, spare[:n], shortDigit)
	default:
		sortByDigits(meter, candidates, spare[:n], longDigit)
	}
}

// Best moves the best candidates to the front, at least n of them and no better ones behind, and returns their
// number. It keeps the order within both parts: they can be sorted alone, as far as they are needed. spare
// and meter are those of Sort.
func Best[T Float](meter *parallel.Meter, candidates, spare []Candidate[T], n int) int {
	if n <= 0 || len(candidates) < fewCandidates || n > len(candidates)/2 {
		return len(candidates)
	}
	shift := uint(8*unsafe.Sizeof(T(0))) - longDigit
	var counts [1 << longDigit]int32
	for lo := 0; lo < len(candidates) && !meter.Spent(scoresPerCheck); lo += scoresPerCheck {
		for _, c := range candidates[lo:min(lo+scoresPerCheck, len(candidates))] {
			counts[digit(c.Score, shift, longDigit)]++
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
	front, back := 0, 0
	for lo := 0; lo < len(candidates) && !meter.Spent(scoresPerCheck); lo += scoresPerCheck {
		for i := lo; i < min(lo+scoresPerCheck, len(candidates)); i++ {
			if c := candidates[i]; digit(c.Score, shift, longDigit) <= last {
				candidates[front] = c
				front++
			} else {
				spare[back] = c
				back++
			}
		}
	}
	copy(candidates[front:], spare[:back])
	return best
}

// sortByDigits sorts by each digit of the keys, from the lowest to the highest. Each pass keeps the
// order of candidates with equal digits. Meanwhile, the bits of a score are its key.
func sortByDigits[T Float](meter *parallel.Meter, candidates, spare []Candidate[T], digitBits uint) {
	var memory [1 << longDigit]int32
	starts := memory[:1<<digitBits]
	for lo := 0; lo < len(candidates) && !meter.Spent(scoresPerCheck); lo += scoresPerCheck {
		piece := candidates[lo:min(lo+scoresPerCheck, len(candidates))]
		for i := range piece {
			piece[i].Score = ofBits[T](key(piece[i].Score))
		}
	}
	from, to := candidates, spare
	mask := uint64(len(starts) - 1)
	for shift := uint(0); shift < uint(8*unsafe.Sizeof(T(0))); shift += digitBits {
		clear(starts)
		for lo := 0; lo < len(from) && !meter.Spent(scoresPerCheck); lo += scoresPerCheck {
			for _, c := range from[lo:min(lo+scoresPerCheck, len(from))] {
				starts[bitsOf(c.Score)>>shift&mask]++
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
	sign := uint64(1) << (8*unsafe.Sizeof(T(0)) - 1)
	if key&sign == 0 {
		key ^= sign - 1
	}
	return ofBits[T](key)
}

func digit[T Float](score T, shift, bits uint) uint64 {
	return key(score) >> shift & (1<<bits - 1)
}

// key returns a number that is smaller for higher scores, equal for equal ones, and greatest for NaN.
func key[T Float](score T) uint64 {
	if unsafe.Sizeof(score) == 4 {
		b := math.Float32bits(float32(score))
		switch {
		case score != score:
			return math.MaxUint32
		case score == 0:
			b = 0 // of both signs
		}
		if int32(b) < 0 {
			return uint64(b)
		}
		return uint64(b ^ math.MaxInt32)
	}
	b := math.Float64bits(float64(score))
	switch {
	case score != score:
		return math.MaxUint64
	case score == 0:
		b = 0
	}
	if int64(b) < 0 {
		return b
	}
	return b ^ math.MaxInt64
}
