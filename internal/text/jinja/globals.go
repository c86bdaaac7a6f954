package jinja

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// fromKeysOwner is the function dict, which has the method fromkeys.
var fromKeysOwner = &builtin{"dict", makeDict}

// globals are the functions that every template has.
var globals = map[string]*builtin{
	"cycler":          {"cycler", makeCycler},
	"dict":            fromKeysOwner,
	"joiner":          {"joiner", makeJoiner},
	"lipsum":          {"lipsum", lipsum},
	"namespace":       {"namespace", makeNamespace},
	"raise_exception": {"raise_exception", raiseException},
	"range":           {"range", makeRange},
	"strftime_now":    {"strftime_now", strftimeNow},
}

// maxRange is how many items a range can have in the sandbox.
const maxRange = 100_000

func makeRange(st *state, a *callArgs) any {
	b := a.bind(st, "range", 1, "", "", "")
	integer := func(v any) int64 {
		n := st.int(v, 0, "range")
		if n > 1<<60 || n < -1<<60 {
			st.fail("range too big: %s", repr(v))
		}
		return n
	}
	r := &rangeValue{start: 0, stop: integer(b[0]), step: 1}
	if b[1] != nil {
		r.start, r.stop = integer(b[0]), integer(b[1])
	}
	if b[2] != nil {
		if r.step = integer(b[2]); r.step == 0 {
			st.fail("range() arg 3 must not be zero")
		}
	}
	switch {
	case r.step > 0 && r.stop > r.start:
		r.n = (r.stop-r.start-1)/r.step + 1
	case r.step < 0 && r.stop < r.start:
		r.n = (r.start-r.stop-1)/-r.step + 1
	}
	if r.n > maxRange {
		st.fail("range of %d items, more than %d", r.n, maxRange)
	}
	return r
}

// makeDict is dict(): a copy of a mapping, or a dict of pairs, and of keyword arguments.
func makeDict(st *state, a *callArgs) any {
	d := NewDict(0)
	if len(a.args) > 1 {
		st.fail("dict expected at most 1 argument, got %d", len(a.args))
	}
	if len(a.args) == 1 {
		switch of := a.args[0].(type) {
		case *Dict:
			d = st.copyDict(of)
		case *namespace:
			st.fail("'Namespace' object is not iterable")
		default:
			it := st.iterate(of)
			for v, ok := it.next(); ok; v, ok = it.next() {
				pair := st.list(v)
				if len(pair) != 2 {
					st.fail("dictionary update sequence element has length %d; 2 is required", len(pair))
				}
				st.make(64)
				d.set(st.hash(pair[0]), pair[0], pair[1])
			}
		}
	}
	for i, name := range a.names {
		st.make(64)
		d.Set(name, a.values[i])
	}
	return d
}

func makeNamespace(st *state, a *callArgs) any {
	d := makeDict(st, a).(*Dict)
	for _, key := range d.keys {
		if name, ok := asString(key); ok && strings.HasPrefix(name, "_") {
			st.fail("cannot store attribute %q on a namespace: it starts with an underscore", name)
		}
	}
	return &namespace{d}
}

func makeCycler(st *state, a *callArgs) any {
	if len(a.args) == 0 || len(a.names) > 0 {
		st.fail("cycler: at least one item has to be provided")
	}
	st.makeItems(len(a.args))
	return &cycler{items: append([]any{}, a.args...)}
}

func makeJoiner(st *state, a *callArgs) any {
	separator := a.bind(st, "joiner", 0, "sep")[0]
	if separator == nil {
		separator = ", "
	}
	st.make(32)
	return &joiner{separator: separator}
}

func raiseException(st *state, a *callArgs) any {
	message := st.str(a.bind(st, "raise_exception", 1, "message")[0])
	panic(&Error{Line: st.line, Message: message, Raised: true})
}

// lipsum is Jinja's function for random text, which is of no use here.
func lipsum(st *state, _ *callArgs) any {
	st.fail("lipsum: random text is not supported")
	return nil
}

