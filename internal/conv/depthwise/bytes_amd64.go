//go:build amd64 && !noasm

package depthwise

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run ./bytes -out ../bytes_amd64.s -stubs ../bytes_stubs_amd64.go -pkg depthwise && cd .. && go run ../../vex bytes_amd64.s"

// bytesCall is the argument of the assembly. _asm/bytes depends on its layout. Steps are in bytes.
type bytesCall struct {
	in                    *uint8  // the input of the first plane
	outside               *uint8  // the element outside of the input, of the first plane
	filters               *uint32 // of the first plane
	dst                   unsafe.Pointer
	scale, bias           *float32
	vectors               *uint64
	places                *bytesPlaces
	planes, rows, width   int // of the output
	inputRows, inputWidth int
	// of the rows of the input; the windows of the first row of the output start at row top
	stride, dilation, top int
	kernel, quads         int // rows of a filter, and quads of a row of it
	// from one quad to the next, from one vector to the next in the input, from one row of the
	// output to the next
	stepQuad, stepVector, stepRow int
	// from the start of a row of the input to the first window; may be negative
	first      int
	bytes      int // 1 if the output is bytes
	plane, row int // the current plane, and the rows of it that are left
	// from the element outside of a plane to that of the next; 0 if all planes have the same
	stepOutside int
	// from one vector to the next in the output, and from one plane to the next
	stepOut, stepPlane int
	lo, hi             float32
	// 1 if results x are replaced by x*(min(max(x+3, 0), 6)/6) before their levels are computed
	hswish uint32
	// of each plane; nil if the results are not replaced by levels
	levelScale, levelShift *float32
	// of each plane: if it is not nil, negative results are multiplied by it before
	levelSlope *float32
	// the scale, the shift and the slope of the current plane
	level    [3]float32
	levelMax float32
	inside   int // -1 if the current row of the input is inside it, else 0
}

// columnsAtOnce is about the number of bytes of the rows of a plane that the assembly goes down at
// a time: they stay in the first-level cache until all their columns were read.
const columnsAtOnce = 16 << 10

// readsOutside reports whether runAssembly reads the elements outside of the input of each plane.
func (d *Bytes) readsOutside() bool {
	return d.table != nil && d.multiplier == 1 && cpu.AVX512VNNI.Available()
}

// runAssembly computes planes. It returns false if there is no assembly.
func (d *Bytes) runAssembly(p *bytesPlanes) bool {
	if d.dots != nil {
		d.runDots(p)
		return true
	}
	if d.table == nil || !cpu.AVX512VNNI.Available() {
		return false
	}
	y, x := &d.y, &d.x
	c := bytesCall{
		in: &p.in[0], outside: &p.line[0], filters: &p.filters[0], scale: &p.scale[0], bias: &p.bias[0],
		vectors: &d.table[0], places: d.places, planes: p.count, width: x.Output, inputRows: y.Input, inputWidth: x.Input,
		stride: y.Stride, dilation: y.Dilation, kernel: y.Kernel, quads: d.quads,
		stepQuad: quadTaps * x.Dilation, stepVector: vectorLanes * x.Stride, first: -x.PadBegin,
		lo: p.lo, hi: p.hi,
	}
	if outside := p.all.Outside; len(outside) > 1 && d.readsOutside() {
		c.outside, c.stepOutside = &outside[p.first:][:p.count][0], 1
	}
	dst, size := unsafe.Pointer(nil), 1
	if p.bytes != nil {
		dst, c.bytes = unsafe.Pointer(&p.bytes[0]), 1
	} else {
		dst, size = unsafe.Pointer(&p.out[0]), 4
	}
	if l := &p.levels; l.Scale != nil {
		c.levelScale, c.levelShift, c.levelMax = &l.Scale[0], &l.Shift[0], l.Max
		if l.HSwish {
			c.hswish = 1
		}
		if l.Slope != nil {
			c.levelSlope = &l.Slope[0]
		}
	}
	c.stepRow, c.stepOut, c.stepPlane = size*x.Output, size*vectorLanes, size*x.Output*y.Output
	shape, atOnce := [3]int{y.Kernel, d.quads, y.Stride}, max(columnsAtOnce/(x.Input*y.Stride), y.Kernel)
	if y.Dilation > 1 || x.Stride != y.Stride {
		shape = [3]int{}
	}
	for row := 0; row < y.Output; row += atOnce {
		c.top, c.rows = row*y.Stride-y.PadBegin, min(atOnce, y.Output-row)
		c.dst, c.plane = unsafe.Add(dst, row*c.stepRow), 0
		switch c := (*byte)(unsafe.Pointer(&c)); shape {
		case [3]int{3, 1, 1}:
			depthwiseBytes3By1(c)
		case [3]int{3, 1, 2}:
			depthwiseBytes3By2(c)
		case [3]int{5, 2, 1}:
			depthwiseBytes5By1(c)
		case [3]int{5, 2, 2}:
			depthwiseBytes5By2(c)
		default:
			depthwiseBytes(c)
		}
	}
	return true
}

// floatsPay reports whether sums in float32 are faster than those of bytes.
func floatsPay() bool { return cpu.FMA.Available() && !cpu.AVX512VNNI.Available() }

// bytesToFloatsVectors is bytesToFloats by assembly. It returns the number of elements that it has
// converted.
func bytesToFloatsVectors(to []float32, from []uint8, zero uint8) int {
	n := len(from) &^ 7
	if n == 0 || !cpu.AVX2.Available() {
		return 0
	}
	_ = to[n-1] // the assembly does not check bounds
	bytesFloatsAVX2(&to[0], &from[0], n, uint32(zero))
	return n
}

// finishVectors is finish by assembly. It returns false, and does nothing, if there is none, or if
// the planes are small.
func (p *bytesPlanes) finishVectors(sums []float32) bool {
	n := len(sums) / p.count
	if !cpu.AVX2.Available() || p.levels.Scale != nil || n < 8 || n < 16 && p.bytes != nil {
		return false
	}
	_, _ = p.scale[p.count-1], p.bias[p.count-1] // the assembly does not check bounds
	if p.bytes != nil {
		_ = p.bytes[len(sums)-1]
		finishBytesAVX2(&p.bytes[0], &sums[0], p.count, n, &p.scale[0], &p.bias[0], p.lo, p.hi)
		return true
	}
	_ = p.out[len(sums)-1]
	finishFloatsAVX2(&p.out[0], &sums[0], p.count, n, &p.scale[0], &p.bias[0], p.lo, p.hi)
	return true
}
