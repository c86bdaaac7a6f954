package interpolate

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
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

// vectorize sets vectors for a pass in float32. It then drops the tables that the vector code does
// not read.
func (s *pass[F]) vectorize(p *ops.Preparation) error {
	weights, ok := any(s.weights).([]float32)
	if !ok {
		return nil
	}
	if s.inner == 1 {
		var err error
		s.columns, err = reduction.NewResampler(p.Stop, s.sources, weights, s.taps, s.input, p.Reserve)
		if s.columns != nil {
			s.sources, s.weights = nil, nil
		}
		return err
	}
	n, meter := 0, p.Stop.Meter()
	for o := range s.output {
		if meter.Spent(s.taps) {
			return parallel.ErrStopped
		}
		for _, w := range weights[o*s.taps:][:s.taps] {
			if w != 0 {
				n++
			}
		}
	}
	if err := p.Reserve(memory.Sum(memory.Size[int](s.output+1), memory.Size[int](n), memory.Size[float32](n))); err != nil {
		return err
	}
	s.starts, s.places, s.vectors.weights = make([]int, 1, s.output+1), make([]int, 0, n), make([]float32, 0, n)
	for o := range s.output {
		if meter.Spent(4 * s.taps) {
			return parallel.ErrStopped
		}
		for k, w := range weights[o*s.taps:][:s.taps] {
			if w != 0 {
				s.vectors.places = append(s.vectors.places, int(s.sources[o*s.taps+k])*s.inner)
				s.vectors.weights = append(s.vectors.weights, w)
			}
		}
		s.starts = append(s.starts, len(s.vectors.places))
	}
	s.sources, s.weights = nil, nil
	return nil
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
	for lo < hi && !r.Stop.Requested() {
		n := min(step, hi-lo)
		out := output[lo*row:][:n*row]
		switch {
		case s.columns != nil:
			s.columns.Apply(r.Stop, cast.Slice[float32](out), cast.Slice[float32](input[lo*s.input:]), n, s.output, s.input)
		case s.inner == 1:
			for i := range n {
				s.resampleRow(r.Stop, out[i*row:][:row], input[(lo+i)*s.input:][:s.input])
			}
		default:
			for i := range n {
				s.sumRows(r.Stop, out[i*row:][:row], input[(lo+i)/s.output*s.input*s.inner:][:s.input*s.inner], (lo+i)%s.output)
			}
		}
		for at := 0; at < len(out) && s.round != nil && !r.Stop.Requested(); at += rowPiece {
			s.round(out[at:min(at+rowPiece, len(out))])
		}
		if finish != nil {
			finish(r, cast.Slice[float32](out), lo*row)
		}
		lo += n
	}
}

const (
	// blockElements is the number of elements of the rows that are computed at a time.
	blockElements = 1 << 12
	// rowPiece is the number of elements of a long row that are computed between two checks of the
	// Stop.
	rowPiece = 1 << 16
	// manyTaps is the number of rows of the input that are added between two checks of the Stop.
	manyTaps = 1 << 12
)

// resampleRow computes a row along the axis, from one row of the input. It ends early if the work
// must stop.
func (s *pass[F]) resampleRow(stop parallel.Stop, out, in []F) {
	step := max(rowPiece/s.taps, 1)
	for at := 0; at < len(out) && (at == 0 || !stop.Requested()); at += step {
		end := min(at+step, len(out))
		s.resamplePiece(out[at:end], in, s.sources[at*s.taps:end*s.taps], s.weights[at*s.taps:end*s.taps])
	}
}

// resamplePiece computes elements of a row that have the given sources and weights.
func (s *pass[F]) resamplePiece(out, in []F, sources []int32, weights []F) {
	if s.taps == 2 && !s.holes {
		sources, weights := sources[:2*len(out)], weights[:2*len(out)]
		for i := range out {
			out[i] = weights[2*i]*in[sources[2*i]] + weights[2*i+1]*in[sources[2*i+1]]
		}
		return
	}
	for i := range out {
		sources, weights := sources[i*s.taps:][:s.taps], weights[i*s.taps:][:s.taps]
		var total F
		for k, w := range weights {
			if w != 0 {
				total += w * in[sources[k]]
			}
		}
		out[i] = total
	}
}

// sumRows computes row o of the output as the weighted sum of rows of the input. It ends early if
// the work must stop.
func (s *pass[F]) sumRows(stop parallel.Stop, out, in []F, o int) {
	taps := s.taps
	if s.starts != nil {
		taps = s.starts[o+1] - s.starts[o]
	}
	step := rowPiece
	if taps > 16 { // a whole number of cache lines
		step = max(rowPiece*16/taps&^15, 16)
	}
	for at := 0; at < len(out) && (at == 0 || !stop.Requested()); at += step {
		s.sumPiece(stop, out[at:min(at+step, len(out))], in[at:], o)
	}
}

// sumPiece is sumRows for the first elements of in and out.
func (s *pass[F]) sumPiece(stop parallel.Stop, out, in []F, o int) {
	if s.starts != nil {
		lo, hi := s.starts[o], s.starts[o+1]
		if lo == hi {
			clear(out)
			return
		}
		if hi-lo > manyTaps { // one by one: a call for all of them would take too long to stop
			clear(out)
			for k := lo; k < hi && (k%manyTaps != 0 || !stop.Requested()); k++ {
				addRow(out, in[s.vectors.places[k]:], F(s.vectors.weights[k]))
			}
			return
		}
		reduction.WeightedSum(cast.Slice[float32](out), cast.Slice[float32](in), s.vectors.places[lo:hi], s.vectors.weights[lo:hi])
		return
	}
	clear(out)
	for k, w := range s.weights[o*s.taps:][:s.taps] {
		if w != 0 {
			addRow(out, in[int(s.sources[o*s.taps+k])*s.inner:], w)
		}
		if k%manyTaps == manyTaps-1 && stop.Requested() {
			return
		}
	}
}

// addRow adds the first elements of in, multiplied by w, to out.
func addRow[F float32 | float64](out, in []F, w F) {
	for i, v := range in[:len(out)] {
		out[i] += w * v
	}
}
