package implicit

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Key implements Product.
func (m *Plan) Key() string {
	if m.phases != nil {
		name := ""
		if m.quads {
			name = "quads " + m.products[0].kernel.String()
		}
		return fmt.Sprint("transposed ", name, m.groups, m.in, m.out, m.phases.kernel, m.phases.products)
	}
	if m.quads {
		return fmt.Sprint("quads ", m.products[0].kernel.String(), m.groups, m.in, m.out)
	}
	return fmt.Sprint("implicit ", m.products[0].kernel.String(), m.groups, m.in, m.out)
}

// FiltersLen implements Product.
func (m *Plan) FiltersLen() int { return m.groups * m.groupLen }

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

// PackFilters implements Product.
func (m *Plan) PackFilters(stop parallel.Stop, filters []gemm.Lane) []gemm.Lane {
	packed := memory.Of[gemm.Lane](m.FiltersLen())
	for item := range m.packItems() {
		m.pack(stop, packed, filters, item)
	}
	return packed
}

// packItems returns the number of work items of packing the filters.
func (m *Plan) packItems() int { return m.groups * len(m.products) }

// pack packs the filters of a work item: those of one product of one group. It ends early if stop
// is requested.
func (m *Plan) pack(stop parallel.Stop, packed, filters []gemm.Lane, item int) {
	group, i := item/len(m.products), item%len(m.products)
	size := len(filters) / m.groups
	packed, filters = packed[group*m.groupLen:], filters[group*size:][:size]
	p := &m.products[i]
	if m.phases != nil {
		packPhases(m.phases, stop, packed, filters, p, i)
		return
	}
	k := &p.kernel
	a := gemm.Matrix[gemm.Lane]{Data: filters, RowStride: p.depth, ColStride: 1}
	for i := range k.Blocks(p.depth) {
		k.PackSomeA(stop, packed[p.filterOffset(i):], a, p.rows, p.depth, i, 0, k.PanelsA(p.rows))
	}
}
