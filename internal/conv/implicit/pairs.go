package implicit

import "github.com/vinoir/vinoir/internal/gemm"

// PairsPay reports whether the products of pairs are faster than those of float32.
func (m *Plan) PairsPay() bool { return m.products[0].kernel.Pays(m.products[0].depth) }

// PackPairs sets dst to the pairs of one or two channels of the input, the planes of which follow
// each other in src. dst has the elements of a plane.
func (m *Plan) PackPairs(dst []gemm.Pair, src []float32) {
	var second []float32
	if len(src) > len(dst) {
		second = src[len(dst):]
	}
	m.products[0].kernel.PairRows(dst, src[:len(dst)], second)
}

// FilterPairs returns the pairs of filters [Groups*Out, In, taps] in the layout [Groups*Out,
// PairsOf(In), taps], which PackFilters takes. filters must not be empty.
func (m *Plan) FilterPairs(filters []float32, in, taps int) []gemm.Pair {
	pairs := gemm.PairsOf(in)
	dst := make([]gemm.Pair, len(filters)/(in*taps)*pairs*taps)
	for to := dst; len(filters) > 0; filters = filters[in*taps:] {
		for c := 0; c < in; c += 2 {
			m.PackPairs(to[:taps], filters[c*taps:min(c+2, in)*taps])
			to = to[taps:]
		}
	}
	return dst
}