func strftimeNow(st *state, a *callArgs) any {
	format := st.text(a.bind(st, "strftime_now", 1, "format")[0], "", "strftime() argument 1")
	st.make(len(format))
	var b strings.Builder
	for format != "" {
		at := strings.IndexByte(format, '%')
		if at < 0 || at+1 == len(format) {
			b.WriteString(format)
			break
		}
		b.WriteString(format[:at])
		size := 2
		pad := byte(0)
		if c := format[at+1]; (c == '-' || c == '_' || c == '0' || c == '^' || c == '#') && at+2 < len(format) {
			pad, size = c, 3
		}
		text, ok := strftime(st.now, format[at+size-1], pad)
		if !ok {
			text = format[at : at+size]
		}
		st.make(len(text))
		b.WriteString(text)
		format = format[at+size:]
	}
	return b.String()
}

// strftime formats one directive of C's strftime in the C locale. pad is its flag.
func strftime(t time.Time, directive, pad byte) (string, bool) {
	number := func(n, width int, fill byte) string {
		switch pad {
		case '-':
			width = 0
		case '_':
			fill = ' '
		case '0':
			fill = '0'
		}
		text := strconv.Itoa(n)
		return strings.Repeat(string(fill), max(width-len(text), 0)) + text
	}
	word := func(s string) string {
		if pad == '^' || pad == '#' {
			return strings.ToUpper(s)
		}
		return s
	}
	hour12 := (t.Hour()+11)%12 + 1
	year, week := t.ISOWeek()
	switch directive {
	case 'a':
		return word(t.Format("Mon")), true
	case 'A':
		return word(t.Format("Monday")), true
	case 'b', 'h':
		return word(t.Format("Jan")), true
	case 'B':
		return word(t.Format("January")), true
	case 'c':
		return word(t.Format("Mon Jan _2 15:04:05 2006")), true
	case 'C':
		return number(t.Year()/100, 2, '0'), true
	case 'd':
		return number(t.Day(), 2, '0'), true
	case 'D', 'x':
		return t.Format("01/02/06"), true
	case 'e':
		return number(t.Day(), 2, ' '), true
	case 'f':
		return fmt.Sprintf("%06d", t.Nanosecond()/1000), true
	case 'F':
		return t.Format("2006-01-02"), true
	case 'g':
		return number(year%100, 2, '0'), true
	case 'G':
		return number(year, 4, '0'), true
	case 'H':
		return number(t.Hour(), 2, '0'), true
	case 'I':
		return number(hour12, 2, '0'), true
	case 'j':
		return number(t.YearDay(), 3, '0'), true
	case 'k':
		return number(t.Hour(), 2, ' '), true
	case 'l':
		return number(hour12, 2, ' '), true
	case 'm':
		return number(int(t.Month()), 2, '0'), true
	case 'M':
		return number(t.Minute(), 2, '0'), true
	case 'n':
		return "\n", true
	case 'p':
		if pad == '#' {
			return t.Format("pm"), true
		}
		return t.Format("PM"), true
	case 'P':
		return t.Format("pm"), true
	case 'r':
		return t.Format("03:04:05 PM"), true
	case 'R':
		return t.Format("15:04"), true
	case 's':
		return strconv.FormatInt(t.Unix(), 10), true
	case 'S':
		return number(t.Second(), 2, '0'), true
	case 't':
		return "\t", true
	case 'T', 'X':
		return t.Format("15:04:05"), true
	case 'u':
		return number((int(t.Weekday())+6)%7+1, 1, '0'), true
	case 'U':
		return number((t.YearDay()+6-int(t.Weekday()))/7, 2, '0'), true
	case 'V':
		return number(week, 2, '0'), true
	case 'w':
		return number(int(t.Weekday()), 1, '0'), true
	case 'W':
		return number((t.YearDay()+6-(int(t.Weekday())+6)%7)/7, 2, '0'), true
	case 'y':
		return number(t.Year()%100, 2, '0'), true
	case 'Y':
		return number(t.Year(), 1, '0'), true
	case 'z', 'Z':
		// datetime.now() has no time zone.
		return "", true
	case '%':
		return "%", true
	}
	return "", false
}
