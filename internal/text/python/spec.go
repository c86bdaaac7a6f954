package python

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
)

// Spec is a format specification, as format and str.format take it:
// [[fill]align][sign][z][#][0][width][grouping][.precision][type].
type Spec struct {
	Fill      rune
	Align     byte // '<', '>', '=', '^', or 0
	Sign      byte // '+', '-', ' ', or 0
	NoNegZero bool // z: a negative zero loses its sign
	Alternate bool
	Width     int  // 0 if there is none
	Group     byte // ',', '_', or 0
	Precision int  // -1 if there is none
	Type      byte // 0 if there is none
}

func isAlign(r rune) bool { return r == '<' || r == '>' || r == '=' || r == '^' }

// ParseSpec reads a format specification. numeric says that it is for a number, which a zero before
// the width pads after the sign.
func ParseSpec(text string, numeric bool) (Spec, error) {
	s := Spec{Fill: ' ', Precision: -1}
	rest := text
	first, size := utf8.DecodeRuneInString(rest)
	second, secondSize := utf8.DecodeRuneInString(rest[size:])
	filled := false
	switch {
	case rest != "" && isAlign(second):
		s.Fill, s.Align, rest, filled = first, byte(second), rest[size+secondSize:], true
	case isAlign(first):
		s.Align, rest = byte(first), rest[1:]
	}
	take := func(of string) byte {
		if rest != "" && strings.IndexByte(of, rest[0]) >= 0 {
			c := rest[0]
			rest = rest[1:]
			return c
		}
		return 0
	}
	s.Sign = take("+- ")
	s.NoNegZero = take("z") != 0
	s.Alternate = take("#") != 0
	if !filled && take("0") != 0 {
		s.Fill = '0'
		if s.Align == 0 && numeric {
			s.Align = '='
		}
	}
	var err error
	if s.Width, rest, err = number(rest, 0); err != nil {
		return s, err
	}
	s.Group = take(",_")
	if other := take(",_"); other != 0 {
		return s, faults.Errorf("format specification %q has two grouping options", text)
	}
	if take(".") != 0 {
		if s.Precision, rest, err = number(rest, -1); err != nil {
			return s, err
		}
		if s.Precision < 0 {
			return s, faults.Errorf("format specification %q has no precision after the point", text)
		}
	}
	if len(rest) > 1 {
		return s, faults.Errorf("format specification %q is invalid", text)
	}
	if rest != "" {
		s.Type = rest[0]
	}
	return s, s.check(text)
}

// number reads decimal digits, or returns none if there are none.
func number(s string, none int) (int, string, error) {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	if n == 0 {
		return none, s, nil
	}
	value, err := strconv.Atoi(s[:n])
	if err != nil || value > math.MaxInt32 {
		return 0, s, faults.Errorf("too many digits in format specification: %s", s[:n])
	}
	return value, s[n:], nil
}

// check returns an error if a grouping does not go with the type.
func (s *Spec) check(text string) error {
	allowed := "deEfFgG%\x00"
	if s.Group == '_' {
		allowed += "boxX"
	}
	if s.Group != 0 && strings.IndexByte(allowed, s.Type) < 0 {
		return faults.Errorf("cannot specify %q with %q in format specification %q", s.Group, s.Type, text)
	}
	return nil
}

// Pad pads s to the width. align is that of a specification without one.
func (s *Spec) Pad(text string, align byte) string {
	missing := s.Width - utf8.RuneCountInString(text)
	if missing <= 0 {
		return text
	}
	if s.Align != 0 {
		align = s.Align
	}
	left := 0
	switch align {
	case '>', '=':
		left = missing
	case '^':
		left = missing / 2
	}
	fill := string(s.Fill)
	return strings.Repeat(fill, left) + text + strings.Repeat(fill, missing-left)
}

// String formats a string.
func (s *Spec) String(text string) (string, error) {
	switch {
	case s.Type != 0 && s.Type != 's':
		return "", faults.Errorf("unknown format code %q for object of type 'str'", s.Type)
	case s.Sign != 0 || s.NoNegZero || s.Alternate || s.Align == '=' || s.Group != 0:
		return "", faults.Errorf("sign, alternate form, grouping or alignment '=' not allowed in a format specification for strings")
	}
	if s.Precision >= 0 {
		text = Prefix(text, s.Precision)
	}
	return s.Pad(text, '<'), nil
}

