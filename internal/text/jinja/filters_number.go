package jinja

import (
	"math"
	"math/big"
	"strconv"

	"github.com/vinoir/vinoir/internal/text/python"
)

func filterAbs(st *state, v any, a *callArgs) any {
	a.none(st, "abs")
	if f, ok := v.(float64); ok {
		return math.Abs(f)
	}
	n, ok := asBig(v)
	if !ok {
		st.defined(v)
		st.fail("bad operand type for abs(): '%s'", typeName(v))
	}
	return normal(new(big.Int).Abs(n))
}

// truncated is int(f).
func (st *state) truncated(f float64) (any, bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, false
	}
	n, _ := big.NewFloat(f).Int(nil)
	return normal(n), true
}

func filterInt(st *state, v any, a *callArgs) any {
	b := a.bind(st, "int", 0, "default", "base")
	otherwise := b[0]
	if otherwise == nil {
		otherwise = int64(0)
	}
	if text, ok := asString(v); ok {
		st.pass(len(text))
		base := st.int(b[1], 10, "int")
		if base == 0 || 2 <= base && base <= 36 {
			if n, ok := python.ParseInt(text, int(base)); ok {
				return st.integer(n)
			}
		}
		if f, ok := python.ParseFloat(text); ok {
			if n, ok := st.truncated(f); ok {
				return n
			}
		}
		return otherwise
	}
	if f, ok := v.(float64); ok {
		if math.IsInf(f, 0) {
			st.fail("cannot convert float infinity to integer")
		}
		if n, ok := st.truncated(f); ok {
			return n
		}
		return otherwise
	}
	if n, ok := asBig(v); ok {
		return normal(n)
	}
	st.defined(v)
	return otherwise
}

func filterFloat(st *state, v any, a *callArgs) any {
	otherwise := a.bind(st, "float", 0, "default")[0]
	if otherwise == nil {
		otherwise = 0.0
	}
	if text, ok := asString(v); ok {
		st.pass(len(text))
		if f, ok := python.ParseFloat(text); ok {
			return f
		}
		return otherwise
	}
	st.defined(v)
	if f, ok := st.asFloat(v); ok {
		return f
	}
	return otherwise
}

func filterRound(st *state, v any, a *callArgs) any {
	b := a.bind(st, "round", 0, "precision", "method")
	method := "common"
	if b[1] != nil {
		method, _ = asString(b[1])
	}
	if method != "common" && method != "ceil" && method != "floor" {
		st.fail("round: method must be common, ceil or floor, not %s", repr(b[1]))
	}
	st.defined(v)
	if !isNumber(v) {
		st.fail("type %s doesn't define __round__ method", typeName(v))
	}
	if method != "common" {
		power := st.binary("**", int64(10), or(b[0], int64(0)))
		scaled, _ := st.asFloat(st.binary("*", v, power))
		if math.IsNaN(scaled) || math.IsInf(scaled, 0) {
			st.fail("cannot convert float %s to integer", repr(scaled))
		}
		f := math.Floor(scaled)
		if method == "ceil" {
			f = math.Ceil(scaled)
		}
		whole := any(nil)
		if isInteger(v) && isInteger(power) {
			whole = st.binary("*", v, power)
		} else {
			whole, _ = st.truncated(f)
		}
		return st.binary("/", whole, power)
	}
	if f, ok := v.(float64); ok {
		if b[0] == None {
			if n, ok := st.truncated(python.Round(f, 0)); ok {
				return n
			}
			st.fail("cannot convert float %s to integer", repr(f))
		}
		st.steps(64)
		r := python.Round(f, int(max(min(st.int(b[0], 0, "round"), 1000), -1000)))
		if math.IsInf(r, 0) && !math.IsInf(f, 0) {
			st.fail("rounded value too large to represent")
		}
		return r
	}
	n, _ := asBig(v)
	precision := int64(0)
	if b[0] != None {
		precision = st.int(b[0], 0, "round")
	}
	if precision >= 0 {
		return normal(n)
	}
	if -precision > maxBits {
		return int64(0)
	}
	st.steps(int(-precision) / 16)
	return st.integer(python.RoundInt(n, nil, int(-precision)))
}

func or(v, otherwise any) any {
	if v == nil {
		return otherwise
	}
	return v
}

func filterFileSize(st *state, v any, a *callArgs) any {
	binary := isTrue(a.bind(st, "filesizeformat", 0, "binary")[0])
	size, ok := 0.0, false
	if text, isText := asString(v); isText {
		size, ok = python.ParseFloat(text)
	} else {
		st.defined(v)
		size, ok = st.asFloat(v)
	}
	if !ok {
		st.fail("filesizeformat: %s is no number", repr(v))
	}
	base, prefixes := 1000.0, []string{"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"}
	if binary {
		base, prefixes = 1024, []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"}
	}
	if size == 1 {
		return "1 Byte"
	}
	if size < base {
		n, ok := st.truncated(size)
		if !ok {
			st.fail("cannot convert float %s to integer", repr(size))
		}
		return st.str(n) + " Bytes"
	}
	unit := base
	for i, prefix := range prefixes {
		unit *= base
		if size < unit || i == len(prefixes)-1 {
			return python.FormatFloat(base*size/unit, 'f', 1, false, false) + " " + prefix
		}
	}
	return strconv.FormatFloat(size, 'g', -1, 64)
}
