package jinja

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/text/python"
)

// formatSpec is format(v, spec).
func (st *state) formatSpec(v any, spec string) string {
	if u, ok := v.(*undefined); ok && spec != "" {
		// object.__format__ takes no specification.
		st.fail("unsupported format string passed to Undefined.__format__ (%s)", u.message())
	}
	if spec == "" {
		return st.str(v)
	}
	text, isText := asString(v)
	f, isFloat := v.(float64)
	n, isInt := asBig(v)
	if !isText && !isFloat && !isInt {
		st.fail("unsupported format string passed to %s.__format__", typeName(v))
	}
	s, err := python.ParseSpec(spec, !isText)
	st.check(err)
	st.make(len(text) + st.times(s.Width, len(string(s.Fill))) + 2*max(s.Precision, 0))
	if isInt {
		st.make(2 * n.BitLen())
	}
	var made string
	switch {
	case isText:
		made, err = s.String(text)
	case isFloat:
		made, err = s.Float(f)
	default:
		if _, isBool := v.(bool); isBool && s.Type == 's' {
			err = nil
		}
		made, err = s.Int(n)
	}
	st.check(err)
	return made
}

// check fails if err is not nil.
func (st *state) check(err error) {
	if err != nil {
		st.fail("%s", err)
	}
}

// formatter formats by str.format, as string.Formatter does.
type formatter struct {
	st     *state
	args   []any
	kwargs func(name string) any // or nil if there is none of the name
	// auto is the number of the next field without a name, or -1 once one was numbered.
	auto     int
	numbered bool
	marked   bool
}

func formatMethod(st *state, of any, a *callArgs) any {
	s, _ := asString(of)
	f := &formatter{st: st, args: a.args, marked: isMarkup(of), kwargs: func(name string) any {
		for i, n := range a.names {
			if n == name {
				return a.values[i]
			}
		}
		return nil
	}}
	return like(of, f.format(s, 2))
}

func formatMap(st *state, of any, a *callArgs) any {
	s, _ := asString(of)
	m := a.bind(st, "format_map", 1, "")[0]
	st.defined(m)
	f := &formatter{st: st, marked: isMarkup(of), kwargs: func(name string) any { return st.item(m, name) }}
	return like(of, f.format(s, 2))
}

// format formats a template, whose specifications can have fields themselves up to a depth.
func (f *formatter) format(s string, depth int) string {
	if depth < 0 {
		f.st.fail("fields of a format are too deep inside one another")
	}
	var b strings.Builder
	write := func(text string) {
		f.st.make(len(text))
		b.WriteString(text)
	}
	for s != "" {
		at := strings.IndexAny(s, "{}")
		if at < 0 {
			write(s)
			break
		}
		write(s[:at])
		c := s[at]
		s = s[at+1:]
		switch {
		case s != "" && s[0] == c:
			write(string(c))
			s = s[1:]
		case c == '}':
			f.st.fail("single '}' encountered in format string")
		case s == "":
			f.st.fail("single '{' encountered in format string")
		default:
			var field string
			field, s = f.cut(s)
			write(f.field(field, depth))
		}
	}
	return b.String()
}

// cut returns a field up to its closing brace, and the rest.
func (f *formatter) cut(s string) (field, rest string) {
	open := 1
	bracket := false
	for i := range len(s) {
		f.st.pass(1)
		switch s[i] {
		case '[':
			bracket = true
		case ']':
			bracket = false
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				return s[:i], s[i+1:]
			}
		}
	}
	_ = bracket
	f.st.fail("expected '}' before end of string")
	return "", ""
}

// field formats one field: name[!conversion][:specification].
func (f *formatter) field(field string, depth int) string {
	name, spec, conversion := field, "", ""
	for i := range len(field) {
		if field[i] == '[' {
			// A name in brackets can have a colon or an exclamation mark.
			if end := strings.IndexByte(field[i:], ']'); end > 0 && strings.ContainsAny(field[i:i+end], ":!") {
				f.st.fail("field %q is not supported: a colon or exclamation mark in brackets", field)
			}
		}
		if field[i] == '!' {
			name = field[:i]
			_, size := utf8.DecodeRuneInString(field[i+1:])
			conversion = field[i+1 : i+1+size]
			rest := field[i+1+size:]
			switch {
			case conversion == "":
				f.st.fail("end of string while looking for conversion specifier")
			case rest != "" && rest[0] != ':':
				f.st.fail("expected ':' after conversion specifier")
			case rest != "":
				spec = rest[1:]
			}
			break
		}
		if field[i] == ':' {
			name, spec = field[:i], field[i+1:]
			break
		}
	}
	v := f.value(name)
	v = f.convert(v, conversion)
	spec = f.format(spec, depth-1)
	if f.marked {
		if m, ok := v.(markup); ok {
			if spec != "" {
				f.st.fail("unsupported format specification %q for Markup", spec)
			}
			return string(m)
		}
		text, _ := f.st.escaped(f.st.formatSpec(v, spec))
		return text
	}
	return f.st.formatSpec(v, spec)
}

