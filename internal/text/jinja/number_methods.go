package jinja

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// intAttribute returns an attribute of an integer.
func intAttribute(of any, name string) (any, bool) {
	n, _ := asBig(of)
	constant := func(v any) any {
		return &builtin{name, func(st *state, a *callArgs) any {
			a.none(st, name)
			return v
		}}
	}
	switch name {
	case "real", "numerator":
		return normal(n), true
	case "imag":
		return int64(0), true
	case "denominator":
		return int64(1), true
	case "conjugate", "__int__":
		return constant(normal(n)), true
	case "bit_length":
		return constant(int64(n.BitLen())), true
	case "bit_count":
		count := 0
		for _, w := range n.Bits() {
			count += bits.OnesCount(uint(w))
		}
		return constant(int64(count)), true
	case "as_integer_ratio":
		return constant(&tuple{items: []any{normal(n), int64(1)}}), true
	}
	return nil, false
}

// floatAttribute returns an attribute of a floating-point number.
func floatAttribute(f float64, name string) (any, bool) {
	call := func(value func(st *state) any) any {
		return &builtin{name, func(st *state, a *callArgs) any {
			a.none(st, name)
			return value(st)
		}}
	}
	switch name {
	case "real":
		return f, true
	case "imag":
		return 0.0, true
	case "conjugate":
		return call(func(*state) any { return f }), true
	case "is_integer":
		return call(func(*state) any { return f == math.Trunc(f) && !math.IsInf(f, 0) }), true
	case "as_integer_ratio":
		return call(func(st *state) any {
			r := new(big.Rat).SetFloat64(f)
			if r == nil {
				st.fail("cannot convert %s to an integer ratio", repr(f))
			}
			return &tuple{items: []any{st.integer(r.Num()), st.integer(r.Denom())}}
		}), true
	case "hex":
		return call(func(*state) any { return floatHex(f) }), true
	}
	return nil, false
}

// floatHex is float.hex.
func floatHex(f float64) string {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return repr(f)
	}
	if f == 0 {
		return strings.Replace(strconv.FormatFloat(f, 'x', 1, 64), "p+00", "p+0", 1)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'x', 13, 64), "p")
	n, _ := strconv.Atoi(exponent)
	if math.Abs(f) < 0x1p-1022 {
		// Python leaves subnormal numbers with a leading zero.
		sign := ""
		if f < 0 {
			sign = "-"
		}
		return sign + "0x0." + leftZeros(strconv.FormatUint(math.Float64bits(math.Abs(f)), 16), 13) + "p-1022"
	}
	sign := "+"
	if n < 0 {
		sign = ""
	}
	return mantissa + "p" + sign + strconv.Itoa(n)
}

func leftZeros(s string, n int) string { return strings.Repeat("0", max(n-len(s), 0)) + s }
