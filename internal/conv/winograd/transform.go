package winograd

import (
	"github.com/vinoir/vinoir/internal/conv"
)

// temporarySize is the number of elements of working memory that the transforms of a worker
// need.
const temporarySize = 2048

// weightPoints returns the interpolation points for tiles of m by m outputs, except infinity.
func weightPoints(m int) []float64 {
	if m == 2 {
		return []float64{0, 1, -1}
	}
	return []float64{0, pointA, -pointA, pointB, -pointB}
}

// weightMatrix returns G, in rows of three. The row of point p is 1, p and p², divided by the
// product of the differences between p and the other points. The last row is that of infinity.
func weightMatrix(m int) [18]float32 {
	var g [18]float32
	points := weightPoints(m)
	for i, p := range points {
		distance := 1.0
		for j, q := range points {
			if j != i {
				distance *= p - q
			}
		}
		g[3*i], g[3*i+1], g[3*i+2] = float32(1/distance), float32(p/distance), float32(p*p/distance)
	}
	g[3*len(points)+2] = 1
	return g
}

// PackedSize returns the number of elements of the transformed weights.
func (w *Plan) PackedSize() int { return w.panels * w.lanes * w.n * w.n * w.shape.In }

// PackItems returns the number of work items of Pack. They are independent of each other.
func (w *Plan) PackItems() int { return w.panels }

// Pack transforms the weights, [Out, In, depth, 3, 3], for items lo to hi-1. packed has PackedSize
// elements and must be zero before.
func (w *Plan) Pack(packed, weights []float32, lo, hi int) {
	g := weightMatrix(w.tile)
	panel, filters := w.n*w.n*w.shape.In*w.lanes, w.shape.In*9
	for p := lo; p < hi; p++ {
		first := p * w.lanes
		channels := min(w.lanes, w.shape.Out-first)
		w.packPanel(packed[p*panel:][:panel], w.inOrder(weights[first*filters:][:channels*filters]), &g, channels)
	}
}

// inOrder returns filters with their parts of 3 by 3 in the order of the channels of w.shape.
func (w *Plan) inOrder(filters []float32) []float32 {
	if w.z.Kernel == 1 {
		return filters
	}
	ordered := make([]float32, 0, len(filters))
	for o := 0; o < len(filters); o += 9 * w.shape.In {
		for c := range w.shape.In {
			ordered = append(ordered, filters[o+9*w.filterPart(c):][:9]...)
		}
	}
	return ordered
}

// filterPart returns the number of the part of a filter that belongs to a channel of w.shape.
func (w *Plan) filterPart(c int) int { return c%w.channels*w.z.Kernel + c/w.channels }

// packPanelPortable is packPanel without assembly.
func (w *Plan) packPanelPortable(u, weights []float32, g *[18]float32, channels int) {
	depth := w.shape.In
	for c := range depth {
		for o := range channels {
			filter := (*[9]float32)(weights[(o*depth+c)*9:])
			for i := range w.n {
				g0, g1, g2 := g[3*i], g[3*i+1], g[3*i+2]
				r0 := g0*filter[0] + g1*filter[3] + g2*filter[6]
				r1 := g0*filter[1] + g1*filter[4] + g2*filter[7]
				r2 := g0*filter[2] + g1*filter[5] + g2*filter[8]
				at := (i*w.n*depth+c)*w.lanes + o
				for j := range w.n {
					u[at] = g[3*j]*r0 + g[3*j+1]*r1 + g[3*j+2]*r2
					at += depth * w.lanes
				}
			}
		}
	}
}

// inputTile applies the input transform, B', in place to n elements of d that are step apart. The
// result for m = 2 is
//
//	d2-d0, d1+d2, d2-d1, d3-d1
//
// and for m = 4, with the points ±a and ±b,
//
//	d4 - (a²+b²)d2 + a²b²d0, (d4-b²d2) ± a(d3-b²d1), (d4-a²d2) ± b(d3-a²d1), d5 - (a²+b²)d3 + a²b²d1
func (t *constants) inputTile(d []float32, step, m int) {
	d0, d1, d2, d3 := d[0], d[step], d[2*step], d[3*step]
	if m == 2 {
		d[0], d[step], d[2*step], d[3*step] = d2-d0, d1+d2, d2-d1, d3-d1
		return
	}
	d4, d5 := d[4*step], d[5*step]
	a, b, aa, bb, sum, product := t.input[0], t.input[1], t.input[2], t.input[3], t.input[4], t.input[5]
	d[0] = d4 - sum*d2 + product*d0
	even, odd := d4-bb*d2, d3-bb*d1
	d[step], d[2*step] = even+a*odd, even-a*odd
	even, odd = d4-aa*d2, d3-aa*d1
	d[3*step], d[4*step] = even+b*odd, even-b*odd
	d[5*step] = d5 - sum*d3 + product*d1
}

// outputTile applies the output transform, A', to n elements of x that are step apart. The first m
// of them become the result, which for m = 2 is
//
//	x0+x1+x2, x1-x2+x3
//
// and for m = 4
//
//	x0 + (x1+x2) + (x3+x4), a(x1-x2) + b(x3-x4), a²(x1+x2) + b²(x3+x4), a³(x1-x2) + b³(x3-x4) + x5
func (t *constants) outputTile(x []float32, step, m int) {
	x0, x1, x2, x3 := x[0], x[step], x[2*step], x[3*step]
	if m == 2 {
		x[0], x[step] = x0+x1+x2, x1-x2+x3
		return
	}
	x4, x5 := x[4*step], x[5*step]
	c := &t.output
	s, d := x1+x2, x1-x2
	u, v := x3+x4, x3-x4
	x[0], x[step] = x0+s+u, c[0]*d+c[1]*v
	x[2*step], x[3*step] = c[2]*s+c[3]*u, c[4]*d+c[5]*v+x5
}

