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

// SumsLen returns the number of elements of PhaseSums.
func (m *Plan) SumsLen() int { return m.groups * m.phases.rows }

// PhaseSums returns, for each group and each row of the results of a transposed convolution of
// quads, the sum of the elements of the filters that row multiplies by. The filters are [Groups,
// in, Out, kernel axes].
func (m *Plan) PhaseSums(filters []int8, in int) []int32 {
	ph := m.phases
	kernel := ph.kernel[0] * ph.kernel[1] * ph.kernel[2]
	sums := make([]int32, 0, m.SumsLen())
	for ; len(sums) < cap(sums); filters = filters[in*ph.out*kernel:] {
		for i := range ph.products {
			for _, taps := range ph.products[i].taps {
				for o := range ph.out {
					sum := int32(0)
					for c := range in {
						for _, tap := range taps {
							sum += int32(filters[(c*ph.out+o)*kernel+tap])
						}
					}
					sums = append(sums, sum)
				}
			}
		}
	}
	return sums
}

// NewTransposed returns the plan of a transposed convolution, as New does, of float32 or quads.
// g.In and g.Out are the channels of the input and the output of the transposed convolution. The
// axes describe the convolution that is transposed: their Input is the length of the transposed
// convolution's output, and their Output the length of its input. The filters are [Groups, In, Out,
// kernel axes]. Those of quads are constant.
func NewTransposed(stop parallel.Stop, g *Geometry, kernel *gemm.LaneKernel, threads int, constant bool) *Plan {
	m := g.plan(stop, kernel, constant)
	ph := &phaseMap{out: g.Out}
	var lists [3][]phaseGroup
	count := 1.0
	for i := range g.Axes {
		a := &g.Axes[i]
		count *= float64(min(a.Stride, a.Input))
		if count > conv.MaxPhases {
			return nil
		}
		lists[i] = phaseGroups(a)
		ph.strides[i], ph.lengths[i], ph.kernel[i] = min(a.Stride, a.Input), a.Input, a.Kernel
		ph.perPhase[i] = conv.CeilDiv(a.Input, a.Stride)
		m.outPlane *= a.Input
	}
	ph.firstRows = make([]int, int(count))
	var walks [][3]walk
	for _, z := range lists[0] {
		for _, y := range lists[1] {
			for _, x := range lists[2] {
				var w [3]walk
				for i, l := range []*phaseGroup{&z, &y, &x} {
					a := &g.Axes[i]
					w[i] = walk{input: a.Output, output: ph.perPhase[i], stride: 1, offsets: l.offsets}
				}
				phases := ph.mapProduct(&z, &y, &x, ph.rows)
				walks, ph.products = append(walks, w), append(ph.products, phases)
				p := newProduct(kernel, len(phases.taps)*g.Out, g.In, len(z.offsets)*len(y.offsets)*len(x.offsets))
				m.products = append(m.products, p)
				ph.rows += p.rows
			}
		}
	}
	m.phases, m.interleaved = ph, m.quads || len(ph.firstRows) > 1
	if len(walks) == 1 {
		joinAxes(&walks[0])
	}
	if !m.divide(walks, ph.rows, threads) {
		return nil
	}
	m.stop = nil
	return m
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
