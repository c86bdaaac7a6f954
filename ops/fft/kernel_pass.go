package fft

import (
	"github.com/vinoir/vinoir/internal/fft"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops"
)

// transform is a pass with its tables. It copies some lanes to planes, transforms them and copies
// the result to its place.
type transform struct {
	pass
	plan *fft.Plan[float32]
	real *fft.Real[float32] // instead of plan, for the kinds from and to real numbers

	src, dst func(*ops.Run) []float32
	step     ops.Step // run for all items
	scale    float32
	rows     int // of the planes
	// lanes is the number of lanes of an item; the last item can have less. If adjacent is true, an
	// item has lanes with the same index before the axis, and each of these has a number of blocks.
	lanes, blocks int
	adjacent      bool
	planes, work  ops.Area[float32] // of each worker
}

// run transforms items lo to hi-1.
func (x *transform) run(r *ops.Run, worker, lo, hi int) error {
	src, dst, planes, work := x.src(r), x.dst(r), x.planes.Of(r, worker), x.work.Of(r, worker)
	for item := lo; item < hi; item++ {
		if r.Stop.Requested() {
			return parallel.ErrStopped
		}
		x.compute(r.Stop, dst, src, planes, work, item)
	}
	return nil
}

func (x *transform) compute(stop parallel.Stop, dst, src, planes, work []float32, item int) {
	l := lanes{first: item * x.lanes, n: min(x.lanes, x.Outer*x.Inner-item*x.lanes), inner: x.Inner}
	if x.adjacent {
		first := item % x.blocks * x.lanes
		l = lanes{first: item/x.blocks*x.Inner + first, n: min(x.lanes, x.Inner-first), inner: x.Inner, adjacent: true}
	}
	size := x.rows * l.n
	re, im := planes[:size], planes[size:2*size]
	if x.kind == realForward {
		x.loadReal(stop, re, im, src, l)
		re, im = x.real.Forward(stop, re, im, work, l.n)
		x.storePairs(stop, dst, re, im, l)
		return
	}
	x.loadPairs(stop, re, im, src, l)
	switch x.kind {
	case complexForward:
		re, im = x.plan.Transform(stop, re, im, work, l.n)
	case complexInverse:
		im, re = x.plan.Transform(stop, im, re, work, l.n)
	default:
		re, im = x.real.Inverse(stop, re, im, work, l.n)
		x.storeReal(stop, dst, re, im, l)
		return
	}
	x.storePairs(stop, dst, re, im, l)
}

// lanes are the lanes of an item.
type lanes struct {
	first, n, inner int
	adjacent        bool
}

// start returns where a lane of the given length starts in the tensor.
func (l *lanes) start(length, lane int) int {
	return index.Lines{Length: length, Inner: l.inner}.Start(lane)
}

// each calls f for runs of elements along the axis or across it: count elements, which are step
// elements apart in the tensor and to elements apart in the planes, starting at element at of the
// tensor and element start of the planes. The first rows elements of the axis, whose length is
// length, are visited.
func (l *lanes) each(stop parallel.Stop, length, rows int, f func(at, step, start, to, count int)) {
	meter := stop.Meter()
	if l.adjacent {
		base := l.start(length, l.first)
		for j := range rows {
			if meter.Spent(4 * l.n) {
				return
			}
			f(base+j*l.inner, 1, j*l.n, 1, l.n)
		}
		return
	}
	for i := range l.n {
		lane := l.first + i
		base := l.start(length, lane)
		for j := 0; j < rows; j += runLen {
			n := min(runLen, rows-j)
			if meter.Spent(4 * n) {
				return
			}
			f(base+j*l.inner, l.inner, j*l.n+i, l.n, n)
		}
	}
}

// runLen is the greatest number of elements that are copied between two checks.
const runLen = 1 << 12

// split calls fft.Split for pieces of the lanes. n is the number of real numbers of a lane.
func (l *lanes) split(stop parallel.Stop, re, im, src []float32, distance, n int) {
	meter := stop.Meter()
	for j := 0; j < n && !meter.Spent(2*l.n*min(runLen, n-j)); j += runLen {
		row := j / 2 * l.n
		fft.Split(re[row:], im[row:], l.n, src[j:], distance, min(runLen, n-j))
	}
}

