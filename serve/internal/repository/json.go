package repository

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// parseJSON parses a JSON object as a message. Names in camel case become those with underscores,
// as the JSON form of protocol buffers allows both; fields that are null are left out.
func parseJSON(data []byte) (*message, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var outer message
	if err := addJSON(d, &outer, "", 0); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON object")
	}
	if len(outer.fields) != 1 || outer.fields[0].message == nil {
		return nil, errors.New("expected a JSON object")
	}
	return outer.fields[0].message, nil
}

// addJSON reads a value, and adds it to m as a field of the given name: a list as one for each.
func addJSON(d *json.Decoder, m *message, name string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("values are nested more than %d times", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case nil:
	case json.Delim:
		if token == '[' {
			for d.More() {
				if err := addJSON(d, m, name, depth+1); err != nil {
					return err
				}
			}
		} else {
			inner := &message{}
			if err := addObject(d, inner, depth+1); err != nil {
				return err
			}
			m.fields = append(m.fields, field{name: name, message: inner})
		}
		_, err = d.Token() // the end, which the decoder has checked
	default:
		m.fields = append(m.fields, field{name: name, text: fmt.Sprint(token)})
	}
	return err
}

// addObject reads the members of an object into m.
func addObject(d *json.Decoder, m *message, depth int) error {
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name, ok := token.(string)
		if !ok {
			return fmt.Errorf("expected a name, found %v", token)
		}
		if err := addJSON(d, m, name, depth); err != nil {
			return err
		}
	}
	return nil
}

// snake returns a name in camel case with underscores: maxBatchSize becomes max_batch_size. Names
// that have underscores or start with a capital letter, as those of properties, stay.
func snake(name string) string {
	if strings.Contains(name, "_") || name == "" || unicode.IsUpper(rune(name[0])) {
		return name
	}
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
