package implicit

import (
	"slices"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
)

// phaseMap describes how the products of a transposed convolution compute its outputs. Outputs
// whose distances along all axes are multiples of the strides form a phase: they use the same
// filter elements, so one product computes them. Phases whose windows have the same positions in
// the data share a product.
type phaseMap struct {
	strides  [3]int // phases along each axis: the stride, or the length if that is smaller
	lengths  [3]int // of the output
	kernel   [3]int // of the filter
	out      int    // output channels of a group
	perPhase [3]int // outputs of a phase along each axis
	rows     int    // of all products
	// firstRows holds, for each phase of the three axes, the first of its rows in the results.
	firstRows []int
	products  []productPhases
}

// productPhases describes the phases that one product computes. The rows of the product are the
// output channels of the first phase, then those of the second phase, and so on.
type productPhases struct {
	row  int     // the first row in the results
	taps [][]int // for each phase, the indexes of its filter elements
}

// phaseGroup is a set of phases of one axis whose windows have the same positions.
type phaseGroup struct {
	phases  []int
	offsets []int   // positions of the window's elements
	taps    [][]int // for each phase, the filter elements at these positions
}

// phaseGroups returns the phases of an axis, grouped by the positions of their windows. a is an
// axis of the convolution that is transposed, so a.Input is the length of the output.
func phaseGroups(a *conv.Axis) []phaseGroup {
	n := min(a.Stride, a.Input)
	offsets, taps := make([][]int, n), make([][]int, n)
	for k := range a.Kernel {
		// Filter element k adds data element y to output phase + (y-offset)*stride.
		first := k*a.Dilation - a.PadBegin
		phase := (first%a.Stride + a.Stride) % a.Stride
		if phase < n {
			offsets[phase], taps[phase] = append(offsets[phase], (phase-first)/a.Stride), append(taps[phase], k)
		}
	}
	var list []phaseGroup
	for phase := range n {
		i := slices.IndexFunc(list, func(l phaseGroup) bool { return slices.Equal(l.offsets, offsets[phase]) })
		if i < 0 {
			i = len(list)
			list = append(list, phaseGroup{offsets: offsets[phase]})
		}
		list[i].phases, list[i].taps = append(list[i].phases, phase), append(list[i].taps, taps[phase])
	}
	return list
}

// mapProduct returns the phases of a product, one for each combination of phases of z, y and x, and
// records their rows in firstRows. row is the first row of the product in the results.
func (ph *phaseMap) mapProduct(z, y, x *phaseGroup, row int) productPhases {
	phases := productPhases{row: row}
	for i, pz := range z.phases {
		for j, py := range y.phases {
			for l, px := range x.phases {
				ph.firstRows[(pz*ph.strides[1]+py)*ph.strides[2]+px] = row + len(phases.taps)*ph.out
				var taps []int
				for _, kz := range z.taps[i] {
					for _, ky := range y.taps[j] {
						for _, kx := range x.taps[l] {
							taps = append(taps, (kz*ph.kernel[1]+ky)*ph.kernel[2]+kx)
						}
					}
				}
				phases.taps = append(phases.taps, taps)
			}
		}
	}
	return phases
}

// packPhases packs the filters of product i for one group. Element tap of the filter from input
// channel c to output channel o is filters[(c*out + o)*kernel + tap].
func packPhases(ph *phaseMap, stop parallel.Stop, packed, filters []gemm.Lane, p *product, i int) {
	k := &p.kernel
	kernel := ph.kernel[0] * ph.kernel[1] * ph.kernel[2]
	phases := &ph.products[i]
	meter := stop.Meter()
	for i := range k.Blocks(p.depth) {
		block, depth := packed[p.filterOffset(i):], k.Depth(i, p.depth)
		tile := k.TileA(depth)
		parallel.Clear(stop, block[:depth*k.PanelsA(p.rows)*k.MR])
		for row := range p.rows {
			if meter.Spent(8 * depth) {
				return
			}
			taps, o := phases.taps[row/ph.out], row%ph.out
			to := block[row/k.MR*k.MR*depth+row%k.MR*tile:]
			for d := range depth {
				at := i*k.KC + d
				to[d/tile*tile*k.MR+d%tile] = filters[(at/len(taps)*ph.out+o)*kernel+taps[at%len(taps)]]
			}
		}
	}
}
