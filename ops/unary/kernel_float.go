package unary

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// floatKernel returns the kernel for floats; nil if the function has none.
func floatKernel[T interface {
	cast.Float
	ir.Element
}](p *ops.Preparation, at attributes, n int) *ops.Prepared {
	switch at.f {
	case isFinite:
		return loopKernel(p, n, isFiniteLoop[T])
	case isInf:
		return loopKernel(p, n, isInfLoop[T](at))
	case isNaN:
		return loopKernel(p, n, isNaNLoop[T])
	}
	if l := floatLoop[T](at); l != nil {
		return loopKernel(p, n, l)
	}
	return nil
}

// floatLoop returns the loop of a function whose results are floats; nil for all other functions.
func floatLoop[T cast.Float](at attributes) loop[T, T] {
	if l := vectorLoop[T](at); l != nil {
		return l
	}
	switch at.f {
	case abs:
		return absLoop[T]
	case negative:
		return negativeLoop[T]
	case relu:
		return reluLoop[T]
	case sqrt:
		return sqrtLoop[T]
	case floor:
		return floorLoop[T]
	case ceiling:
		return ceilingLoop[T]
	case sign:
		return each(signOf[T])
	case clamp:
		return clampLoop(T(at.min), T(at.max))
	case elu:
		return eluLoop[T](at.alpha)
	case roundHalfToEven:
		return each(func(x T) T { return T(math.RoundToEven(float64(x))) })
	case roundHalfAway:
		return each(func(x T) T { return T(math.Round(float64(x))) })
	case hSigmoid:
		return each(hSigmoidOf[T])
	case hSwish:
		return each(func(x T) T { return x * hSigmoidOf(x) })
	}
	if g := real64(at.f); g != nil {
		return each(func(x T) T { return T(g(float64(x))) })
	}
	return nil
}

// hSigmoidOf multiplies by 1/6, as the vector code does, so that the results are those of every
// processor, bit by bit.
func hSigmoidOf[T cast.Float](x T) T { return min(max(x+3, 0), 6) * T(1./6) }

// vectorLoop returns the vector code of a function; nil if T is not float32 or if there is no such
// code.
func vectorLoop[T cast.Float](at attributes) loop[T, T] {
	code := vectorCode(at)
	if code == nil {
		return nil
	}
	same, _ := any(code).(loop[T, T])
	return same
}

func vectorCode(at attributes) loop[float32, float32] {
	switch at.f {
	case clamp:
		return vmath.Unary(vmath.Clamp, float32(at.min), float32(at.max))
	case elu:
		return vmath.Unary(vmath.Elu, float32(at.alpha))
	case cos:
		return checkedCode(vmath.Cos)
	case sin:
		return checkedCode(vmath.Sin)
	}
	if v, ok := vectors[at.f]; ok {
		return vmath.Unary(v)
	}
	return nil
}

func checkedCode(f vmath.CheckedFunction) loop[float32, float32] {
	code := vmath.Checked(f)
	if code == nil {
		return nil
	}
	return func(out, data []float32) { code(out, data, data) }
}

// vectors holds the functions without parameters that have vector code.
var vectors = map[function]vmath.UnaryFunction{
	abs:             vmath.Abs,
	ceiling:         vmath.Ceiling,
	erf:             vmath.Erf,
	exp:             vmath.Exp,
	floor:           vmath.Floor,
	geluErf:         vmath.GeluErf,
	geluTanh:        vmath.GeluTanh,
	hSigmoid:        vmath.HSigmoid,
	hSwish:          vmath.HSwish,
	log:             vmath.Log,
	mish:            vmath.Mish,
	negative:        vmath.Negative,
	relu:            vmath.Relu,
	roundHalfAway:   vmath.RoundHalfAway,
	roundHalfToEven: vmath.RoundHalfToEven,
	sigmoid:         vmath.Sigmoid,
	sign:            vmath.Sign,
	softPlus:        vmath.SoftPlus,
	softSign:        vmath.SoftSign,
	sqrt:            vmath.Sqrt,
	tanh:            vmath.Tanh,
}

