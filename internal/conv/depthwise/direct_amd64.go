//go:build amd64 && !noasm

package depthwise

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run ./floats -out ../depthwise_amd64.s -stubs ../stubs_amd64.go -pkg depthwise"

// directPlan computes a depthwise convolution of two axes by assembly that reads the input in
// place. A plane is divided into tiles of several rows by one vector. If a tile reads beyond the
// sides of the input, those elements are masked; rows above and below the input are skipped. All
// offsets and distances are in bytes.
type directPlan struct {
	kind planeKind
	rows int // of a tile
	// rows of a plane if run has to compute all of them, since tiles are not in order; else 0
	wholePlane int
	strips     []planeStrip
	stripsAVX2 []planeStripAVX2 // instead of strips if there is no AVX-512
	groups     []rowGroup
	call       planeCall  // the fields that are the same in all calls
	noBias     [1]float32 // the bias if there is none
}

// planeCall is the argument of the assembly. _asm/floats depends on its layout, and on those
// of rowGroup, planeStrip and planeStripAVX2.
type planeCall struct {
	out, in, weights, bias *float32
	planes                 int // number of planes
	outPlane, inPlane      int // distances from one plane to the next
	weightsStep, biasStep  int // the same for the weights and the bias
	groups                 *rowGroup
	groupCount             int
	strips                 unsafe.Pointer // to a planeStrip or planeStripAVX2
	stripCount             int
	// distances from one row of a tile to the next, in the input and in the output
	inStep, outStep int
	columnStep      int // distance between the inputs of neighbouring columns of the filter
	lo, hi          float32
	clamp           uint32 // 1: clamp to lo and hi
}

// rowGroup is a row of tiles.
type rowGroup struct {
	in, out int    // offsets of the first row in the input and in the output
	valid   uint64 // bit i: row i of the tile's input is inside the input
	stored  uint64 // bit i: row i of the tile is written
}

// planeStrip is a column of tiles.
type planeStrip struct {
	in, out int       // offsets of the first column in the input and in the output
	wide    uint64    // 1 if a vector has 16 lanes, 0 if it has 8
	loads   [7]uint16 // masks of the loads of a row
	stored  uint16    // mask of the lanes that are written
}

// planeStripAVX2 is a planeStrip of vectors of 8 lanes. It has a mask for each load of each
// column of the filter.
type planeStripAVX2 struct {
	in, out int
	columns int // that are written
	loads   [2 * 7][8]int32
}

// maxWholePlane is the largest number of outputs of a plane that is one item of a directPlan.
const maxWholePlane = 1 << 24

// newDirectPlan returns nil if no assembly supports the shape.
func newDirectPlan(shape *Shape) *directPlan {
	z, y, x := &shape.Axes[0], &shape.Axes[1], &shape.Axes[2]
	wide := cpu.AVX512.Available()
	p := &directPlan{kind: planeKind{y.Kernel, y.Stride, wide}}
	switch {
	case !wide && !cpu.FMA.Available(),
		y.Kernel != 3 && y.Kernel != 5 && y.Kernel != 7, y.Stride != 1 && (y.Stride != 2 || y.Kernel == 7),
		y.Kernel != x.Kernel, y.Stride != x.Stride, x.Stride > 1 && x.Dilation > 1,
		z.Input != 1, z.Output != 1, z.Kernel != 1, z.PadBegin != 0, x.Output > maxColumns:
		return nil
	}
	p.call = planeCall{
		outPlane: 4 * y.Output * x.Output, inPlane: 4 * y.Input * x.Input,
		weightsStep: 4 * y.Kernel * x.Kernel,
		// The rows of a tile are a dilation apart.
		inStep: 4 * x.Input * y.Dilation, outStep: 4 * x.Output * y.Dilation,
		columnStep: 4 * x.Dilation,
	}
	p.rows = p.kind.rows()
	for phase := range min(y.Dilation, y.Output) {
		for first := phase; first < y.Output; first += p.rows * y.Dilation {
			p.groups = append(p.groups, newRowGroup(y, x, first, p.rows))
		}
	}
	if y.Dilation > 1 && y.Output*x.Output > maxWholePlane {
		return nil // a plane would take too long to be stopped
	}
	if y.Dilation > 1 {
		p.wholePlane = y.Output
	}
	if !wide {
		// as many as TableBytes counts
		p.stripsAVX2 = make([]planeStripAVX2, 0, conv.CeilDiv(x.Output, 8))
		for first := 0; first < x.Output; first += 8 {
			p.stripsAVX2 = append(p.stripsAVX2, newPlaneStripAVX2(x, first))
		}
		p.call.strips, p.call.stripCount = unsafe.Pointer(&p.stripsAVX2[0]), len(p.stripsAVX2)
		return p
	}
	for first := 0; first < x.Output; {
		lanes := 16
		if x.Output-first <= 8 {
			lanes = 8
		}
		p.strips = append(p.strips, newPlaneStrip(x, first, lanes))
		first += lanes
	}
	p.call.strips, p.call.stripCount = unsafe.Pointer(&p.strips[0]), len(p.strips)
	return p
}