// transformInputPortable is transformInput without assembly.
func (w *Plan) transformInputPortable(v, in []float32, b block, first, last int) {
	s := &w.shape
	n := w.n
	var d [36]float32
	for c := first; c < last; c++ {
		for tile := range b.rows * b.columns {
			row, column := b.row+tile/b.columns, b.column+tile%b.columns
			plane := w.planes(in, row/w.tilesY, c, c+1)
			clear(d[:])
			for i := range n {
				y := row%w.tilesY*w.tile + i - s.Y.PadBegin
				if plane == nil || y < 0 || y >= s.Y.Input {
					continue
				}
				x := column*w.tile - s.X.PadBegin
				for j := max(0, -x); j < min(n, s.X.Input-x); j++ {
					d[i*n+j] = plane[y*s.X.Input+x+j]
				}
			}
			for j := range n {
				w.transform.inputTile(d[j:], n, w.tile)
			}
			for i := range n {
				w.transform.inputTile(d[i*n:], 1, w.tile)
				for j := range n {
					v[(i*n+j)*w.vStep+c*w.blockTiles+tile] = d[i*n+j]
				}
			}
		}
	}
}

// transformOutputPortable is transformOutput without assembly.
func (w *Plan) transformOutputPortable(y, m []float32, e *conv.Epilogue, b block, p int) {
	n, tiles, pitch := w.n, b.rows*b.columns, w.pitch(b)
	var x [36]float32
	for o := p * w.lanes; o < min((p+1)*w.lanes, w.shape.Out); o++ {
		lane := o - p*w.lanes
		bias := float32(0)
		if e.Bias != nil {
			bias = e.Bias[o]
		}
		for tile := range tiles {
			for i := range n * n {
				x[i] = m[i*w.mStep(tiles)+tile*w.lanes+lane]
			}
			for j := range n {
				w.transform.outputTile(x[j:], n, w.tile)
			}
			for i := range w.tile {
				line := x[i*n:]
				w.transform.outputTile(line, 1, w.tile)
				to := y[lane*w.yStep(b)+(tile/b.columns*w.tile+i)*pitch+tile%b.columns*w.tile:][:w.tile]
				for j := range to {
					to[j] = line[j] + bias
				}
				if e.Clamp {
					conv.Clamp(to, e.Lo, e.Hi)
				}
			}
		}
	}
}

// productPortable multiplies tiles by a panel of four output channels:
//
//	m[t*4 + o] = sum over c < depth of v[c*step + t]*u[c*4 + o]
func productPortable(tiles, depth int, v []float32, step int, u, m []float32) {
	t := 0
	for ; t+2 <= tiles; t += 2 {
		// Two tiles and four channels at a time. All checks of bounds come before the sums: between
		// them they would cost more than half of the speed, since the compiler then moves sums to
		// the stack and back.
		var a0, a1, a2, a3, b0, b1, b2, b3 float32
		at, p := t, u[:4*depth]
		for ; len(p) >= 16; p = p[16:] {
			w0, w1 := (*[2]float32)(v[at:]), (*[2]float32)(v[at+step:])
			w2, w3 := (*[2]float32)(v[at+2*step:]), (*[2]float32)(v[at+3*step:])
			q := (*[16]float32)(p)
			x, y := w0[0], w0[1]
			q0, q1 := q[0], q[1]
			a0 += q0 * x
			b0 += q0 * y
			a1 += q1 * x
			b1 += q1 * y
			q2, q3 := q[2], q[3]
			a2 += q2 * x
			b2 += q2 * y
			a3 += q3 * x
			b3 += q3 * y
			x, y = w1[0], w1[1]
			q0, q1 = q[4], q[5]
			a0 += q0 * x
			b0 += q0 * y
			a1 += q1 * x
			b1 += q1 * y
			q2, q3 = q[6], q[7]
			a2 += q2 * x
			b2 += q2 * y
			a3 += q3 * x
			b3 += q3 * y
			x, y = w2[0], w2[1]
			q0, q1 = q[8], q[9]
			a0 += q0 * x
			b0 += q0 * y
			a1 += q1 * x
			b1 += q1 * y
			q2, q3 = q[10], q[11]
			a2 += q2 * x
			b2 += q2 * y
			a3 += q3 * x
			b3 += q3 * y
			x, y = w3[0], w3[1]
			q0, q1 = q[12], q[13]
			a0 += q0 * x
			b0 += q0 * y
			a1 += q1 * x
			b1 += q1 * y
			q2, q3 = q[14], q[15]
			a2 += q2 * x
			b2 += q2 * y
			a3 += q3 * x
			b3 += q3 * y
			at += 4 * step
		}
		for ; len(p) >= 4; p = p[4:] {
			x, y := v[at], v[at+1]
			a0, a1, a2, a3 = a0+p[0]*x, a1+p[1]*x, a2+p[2]*x, a3+p[3]*x
			b0, b1, b2, b3 = b0+p[0]*y, b1+p[1]*y, b2+p[2]*y, b3+p[3]*y
			at += step
		}
		copy(m[4*t:], []float32{a0, a1, a2, a3, b0, b1, b2, b3})
	}
	if t < tiles {
		var a0, a1, a2, a3 float32
		at := t
		for p := u[:4*depth]; len(p) >= 4; p = p[4:] {
			x := v[at]
			a0, a1, a2, a3 = a0+p[0]*x, a1+p[1]*x, a2+p[2]*x, a3+p[3]*x
			at += step
		}
		copy(m[4*t:], []float32{a0, a1, a2, a3})
	}
}
