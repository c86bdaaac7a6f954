package jinja

import (
	"math/big"

	"github.com/vinoir/vinoir/internal/text/python"
)

// testFunc is a test, which applies to a value.
type testFunc = func(st *state, v any, a *callArgs) any

// plain is a test without arguments.
func plain(name string, is func(v any) bool) testFunc {
	return func(st *state, v any, a *callArgs) any {
		a.none(st, name)
		return is(v)
	}
}

// comparison is a test that is an operator.
func comparison(op string) testFunc {
	return func(st *state, v any, a *callArgs) any { return st.compare(op, v, a.bind(st, op, 1, "")[0]) }
}

// cased is a test of the text of a value.
func cased(name string, is func(s string) bool) testFunc {
	return func(st *state, v any, a *callArgs) any {
		a.none(st, name)
		text := st.str(v)
		st.decode(len(text))
		return is(text)
	}
}

// findTest returns the test of a name, or nil.
func findTest(name string) testFunc {
	switch name {
	case "filter":
		return func(st *state, v any, a *callArgs) any {
			a.none(st, name)
			text, _ := asString(v)
			st.hash(v)
			return findFilter(text) != nil
		}
	case "test":
		return func(st *state, v any, a *callArgs) any {
			a.none(st, name)
			text, _ := asString(v)
			st.hash(v)
			return findTest(text) != nil
		}
	}
	return tests[name]
}

func isUndefined(v any) bool {
	_, ok := v.(*undefined)
	return ok
}

func isCallable(v any) bool {
	switch v.(type) {
	case *builtin, *macro, *joiner, *loopContext, *undefined:
		return true
	}
	return false
}

func isNumber(v any) bool {
	switch v.(type) {
	case bool, int64, *big.Int, float64:
		return true
	}
	return false
}

// same is the test sameas: the identity of objects. Small constants are one object each.
func same(st *state, v any, a *callArgs) any {
	other := a.bind(st, "sameas", 1, "other")[0]
	return v == other
}

func divisible(st *state, v any, a *callArgs) any {
	return st.equal(st.binary("%", v, a.bind(st, "divisibleby", 1, "num")[0]), int64(0))
}

// parity is the tests odd and even.
func parity(name string, rest int64) testFunc {
	return func(st *state, v any, a *callArgs) any {
		a.none(st, name)
		return st.equal(st.binary("%", v, int64(2)), rest)
	}
}

// tests are the tests of Jinja, but for filter and test.
var tests = map[string]testFunc{
	"odd":         parity("odd", 1),
	"even":        parity("even", 0),
	"divisibleby": divisible,
	"defined":     plain("defined", func(v any) bool { return !isUndefined(v) }),
	"undefined":   plain("undefined", isUndefined),
	"none":        plain("none", func(v any) bool { return v == None }),
	"boolean":     plain("boolean", func(v any) bool { return v == true || v == false }),
	"false":       plain("false", func(v any) bool { return v == false }),
	"true":        plain("true", func(v any) bool { return v == true }),
	"integer": plain("integer", func(v any) bool {
		_, isBool := v.(bool)
		return isInteger(v) && !isBool
	}),
	"float": plain("float", func(v any) bool {
		_, ok := v.(float64)
		return ok
	}),
	"lower": cased("lower", python.IsLower),
	"upper": cased("upper", python.IsUpper),
	"string": plain("string", func(v any) bool {
		_, ok := asString(v)
		return ok
	}),
	"mapping": plain("mapping", func(v any) bool {
		_, ok := v.(*Dict)
		return ok
	}),
	"number": plain("number", isNumber),
	"sequence": func(st *state, v any, a *callArgs) any {
		a.none(st, "sequence")
		switch v.(type) {
		case *dictView, *loopContext, *undefined:
			// They have a length, but no items by position. Of what is undefined, every attribute
			// is an error, which the test takes for true.
			return isUndefined(v)
		}
		_, ok := st.length(v)
		return ok
	},
	"iterable": func(st *state, v any, a *callArgs) any {
		a.none(st, "iterable")
		_, ok := st.tryIterate(v)
		return ok
	},
	"callable":    plain("callable", isCallable),
	"sameas":      same,
	"escaped":     plain("escaped", isMarkup),
	"in":          func(st *state, v any, a *callArgs) any { return st.contains(a.bind(st, "in", 1, "seq")[0], v) },
	"==":          comparison("=="),
	"eq":          comparison("=="),
	"equalto":     comparison("=="),
	"!=":          comparison("!="),
	"ne":          comparison("!="),
	">":           comparison(">"),
	"gt":          comparison(">"),
	"greaterthan": comparison(">"),
	">=":          comparison(">="),
	"ge":          comparison(">="),
	"<":           comparison("<"),
	"lt":          comparison("<"),
	"lessthan":    comparison("<"),
	"<=":          comparison("<="),
	"le":          comparison("<="),
}
