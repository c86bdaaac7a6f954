package activation

import (
	"fmt"
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

type float interface{ float32 | float64 }

// A loop sets out[i] to f(data[i]) with the parameters a and b, of one element each.
// out may be data. scratch is as long and holds anything.
type loop[T float] func(out, data, scratch, a, b []T)

// grain is the number of elements below which a part is not worth another thread,
// block the number that are computed at a time.
const (
	grain = 1 << 13
	block = 1024
)

func prepare(p *ops.Preparation, f function) (ops.Kernel, error) {
	shape, err := p.Outputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	for i := range p.Inputs {
		if p.Inputs[i].Type != p.Inputs[0].Type {
			return nil, fmt.Errorf("input %d is %v, data is %v", i, p.Inputs[i].Type, p.Inputs[0].Type)
		}
		if s := p.Inputs[i].Shape; i > 0 && s.Elements() != ir.Dim(1) {
			return nil, fmt.Errorf("input %d has shape %v, not one element", i, s)
		}
	}
	n := shape.Elements()
	switch p.Inputs[0].Type {
	case ir.F32:
		return floatKernel(p, n, loopOf[float32](f)), nil
	case ir.F64:
		return floatKernel(p, n, loopOf[float64](f)), nil
	case ir.F16, ir.BF16:
		return halfKernel(p, n, loopOf[float32](f)), nil
	}
	return nil, fmt.Errorf("element type %v is not computed", p.Inputs[0].Type)
}

// shares cuts n elements into one share a worker, each of which has scratch memory
// of its own.
type shares struct {
	n, workers int
}

func sharesOf(p *ops.Preparation, n int) shares {
	return shares{n, max(min(p.Threads, n/grain), 1)}
}

// start returns where the share of a worker starts.
func (s shares) start(worker int) int {
	return s.n/s.workers*worker + min(worker, s.n%s.workers)
}

func floatKernel[T interface {
	float
	ir.Element
}](p *ops.Preparation, n int, l loop[T]) ops.Kernel {
	s, size := sharesOf(p, n), block*p.Inputs[0].Type.Size()
	p.ScratchBytes = s.workers * size
	one := []T{1}
	part := func(r *ops.Run, lo, hi int) error {
		scratch := cast.Bytes[T](r.Scratch[lo*size:])[:block]
		a, b := one, one
		if len(r.Inputs) > 1 {
			a = ir.Data[T](r.Inputs[1])
		}
		if len(r.Inputs) > 2 {
			b = ir.Data[T](r.Inputs[2])
		}
		data, out := ir.Data[T](r.Inputs[0]), ir.Data[T](r.Outputs[0])
		for i, end := s.start(lo), s.start(hi); i < end; i += block {
			to := min(i+block, end)
			l(out[i:to], data[i:to], scratch[:to-i], a, b)
		}
		return nil
	}
	return func(r *ops.Run) error { return r.For(s.workers, 1, part) }
}

func loopOf[T float](f function) loop[T] {
	switch f {
	case hardSigmoid:
		return hardSigmoidLoop[T]
	case selu:
		return seluLoop[T]
	}
	if l := vectorSwish[T](); l != nil {
		return l
	}
	return swishLoop[T]
}

// hardSigmoidLoop leaves NaN as it is.
func hardSigmoidLoop[T float](out, data, _, alpha, beta []T) {
	data = data[:len(out)]
	a, b := alpha[0], beta[0]
	for i, x := range data {
		y := a*x + b
		if y < 0 {
			y = 0
		} else if y > 1 {
			y = 1
		}
		out[i] = y
	}
}

// seluLoop computes exp(x)-1 in float64, without the cancellation near 0.
func seluLoop[T float](out, data, _, alpha, lambda []T) {
	data = data[:len(out)]
	for i, x := range data {
		if !(x > 0) {
			x = T(float64(alpha[0]) * math.Expm1(float64(x)))
		}
		out[i] = lambda[0] * x
	}
}

func swishLoop[T float](out, data, _, beta, _ []T) {
	data = data[:len(out)]
	for i, x := range data {
		out[i] = T(float64(x) / (1 + math.Exp(-float64(beta[0]*x))))
	}
}

// vectorSwish returns Swish in vector code; nil where T is not float32, or there is
// none.
func vectorSwish[T float]() loop[T] {
	sigmoid, scale, multiply := vmath.Unary(vmath.Sigmoid), vmath.Binary(vmath.Multiply, vmath.ScalarB), vmath.Binary(vmath.Multiply, vmath.Rows)
	if sigmoid == nil || scale == nil || multiply == nil {
		return nil
	}
	var l loop[float32] = func(out, data, scratch, beta, _ []float32) {
		scale(scratch, data, beta)
		sigmoid(scratch, scratch)
		multiply(out, data, scratch)
	}
	same, _ := any(l).(loop[T])
	return same
}
