package conv

import "slices"

// phasing says which outputs of a transposed convolution the products make. The
// outputs along an axis that are strides apart have windows alike: those of a phase
// are a product, and phases whose windows have the same places share one.
type phasing struct {
	strides [3]int
	lengths [3]int // of the output
	kernel  [3]int
	out     int    // channels of a group
	turns   [3]int // outputs of a phase
	// places is, for each phase of the three axes, the first row of the results that
	// is its.
	places []int
	of     []phaseRows
}

// phaseRows are the phases of a product. The rows of it are those of one after the
// other.
type phaseRows struct {
	row  int     // the first row of the results
	taps [][]int // for each phase, the elements of the filter
}

// alike are phases of an axis whose windows have the same places.
type alike struct {
	phases  []int
	offsets []int   // of the windows
	taps    [][]int // elements of the filter, for each phase
}

// alikes returns the phases of an axis of a convolution that is transposed: Input is
// the length of its output.
func alikes(a *Axis) []alike {
	n := min(a.Stride, a.Input)
	offsets, taps := make([][]int, n), make([][]int, n)
	for k := range a.Kernel {
		// Data element y falls on phase + (y-offset)*stride.
		first := k*a.Dilation - a.PadBegin
		phase := (first%a.Stride + a.Stride) % a.Stride
		if phase < n {
			offsets[phase], taps[phase] = append(offsets[phase], (phase-first)/a.Stride), append(taps[phase], k)
		}
	}
	var list []alike
	for phase := range n {
		i := slices.IndexFunc(list, func(l alike) bool { return slices.Equal(l.offsets, offsets[phase]) })
		if i < 0 {
			i = len(list)
			list = append(list, alike{offsets: offsets[phase]})
		}
		list[i].phases, list[i].taps = append(list[i].phases, phase), append(list[i].taps, taps[phase])
	}
	return list
}

// maxPhases bounds the phases of the three axes together.
const maxPhases = 1 << 12

// NewTransposed returns the kernel of the transpose of a convolution: In and Out are
// the channels of its own input and output, but Input and Output of the axes are
// those of the convolution, which makes an input of its output. nil where it would
// need too much memory.
func NewTransposed(g *Geometry, threads int, constant bool) *Implicit {
	m := &Implicit{batch: g.Batch, groups: g.Groups, in: g.In, out: g.Out, constant: constant, outPlane: 1}
	ph := &phasing{out: g.Out}
	var lists [3][]alike
	count := 1.0
	for i := range g.Axes {
		a := &g.Axes[i]
		count *= float64(min(a.Stride, a.Input))
		if count > maxPhases {
			return nil
		}
		lists[i] = alikes(a)
		ph.strides[i], ph.lengths[i], ph.kernel[i] = min(a.Stride, a.Input), a.Input, a.Kernel
		ph.turns[i] = ceilDiv(a.Input, a.Stride)
		m.outPlane *= a.Input
	}
	ph.places = make([]int, int(count))
	var walks [][3]walk
	rows := 0
	for _, z := range lists[0] {
		for _, y := range lists[1] {
			for _, x := range lists[2] {
				var w [3]walk
				for i, l := range []*alike{&z, &y, &x} {
					a := &g.Axes[i]
					w[i] = walk{input: a.Output, output: ph.turns[i], stride: 1, offsets: l.offsets}
				}
				of := ph.join(&z, &y, &x, rows)
				walks, ph.of = append(walks, w), append(ph.of, of)
				p := newProduct(len(of.taps)*g.Out, g.In, len(z.offsets)*len(y.offsets)*len(x.offsets))
				m.products = append(m.products, p)
				rows += p.rows
			}
		}
	}
	m.phases, m.apart = ph, len(ph.places) > 1
	if len(walks) == 1 {
		join(&walks[0])
	}
	if !m.plan(walks, rows, threads) {
		return nil
	}
	return m
}

// join returns the phases of all axes of a product whose results start at a row.
func (ph *phasing) join(z, y, x *alike, row int) phaseRows {
	of := phaseRows{row: row}
	for i, pz := range z.phases {
		for j, py := range y.phases {
			for l, px := range x.phases {
				ph.places[(pz*ph.strides[1]+py)*ph.strides[2]+px] = row + len(of.taps)*ph.out
				var taps []int
				for _, kz := range z.taps[i] {
					for _, ky := range y.taps[j] {
						for _, kx := range x.taps[l] {
							taps = append(taps, (kz*ph.kernel[1]+ky)*ph.kernel[2]+kx)
						}
					}
				}
				of.taps = append(of.taps, taps)
			}
		}
	}
	return of
}

// pack packs the filters of a product, element tap of channel c of output o of which
// is filters[(c*out + o)*kernel + tap].
func (ph *phasing) pack(packed, filters []float32, p *product, i int) {
	k := &p.kernel
	kernel := ph.kernel[0] * ph.kernel[1] * ph.kernel[2]
	of := &ph.of[i]
	for i := range k.Blocks(p.depth) {
		block, depth := packed[p.block(i):], k.Depth(i, p.depth)
		clear(block[:depth*k.PanelsA(p.rows)*k.MR])
		for row := range p.rows {
			taps, o := of.taps[row/ph.out], row%ph.out
			to := block[row/k.MR*k.MR*depth+row%k.MR:]
			for d := range depth {
				at := i*k.KC + d
				to[d*k.MR] = filters[(at/len(taps)*ph.out+o)*kernel+taps[at%len(taps)]]
			}
		}
	}
}
