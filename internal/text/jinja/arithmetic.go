package jinja

import (
	"math"
	"math/big"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// maxBits bounds integers.
const maxBits = 1 << 16

// integer returns n as a value.
func (st *state) integer(n *big.Int) any {
	if n.BitLen() > maxBits {
		st.fail("integer of more than %d bits", maxBits)
	}
	if !n.IsInt64() {
		st.make(n.BitLen() / 8)
	}
	return normal(n)
}

// asFloat returns a number as a float64.
func (st *state) asFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		if math.IsInf(f, 0) {
			st.fail("integer too large to convert to float")
		}
		return f, true
	}
	i, ok := asInt(v)
	return float64(i), ok
}

// isInteger reports whether v is an integer or a bool.
func isInteger(v any) bool {
	switch v.(type) {
	case int64, bool, *big.Int:
		return true
	}
	return false
}

// operands fails for operands that an operator does not take.
func (st *state) operands(op string, a, b any) any {
	st.defined(a)
	st.defined(b)
	st.fail("unsupported operand type(s) for %s: '%s' and '%s'", op, typeName(a), typeName(b))
	return nil
}

// binary applies an operator.
func (st *state) binary(op string, a, b any) any {
	switch op {
	case "+":
		return st.add(a, b)
	case "*":
		if v := st.repeat(a, b); v != nil {
			return v
		}
	case "%":
		if _, ok := asString(a); ok {
			return st.percent(a, b)
		}
	}
	if isInteger(a) && isInteger(b) {
		return st.integers(op, a, b)
	}
	x, xOK := st.asFloat(a)
	y, yOK := st.asFloat(b)
	if !xOK || !yOK {
		if op == "**" {
			op = "** or pow()"
		}
		return st.operands(op, a, b)
	}
	return st.floats(op, x, y)
}

// add is a + b.
func (st *state) add(a, b any) any {
	if s, ok := a.(string); ok {
		if t, ok := b.(string); ok {
			st.make(len(s) + len(t))
			return s + t
		}
	}
	if isMarkup(a) || isMarkup(b) {
		if x, ok := st.escaped(a); ok {
			if y, ok := st.escaped(b); ok {
				st.make(len(x) + len(y))
				return markup(x + y)
			}
		}
	}
	x, xList := a.(*List)
	y, yList := b.(*List)
	if xList && yList {
		return &List{st.joined(x.items, y.items)}
	}
	t, tTuple := a.(*tuple)
	u, uTuple := b.(*tuple)
	if tTuple && uTuple {
		return &tuple{items: st.joined(t.items, u.items)}
	}
	if isInteger(a) && isInteger(b) {
		return st.integers("+", a, b)
	}
	p, pOK := st.asFloat(a)
	q, qOK := st.asFloat(b)
	if !pOK || !qOK {
		return st.operands("+", a, b)
	}
	return p + q
}

func (st *state) joined(a, b []any) []any {
	st.makeItems(len(a) + len(b))
	return append(append(make([]any, 0, len(a)+len(b)), a...), b...)
}

// repeat is a * b for a string or a sequence and a number. It returns nil for others.
func (st *state) repeat(a, b any) any {
	if isInteger(a) {
		a, b = b, a
	}
	if !isInteger(b) {
		return nil
	}
	_, isSequence := sequence(a)
	_, isText := asString(a)
	if !isText && !isSequence {
		return nil
	}
	count, ok := asInt(b)
	if !ok {
		st.fail("cannot fit 'int' into an index-sized integer")
	}
	n := int(min(max(count, 0), math.MaxInt32))
	if text, ok := asString(a); ok {
		st.make(st.times(n, len(text)))
		return like(a, strings.Repeat(text, min(n, n*len(text))))
	}
	items, _ := sequence(a)
	st.times(n, 16*len(items))
	st.makeItems(n * len(items))
	made := make([]any, 0, n*len(items))
	for range n {
		if len(items) == 0 {
			break
		}
		made = append(made, items...)
	}
	if _, ok := a.(*List); ok {
		return &List{made}
	}
	return &tuple{items: made}
}

// integers applies an operator to integers.
func (st *state) integers(op string, a, b any) any {
	x, xSmall := asInt(a)
	y, ySmall := asInt(b)
	if xSmall && ySmall {
		if v, ok := st.small(op, x, y); ok {
			return v
		}
	}
	n, _ := asBig(a)
	m, _ := asBig(b)
	st.steps((n.BitLen() + m.BitLen()) / 256)
	if m.Sign() == 0 && (op == "/" || op == "//" || op == "%") {
		st.fail("division by zero")
	}
	r := new(big.Int)
	switch op {
	case "+":
		r.Add(n, m)
	case "-":
		r.Sub(n, m)
	case "*":
		st.steps(n.BitLen() / 64 * (m.BitLen() / 64) / 16)
		r.Mul(n, m)
	case "/":
		f, _ := new(big.Rat).SetFrac(n, m).Float64()
		if math.IsInf(f, 0) {
			st.fail("integer division result too large for a float")
		}
		return f
	case "//":
		floorDiv(r, new(big.Int), n, m)
	case "%":
		floorDiv(new(big.Int), r, n, m)
	default:
		return st.power(n, m)
	}
	return st.integer(r)
}

