package vmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// digits is the precision in bits of the references of TestPrecision_references. It leaves
// enough digits after the cancellation in the tail of GeluErf.
const digits = 800

func number(x float64) *big.Float { return new(big.Float).SetPrec(digits).SetFloat64(x) }

func sum(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(digits).Add(a, b) }

func product(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(digits).Mul(a, b) }

func quotient(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(digits).Quo(a, b) }

func parsed(text string) *big.Float {
	x, _ := new(big.Float).SetPrec(digits).SetString(text)
	return x
}

var (
	one = number(1)
	// bigPi has 61 decimals.
	bigPi = parsed("3.1415926535897932384626433832795028841971693993751058209749446")
)

// bigExp returns exp(x), by Taylor's series of x/1024.
func bigExp(x *big.Float) *big.Float {
	small := quotient(x, number(1024))
	y, term := number(1), number(1)
	for n := 1; n < 120; n++ {
		term = quotient(product(term, small), number(float64(n)))
		y = sum(y, term)
	}
	for range 10 {
		y = product(y, y)
	}
	return y
}

// bigErf returns erf(x), by Taylor's series.
func bigErf(x *big.Float) *big.Float {
	square, power, y := product(x, x), x, number(0)
	for n := range 700 {
		y = sum(y, quotient(power, number(float64(2*n+1))))
		power = quotient(product(power, square), number(float64(-n-1)))
	}
	return quotient(product(y, number(2)), new(big.Float).SetPrec(digits).Sqrt(bigPi))
}

// TestPrecision_references compares the references of TestUnary_precision with numbers of
// hundreds of digits. Their relative errors do not matter next to that of a float32.
func TestPrecision_references(t *testing.T) {
	less := func(a, b *big.Float) *big.Float { return sum(a, product(b, number(-1))) }
	logistic := func(z *big.Float) *big.Float { return quotient(one, sum(one, bigExp(product(z, number(-1))))) }
	expm1 := func(x *big.Float) *big.Float {
		if x.Sign() < 0 {
			return less(bigExp(x), one)
		}
		return x
	}
	root := func(x float64) *big.Float { return new(big.Float).SetPrec(digits).Sqrt(number(x)) }
	functions := map[string]func(x *big.Float) *big.Float{
		"Exp":     bigExp,
		"Sigmoid": logistic,
		"Tanh": func(x *big.Float) *big.Float {
			e := bigExp(product(x, number(2)))
			return quotient(less(e, one), sum(e, one))
		},
		"Erf": bigErf,
		"GeluErf": func(x *big.Float) *big.Float {
			return product(quotient(x, number(2)), sum(one, bigErf(quotient(x, root(2)))))
		},
		"GeluTanh": func(x *big.Float) *big.Float {
			y := sum(x, product(parsed("0.044715"), product(x, product(x, x))))
			c := new(big.Float).SetPrec(digits).Sqrt(quotient(number(2), bigPi))
			return product(x, logistic(product(number(2), product(c, y))))
		},
		"Swish": func(x *big.Float) *big.Float { return product(x, logistic(x)) },
		"Mish": func(x *big.Float) *big.Float {
			e := bigExp(x)
			n := product(e, sum(e, number(2)))
			return product(x, quotient(n, sum(n, number(2))))
		},
		"Elu": expm1, "Selu": expm1,
		// A logarithm is compared through its exponential.
		"Log":      func(x *big.Float) *big.Float { return x },
		"SoftPlus": func(x *big.Float) *big.Float { return sum(one, bigExp(x)) },
	}
	rng := rand.New(rand.NewPCG(8, 9))
	for _, p := range precision {
		function := functions[p.name]
		if function == nil {
			continue // a formula of a few exact operations
		}
		limit := min(float64(p.to), 13)
		for range 15 {
			x := float64(float32((rng.Float64()*2 - 1) * limit))
			if p.positive {
				x = math.Abs(x)
			}
			got, want := p.exact(x), function(number(x))
			var relative float64
			switch p.name {
			case "Log", "SoftPlus":
				relative, _ = less(product(want, bigExp(number(-got))), one).Float64()
				relative /= got
			default:
				relative, _ = less(quotient(number(got), want), one).Float64()
			}
			require.LessOrEqual(t, math.Abs(relative), 0x1p-44, "%s of %v", p.name, x)
		}
	}
}
