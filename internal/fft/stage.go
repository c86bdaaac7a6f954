package fft

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/parallel"
)

// run computes the stage: with a_j in row p+m*j of the source, it sets row radix*p+k of the result
// to
//
//	(sum over j of a_j * exp(-2πi*j*k/radix)) * exp(-2πi*p*k/(radix*m))
//
// A row has s*lanes elements. run returns false if it was stopped.
func (g *stage[T]) run(meter *parallel.Meter, toRe, toIm, re, im []T, lanes int) bool {
	n := g.s * lanes
	narrow, ok := any(g).(*stage[float32])
	if ok {
		if code := codeOf(g.radix, n); code != nil {
			return runCode(narrow, code, meter, cast.Slice[float32](toRe), cast.Slice[float32](toIm), cast.Slice[float32](re), cast.Slice[float32](im), n)
		}
	}
	for p := range g.m {
		if meter.Spent(n * g.radix * 4) {
			return false
		}
		from := rows[T]{re[p*n:], im[p*n:], g.m * n, n}
		to := rows[T]{toRe[g.radix*p*n:], toIm[g.radix*p*n:], n, n}
		w := p * (g.radix - 1)
		u, v := g.re[w:w+g.radix-1], g.im[w:w+g.radix-1]
		if !ok || !smallButterfly(g.radix, to.narrow(), from.narrow(), cast.Slice[float32](u), cast.Slice[float32](v)) {
			g.butterfly(to, from, u, v)
		}
	}
	return true
}

// smallButterfly computes the radices that have code of their own, for float32 alone. It returns
// false for others.
func smallButterfly(radix int, to, from rows[float32], u, v []float32) bool {
	switch radix {
	case 2:
		butterfly2(to, from, u, v)
	case 3:
		butterfly3(to, from, u, v)
	case 4:
		butterfly4(to, from, u, v)
	case 5:
		butterfly5(to, from, u, v)
	default:
		return false
	}
	return true
}

// stageCode is assembly for count steps of a stage: see stage2AVX2.
type stageCode func(toRe, toIm, re, im, u, v *float32, n, stride, count int)

// callWork is the number of elements that one call of a stageCode computes.
const callWork = 1 << 14

// runCode is stage.run with code for rows of n elements.
func runCode(g *stage[float32], code stageCode, meter *parallel.Meter, toRe, toIm, re, im []float32, n int) bool {
	size := g.radix * g.m * n
	toRe, toIm, re, im = toRe[:size], toIm[:size], re[:size], im[:size]
	each := max(callWork/(n*g.radix), 1)
	for p := 0; p < g.m; p += each {
		count := min(each, g.m-p)
		if meter.Spent(n * g.radix * count) {
			return false
		}
		to, from, w := g.radix*p*n, p*n, p*(g.radix-1)
		code(&toRe[to], &toIm[to], &re[from], &im[from], &g.re[w], &g.im[w], n, g.m*n, count)
	}
	return true
}

// rows are rows of n complex numbers, stride elements apart.
type rows[T Float] struct {
	re, im    []T
	stride, n int
}

func (r *rows[T]) row(k int) (re, im []T) {
	return r.re[k*r.stride:][:r.n], r.im[k*r.stride:][:r.n]
}

// narrow returns r, which has elements of float32.
func (r *rows[T]) narrow() rows[float32] {
	return rows[float32]{cast.Slice[float32](r.re), cast.Slice[float32](r.im), r.stride, r.n}
}

func butterfly2(to, from rows[float32], u, v []float32) {
	a, ai := from.row(0)
	b, bi := from.row(1)
	c, ci := to.row(0)
	d, di := to.row(1)
	ai, b, bi, c, ci, d, di = ai[:len(a)], b[:len(a)], bi[:len(a)], c[:len(a)], ci[:len(a)], d[:len(a)], di[:len(a)]
	u1, v1 := u[0], v[0]
	for l := range a {
		x, y := a[l]-b[l], ai[l]-bi[l]
		c[l], ci[l] = a[l]+b[l], ai[l]+bi[l]
		d[l], di[l] = x*u1-y*v1, x*v1+y*u1
	}
}

func butterfly3(to, from rows[float32], u, v []float32) {
	const h = 0.86602540378443864676372317075293618347140262690519 // sin(2π/3)
	a0, b0 := from.row(0)
	a1, b1 := from.row(1)
	a2, b2 := from.row(2)
	c0, d0 := to.row(0)
	c1, d1 := to.row(1)
	c2, d2 := to.row(2)
	n := len(a0)
	b0, a1, b1, a2, b2 = b0[:n], a1[:n], b1[:n], a2[:n], b2[:n]
	c0, d0, c1, d1, c2, d2 = c0[:n], d0[:n], c1[:n], d1[:n], c2[:n], d2[:n]
	u1, v1, u2, v2 := u[0], v[0], u[1], v[1]
	for l := range a0 {
		x, y := a1[l]+a2[l], b1[l]+b2[l]
		p, q := (a1[l]-a2[l])*h, (b1[l]-b2[l])*h
		r, s := a0[l]-x/2, b0[l]-y/2
		c0[l], d0[l] = a0[l]+x, b0[l]+y
		x, y = r+q, s-p
		c1[l], d1[l] = x*u1-y*v1, x*v1+y*u1
		x, y = r-q, s+p
		c2[l], d2[l] = x*u2-y*v2, x*v2+y*u2
	}
}

