package einsum

import (
	"cmp"
	"slices"
	"sort"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops"
)

// loop is a label of a product c = a*b. a, b and c are the strides along it; 0 if the operand does
// not have the label.
type loop struct{ label, n, a, b, c int }

// loops returns the labels of a product. b can be nil.
func loops(c, a, b *operand) []loop {
	if b == nil {
		b = &operand{}
	}
	all := union(a, b)
	list := make([]loop, len(all))
	for i, x := range all {
		list[i] = loop{x.label, x.n, a.stride(x.label), b.stride(x.label), c.stride(x.label)}
	}
	return list
}

// walker adds up products one by one:
//
//	c[outer, inner] = sum over sums of a[outer, inner, sums] * b[outer, inner, sums]
//
// inner is one of the sums if its stride in c is 0.
type walker struct {
	*program
	c, a, b     int // buffers; b is -1 if there is no b
	outer, sums []loop
	terms       int // the number of elements of sums
	inner       loop
	blocks      int // the number of pieces that inner is divided into, if it is in the output
}

// blockLen is the greatest number of elements of a piece of the inner loop. It is short enough for
// partial sums in float32.
const blockLen = 1 << 12

// walk adds a step that computes c from a and, unless it is nil, b.
func (g *program) walk(c, a, b *operand) {
	w := &walker{program: g, c: c.buffer, a: a.buffer, b: -1, terms: 1, inner: loop{n: 1}, blocks: 1}
	if b != nil {
		w.b = b.buffer
	}
	list := merge(loops(c, a, b))
	if len(list) > 0 {
		i := innermost(list)
		w.inner = list[i]
		list = slices.Delete(list, i, i+1)
	}
	work, items := w.inner.n, 1
	for _, l := range list {
		if l.c == 0 {
			w.sums = append(w.sums, l)
			w.terms *= l.n
			continue
		}
		w.outer = append(w.outer, l)
		items *= l.n
	}
	if w.inner.c != 0 {
		w.blocks = (w.inner.n + blockLen - 1) / blockLen
		work = min(work, blockLen)
	}
	g.flops += 2 * float64(items) * float64(w.terms) * float64(w.inner.n)
	items *= w.blocks
	grain := ops.Grain(float64(work) * float64(w.terms) / 2)
	g.steps = append(g.steps, ops.Step{N: items, Grain: grain, Part: w.arithmetic.walker(w), Whole: true})
}

// merge sorts the loops, the longest strides first, and merges those that all operands can walk as
// one.
func merge(list []loop) []loop {
	// Unlike slices.SortStableFunc, sort.SliceStable has no instance of its own for each type.
	sort.SliceStable(list, func(i, j int) bool {
		x, y := &list[i], &list[j]
		return cmp.Or(cmp.Compare(y.c, x.c), cmp.Compare(y.a, x.a), cmp.Compare(y.b, x.b)) < 0
	})
	var merged []loop
	for _, l := range list {
		if k := len(merged) - 1; k >= 0 {
			if m := &merged[k]; m.a == l.a*l.n && m.b == l.b*l.n && m.c == l.c*l.n {
				m.n, m.a, m.b, m.c = m.n*l.n, l.a, l.b, l.c
				continue
			}
		}
		merged = append(merged, l)
	}
	return merged
}

// innermost returns the index of the loop that is the best innermost one: long, and with adjacent
// elements.
func innermost(list []loop) int {
	score := func(l loop) int {
		s := min(l.n, 64)
		for _, stride := range []int{l.a, l.b, l.c} {
			if stride > 1 {
				s /= 4
			}
		}
		return s
	}
	best := len(list) - 1
	for i := range list {
		if score(list[i]) > score(list[best]) {
			best = i
		}
	}
	return best
}

// walker returns the part that computes the items of w.
func (k numbers[T]) walker(w *walker) ops.Part {
	return func(r *ops.Run, lo, hi int) error { return k.walk(r, w, lo, hi) }
}

func (k numbers[T]) walk(r *ops.Run, w *walker, lo, hi int) error {
	c, a := k.of(w.program, r, w.c), k.of(w.program, r, w.a)
	var b []T
	if w.b >= 0 {
		b = k.of(w.program, r, w.b)
	}
	meter := r.Stop.Meter()
	for ; lo < hi; lo++ {
		block := lo % w.blocks
		atA, atB, atC := offsets(w.outer, lo/w.blocks)
		from := 0
		n := w.inner.n
		if w.inner.c != 0 {
			from = block * blockLen
			n = min(n-from, blockLen)
		}
		atA, atB, atC = atA+from*w.inner.a, atB+from*w.inner.b, atC+from*w.inner.c
		var total sum[T]
		for term := range w.terms {
			if meter.Spent(n + 8) {
				return parallel.ErrStopped
			}
			x, y, _ := offsets(w.sums, term)
			switch {
			case w.inner.c == 0 && b == nil:
				total.addElements(&meter, a[atA+x:], w.inner.a, n)
			case w.inner.c == 0:
				total.addProducts(&meter, a[atA+x:], b[atB+y:], w.inner.a, w.inner.b, n)
			case b == nil:
				addRow(c[atC:], a[atA+x:], w.inner.c, w.inner.a, n, term == 0)
			default:
				addProductRow(c[atC:], a[atA+x:], b[atB+y:], w.inner, n, term == 0)
			}
		}
		if w.inner.c == 0 {
			c[atC] = total.value()
		}
	}
	return nil
}