// real64 returns a function that is computed in float64; nil for the functions with their own
// loops.
func real64(f function) func(float64) float64 {
	switch f {
	case acos:
		return math.Acos
	case acosh:
		return math.Acosh
	case asin:
		return math.Asin
	case asinh:
		return math.Asinh
	case atan:
		return math.Atan
	case atanh:
		return math.Atanh
	case cos:
		return math.Cos
	case cosh:
		return math.Cosh
	case erf:
		return math.Erf
	case erfInv:
		return math.Erfinv
	case exp:
		return math.Exp
	case geluErf:
		return func(x float64) float64 { return x * math.Erfc(-x/math.Sqrt2) / 2 }
	case geluTanh:
		return geluTanhOf
	case log:
		return math.Log
	case mish:
		return func(x float64) float64 { return x * math.Tanh(softPlusOf(x)) }
	case sigmoid:
		return func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	case sin:
		return math.Sin
	case sinh:
		return math.Sinh
	case softPlus:
		return softPlusOf
	case softSign:
		return func(x float64) float64 { return x / (1 + math.Abs(x)) }
	case sqrt:
		return math.Sqrt
	case tan:
		return math.Tan
	case tanh:
		return math.Tanh
	}
	return nil
}

// softPlusOf returns ln(exp(x)+1). It avoids the overflow of exp.
func softPlusOf(x float64) float64 {
	return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}

// geluTanhOf returns x*Sigmoid(2*y), which equals x*(1+tanh(y))/2 but avoids cancellation.
func geluTanhOf(x float64) float64 {
	y := math.Sqrt(2/math.Pi) * (x + 0.044715*x*x*x)
	return x * (1 / (1 + math.Exp(-2*y)))
}

func signOf[T cast.Float](x T) T {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x // 0, -0 and NaN
}

func absLoop[T cast.Float](out, data []T) {
	data = data[:len(out)]
	for i, x := range data {
		out[i] = T(math.Abs(float64(x)))
	}
}

func negativeLoop[T cast.Float](out, data []T) {
	data = data[:len(out)]
	for i, x := range data {
		out[i] = -x
	}
}

// reluLoop returns 0 for NaN, as OpenVINO does.
func reluLoop[T cast.Float](out, data []T) {
	data = data[:len(out)]
	for i, x := range data {
		if !(x > 0) {
			x = 0
		}
		out[i] = x
	}
}

func sqrtLoop[T cast.Float](out, data []T) {
	data = data[:len(out)]
	for i, x := range data {
		out[i] = T(math.Sqrt(float64(x)))
	}
}

func floorLoop[T cast.Float](out, data []T) {
	data = data[:len(out)]
	for i, x := range data {
		out[i] = T(math.Floor(float64(x)))
	}
}

func ceilingLoop[T cast.Float](out, data []T) {
	data = data[:len(out)]
	for i, x := range data {
		out[i] = T(math.Ceil(float64(x)))
	}
}

func isFiniteLoop[T cast.Float](out []bool, data []T) {
	data = data[:len(out)]
	for i, x := range data {
		out[i] = x-x == 0
	}
}

func isNaNLoop[T cast.Float](out []bool, data []T) {
	data = data[:len(out)]
	for i, x := range data {
		out[i] = x != x
	}
}

func isInfLoop[T cast.Float](at attributes) loop[T, bool] {
	lo, hi := T(math.Inf(-1)), T(math.Inf(1))
	negative, positive := at.negative, at.positive
	return func(out []bool, data []T) {
		data = data[:len(out)]
		for i, x := range data {
			out[i] = x == hi && positive || x == lo && negative
		}
	}
}

// eluLoop computes alpha*(exp(x)-1) in float64 with Expm1, which avoids cancellation near 0.
func eluLoop[T cast.Float](alpha float64) loop[T, T] {
	return func(out, data []T) {
		data = data[:len(out)]
		for i, x := range data {
			if !(x > 0) {
				x = T(alpha * math.Expm1(float64(x)))
			}
			out[i] = x
		}
	}
}
