package jsonscan

import (
	"encoding/binary"
	"math"
	"strconv"
)

// Decimal is a number as JSON writes it: Mantissa times ten to the power of Exponent, with a sign.
type Decimal struct {
	Mantissa uint64
	Exponent int
	Negative bool
	// Inexact says that the number has more digits than Mantissa, or an exponent that is too large.
	Inexact bool
	// Integer says that the number has neither a fraction nor an exponent.
	Integer bool
}

// maxDigits is the number of digits that always fit an uint64.
const maxDigits = 19

// ReadDecimal reads the number that begins at data[pos]. It returns the offset behind it; false if
// there is no number as JSON defines it.
func ReadDecimal(data []byte, pos int) (d Decimal, end int, ok bool) {
	if pos < len(data) && data[pos] == '-' {
		d.Negative = true
		pos++
	}
	first := pos
	d.Mantissa, pos = digits(data, pos, 0)
	whole := pos - first
	if whole == 0 || whole > 1 && data[first] == '0' {
		return d, pos, false
	}
	fraction := 0
	d.Integer = true
	if pos < len(data) && data[pos] == '.' {
		from := pos + 1
		d.Mantissa, pos = digits(data, from, d.Mantissa)
		if fraction = pos - from; fraction == 0 {
			return d, pos, false
		}
		d.Integer = false
	}
	d.Exponent = -fraction
	if total := whole + fraction; total > maxDigits {
		d.Inexact = significantDigits(data[first:pos]) > maxDigits
	}
	if pos < len(data) && data[pos]|0x20 == 'e' {
		exponent, end, ok := readExponent(data, pos+1)
		if !ok {
			return d, end, false
		}
		const limit = 1 << 20
		d.Inexact = d.Inexact || exponent > limit || exponent < -limit
		d.Exponent += exponent
		d.Integer, pos = false, end
	}
	return d, pos, true
}

// significantDigits returns the number of digits of a number without those zeros that it begins
// with.
func significantDigits(text []byte) int {
	n := 0
	for _, c := range text {
		if c != '.' && (n > 0 || c != '0') {
			n++
		}
	}
	return n
}

// digits appends the decimal digits from data[pos] to the number n, which overflows if there are
// too many, and returns the offset behind them.
func digits(data []byte, pos int, n uint64) (uint64, int) {
	for pos+8 <= len(data) {
		word := binary.LittleEndian.Uint64(data[pos:])
		// A byte is a digit if its upper half is 3, and still is when 6 is added.
		const upper, six, three = 0xF0F0F0F0F0F0F0F0, 0x0606060606060606, 0x3333333333333333
		if word&upper|(word+six)&upper>>4 != three {
			break
		}
		n = n*1e8 + eightDigits(word)
		pos += 8
	}
	for pos < len(data) && data[pos]-'0' <= 9 {
		n = n*10 + uint64(data[pos]-'0')
		pos++
	}
	return n, pos
}

// eightDigits returns the number that eight digits in a little-endian word are. It adds pairs of
// neighbours three times, two of them with one multiplication.
func eightDigits(word uint64) uint64 {
	const mask = 0x000000FF000000FF
	word -= 0x3030303030303030
	word = word*10 + word>>8
	return ((word&mask)*(100+1000000<<32) + (word>>16&mask)*(1+10000<<32)) >> 32
}

// readExponent reads the exponent of a number behind the e. It returns at most about 2^30.
func readExponent(data []byte, pos int) (exponent, end int, ok bool) {
	negative := false
	if pos < len(data) && (data[pos] == '-' || data[pos] == '+') {
		negative = data[pos] == '-'
		pos++
	}
	from := pos
	for pos < len(data) && data[pos]-'0' <= 9 {
		if exponent < 1<<26 {
			exponent = exponent*10 + int(data[pos]-'0')
		}
		pos++
	}
	if negative {
		exponent = -exponent
	}
	return exponent, pos, pos > from
}

// powers has the powers of ten from -maxPower to maxPower. From 0 on, a float64 has them without an
// error.
var powers = [2*maxPower + 1]float64{
	1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12,
	1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1,
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10,
	1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

const maxPower = 22

// hasPower says whether powers has that of d.
func (d Decimal) hasPower() bool { return !d.Inexact && uint(d.Exponent+maxPower) <= 2*maxPower }

// Float32 returns the float32 that is nearest to d, which is the number of text; an infinity if d
// is beyond them.
func (d Decimal) Float32(text []byte) float32 {
	if f, ok := d.quickFloat32(); ok {
		return f
	}
	f, _ := strconv.ParseFloat(string(text), 32)
	return float32(f)
}

// quickFloat32 returns the float32 that is nearest to d; false if that takes more than a
// multiplication.
func (d Decimal) quickFloat32() (float32, bool) {
	if !d.hasPower() {
		return 0, false
	}
	// Each of the three roundings has an error of at most 2^-53 of the number, so that f differs
	// from it by at most 3 units in the last place.
	f := float64(d.Mantissa) * powers[d.Exponent+maxPower]
	// Rounding f gives what rounding the number would give, if no point in the middle of two
	// float32 lies between: there, the 29 bits that rounding drops are 1 and zeros. That holds for
	// the exponents of a float32 that is not subnormal.
	const dropped, middle, margin = 1<<29 - 1, 1 << 28, 4
	const mantissaBits, lowest, exponents = 52, 1023 - 126, 254
	bits := math.Float64bits(f)
	if bits&dropped-(middle-margin) <= 2*margin || bits>>mantissaBits-lowest >= exponents {
		return 0, d.Mantissa == 0 && !d.Negative
	}
	if d.Negative {
		f = -f
	}
	return float32(f), true
}

// Float64 returns the float64 that is nearest to d, which is the number of text; an infinity if d
// is beyond them.
func (d Decimal) Float64(text []byte) float64 {
	// One operation on numbers without an error rounds once.
	if !d.hasPower() || d.Mantissa > 1<<53 {
		f, _ := strconv.ParseFloat(string(text), 64)
		return f
	}
	f := float64(d.Mantissa)
	if d.Exponent < 0 {
		f /= powers[maxPower-d.Exponent]
	} else {
		f *= powers[maxPower+d.Exponent]
	}
	if d.Negative {
		f = -f
	}
	return f
}

// Number reads a number and returns its text, which is shared.
func (s *Scanner) Number() ([]byte, error) {
	s.space()
	from := s.pos
	_, end, ok := ReadDecimal(s.data, s.pos)
	if !ok {
		return nil, Broken(s.data, end, "expected a number")
	}
	s.pos = end
	return s.data[from:end:end], nil
}

// Int reads an integer that fits an int64.
func (s *Scanner) Int() (int64, error) {
	text, err := s.Number()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return 0, Broken(s.data, s.pos-len(text), "expected an integer of 64 bits")
	}
	return n, nil
}

// Value reads a value: a bool, a string, or a number as int64, uint64 or float64, whichever is the
// first that can have it. It returns nil for arrays, objects and null.
func (s *Scanner) Value() (any, error) {
	switch s.Kind() {
	case 't', 'f':
		return s.Bool()
	case '"':
		return s.String()
	case '0':
		text, err := s.Number()
		if err != nil {
			return nil, err
		}
		if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			return n, nil
		}
		if n, err := strconv.ParseUint(string(text), 10, 64); err == nil {
			return n, nil
		}
		f, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			return nil, Broken(s.data, s.pos-len(text), "expected a number that fits 64 bits")
		}
		return f, nil
	default:
		return nil, s.Skip()
	}
}
