package lrn

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/reduction"
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/normalize"
)

// window describes the sum along one axis of n positions, over half positions to each side.
// before is the number of positions of the axes before it.
type window struct{ before, n, half int }

// region holds the parameters of the computation of a block.
type region struct {
	windows     []window
	scale       float64 // alpha divided by the n of the formula
	bias, power float64
}

// piece is the number of elements of a row that are computed between two checks for a stop.
const piece = 1 << 13

// prepare returns the kernel whose blocks cover all axes from the first to the last of axes. It
// sums the squares of a block axis by axis:
//
//	sums = data*data
//	for each axis a: sums[..., i, ...] = sum over k of sums[..., i+k, ...]
//	output = data / (bias + scale*sums)^beta
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	axes, known := p.Inputs[1].Ints()
	if !known {
		return nil, faults.Errorf("the axes are not known")
	}
	set := make([]bool, len(shape))
	first, last := len(shape), -1
	for _, a := range axes {
		axis := int(max(a, 0))
		if a >= int64(len(shape)) {
			return nil, faults.Errorf("axis %d is outside data of shape %v", a, shape)
		}
		set[axis] = true
		first, last = min(first, axis), max(last, axis)
	}
	g := &region{bias: at.bias, power: at.beta, scale: at.alpha}
	block := make([]bool, len(shape))
	for axis := range shape {
		block[axis] = axis >= first && axis <= last
		if !set[axis] {
			continue
		}
		g.scale /= float64(at.size)
		// A window does not extend beyond its axis.
		half := int(min(max(at.size-1, 0)/2, int64(max(shape[axis]-1, 0))))
		g.windows = append(g.windows, window{shape[first:axis].Elements(), shape[axis], half})
	}
	l := normalize.NewLayout(shape, block, p.Threads)
	if l.Rows > math.MaxInt/2 {
		return nil, faults.Errorf("data of shape %v needs more bytes than fit an int", shape)
	}
	prepared, err := normalize.Kernel(p, 0, l, normalize.Computation{F32: compute[float32](g), F64: compute[float64](g), ScratchRows: 2 * l.Rows})
	if err != nil {
		return nil, err
	}
	prepared.Flops = 4 // the square, the factor, the power and the quotient of an element
	for _, w := range g.windows {
		prepared.Flops += 2*float64(w.half) + 1
	}
	prepared.Flops *= float64(shape.Elements())
	return prepared, nil
}

// compute returns the code for a block.
func compute[T normalize.Float](g *region) func(*ops.Run, normalize.Block[T]) {
	loops := normalize.LoopsOf[T]()
	roots, quotient := vectors[T](g.power)
	return func(_ *ops.Run, b normalize.Block[T]) {
		n, meter := b.Rows*b.Cols, b.Stop.Meter()
		sums, next := b.Scratch[:n], b.Scratch[n:2*n]
		for i := range b.Rows {
			if meter.Spent(16*b.Cols + 8) {
				return
			}
			x, _ := b.Row(i)
			row := sums[i*b.Cols:][:b.Cols]
			for at := 0; at < b.Cols && !b.Stop.Requested(); at += piece {
				end := min(at+piece, b.Cols)
				loops.Multiply(row[at:end], x[at:end], x[at:end])
			}
		}
		for _, w := range g.windows {
			// n/(w.before*w.n) includes the columns of the block.
			if w.half == 0 {
				continue
			}
			sumRuns(&meter, w, loops.Add, next, sums, n/(w.before*w.n))
			sums, next = next, sums
		}
		for i := range b.Rows {
			if meter.Spent(16*b.Cols + 8) {
				return
			}
			x, out := b.Row(i)
			row := sums[i*b.Cols:][:b.Cols]
			for at := 0; at < b.Cols && !b.Stop.Requested(); at += piece {
				end := min(at+piece, b.Cols)
				out, x, sums := out[at:end], x[at:end], row[at:end]
				if roots == nil {
					divide(g, out, x, sums)
					continue
				}
				normalize.Affine(b.Stop, sums, sums, 0, T(g.scale), T(g.bias))
				if g.power < 1 {
					roots(sums, next[:len(sums)], g.power == 0.75)
				}
				quotient(out, x, sums)
			}
		}
	}
}

