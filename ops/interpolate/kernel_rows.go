package interpolate

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/reduction"
	"github.com/vinoir/vinoir/ops"
)

// vectors holds the tables of the vector code for float32.
type vectors struct {
	columns *reduction.Resampler // for rows along the axis; nil if there is no vector code
	// Entries starts[o] to starts[o+1]-1 of places and weights hold the offsets and weights of
	// the input rows of output row o. starts is nil if there is no vector code.
	starts  []int
	places  []int
	weights []float32
}

// vectorize sets vectors for a pass in float32.
func (s *pass[F]) vectorize() {
	weights, ok := any(s.weights).([]float32)
	if !ok {
		return
	}
	if s.inner == 1 {
		s.columns = reduction.NewResampler(s.sources, weights, s.taps, s.input)
		return
	}
	s.starts = make([]int, 1, s.output+1)
	for o := range s.output {
		for k, w := range weights[o*s.taps:][:s.taps] {
			if w != 0 {
				s.vectors.places = append(s.vectors.places, int(s.sources[o*s.taps+k])*s.inner)
				s.vectors.weights = append(s.vectors.weights, w)
			}
		}
		s.starts = append(s.starts, len(s.vectors.places))
	}
}

// run computes rows lo to hi-1. If inner is 1, a row lies along the axis. Otherwise it holds
// the inner elements after one element of the axis. finish, if not nil, applies the stages.
func (s *pass[F]) run(r *ops.Run, output, input []F, lo, hi int, finish func(*ops.Run, []float32, int)) {
	row := s.inner
	if s.inner == 1 {
		row = s.output
	}
	// Many rows at once, but few enough that they are still in the cache for the stages.
	step := max(blockElements/row, 1)
	for lo < hi {
		n := min(step, hi-lo)
		out := output[lo*row:][:n*row]
		switch {
		case s.columns != nil:
			s.columns.Apply(cast.Slice[float32](out), cast.Slice[float32](input[lo*s.input:]), n, s.output, s.input)
		case s.inner == 1:
			for i := range n {
				s.resampleRow(out[i*row:][:row], input[(lo+i)*s.input:][:s.input])
			}
		default:
			for i := range n {
				s.sumRows(out[i*row:][:row], input[(lo+i)/s.output*s.input*s.inner:][:s.input*s.inner], (lo+i)%s.output)
			}
		}
		if s.round != nil {
			s.round(out)
		}
		if finish != nil {
			finish(r, cast.Slice[float32](out), lo*row)
		}
		lo += n
	}
}

// blockElements is the number of elements of the rows that are computed at a time.
const blockElements = 1 << 12

// resampleRow computes a row along the axis, from one row of the input.
func (s *pass[F]) resampleRow(out, in []F) {
	if s.taps == 2 && !s.holes {
		sources, weights := s.sources[:2*len(out)], s.weights[:2*len(out)]
		for i := range out {
			out[i] = weights[2*i]*in[sources[2*i]] + weights[2*i+1]*in[sources[2*i+1]]
		}
		return
	}
	for i := range out {
		sources, weights := s.sources[i*s.taps:][:s.taps], s.weights[i*s.taps:][:s.taps]
		var total F
		for k, w := range weights {
			if w != 0 {
				total += w * in[sources[k]]
			}
		}
		out[i] = total
	}
}

// sumRows computes row o of the output as the weighted sum of rows of the input.
func (s *pass[F]) sumRows(out, in []F, o int) {
	if s.starts != nil {
		lo, hi := s.starts[o], s.starts[o+1]
		if lo == hi {
			clear(out)
			return
		}
		reduction.WeightedSum(cast.Slice[float32](out), cast.Slice[float32](in), s.vectors.places[lo:hi], s.vectors.weights[lo:hi])
		return
	}
	clear(out)
	for k, w := range s.weights[o*s.taps:][:s.taps] {
		if w != 0 {
			for i, v := range in[int(s.sources[o*s.taps+k])*s.inner:][:len(out)] {
				out[i] += w * v
			}
		}
	}
}
