package python

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

// FloatRepr returns the shortest decimal number that is f, as repr(f).
func FloatRepr(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "nan"
	}
	e := strconv.FormatFloat(f, 'e', -1, 64)
	exponent, _ := strconv.Atoi(e[strings.IndexByte(e, 'e')+1:])
	if exponent < -4 || exponent >= 16 {
		return e
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// digits returns s in ASCII digits: Python reads those of every script. White space at the ends and
// single underscores between digits are removed. It returns false if underscores stand elsewhere.
func digits(s string) (string, bool) {
	s = Strip(s)
	var b strings.Builder
	last := '_'
	for _, r := range s {
		switch {
		case r == '_':
			if !isHexDigit(last) {
				return "", false
			}
		case r >= 0x80 && unicode.IsDigit(r):
			r = '0' + digitValue(r)
			fallthrough
		default:
			if last == '_' && b.Len() > 0 && !isHexDigit(r) {
				return "", false
			}
			b.WriteRune(r)
		}
		last = r
	}
	return b.String(), last != '_'
}

// isHexDigit reports whether r can stand beside an underscore: letters are digits of some base.
func isHexDigit(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// digitValue returns the value of a digit of category Nd, whose ranges start at a zero.
func digitValue(r rune) rune {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	return 0
}

// MaxIntDigits is how many digits an integer may have in a string, as in Python.
const MaxIntDigits = 4300

// ParseInt reads an integer as int(s, base): base 0 takes it from a prefix such as 0x. It returns
// false if s is none, or has more than MaxIntDigits digits.
func ParseInt(s string, base int) (*big.Int, bool) {
	s = Strip(s)
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	prefixed := false
	if len(s) > 2 && s[0] == '0' {
		of := map[byte]int{'x': 16, 'o': 8, 'b': 2}[s[1]|0x20]
		if of != 0 && (base == 0 || base == of) {
			s, base, prefixed = s[2:], of, true
			s = strings.TrimPrefix(s, "_")
		}
	}
	if s == "" || IsSpace(rune(s[0])) || s[0] == '+' || s[0] == '-' {
		return nil, false
	}
	text, ok := digits(s)
	if !ok || len(text) > MaxIntDigits {
		return nil, false
	}
	if base == 0 {
		if base = 10; !prefixed && text[0] == '0' && strings.Trim(text, "0") != "" {
			return nil, false
		}
	}
	n, ok := new(big.Int).SetString(text, base)
	if !ok {
		return nil, false
	}
	if negative {
		n.Neg(n)
	}
	return n, true
}

// ParseFloat reads a number as float(s). It returns false if s is none.
func ParseFloat(s string) (float64, bool) {
	text, ok := digits(s)
	if !ok {
		return 0, false
	}
	lower := strings.ToLower(text)
	switch strings.TrimLeft(lower, "+-") {
	case "inf", "infinity", "nan":
	default:
		// strconv.ParseFloat reads hexadecimal numbers, Python does not.
		if strings.ContainsAny(lower, "xpin") {
			return 0, false
		}
	}
	// A number beyond the largest one is an infinity in both.
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil || math.IsInf(f, 0)
}

// Round rounds to a number of digits after the point, halves to even, as round(f, precision). The
// result is exact: the decimal number nearest to f, read back.
func Round(f float64, precision int) float64 {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0) || precision > 323:
		return f
	case precision < -308:
		return math.Copysign(0, f)
	case precision >= 0:
		r, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', precision, 64), 64)
		return r
	}
	whole, _ := new(big.Float).SetPrec(2000).SetFloat64(f).Rat(nil)
	n := RoundInt(nil, whole, -precision)
	r, _ := new(big.Float).SetInt(n).Float64()
	if r == 0 {
		return math.Copysign(0, f)
	}
	return r
}

// RoundInt rounds an integer, or a ratio if n is nil, to a multiple of ten to the power of digits,
// halves to even.
func RoundInt(n *big.Int, ratio *big.Rat, digits int) *big.Int {
	if ratio == nil {
		ratio = new(big.Rat).SetInt(n)
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	quotient := new(big.Rat).Quo(ratio, new(big.Rat).SetInt(unit))
	// floor(2*quotient), whose last bit says whether quotient is in the upper half of its unit.
	doubled := new(big.Int).Lsh(quotient.Num(), 1)
	floor, rest := new(big.Int).DivMod(doubled, quotient.Denom(), new(big.Int))
	half := floor.Bit(0) == 1
	floor.Rsh(floor, 1)
	if half && (rest.Sign() != 0 || floor.Bit(0) == 1) {
		floor.Add(floor, big.NewInt(1))
	}
	return floor.Mul(floor, unit)
}