// vectors returns vector code for float32 and the powers 1, 0.75 and 0.5, or nil if there is
// none. roots replaces x by its square root or, if more is true, by x to the power of 0.75,
// with t as scratch memory. quotient divides.
func vectors[T normalize.Float](power float64) (roots func(x, t []T, more bool), quotient func(out, a, b []T)) {
	quotient, _ = any(vmath.Binary(vmath.Divide, vmath.Rows)).(func(out, a, b []T))
	root, _ := any(vmath.Unary(vmath.Sqrt)).(func(out, x []T))
	multiply := normalize.LoopsOf[T]().Multiply
	if quotient == nil || root == nil || power != 1 && power != 0.75 && power != 0.5 {
		return nil, nil
	}
	return func(x, t []T, more bool) {
		root(x, x)
		if more {
			root(t, x)
			multiply(x, x, t)
		}
	}, quotient
}

// sumRuns adds up runs of inner elements:
//
//	out[b,i,:] = sum of x[b,k,:] over all k from i-half to i+half in [0,n-1]
func sumRuns[T normalize.Float](meter *parallel.Meter, w window, add func(out, a, b []T), out, x []T, inner int) {
	for b := range w.before {
		out, x := out[b*w.n*inner:][:w.n*inner], x[b*w.n*inner:][:w.n*inner]
		from, to := reduceRuns(meter, w, out, x, inner)
		for i := range w.n {
			if i >= from && i < to {
				continue
			}
			lo, hi := max(i-w.half, 0), min(i+w.half, w.n-1)
			if meter.Spent(hi - lo) {
				return
			}
			if inner == 1 {
				var sum T
				for _, v := range x[lo : hi+1] {
					sum += v
				}
				out[i] = sum
				continue
			}
			sum := out[i*inner:][:inner]
			copy(sum, x[lo*inner:])
			for k := lo + 1; k <= hi; k++ {
				if meter.Spent(inner) {
					return
				}
				add(sum, sum, x[k*inner:][:inner])
			}
		}
	}
}

// maxCall is the largest number of elements that one call of package reduction adds up.
const maxCall = 1 << 22

// reduceRuns computes the runs from to to-1 of sumRuns in vector code: those whose window lies
// within x. It is only for float32; for float64, from and to are 0.
func reduceRuns[T normalize.Float](meter *parallel.Meter, w window, out, x []T, inner int) (from, to int) {
	o, ok := any(out).([]float32)
	count := 2*w.half + 1
	if !ok || w.n < count || count > maxCall/inner {
		return 0, 0
	}
	from, to = w.half, w.n-w.half
	step := maxCall / (count * inner)
	for at := from; at < to; at += step {
		n := min(step, to-at)
		if meter.Spent(n * count * inner / 8) {
			break
		}
		rows := reduction.Rows{N: inner, Count: count, Step: inner, Outputs: n, InPitch: inner, OutPitch: inner}
		if inner == 1 { // one row of many columns
			rows.N, rows.Outputs = n, 1
		}
		reduction.Sum.Reduce(o[at*inner:], any(x).([]float32)[(at-from)*inner:], nil, rows)
	}
	return from, to
}

// divide sets out to x / (bias + scale*sums)^power.
func divide[T normalize.Float](g *region, out, x, sums []T) {
	scale, bias := T(g.scale), T(g.bias)
	sums, x = sums[:len(out)], x[:len(out)]
	switch g.power {
	case 1:
		for i, s := range sums {
			out[i] = x[i] / (bias + scale*s)
		}
	case 0.75:
		for i, s := range sums {
			root := math.Sqrt(float64(bias + scale*s))
			out[i] = T(float64(x[i]) / (root * math.Sqrt(root)))
		}
	default:
		for i, s := range sums {
			out[i] = T(float64(x[i]) / math.Pow(float64(bias+scale*s), g.power))
		}
	}
}
