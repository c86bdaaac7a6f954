package repository

import (
	"fmt"
	"strconv"
	"strings"
)

// message is a configuration as its text has it: a message of protocol buffers in their text
// format, or a JSON object.
type message struct{ fields []field }

// field is a field of a message. A field with a list of values stands in the message once for each.
type field struct {
	name string
	// line is where the field is, counted from 1; 0 in JSON.
	line int
	// text is the value, unless message is not nil.
	text    string
	message *message
}

// maxDepth bounds how deep messages are nested.
const maxDepth = 32

// errorf returns an error about f.
func (f *field) errorf(format string, arguments ...any) error {
	text := fmt.Sprintf(format, arguments...)
	if f.line > 0 {
		return fmt.Errorf("line %d: %s: %s", f.line, f.name, text)
	}
	return fmt.Errorf("%s: %s", f.name, text)
}

// in returns err, which is about a field in f, with the name of f.
func (f *field) in(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", f.name, err)
}

// value returns the text of f, or an error if it has fields instead.
func (f *field) value() (string, error) {
	if f.message != nil {
		return "", f.errorf("expected a value, found a message")
	}
	return f.text, nil
}

// fields returns the fields in f, or an error if it is a single value.
func (f *field) fields() ([]field, error) {
	if f.message == nil {
		return nil, f.errorf("expected a message, found %q", f.text)
	}
	return f.message.fields, nil
}

// setText sets to to the text of f.
func (f *field) setText(to *string) (err error) {
	*to, err = f.value()
	return err
}

// setInt sets to to the whole number in f, which must be from least to most.
func setInt[T int | int64](f *field, to *T, least, most int64) error {
	text, err := f.value()
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return f.errorf("%q is not a whole number from %d to %d", text, least, most)
	}
	*to = T(n)
	return nil
}

// setBool sets to to the truth value in f.
func (f *field) setBool(to *bool) error {
	text, err := f.value()
	if err != nil {
		return err
	}
	switch strings.ToLower(text) {
	case "true", "yes", "1":
		*to = true
	case "false", "no", "0":
		*to = false
	default:
		return f.errorf("%q is neither true nor false", text)
	}
	return nil
}

// entries returns the entries of a map: those of a JSON object, or those of an entry with a key and
// a value, as the text format has them.
func (f *field) entries() ([]field, error) {
	fields, err := f.fields()
	if err != nil {
		return nil, err
	}
	entry := field{line: f.line}
	isEntry := false
	for i := range fields {
		switch {
		case fields[i].name == "key" && fields[i].message == nil:
			entry.name, isEntry = fields[i].text, true
		case fields[i].name == "value":
			entry.text, entry.message = fields[i].text, fields[i].message
		default:
			return fields, nil
		}
	}
	if !isEntry {
		return fields, nil
	}
	return []field{entry}, nil
}
