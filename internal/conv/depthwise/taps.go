package depthwise

import (
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/parallel"
)

// tapPlan is a depthwise convolution that works on copies of the input. For each tile of the
// output, the input that it needs is copied with its padding, and split by position modulo the
// stride (the phase). Each element of the filter (a tap) is then multiplied by one contiguous run
// of a copy.
//
// Element a*stride + phase of an axis of the padded input is element a of the array of that
// phase. All arrays of a tile have the same distance from row to row, so the rows of a tile are
// computed as one run as well.
type tapPlan struct {
	z, y, x       conv.Axis
	yPhases       []phase
	xPhases       []phase
	yReach        int   // rows of an array in addition to those of the tile
	xReach        int   // columns of an array in addition to those of the tile
	rows, columns int   // of the largest tile
	pitch         int   // elements from one row of an array to the next
	array         int   // elements of an array
	offsets       []int // for each tap, the start of its run in the arrays
	size          int   // elements of the scratch memory
	compute       tapsFunc
}

// tapsFunc computes a run of outputs, as tapsPortable does.
type tapsFunc func(out, in []float32, offsets []int, weights []float32, bias float32, e *conv.Epilogue)

// phase is a position modulo the stride.
type phase int

const (
	tileSize    = 6 << 10 // elements of the arrays of a tile: most of a first-level cache
	tileColumns = 512     // columns of a tile, at most
	runStep     = 32      // the lengths of runs are multiples of it
	maxScratch  = 1 << 20 // elements; a window that needs more is not worth the copies
	maxCopies   = 8       // elements that may be copied for each product
)

// newTapPlan returns nil if the window reaches so far that the copies would be too large.
func newTapPlan(shape *Shape) *tapPlan {
	t := &tapPlan{z: shape.Axes[0], y: shape.Axes[1], x: shape.Axes[2], compute: pickTaps()}
	t.yPhases, t.yReach = phases(&t.y)
	t.xPhases, t.xReach = phases(&t.x)
	if t.yReach >= maxScratch || t.xReach >= maxScratch {
		return nil
	}
	t.columns = min(t.x.Output, tileColumns)
	t.pitch = t.columns + t.xReach
	arrays := int64(t.z.Kernel) * int64(len(t.yPhases)*len(t.xPhases))
	if arrays*int64(t.yReach+1)*int64(t.pitch) > maxScratch {
		return nil
	}
	t.rows = min(max(tileSize/(int(arrays)*t.pitch)-t.yReach, 1), t.y.Output)
	t.array = (t.rows + t.yReach) * t.pitch
	taps := t.z.Kernel * t.y.Kernel * t.x.Kernel
	if arrays*int64(t.array) > maxCopies*int64(taps)*int64(t.rows*t.columns) {
		return nil // most of the copied elements would not be used
	}
	// A run can extend beyond its tile by up to runStep elements, and so do the arrays.
	t.size = int(arrays)*t.array + runStep + t.runLen(t.rows)
	if t.size > maxScratch {
		return nil
	}
	t.offsets = make([]int, 0, taps)
	for kz := range t.z.Kernel {
		for ky := range t.y.Kernel {
			_, yShift := split(&t.y, ky)
			for kx := range t.x.Kernel {
				_, xShift := split(&t.x, kx)
				array := (kz*len(t.yPhases)+ky%len(t.yPhases))*len(t.xPhases) + kx%len(t.xPhases)
				t.offsets = append(t.offsets, array*t.array+yShift*t.pitch+xShift)
			}
		}
	}
	return t
}

// split returns the phase of element k of the window, and its position in the array of that phase.
func split(a *conv.Axis, k int) (phase, int) {
	return phase(k * a.Dilation % a.Stride), k * a.Dilation / a.Stride
}

// phases returns the phases of the window's elements, and the largest position of an element in
// its array. The phases of consecutive elements repeat in the same order.
func phases(a *conv.Axis) (list []phase, reach int) {
	for k := range a.Kernel {
		p, _ := split(a, k)
		if k > 0 && p == list[0] {
			break
		}
		list = append(list, p)
	}
	_, reach = split(a, a.Kernel-1)
	return list, reach
}

// runLen returns the length of the run of the given number of rows: a multiple of runStep.
func (t *tapPlan) runLen(rows int) int {
	n := (rows-1)*t.pitch + t.columns
	return (n + runStep - 1) / runStep * runStep
}

