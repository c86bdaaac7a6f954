package interpolate

import (
	"github.com/vinoir/vinoir/ops/internal/window"
)

// run computes rows lo to hi-1: along the axis where it is the last, else those
// behind each element of it.
func (s *pass[F]) run(output, input []F, lo, hi int) {
	for i := lo; i < hi; i++ {
		var out []F
		if s.inner == 1 {
			out = output[i*s.output:][:s.output]
			s.along(out, input[i*s.input:][:s.input])
		} else {
			out = output[i*s.inner:][:s.inner]
			s.across(out, input[i/s.output*s.input*s.inner:][:s.input*s.inner], i%s.output)
		}
		if s.round != nil {
			s.round(out)
		}
	}
}

// along computes a row whose elements are sums of elements of one row.
func (s *pass[F]) along(out, in []F) {
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

// across computes a row that is the sum of rows.
func (s *pass[F]) across(out, in []F, o int) {
	sources, weights := s.sources[o*s.taps:][:s.taps], s.weights[o*s.taps:][:s.taps]
	if s.taps == 2 && !s.holes {
		v, w := weights[0], weights[1]
		a, b := in[int(sources[0])*s.inner:][:len(out)], in[int(sources[1])*s.inner:][:len(out)]
		for i := range out {
			out[i] = v*a[i] + w*b[i]
		}
		return
	}
	clear(out)
	k := 0
	for ; k+window.RowsAtOnce <= s.taps && !s.holes; k += window.RowsAtOnce {
		row := func(j int) []F { return in[int(sources[k+j])*s.inner:] }
		four := [window.RowsAtOnce]F{weights[k], weights[k+1], weights[k+2], weights[k+3]}
		window.AddRows(out, row(0), row(1), row(2), row(3), len(out), four, 1, 1)
	}
	for ; k < s.taps; k++ {
		if weights[k] != 0 {
			window.AddRow(out, in[int(sources[k])*s.inner:], len(out), weights[k], 1, 1)
		}
	}
}