func (f *formatter) convert(v any, conversion string) any {
	switch conversion {
	case "":
		return v
	case "s":
		return f.st.str(v)
	case "r":
		return f.st.repr(v)
	case "a":
		w := &writer{st: f.st, ascii: true}
		w.repr(v, 0)
		return w.b.String()
	}
	f.st.fail("unknown conversion specifier %q", conversion)
	return nil
}

// value returns what the name of a field stands for: first.attribute[item]...
func (f *formatter) value(name string) any {
	end := strings.IndexAny(name, ".[")
	if end < 0 {
		end = len(name)
	}
	first, rest := name[:end], name[end:]
	v := f.first(first)
	for rest != "" {
		f.st.step()
		if rest[0] == '.' {
			rest = rest[1:]
			if end = strings.IndexAny(rest, ".["); end < 0 {
				end = len(rest)
			}
			if end == 0 {
				f.st.fail("empty attribute in format string")
			}
			v = f.st.getAttr(v, rest[:end])
			rest = rest[end:]
			continue
		}
		if rest[0] != '[' {
			f.st.fail("only '.' or '[' may follow ']' in format field specifier")
		}
		end = strings.IndexByte(rest, ']')
		switch {
		case end < 0:
			f.st.fail("missing ']' in format string")
		case end == 1:
			f.st.fail("empty attribute in format string")
		}
		key := any(rest[1:end])
		if n, err := strconv.ParseUint(rest[1:end], 10, 63); err == nil {
			key = int64(n)
		}
		v = f.st.getItem(v, key)
		rest = rest[end+1:]
	}
	return v
}

// first returns the argument of a number or a name.
func (f *formatter) first(name string) any {
	number := -1
	if name == "" {
		if f.numbered {
			f.st.fail("cannot switch from manual field specification to automatic field numbering")
		}
		number = f.auto
		f.auto++
	} else if n, err := strconv.ParseUint(name, 10, 31); err == nil {
		if f.auto > 0 {
			f.st.fail("cannot switch from automatic field numbering to manual field specification")
		}
		f.numbered = true
		number = int(n)
	}
	if number >= 0 {
		if number >= len(f.args) {
			f.st.fail("replacement index %d out of range for positional args", number)
		}
		return f.args[number]
	}
	if f.kwargs != nil {
		if v := f.kwargs(name); v != nil {
			return v
		}
	}
	f.st.fail("format has no argument %q", name)
	return nil
}

// percent is of % v for a string.
func (st *state) percent(of, v any) any {
	s, _ := asString(of)
	p := &percentFormat{st: st, rest: s, marked: isMarkup(of)}
	if t, ok := v.(*tuple); ok {
		p.args = t.items
	} else {
		p.args = []any{v}
		switch v.(type) {
		case *Dict, *List, *rangeValue, *undefined:
			// What has items need not be used: it may be meant as a mapping.
			p.mapping = v
		}
	}
	text := p.format()
	if p.used < len(p.args) && p.mapping == nil {
		st.fail("not all arguments converted during string formatting")
	}
	return like(of, text)
}

// percentFormat formats by the operator %.
type percentFormat struct {
	st      *state
	rest    string
	args    []any
	used    int
	mapping any // or nil
	marked  bool
}

func (p *percentFormat) format() string {
	var b strings.Builder
	for p.rest != "" {
		at := strings.IndexByte(p.rest, '%')
		if at < 0 {
			at = len(p.rest)
		}
		p.st.make(at)
		b.WriteString(p.rest[:at])
		if p.rest = p.rest[at:]; p.rest != "" {
			p.rest = p.rest[1:]
			b.WriteString(p.conversion())
		}
	}
	return b.String()
}