// rowMultiple returns the number that the first row of each call of run has to be a multiple of.
func (p *directPlan) rowMultiple() int {
	if p == nil {
		return 1
	}
	return max(p.rows, p.wholePlane)
}

// planeKind selects a function of the assembly.
type planeKind struct {
	kernel, stride int
	wide           bool // AVX-512
}

// rows returns the number of rows of a tile. _asm/floats has the same numbers.
func (k planeKind) rows() int {
	if k.wide || k.kernel < 7 {
		return 7
	}
	return 6
}

// call calls the function. It is a switch because a function value would move c to the heap.
func (k planeKind) call(c *planeCall) {
	p := (*byte)(unsafe.Pointer(c))
	switch k {
	case planeKind{3, 1, true}:
		plane3s1(p)
	case planeKind{5, 1, true}:
		plane5s1(p)
	case planeKind{7, 1, true}:
		plane7s1(p)
	case planeKind{3, 2, true}:
		plane3s2(p)
	case planeKind{5, 2, true}:
		plane5s2(p)
	case planeKind{3, 1, false}:
		plane3s1AVX2(p)
	case planeKind{5, 1, false}:
		plane5s1AVX2(p)
	case planeKind{7, 1, false}:
		plane7s1AVX2(p)
	case planeKind{3, 2, false}:
		plane3s2AVX2(p)
	case planeKind{5, 2, false}:
		plane5s2AVX2(p)
	}
}

// newRowGroup returns the tiles whose first output row is first. They have at most rows rows.
func newRowGroup(y, x *conv.Axis, first, rows int) rowGroup {
	rows = min(rows, conv.CeilDiv(y.Output-first, y.Dilation))
	g := rowGroup{
		in:     4 * x.Input * y.At(first, 0),
		out:    4 * x.Output * first,
		stored: 1<<rows - 1,
	}
	for i := range (rows-1)*y.Stride + y.Kernel {
		if at := y.At(first, i); at >= 0 && at < y.Input {
			g.valid |= 1 << i
		}
	}
	return g
}

// newPlaneStrip returns the tiles whose first output column is first, for vectors of 16 or 8
// lanes.
func newPlaneStrip(x *conv.Axis, first, lanes int) planeStrip {
	s := planeStrip{in: 4 * x.At(first, 0), out: 4 * first}
	if lanes == 16 {
		s.wide = 1
	}
	columns := min(lanes, x.Output-first)
	s.stored = uint16(1<<columns - 1)
	// Only lanes that are not stored depend on elements from reads on.
	reads := (columns-1)*x.Stride + x.Kernel
	// load sets bit lane of mask i, for lane < count, if element from+lane is needed and inside the
	// input.
	load := func(i, from, count int) {
		for lane := range count {
			if at := x.At(first, 0) + from + lane; from+lane < reads && at >= 0 && at < x.Input {
				s.loads[i] |= 1 << lane
			}
		}
	}
	if x.Stride == 1 {
		for k := range x.Kernel {
			for lane := range columns {
				if at := x.At(first+lane, k); at >= 0 && at < x.Input {
					s.loads[k] |= 1 << lane
				}
			}
		}
		return s
	}
	load(0, 0, 16)
	load(1, 16, 16)
	for k := 2; k < x.Kernel; k++ {
		if load(k, 2*lanes+k-2, 1); s.loads[k] != 0 {
			s.loads[k] = 0xffff // the element is broadcast to all lanes
		}
	}
	return s
}

// newPlaneStripAVX2 returns the tiles whose first output column is first.
func newPlaneStripAVX2(x *conv.Axis, first int) planeStripAVX2 {
	s := planeStripAVX2{in: 4 * x.At(first, 0), out: 4 * first, columns: min(8, x.Output-first)}
	reads := (s.columns-1)*x.Stride + 1 // elements needed for each column of the filter
	for k := range x.Kernel {
		for load := range x.Stride {
			for lane := range 8 {
				from := 8*load + lane
				if at := x.At(first, k) + from; from < reads && at >= 0 && at < x.Input {
					s.loads[k*x.Stride+load][lane] = -1
				}
			}
		}
	}
	return s
}

// run computes rows first to last-1 of count planes that are next to each other. first is a
// multiple of rowMultiple.
func (p *directPlan) run(out, in, weights, bias []float32, e *conv.Epilogue, count, first, last int) {
	groups := p.groups
	if p.wholePlane == 0 {
		groups = groups[first/p.rows : conv.CeilDiv(last, p.rows)]
	}
	call := p.call
	call.out, call.in, call.weights = &out[0], &in[0], &weights[0]
	call.planes = count
	call.groups, call.groupCount = &groups[0], len(groups)
	if bias != nil {
		call.bias, call.biasStep = &bias[0], 4
	} else {
		call.bias = &p.noBias[0]
	}
	if e.Clamp {
		call.clamp, call.lo, call.hi = 1, e.Lo, e.Hi
	}
	p.kind.call(&call)
}