// join calls fft.Join for pieces of the lanes.
func (l *lanes) join(stop parallel.Stop, dst []float32, distance int, re, im []float32, n int, scale float32) {
	meter := stop.Meter()
	for j := 0; j < n && !meter.Spent(2*l.n*min(runLen, n-j)); j += runLen {
		row := j / 2 * l.n
		fft.Join(dst[j:], distance, re[row:], im[row:], l.n, min(runLen, n-j), scale)
	}
}

// loadPairs copies complex numbers to the planes, and pads them with zeros.
func (x *transform) loadPairs(stop parallel.Stop, re, im, src []float32, l lanes) {
	rows := x.rows
	if x.kind == realInverse {
		rows = x.n/2 + 1
	}
	rows = min(rows, x.Length)
	parallel.Clear(stop, re[rows*l.n:])
	parallel.Clear(stop, im[rows*l.n:])
	if x.Inner == 1 {
		l.split(stop, re, im, src[2*l.first*x.Length:], 2*x.Length, 2*rows)
		return
	}
	l.each(stop, x.Length, rows, func(at, step, start, to, count int) {
		if step == 1 && to == 1 {
			s, re, im := src[2*at:][:2*count], re[start:][:count], im[start:][:count]
			for i := range re {
				re[i], im[i] = s[2*i], s[2*i+1]
			}
			return
		}
		for range count {
			s := src[2*at:][:2]
			re[start], im[start] = s[0], s[1]
			at, start = at+step, start+to
		}
	})
}

// storePairs copies the first rows of the planes to complex numbers.
func (x *transform) storePairs(stop parallel.Stop, dst, re, im []float32, l lanes) {
	scale := x.scale
	if x.Inner == 1 {
		l.join(stop, dst[2*l.first*x.to:], 2*x.to, re, im, 2*x.to, scale)
		return
	}
	l.each(stop, x.to, x.to, func(at, step, start, to, count int) {
		if step == 1 && to == 1 {
			d, re, im := dst[2*at:][:2*count], re[start:][:count], im[start:][:count]
			for i := range re {
				d[2*i], d[2*i+1] = re[i]*scale, im[i]*scale
			}
			return
		}
		for range count {
			d := dst[2*at:][:2]
			d[0], d[1] = re[start]*scale, im[start]*scale
			at, start = at+step, start+to
		}
	})
}

// loadReal copies real numbers to the planes, in the order that the transform needs, and pads them
// with zeros.
func (x *transform) loadReal(stop parallel.Stop, re, im, src []float32, l lanes) {
	n := min(x.n, x.Length)
	parallel.Clear(stop, re[n/2*l.n:])
	parallel.Clear(stop, im[n/2*l.n:])
	if x.real.Packed() && x.Inner == 1 {
		l.split(stop, re, im, src[l.first*x.Length:], x.Length, n)
		return
	}
	if !x.real.Packed() {
		parallel.Clear(stop, im)
		parallel.Clear(stop, re)
	}
	x.eachReal(stop, x.Length, n, re, im, l, func(plane []float32, at, step, start, to, count int) {
		for range count {
			plane[start] = src[at]
			at, start = at+step, start+to
		}
	})
}

// storeReal copies real numbers from the planes.
func (x *transform) storeReal(stop parallel.Stop, dst, re, im []float32, l lanes) {
	scale := x.scale
	if x.real.Packed() && x.Inner == 1 {
		l.join(stop, dst[l.first*x.to:], x.to, re, im, x.to, scale)
		return
	}
	x.eachReal(stop, x.to, x.to, re, im, l, func(plane []float32, at, step, start, to, count int) {
		for range count {
			dst[at] = plane[start] * scale
			at, start = at+step, start+to
		}
	})
}

// eachReal is lanes.each for the first n real numbers along an axis. Even and odd ones are in
// different planes if the transform packs them.
func (x *transform) eachReal(stop parallel.Stop, length, n int, re, im []float32, l lanes, f func(plane []float32, at, step, start, to, count int)) {
	if !x.real.Packed() {
		l.each(stop, length, n, func(at, step, start, to, count int) { f(re, at, step, start, to, count) })
		return
	}
	meter := stop.Meter()
	for i := range l.n {
		lane := l.first + i
		base := l.start(length, lane)
		for j := 0; j < n; j += 2 * runLen {
			count := min(2*runLen, n-j)
			if meter.Spent(4 * count) {
				return
			}
			f(re, base+j*l.inner, 2*l.inner, j/2*l.n+i, l.n, (count+1)/2)
			f(im, base+(j+1)*l.inner, 2*l.inner, j/2*l.n+i, l.n, count/2)
		}
	}
}
