package activation

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// A loop sets out[i] to f(data[i]) with the parameters a and b. out may be data.
type loop[T cast.Float] func(out, data []T, a, b T)

func prepare(p *ops.Preparation, f function) (*ops.Prepared, error) {
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	for i := range p.Inputs {
		if p.Inputs[i].Type != p.Inputs[0].Type {
			return nil, faults.Errorf("input %d is %v, data is %v", i, p.Inputs[i].Type, p.Inputs[0].Type)
		}
		if s := p.Inputs[i].Shape; i > 0 && s.Elements() != ir.Dim(1) {
			return nil, faults.Errorf("input %d has shape %v, not one element", i, s)
		}
	}
	n := shape.Elements()
	switch p.Inputs[0].Type {
	case ir.F32:
		return floatKernel(p, n, loopOf[float32](f)), nil
	case ir.F64:
		return floatKernel(p, n, loopOf[float64](f)), nil
	}
	l := loopOf[float32](f)
	return widened.Elementwise(p, widened.Find(widened.Rounded, p.Inputs[0].Type), n, 2, func(out, x, parameters []byte) {
		a, b, given := float32(1), float32(1), cast.Bytes[float32](parameters)
		if len(given) > 0 {
			a = given[0]
		}
		if len(given) > 1 {
			b = given[1]
		}
		l(cast.Bytes[float32](out), cast.Bytes[float32](x), a, b)
	}), nil
}

func floatKernel[T interface {
	cast.Float
	ir.Element
}](p *ops.Preparation, n int, l loop[T]) *ops.Prepared {
	return ops.Elementwise(p, n, ops.Grain(2), func(r *ops.Run, x []T, at int) error {
		a, b := T(1), T(1)
		if len(p.Inputs) > 1 {
			a = ir.Data[T](r.Inputs[1])[0]
		}
		if len(p.Inputs) > 2 {
			b = ir.Data[T](r.Inputs[2])[0]
		}
		l(x, ir.Data[T](r.Inputs[0])[at:at+len(x)], a, b)
		return nil
	})
}

func loopOf[T cast.Float](f function) loop[T] {
	if l := vectorLoop[T](f); l != nil {
		return l
	}
	switch f {
	case hardSigmoid:
		return hardSigmoidLoop[T]
	case selu:
		return seluLoop[T]
	}
	return swishLoop[T]
}

// vectorLoop returns the vector code of a function; nil if T is not float32 or if there is no such
// code.
func vectorLoop[T cast.Float](f function) loop[T] {
	v := [...]vmath.UnaryFunction{hardSigmoid: vmath.HardSigmoid, selu: vmath.Selu, swish: vmath.Swish}[f]
	code := vmath.UnaryWith(v)
	if code == nil {
		return nil
	}
	same, _ := any(loop[float32](code)).(loop[T])
	return same
}

// hardSigmoidLoop keeps NaN.
func hardSigmoidLoop[T cast.Float](out, data []T, alpha, beta T) {
	data = data[:len(out)]
	for i, x := range data {
		y := alpha*x + beta
		if y < 0 {
			y = 0
		} else if y > 1 {
			y = 1
		}
		out[i] = y
	}
}

// seluLoop computes exp(x)-1 in float64 with Expm1, which avoids cancellation near 0.
func seluLoop[T cast.Float](out, data []T, alpha, lambda T) {
	data = data[:len(out)]
	for i, x := range data {
		if !(x > 0) {
			x = T(float64(alpha) * math.Expm1(float64(x)))
		}
		out[i] = lambda * x
	}
}

func swishLoop[T cast.Float](out, data []T, beta, _ T) {
	data = data[:len(out)]
	for i, x := range data {
		out[i] = T(float64(x) / (1 + math.Exp(-float64(beta*x))))
	}
}
