//go:build amd64 && !noasm

package conv

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run ./depthwise -out ../depthwise_amd64.s -stubs ../depthwise_stubs_amd64.go -pkg conv"

// planes is a depthwise convolution of two axes by code that reads the input where
// it is. A plane is cut into tiles of several rows by a vector; what a tile reads
// outside of the input is masked where it is at the sides, and left out where it is
// above or below. All offsets are in bytes.
type planes struct {
	kind       planeKind
	rows       int // of a tile
	whole      int // rows of a plane where run computes all of them, which are not in order
	strips     []planeStrip
	stripsAVX2 []planeStripAVX2
	groups     []planeRows
	call       planeCall // what is the same in all of them
	noBias     [1]float32
}

// planeCall is the argument of a function, known to _asm/depthwise like the others.
type planeCall struct {
	out, in, weights, bias *float32
	planes                 int
	outPlane, inPlane      int // from a plane to the next
	weightsStep, biasStep  int
	groups                 *planeRows
	groupCount             int
	strips                 unsafe.Pointer // planeStrip or planeStripAVX2
	stripCount             int
	inStep, outStep        int // from a row of a tile to the next, of the input and of the output
	columnStep             int // from what a column of the filter meets to what the next does
	lo, hi                 float32
	clamp                  uint32
}

// planeRows is a row of tiles.
type planeRows struct {
	in, out int    // where the rows begin
	valid   uint64 // bit i: row i of the input is read
	stored  uint64 // bit i: row i of the output is written
}

// planeStrip is a column of tiles.
type planeStrip struct {
	in, out int    // where the columns begin
	wide    uint64 // a vector has 16 lanes and not 8
	loads   [7]uint16
	stored  uint16
}

// planeStripAVX2 is planeStrip for vectors of 8 lanes: a mask for each load of each
// column of the filter.
type planeStripAVX2 struct {
	in, out int
	columns int // that are written
	loads   [2 * 7][8]int32
}

// newPlanes returns nil where there is no code for the shape.
func newPlanes(shape *DepthwiseShape) *planes {
	z, y, x := &shape.Axes[0], &shape.Axes[1], &shape.Axes[2]
	wide := cpu.AVX512.Available()
	p := &planes{kind: planeKind{y.Kernel, y.Stride, wide}}
	switch {
	case !wide && !cpu.FMA.Available(),
		y.Kernel != 3 && y.Kernel != 5 && y.Kernel != 7, y.Stride != 1 && y.Stride != 2,
		y.Kernel != x.Kernel, y.Stride != x.Stride, x.Stride > 1 && x.Dilation > 1,
		z.Input != 1, z.Output != 1, z.Kernel != 1, z.PadBegin != 0, x.Output > maxColumns:
		return nil
	}
	p.call = planeCall{
		outPlane: 4 * y.Output * x.Output, inPlane: 4 * y.Input * x.Input,
		weightsStep: 4 * y.Kernel * x.Kernel,
		// Rows that lie a dilation apart make tiles of their own.
		inStep: 4 * x.Input * y.Dilation, outStep: 4 * x.Output * y.Dilation,
		columnStep: 4 * x.Dilation,
	}
	p.rows = p.kind.rows()
	for phase := range min(y.Dilation, y.Output) {
		for first := phase; first < y.Output; first += p.rows * y.Dilation {
			p.groups = append(p.groups, newPlaneRows(y, x, first, p.rows))
		}
	}
	if y.Dilation > 1 {
		p.whole = y.Output
	}
	if !wide {
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

// tileRows returns the number that the rows that run begins with are a multiple of.
func (p *planes) tileRows() int {
	if p == nil {
		return 1
	}
	return max(p.rows, p.whole)
}

// planeKind tells which function it is.
type planeKind struct {
	kernel, stride int
	wide           bool // AVX-512
}

// rows returns the number of rows of a tile, as in _asm/depthwise.
func (k planeKind) rows() int {
	switch {
	case k.wide || k.kernel < 7:
		return 7
	case k.stride == 1:
		return 6
	}
	return 5
}

// call calls the function. A function value would move c to the heap.
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
	case planeKind{7, 2, true}:
		plane7s2(p)
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
	case planeKind{7, 2, false}:
		plane7s2AVX2(p)
	}
}

func newPlaneRows(y, x *Axis, first, rows int) planeRows {
	rows = min(rows, ceilDiv(y.Output-first, y.Dilation))
	g := planeRows{
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

func newPlaneStrip(x *Axis, first, lanes int) planeStrip {
	s := planeStrip{in: 4 * x.At(first, 0), out: 4 * first}
	if lanes == 16 {
		s.wide = 1
	}
	columns := min(lanes, x.Output-first)
	s.stored = uint16(1<<columns - 1)
	// Elements from reads on meet only lanes that are not stored.
	reads := (columns-1)*x.Stride + x.Kernel
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
			s.loads[k] = 0xffff // it is spread over a vector
		}
	}
	return s
}

func newPlaneStripAVX2(x *Axis, first int) planeStripAVX2 {
	s := planeStripAVX2{in: 4 * x.At(first, 0), out: 4 * first, columns: min(8, x.Output-first)}
	reads := (s.columns-1)*x.Stride + 1 // for each column of the filter
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

// run computes rows first to last-1 of planes that follow each other; first is a
// multiple of the rows of a tile.
func (p *planes) run(out, in, weights, bias []float32, e *Epilogue, count, first, last int) {
	groups := p.groups
	if p.whole == 0 {
		groups = groups[first/p.rows : ceilDiv(last, p.rows)]
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