// take returns and removes the first byte of the rest.
func (p *percentFormat) take() byte {
	if p.rest == "" {
		p.st.fail("incomplete format")
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	return c
}

// argument returns the next argument.
func (p *percentFormat) argument() any {
	if p.used >= len(p.args) {
		p.st.fail("not enough arguments for format string")
	}
	p.used++
	return p.args[p.used-1]
}

// size reads a width or a precision, or takes it from an argument.
func (p *percentFormat) size(spec *python.Spec) int {
	if strings.HasPrefix(p.rest, "*") {
		p.rest = p.rest[1:]
		v := p.argument()
		n, ok := asInt(v)
		if !ok {
			p.st.defined(v)
			p.st.fail("* wants int, not %s", typeName(v))
		}
		if n < 0 && spec != nil {
			spec.Align = '<'
			n = -n
		}
		return int(min(max(n, 0), math.MaxInt32))
	}
	n := 0
	for p.rest != "" && '0' <= p.rest[0] && p.rest[0] <= '9' {
		if n > math.MaxInt32/10-1 {
			p.st.fail("width or precision too big in a format")
		}
		n = n*10 + int(p.take()-'0')
	}
	return n
}

// conversion formats what follows a percent sign.
func (p *percentFormat) conversion() string {
	spec := python.Spec{Fill: ' ', Precision: -1}
	var v any
	if strings.HasPrefix(p.rest, "(") {
		v = p.key()
	}
	zero := false
flags:
	for p.rest != "" {
		switch p.rest[0] {
		case '-':
			spec.Align = '<'
		case '+':
			spec.Sign = '+'
		case ' ':
			if spec.Sign == 0 {
				spec.Sign = ' '
			}
		case '#':
			spec.Alternate = true
		case '0':
			zero = true
		default:
			break flags
		}
		p.rest = p.rest[1:]
	}
	spec.Width = p.size(&spec)
	if strings.HasPrefix(p.rest, ".") {
		p.rest = p.rest[1:]
		spec.Precision = p.size(nil)
	}
	if p.rest != "" && strings.IndexByte("hlL", p.rest[0]) >= 0 {
		p.rest = p.rest[1:]
	}
	p.st.make(spec.Width + 2*max(spec.Precision, 0))
	spec.Type = p.take()
	if spec.Type == '%' {
		return "%"
	}
	if v == nil {
		v = p.argument()
	}
	if zero && spec.Align == 0 && strings.IndexByte("diouxXeEfFgG", spec.Type) >= 0 {
		spec.Fill, spec.Align = '0', '='
	}
	return p.convert(spec, v)
}

// key reads a key in parentheses and returns its value.
func (p *percentFormat) key() any {
	if p.mapping == nil {
		p.st.fail("format requires a mapping")
	}
	open := 0
	for i := range len(p.rest) {
		switch p.rest[i] {
		case '(':
			open++
		case ')':
			open--
		}
		if open == 0 {
			key := p.rest[1:i]
			p.rest = p.rest[i+1:]
			// What follows has no arguments but those of keys.
			p.used = len(p.args)
			v := p.st.item(p.mapping, key)
			if v == nil {
				p.st.fail("format has no key %q", key)
			}
			return v
		}
	}
	p.st.fail("incomplete format key")
	return nil
}

// convert formats one value.
func (p *percentFormat) convert(spec python.Spec, v any) string {
	st := p.st
	switch spec.Type {
	case 's', 'r', 'a':
		return p.text(spec, v)
	case 'c':
		text, ok := asString(v)
		if n, isInt := asInt(v); isInt && 0 <= n && n <= utf8.MaxRune {
			text, ok = string(rune(n)), true
		}
		if !ok || utf8.RuneCountInString(text) != 1 {
			st.defined(v)
			st.fail("%%c requires int or char")
		}
		return spec.Pad(text, '>')
	case 'd', 'i', 'u', 'o', 'x', 'X':
		return p.integer(spec, v)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		f, ok := st.asFloat(v)
		if !ok {
			st.defined(v)
			st.fail("must be real number, not %s", typeName(v))
		}
		if spec.Precision < 0 {
			spec.Precision = 6
		}
		text, err := spec.Float(f)
		st.check(err)
		return text
	}
	st.fail("unsupported format character %q", spec.Type)
	return ""
}

func (p *percentFormat) text(spec python.Spec, v any) string {
	text := ""
	switch {
	case spec.Type == 's':
		text = p.st.str(v)
	default:
		w := &writer{st: p.st, ascii: spec.Type == 'a'}
		w.repr(v, 0)
		text = w.b.String()
	}
	if p.marked && !isMarkup(v) {
		text, _ = p.st.escaped(text)
	}
	if spec.Precision >= 0 {
		text = python.Prefix(text, spec.Precision)
	}
	return spec.Pad(text, '>')
}

func (p *percentFormat) integer(spec python.Spec, v any) string {
	st := p.st
	n, ok := asBig(v)
	if f, isFloat := v.(float64); isFloat && strings.IndexByte("diu", spec.Type) >= 0 {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			st.fail("cannot convert float %s to integer", repr(f))
		}
		n, _ = big.NewFloat(f).Int(nil)
		ok = true
	}
	if !ok {
		st.defined(v)
		st.fail("%%%c format: an integer is required, not %s", spec.Type, typeName(v))
	}
	if strings.IndexByte("diu", spec.Type) >= 0 {
		spec.Type = 'd'
	}
	least := spec.Precision
	spec.Precision = -1
	if least > 0 {
		// The precision is the least number of digits.
		digits := new(big.Int).Abs(n).Text(map[byte]int{'d': 10, 'o': 8, 'x': 16, 'X': 16}[spec.Type])
		if missing := least - len(digits); missing > 0 {
			wide := spec
			wide.Width, wide.Fill, wide.Align = least, '0', '='
			if spec.Alternate && spec.Type != 'd' {
				wide.Width += 2
			}
			if n.Sign() < 0 || spec.Sign != 0 {
				wide.Width++
			}
			text, err := wide.Int(n)
			st.check(err)
			if spec.Fill == '0' && spec.Width > len(text) {
				wide.Width = spec.Width
				text, err = wide.Int(n)
				st.check(err)
			}
			return spec.Pad(text, '>')
		}
	}
	st.make(n.BitLen())
	text, err := spec.Int(n)
	st.check(err)
	return text
}