// offsets returns the positions of item i of nested loops in each operand.
func offsets(list []loop, i int) (a, b, c int) {
	for k := len(list) - 1; k >= 0; k-- {
		l := &list[k]
		at := i
		if k > 0 {
			at, i = i%l.n, i/l.n
		}
		a, b, c = a+at*l.a, b+at*l.b, c+at*l.c
	}
	return a, b, c
}

// sum is a sum of many elements. Floating-point numbers are added as float64, in pieces that are
// added as T.
type sum[T number] struct {
	whole T
	wide  float64
}

func (s *sum[T]) add(x T) {
	s.whole += x
	s.wide += float64(x)
}

func (s *sum[T]) value() T {
	if isFloat[T]() {
		return T(s.wide)
	}
	return s.whole
}

func isFloat[T number]() bool {
	half := 0.5
	return T(half) != 0
}

// addElements adds n elements of a, which are stride elements apart.
func (s *sum[T]) addElements(meter *parallel.Meter, a []T, stride, n int) {
	for n > 0 && !meter.Spent(min(n, blockLen)) {
		k := min(n, blockLen)
		var s0, s1, s2, s3 T
		i := 0
		if stride == 1 {
			x := a[:k]
			for ; i+4 <= len(x); i += 4 {
				s0, s1, s2, s3 = s0+x[i], s1+x[i+1], s2+x[i+2], s3+x[i+3]
			}
		}
		for ; i < k; i++ {
			s0 += a[i*stride]
		}
		s.add((s0 + s1) + (s2 + s3))
		if n -= k; n > 0 {
			a = a[k*stride:]
		}
	}
}

// addProducts adds n products of elements of a and b.
func (s *sum[T]) addProducts(meter *parallel.Meter, a, b []T, strideA, strideB, n int) {
	for n > 0 && !meter.Spent(min(n, blockLen)) {
		k := min(n, blockLen)
		if x, ok := any(a).([]float32); ok && strideA == 1 && strideB == 1 {
			var c [1]float32
			y := cast.Slice[float32](b[:k])
			gemm.Row(nil, c[:], x[:k], gemm.Matrix[float32]{Data: y, RowStride: 1, ColStride: k}, 0, 1)
			s.add(T(c[0]))
		} else {
			var x T
			for i := range k {
				x += a[i*strideA] * b[i*strideB]
			}
			s.add(x)
		}
		if n -= k; n > 0 {
			a, b = a[k*strideA:], b[k*strideB:]
		}
	}
}

// addRow adds n elements of a to c, or sets c to them.
func addRow[T number](c, a []T, strideC, strideA, n int, set bool) {
	switch {
	case set && strideC == 1 && strideA == 1:
		copy(c[:n], a[:n])
	case set:
		for i := range n {
			c[i*strideC] = a[i*strideA]
		}
	case strideC == 1 && strideA == 1:
		c, a = c[:n], a[:n]
		for i, x := range a {
			c[i] += x
		}
	default:
		for i := range n {
			c[i*strideC] += a[i*strideA]
		}
	}
}

// addProductRow adds n products to c, or sets c to them.
func addProductRow[T number](c, a, b []T, l loop, n int, set bool) {
	if l.a == 0 {
		a, b = b, a
		l.a, l.b = l.b, l.a
	}
	adjacent := l.c == 1 && l.a == 1
	switch {
	case adjacent && l.b == 0 && set:
		c, a, y := c[:n], a[:n], b[0]
		for i, x := range a {
			c[i] = x * y
		}
	case adjacent && l.b == 0:
		c, a, y := c[:n], a[:n], b[0]
		for i, x := range a {
			c[i] += x * y
		}
	case adjacent && l.b == 1 && set:
		c, a, b := c[:n], a[:n], b[:n]
		for i, x := range a {
			c[i] = x * b[i]
		}
	case adjacent && l.b == 1:
		c, a, b := c[:n], a[:n], b[:n]
		for i, x := range a {
			c[i] += x * b[i]
		}
	case set:
		for i := range n {
			c[i*l.c] = a[i*l.a] * b[i*l.b]
		}
	default:
		for i := range n {
			c[i*l.c] += a[i*l.a] * b[i*l.b]
		}
	}
}
