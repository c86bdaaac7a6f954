package reduce

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/parallel"
)

type accumulator interface{ int64 | uint64 | float64 }

// startOf returns the initial value of an accumulator.
func startOf[A accumulator](k kind, lowest, greatest A) A {
	switch k {
	case prod, and:
		return 1
	case maximum:
		return lowest
	case minimum:
		return greatest
	}
	return 0
}

// fill sets all of acc to start. It ends early if the work must stop.
func fill[A accumulator](meter *parallel.Meter, acc []A, start A) {
	for len(acc) > 0 {
		piece := acc[:min(targetPiece, len(acc))]
		if meter.Spent(len(piece)) {
			return
		}
		for i := range piece {
			piece[i] = start
		}
		acc = acc[len(piece):]
	}
}

// accumulate accumulates a run of elements in acc[0] if it is reduced, and otherwise element i
// of the run in acc[i].
func accumulate[T cast.Number, A accumulator](k kind, acc []A, run []T, reduced bool) {
	if reduced {
		acc[0] = accumulateAll(k, acc[0], run)
	} else {
		accumulateEach(k, acc[:len(run)], run)
	}
}

// accumulateAll accumulates all elements of run in a. NaN propagates.
func accumulateAll[T cast.Number, A accumulator](k kind, a A, run []T) A {
	switch k {
	case sum, mean:
		return a + sumOf[T, A](run)
	case prod:
		for _, v := range run {
			a *= A(v)
		}
	case maximum, or:
		for _, v := range run {
			a = max(a, A(v))
		}
	case minimum, and:
		for _, v := range run {
			a = min(a, A(v))
		}
	case l1:
		for _, v := range run {
			a += magnitude(A(v))
		}
	case l2:
		return a + squaresOf[T, A](run)
	}
	return a
}

// sumOf returns the sum of all elements, in four independent accumulators.
func sumOf[T cast.Number, A accumulator](run []T) A {
	var a, b, c, d A
	for ; len(run) >= 4; run = run[4:] {
		a, b, c, d = a+A(run[0]), b+A(run[1]), c+A(run[2]), d+A(run[3])
	}
	for _, v := range run {
		a += A(v)
	}
	return a + b + (c + d)
}

// squaresOf is sumOf for the squares of the elements.
func squaresOf[T cast.Number, A accumulator](run []T) A {
	var a, b, c, d A
	for ; len(run) >= 4; run = run[4:] {
		a, b, c, d = a+A(run[0])*A(run[0]), b+A(run[1])*A(run[1]), c+A(run[2])*A(run[2]), d+A(run[3])*A(run[3])
	}
	for _, v := range run {
		a += A(v) * A(v)
	}
	return a + b + (c + d)
}

// accumulateEach accumulates element i of run in acc[i].
func accumulateEach[T cast.Number, A accumulator](k kind, acc []A, run []T) {
	switch k {
	case sum, mean:
		for i, v := range run {
			acc[i] += A(v)
		}
	case prod:
		for i, v := range run {
			acc[i] *= A(v)
		}
	case maximum, or:
		for i, v := range run {
			acc[i] = max(acc[i], A(v))
		}
	case minimum, and:
		for i, v := range run {
			acc[i] = min(acc[i], A(v))
		}
	case l1:
		for i, v := range run {
			acc[i] += magnitude(A(v))
		}
	case l2:
		for i, v := range run {
			acc[i] += A(v) * A(v)
		}
	}
}

func magnitude[A accumulator](a A) A {
	if a < 0 {
		return -a
	}
	return a
}

// finish turns the accumulators of n elements each into results.
func finish[A accumulator](k kind, acc []A, n int) {
	switch k {
	case mean:
		for i := range acc {
			acc[i] = quotient(acc[i], n)
		}
	case l2:
		for i := range acc {
			acc[i] = A(math.Sqrt(float64(max(acc[i], 0)))) // the sum of integers may have wrapped
		}
	}
}

// quotient returns a/n. If n is 0 it returns 0 for integers and NaN for floats.
func quotient[A accumulator](a A, n int) A {
	d := A(n)
	if _, float := any(a).(float64); d == 0 && !float {
		return 0
	}
	return a / d
}
