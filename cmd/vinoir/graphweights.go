package main

import (
	"context"
	"math"
	"strconv"

	"github.com/vinoir/vinoir/ir"
)

// The limits on the elements that statistics are computed of: of all constants of a model together,
// and of one if the model has very many.
const (
	maxWeights   = 1 << 26
	leastWeights = 1 << 10
	histogram    = 32 // bars
)

// weightStatistics describes the elements of a constant. Numbers that JSON does not have are
// counted, and left out of the rest.
type weightStatistics struct {
	Elements int `json:"elements"`
	// Sampled is the number of elements that the rest is about, spread evenly; 0 if it is about
	// all.
	Sampled   int     `json:"sampled,omitempty"`
	NaNs      int     `json:"nans,omitempty"`
	Infinite  int     `json:"infinite,omitempty"`
	Zeros     int     `json:"zeros"`
	Min       float64 `json:"min"`
	Max       float64 `json:"max"`
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"` // the standard deviation
	// Histogram counts the elements in equal parts of the range from Min to Max; nil if they are
	// equal.
	Histogram []int `json:"histogram,omitempty"`
}

// hasNumbers reports whether ir.Tensor.Values returns the numbers that elements of t stand for, not
// their bits.
func hasNumbers(t ir.ElementType) bool {
	switch t {
	case ir.F16, ir.BF16, ir.F32, ir.F64, ir.Boolean:
		return true
	}
	return t.Kind() == ir.KindUnsigned || t.Kind() == ir.KindSigned && t.Size() > 0
}

// numbersOf returns the first n elements of t as text: integers are exact if these are all, other
// numbers have six digits.
func numbersOf(t *ir.Tensor, n int) []string {
	texts := make([]string, n)
	if t.ElementType().IsIntegral() && n == t.Len() {
		if values, err := t.Ints(); err == nil {
			for i, v := range values {
				texts[i] = strconv.FormatInt(v, 10)
			}
			return texts
		}
	}
	at := t.Values()
	for i := range texts {
		texts[i] = strconv.FormatFloat(at(i), 'g', 6, 64)
	}
	return texts
}

// statisticsOf returns the statistics of at most limit elements of t; nil if they are no numbers or
// there are none.
func statisticsOf(ctx context.Context, t *ir.Tensor, limit int) (*weightStatistics, error) {
	if t.Len() == 0 || !hasNumbers(t.ElementType()) {
		return nil, nil
	}
	s := &weightStatistics{Elements: t.Len(), Min: math.Inf(1), Max: math.Inf(-1)}
	at, count, step := t.Values(), s.Elements, 1.0
	if count > limit {
		count, step = limit, float64(s.Elements)/float64(limit)
		s.Sampled = count
	}
	finite := 0
	each := func(do func(float64)) error {
		for i := range count {
			if i&0xffff == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			do(at(int(float64(i) * step)))
		}
		return nil
	}
	err := each(func(v float64) {
		switch {
		case math.IsNaN(v):
			s.NaNs++
			return
		case math.IsInf(v, 0):
			s.Infinite++
			return
		case v == 0:
			s.Zeros++
		}
		finite++
		s.Min, s.Max = min(s.Min, v), max(s.Max, v)
	})
	if err != nil || finite == 0 {
		s.Min, s.Max = 0, 0
		return s, err
	}
	// Sums of the distances from the middle, in units of half the range, cannot overflow.
	centre, half := s.Min/2+s.Max/2, s.Max/2-s.Min/2
	if s.Mean = centre; half == 0 {
		return s, nil
	}
	sum, squares := 0.0, 0.0
	s.Histogram = make([]int, histogram)
	err = each(func(v float64) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return
		}
		d := (v - centre) / half
		sum += d
		squares += d * d
		s.Histogram[min(max(int((d+1)/2*histogram), 0), histogram-1)]++
	})
	sum, squares = sum/float64(finite), squares/float64(finite)
	s.Mean, s.Deviation = centre+half*sum, half*math.Sqrt(max(squares-sum*sum, 0))
	return s, err
}