// Prefix returns the first n characters of s.
func Prefix(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Int formats an integer.
func (s *Spec) Int(n *big.Int) (string, error) {
	switch s.Type {
	case 'e', 'E', 'f', 'F', 'g', 'G', '%':
		f, _ := new(big.Float).SetInt(n).Float64()
		if math.IsInf(f, 0) {
			return "", faults.Errorf("integer too large to convert to a float")
		}
		return s.Float(f)
	}
	if s.Precision >= 0 {
		return "", faults.Errorf("precision not allowed in a format specification for integers")
	}
	if s.NoNegZero {
		return "", faults.Errorf("negative zero coercion (z) not allowed in a format specification for integers")
	}
	base, prefix := 10, ""
	switch s.Type {
	case 0, 'd', 'n':
	case 'b':
		base, prefix = 2, "0b"
	case 'o':
		base, prefix = 8, "0o"
	case 'x', 'X':
		base, prefix = 16, "0"+string(s.Type)
	case 'c':
		if s.Sign != 0 || s.Alternate {
			return "", faults.Errorf("sign or alternate form not allowed with integer format specifier 'c'")
		}
		if !n.IsInt64() || n.Int64() < 0 || n.Int64() > utf8.MaxRune {
			return "", faults.Errorf("character code %s is not in range(0x110000)", n)
		}
		return s.Pad(string(rune(n.Int64())), '<'), nil
	default:
		return "", faults.Errorf("unknown format code %q for object of type 'int'", s.Type)
	}
	digits := new(big.Int).Abs(n).Text(base)
	if s.Type == 'X' {
		digits = strings.ToUpper(digits)
	}
	if !s.Alternate {
		prefix = ""
	}
	group := 3
	if base != 10 {
		group = 4
	}
	return s.number(n.Sign() < 0, prefix, digits, "", group), nil
}

// Float formats a floating-point number.
func (s *Spec) Float(f float64) (string, error) {
	kind, precision := s.Type, s.Precision
	addDot := false
	suffix := ""
	switch kind {
	case 0:
		if kind, addDot = 'r', true; precision >= 0 {
			kind = 'g'
		}
	case 'n':
		kind = 'g'
	case '%':
		kind, suffix = 'f', "%"
		f *= 100
	case 'e', 'E', 'f', 'F', 'g', 'G':
	default:
		return "", faults.Errorf("unknown format code %q for object of type 'float'", s.Type)
	}
	text := FormatFloat(math.Abs(f), kind, precision, s.Alternate, addDot)
	negative := math.Signbit(f) && !math.IsNaN(f)
	if s.NoNegZero && strings.Trim(text, "0.e+-") == "" {
		negative = false
	}
	whole := 0
	for whole < len(text) && '0' <= text[whole] && text[whole] <= '9' {
		whole++
	}
	return s.number(negative, "", text[:whole], text[whole:]+suffix, 3), nil
}

// number joins the parts of a number: groups digits, and pads.
func (s *Spec) number(negative bool, prefix, digits, rest string, group int) string {
	sign := ""
	switch {
	case negative:
		sign = "-"
	case s.Sign == '+' || s.Sign == ' ':
		sign = string(s.Sign)
	}
	if s.Group != 0 {
		width := 0
		if s.Fill == '0' && s.Align == '=' {
			width = s.Width - len(sign) - len(prefix) - len(rest)
		}
		digits = grouped(digits, s.Group, group, width)
	}
	text := sign + prefix + digits + rest
	if s.Align == '=' {
		if missing := s.Width - len(text); missing > 0 {
			return sign + prefix + strings.Repeat(string(s.Fill), missing) + digits + rest
		}
		return text
	}
	return s.Pad(text, '>')
}

// grouped puts separators between groups of n digits, and zeros before them up to a width.
func grouped(digits string, separator byte, n, width int) string {
	if digits == "" {
		return digits
	}
	var reversed []byte
	count := 0
	for i := len(digits) - 1; i >= 0 || len(reversed) < width; i-- {
		if count == n {
			reversed = append(reversed, separator)
			count = 0
		}
		digit := byte('0')
		if i >= 0 {
			digit = digits[i]
		}
		reversed = append(reversed, digit)
		count++
	}
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	return string(reversed)
}

// FormatFloat formats f, which is not negative, by one of the kinds e, E, f, F, g, G of C's printf,
// or r: the shortest number that is f. A negative precision stands for 6. alternate keeps the point
// and the zeros behind it, addDot adds ".0" to a number without a point.
func FormatFloat(f float64, kind byte, precision int, alternate, addDot bool) string {
	text := ""
	upper := kind == 'E' || kind == 'F' || kind == 'G'
	switch {
	case math.IsNaN(f):
		text = "nan"
	case math.IsInf(f, 0):
		text = "inf"
	default:
		text = formatFinite(f, kind|0x20, precision, alternate, addDot)
	}
	if upper {
		text = strings.ToUpper(text)
	}
	return text
}

func formatFinite(f float64, kind byte, precision int, alternate, addDot bool) string {
	if kind == 'r' {
		return FloatRepr(f)
	}
	if precision < 0 {
		precision = 6
	}
	if kind != 'g' {
		text := strconv.FormatFloat(f, kind, precision, 64)
		if alternate && precision == 0 {
			mantissa, exponent, found := strings.Cut(text, "e")
			if text = mantissa + "."; found {
				text += "e" + exponent
			}
		}
		return text
	}
	precision = max(precision, 1)
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', precision-1, 64), "e")
	power, _ := strconv.Atoi(exponent)
	limit := precision
	if addDot {
		limit--
	}
	if power < -4 || power >= limit {
		if !alternate {
			mantissa = trimZeros(mantissa)
		} else if !strings.Contains(mantissa, ".") {
			mantissa += "."
		}
		return mantissa + "e" + exponent
	}
	text := strconv.FormatFloat(f, 'f', max(precision-1-power, 0), 64)
	switch {
	case alternate && !strings.Contains(text, "."):
		text += "."
	case !alternate:
		text = trimZeros(text)
	}
	if addDot && !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// trimZeros removes zeros at the end of the digits after a point, and the point if none are left.
func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}