// small applies an operator to small integers. It returns false if the result may not be one.
func (st *state) small(op string, x, y int64) (any, bool) {
	switch op {
	case "+":
		r := x + y
		return r, (r > x) == (y > 0)
	case "-":
		r := x - y
		return r, (r < x) == (y > 0)
	case "*":
		hi, lo := bits.Mul64(magnitude(x), magnitude(y))
		return x * y, hi == 0 && lo < 1<<63
	case "/":
		if y != 0 && magnitude(x) < 1<<53 && magnitude(y) < 1<<53 {
			return float64(x) / float64(y), true
		}
	case "//", "%":
		if y == 0 {
			st.fail("integer division or modulo by zero")
		}
		if y == -1 {
			return nil, false
		}
		q, r := x/y, x%y
		if r != 0 && (r < 0) != (y < 0) {
			q, r = q-1, r+y
		}
		if op == "//" {
			return q, true
		}
		return r, true
	}
	return nil, false
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// floorDiv sets q and r to the quotient, rounded down, and the rest of n and m.
func floorDiv(q, r, n, m *big.Int) {
	q.QuoRem(n, m, r)
	if r.Sign() != 0 && (r.Sign() < 0) != (m.Sign() < 0) {
		q.Sub(q, big.NewInt(1))
		r.Add(r, m)
	}
}

// power is n ** m.
func (st *state) power(n, m *big.Int) any {
	if m.Sign() < 0 {
		x, _ := st.asFloat(n)
		y, _ := st.asFloat(m)
		return st.floats("**", x, y)
	}
	switch {
	case n.BitLen() <= 1 && (n.Sign() >= 0 || m.Bit(0) == 1):
		if m.Sign() == 0 {
			return int64(1)
		}
		return normal(n)
	case n.BitLen() <= 1:
		return int64(1)
	case !m.IsInt64() || m.Int64() > maxBits || int64(n.BitLen()-1)*m.Int64() > maxBits:
		st.fail("integer of more than %d bits", maxBits)
	}
	st.steps(int(m.Int64()) * n.BitLen() / 512)
	return st.integer(new(big.Int).Exp(n, m, nil))
}

// floats applies an operator to floating-point numbers.
func (st *state) floats(op string, x, y float64) any {
	switch op {
	case "-":
		return x - y
	case "*":
		return x * y
	case "**":
		if x == 0 && y < 0 {
			st.fail("0.0 cannot be raised to a negative power")
		}
		if x < 0 && y != math.Trunc(y) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
			st.fail("complex numbers are not supported: %v ** %v", x, y)
		}
		r := power(x, y)
		if math.IsInf(r, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
			st.fail("numerical result out of range")
		}
		return r
	}
	if y == 0 {
		st.fail("float division by zero")
	}
	if op == "/" {
		return x / y
	}
	r := math.Mod(x, y)
	q := (x - r) / y
	if r != 0 {
		if (r < 0) != (y < 0) {
			r += y
			q--
		}
	} else {
		r = math.Copysign(0, y)
	}
	if op == "%" {
		return r
	}
	if q == 0 {
		return math.Copysign(0, x/y)
	}
	floor := math.Floor(q)
	if q-floor > 0.5 {
		floor++
	}
	return floor
}

// negate is -v, or +v.
func (st *state) negate(op string, v any) any {
	switch v := v.(type) {
	case float64:
		if op == "-" {
			return -v
		}
		return v
	case *undefined:
		st.defined(v)
	}
	n, ok := asBig(v)
	if !ok {
		st.fail("bad operand type for unary %s: '%s'", op, typeName(v))
	}
	if op == "-" {
		return normal(new(big.Int).Neg(n))
	}
	return normal(n)
}

// power is x ** y. Integral powers are rounded correctly, as the C library does it.
func power(x, y float64) float64 {
	if y == 0.5 && x >= 0 {
		return math.Sqrt(x)
	}
	n := int(math.Abs(y))
	if float64(n) != math.Abs(y) || n > 1024 || x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return math.Pow(x, y)
	}
	result := big.NewFloat(1).SetPrec(192)
	for square := big.NewFloat(x).SetPrec(192); n > 0; n >>= 1 {
		if n&1 == 1 {
			result.Mul(result, square)
		}
		square.Mul(square, square)
	}
	if y < 0 {
		result.Quo(big.NewFloat(1).SetPrec(192), result)
	}
	r, _ := result.Float64()
	return r
}

// isMarkup reports whether v is a marked string.
func isMarkup(v any) bool {
	_, ok := v.(markup)
	return ok
}

// like returns text as a string of the type of v.
func like(v any, text string) any {
	if isMarkup(v) {
		return markup(text)
	}
	return text
}

var escaper = strings.NewReplacer("&", "&amp;", ">", "&gt;", "<", "&lt;", "'", "&#39;", `"`, "&#34;")

// escaped returns the text of a string, escaped for HTML unless it is marked.
func (st *state) escaped(v any) (string, bool) {
	if m, ok := v.(markup); ok {
		return string(m), true
	}
	s, ok := v.(string)
	if ok {
		st.make(len(s) + 5*strings.Count(s, "&"))
		s = escaper.Replace(s)
	}
	return s, ok
}

// containsText reports whether text contains part.
func containsText(text, part string) bool { return strings.Contains(text, part) }

// runeCount returns the number of characters, and counts the steps.
func (st *state) runeCount(s string) int {
	st.decode(len(s))
	return utf8.RuneCountInString(s)
}