// run computes rows first to last-1 of an output plane. Rows are counted through the depth axis. It
// ends early if stop is requested.
func (t *tapPlan) run(stop parallel.Stop, out, in, weights, bias []float32, e *conv.Epilogue, scratch []float32, first, last int) {
	start := float32(0)
	if bias != nil {
		start = bias[0]
	}
	arrays, sums := scratch[:t.size-t.runLen(t.rows)], scratch[t.size-t.runLen(t.rows):t.size]
	for row := first; row < last; {
		z, y := row/t.y.Output, row%t.y.Output
		rows := min(t.rows, last-row, t.y.Output-y)
		for x := 0; x < t.x.Output; x += t.columns {
			if stop.Requested() {
				return
			}
			columns := min(t.columns, t.x.Output-x)
			t.copyTile(arrays, in, z, y, x, rows)
			t.compute(sums[:t.runLen(rows)], arrays, t.offsets, weights, start, e)
			for r := range rows {
				copy(out[(row+r)*t.x.Output+x:][:columns], sums[r*t.pitch:])
			}
		}
		row += rows
	}
}

// copyTile copies to the arrays the input that a tile of the output needs. The tile starts at
// z, y, x and has the given number of rows.
func (t *tapPlan) copyTile(arrays, in []float32, z, y, x, rows int) {
	at := 0
	for kz := range t.z.Kernel {
		iz := t.z.At(z, kz)
		for _, yPhase := range t.yPhases {
			for _, xPhase := range t.xPhases {
				to := arrays[at:][:(rows+t.yReach)*t.pitch]
				at += t.array
				if iz < 0 || iz >= t.z.Input {
					clear(to)
					continue
				}
				plane := in[iz*t.y.Input*t.x.Input:][:t.y.Input*t.x.Input]
				for r := range rows + t.yReach {
					line := to[r*t.pitch:][:t.pitch]
					iy := (y+r)*t.y.Stride + int(yPhase) - t.y.PadBegin
					if iy < 0 || iy >= t.y.Input {
						clear(line)
						continue
					}
					t.copyLine(line, plane[iy*t.x.Input:][:t.x.Input], x*t.x.Stride+int(xPhase)-t.x.PadBegin)
				}
			}
		}
	}
}

// copyLine sets line[i] to from[at + i*stride], or to zero if that is outside from.
func (t *tapPlan) copyLine(line, from []float32, at int) {
	stride := t.x.Stride
	// Elements lo to hi-1 of line are inside.
	lo, hi := 0, 0
	if at < 0 {
		lo = min((stride-1-at)/stride, len(line))
	}
	if at < len(from) {
		hi = max(min((len(from)-at+stride-1)/stride, len(line)), lo)
	} else {
		lo = 0
	}
	clear(line[:lo])
	clear(line[hi:])
	if lo == hi {
		return
	}
	from, line = from[at+lo*stride:], line[lo:hi]
	switch stride {
	case 1:
		copy(line, from)
	case 2:
		everySecond(line, from)
	default:
		for i := range line {
			line[i] = from[i*stride]
		}
	}
}

// everySecond sets out[i] to in[2*i].
func everySecond(out, in []float32) {
	done := vectorEvens(out, in)
	out, in = out[done:], in[2*done:]
	in = in[:2*len(out)-min(len(out), 1)]
	for i := range out {
		out[i] = in[2*i]
	}
}

// tapsPortable computes
//
//	out[i] = bias + sum over t of weights[t]*in[offsets[t] + i]
//
// and clamps it if e.Clamp is set. It ignores the other fields of e.
func tapsPortable(out, in []float32, offsets []int, weights []float32, bias float32, e *conv.Epilogue) {
	for i := range out {
		out[i] = bias
	}
	t := 0
	for ; t+4 <= len(offsets); t += 4 {
		w0, w1, w2, w3 := weights[t], weights[t+1], weights[t+2], weights[t+3]
		a, b := in[offsets[t]:][:len(out)], in[offsets[t+1]:][:len(out)]
		c, d := in[offsets[t+2]:][:len(out)], in[offsets[t+3]:][:len(out)]
		for i := range out {
			out[i] += w0*a[i] + w1*b[i] + w2*c[i] + w3*d[i]
		}
	}
	for ; t < len(offsets); t++ {
		w := weights[t]
		for i, v := range in[offsets[t]:][:len(out)] {
			out[i] += w * v
		}
	}
	if e.Clamp {
		conv.Clamp(out, e.Lo, e.Hi)
	}
}
