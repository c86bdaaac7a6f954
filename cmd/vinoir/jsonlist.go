package main

// jsonList prints JSON objects and arrays value by value. err is the first error.
type jsonList struct {
	*app
	prefix string // if not empty, each value is on a line of its own, which starts with prefix
	err    error

	begun bool // the object or array has a value
}

// raw prints the text before, between or behind objects and arrays.
func (l *jsonList) raw(text string) {
	if l.err == nil {
		_, l.err = l.stdout.WriteString(text)
	}
	l.begun = false
}

// value prints a value of an array.
func (l *jsonList) value(v any) {
	l.separate()
	l.marshal(v)
}

// member prints a member of an object.
func (l *jsonList) member(name string, v any) {
	l.separate()
	l.marshal(name)
	if l.err == nil {
		l.err = l.stdout.WriteByte(':')
	}
	l.marshal(v)
}

func (l *jsonList) separate() {
	text := ""
	if l.begun {
		text = ","
	}
	if l.prefix != "" {
		text += "\n" + l.prefix
	}
	if l.err == nil {
		_, l.err = l.stdout.WriteString(text)
	}
	l.begun = true
}

func (l *jsonList) marshal(v any) {
	if l.err != nil {
		return
	}
	text, err := marshal(v)
	if err == nil {
		_, err = l.stdout.Write(text)
	}
	l.err = err
}