func butterfly4(to, from rows[float32], u, v []float32) {
	a0, b0 := from.row(0)
	a1, b1 := from.row(1)
	a2, b2 := from.row(2)
	a3, b3 := from.row(3)
	c0, d0 := to.row(0)
	c1, d1 := to.row(1)
	c2, d2 := to.row(2)
	c3, d3 := to.row(3)
	n := len(a0)
	b0, a1, b1, a2, b2, a3, b3 = b0[:n], a1[:n], b1[:n], a2[:n], b2[:n], a3[:n], b3[:n]
	c0, d0, c1, d1, c2, d2, c3, d3 = c0[:n], d0[:n], c1[:n], d1[:n], c2[:n], d2[:n], c3[:n], d3[:n]
	u1, v1, u2, v2, u3, v3 := u[0], v[0], u[1], v[1], u[2], v[2]
	for l := range a0 {
		x0, y0 := a0[l]+a2[l], b0[l]+b2[l]
		x1, y1 := a0[l]-a2[l], b0[l]-b2[l]
		x2, y2 := a1[l]+a3[l], b1[l]+b3[l]
		x3, y3 := a1[l]-a3[l], b1[l]-b3[l]
		c0[l], d0[l] = x0+x2, y0+y2
		x, y := x1+y3, y1-x3
		c1[l], d1[l] = x*u1-y*v1, x*v1+y*u1
		x, y = x0-x2, y0-y2
		c2[l], d2[l] = x*u2-y*v2, x*v2+y*u2
		x, y = x1-y3, y1+x3
		c3[l], d3[l] = x*u3-y*v3, x*v3+y*u3
	}
}

func butterfly5(to, from rows[float32], u, v []float32) {
	const (
		cos1 = 0.30901699437494742410229341718281905886015458990288  // cos(2π/5)
		cos2 = -0.80901699437494742410229341718281905886015458990288 // cos(4π/5)
		sin1 = 0.95105651629515357211643933337938214340569863412575  // sin(2π/5)
		sin2 = 0.58778525229247312916870595463907276859765243764314  // sin(4π/5)
	)
	a0, b0 := from.row(0)
	a1, b1 := from.row(1)
	a2, b2 := from.row(2)
	a3, b3 := from.row(3)
	a4, b4 := from.row(4)
	c0, d0 := to.row(0)
	c1, d1 := to.row(1)
	c2, d2 := to.row(2)
	c3, d3 := to.row(3)
	c4, d4 := to.row(4)
	for l := range a0 {
		x1, y1 := a1[l]+a4[l], b1[l]+b4[l]
		x2, y2 := a2[l]+a3[l], b2[l]+b3[l]
		p1, q1 := a1[l]-a4[l], b1[l]-b4[l]
		p2, q2 := a2[l]-a3[l], b2[l]-b3[l]
		c0[l], d0[l] = a0[l]+x1+x2, b0[l]+y1+y2
		r1, s1 := a0[l]+cos1*x1+cos2*x2, b0[l]+cos1*y1+cos2*y2
		r2, s2 := a0[l]+cos2*x1+cos1*x2, b0[l]+cos2*y1+cos1*y2
		e1, f1 := sin1*q1+sin2*q2, sin1*p1+sin2*p2
		e2, f2 := sin2*q1-sin1*q2, sin2*p1-sin1*p2
		x, y := r1+e1, s1-f1
		c1[l], d1[l] = x*u[0]-y*v[0], x*v[0]+y*u[0]
		x, y = r2+e2, s2-f2
		c2[l], d2[l] = x*u[1]-y*v[1], x*v[1]+y*u[1]
		x, y = r2-e2, s2+f2
		c3[l], d3[l] = x*u[2]-y*v[2], x*v[2]+y*u[2]
		x, y = r1-e1, s1+f1
		c4[l], d4[l] = x*u[3]-y*v[3], x*v[3]+y*u[3]
	}
}

// butterfly computes the definition. It is for the radices from 7 on, and for all of float64.
func (g *stage[T]) butterfly(to, from rows[T], u, v []T) {
	for k := range g.radix {
		c, d := to.row(k)
		a, b := from.row(0)
		copy(c, a)
		copy(d, b)
		for j := 1; j < g.radix; j++ {
			a, b := from.row(j)
			cos, sin := g.cos[j*k%g.radix], g.sin[j*k%g.radix]
			for l, x := range a {
				y := b[l]
				c[l], d[l] = c[l]+(x*cos-y*sin), d[l]+(x*sin+y*cos)
			}
		}
		if k > 0 {
			rotate(c, d, c, d, u[k-1], v[k-1])
		}
	}
}
