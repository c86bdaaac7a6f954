package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math/big"
	"strings"
)

// Object is a JSON object whose fields have an order, which templates show. Its zero value is
// empty, and a nil one has no fields.
//
// Values may be nil, bool, integers, floating-point numbers, strings, *big.Int, json.Number,
// json.RawMessage, *Object, slices and maps of these, whose keys are sorted, and whatever package
// encoding/json writes, in the order of its fields.
type Object struct {
	keys   []string
	values map[string]any
}

// Set sets a field: a new one comes last.
//
// It is not inlined: the code of the command would be 8 KiB larger.
//
//go:noinline
func (o *Object) Set(key string, value any) {
	if _, ok := o.values[key]; !ok {
		o.keys = append(o.keys, key)
	}
	if o.values == nil {
		o.values = make(map[string]any)
	}
	o.values[key] = value
}

// Get returns a field.
func (o *Object) Get(key string) (any, bool) {
	if o == nil {
		return nil, false
	}
	v, ok := o.values[key]
	return v, ok
}

// Len returns the number of fields.
func (o *Object) Len() int {
	if o == nil {
		return 0
	}
	return len(o.keys)
}

// All returns the fields in their order.
func (o *Object) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		if o == nil {
			return
		}
		for _, key := range o.keys {
			if !yield(key, o.values[key]) {
				return
			}
		}
	}
}

// MarshalJSON writes the fields in their order.
func (o *Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, key := range o.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(o.values[key])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads an object. The objects in it become *Object, too, arrays []any, and numbers
// int64 or *big.Int if they are written without a point and an exponent, else float64.
func (o *Object) UnmarshalJSON(data []byte) error {
	v, err := decode(data)
	if err != nil {
		return err
	}
	read, ok := v.(*Object)
	if !ok {
		return fmt.Errorf("JSON value is no object: %.40s", data)
	}
	*o = *read
	return nil
}

// decode reads a JSON value.
func decode(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := decodeValue(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("JSON value is followed by more")
	}
	return v, nil
}

// maxDepth is how deep values may be inside one another.
const maxDepth = 500

func decodeValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("more than %d values inside one another", maxDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Number:
		return number(t)
	case json.Delim:
		if t == '[' {
			return decodeArray(d, depth)
		}
		return decodeObject(d, depth)
	}
	return t, nil
}

func decodeArray(d *json.Decoder, depth int) (any, error) {
	items := []any{}
	for d.More() {
		v, err := decodeValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		items = append(items, v)
	}
	_, err := d.Token()
	return items, err
}

func decodeObject(d *json.Decoder, depth int) (any, error) {
	o := &Object{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, err := decodeValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		o.Set(key.(string), v)
	}
	_, err := d.Token()
	return o, err
}

// maxDigits is how many digits an integer may have, as in Python.
const maxDigits = 4300

// number returns the value of a number as Python reads it from JSON.
func number(n json.Number) (any, error) {
	text := string(n)
	if strings.ContainsAny(text, ".eE") {
		f, err := n.Float64()
		if err != nil && !strings.Contains(err.Error(), "range") {
			return nil, fmt.Errorf("number %.40q is invalid", text)
		}
		return f, nil
	}
	if i, err := n.Int64(); err == nil {
		return i, nil
	}
	big, ok := new(big.Int), len(text) <= maxDigits
	if ok {
		big, ok = big.SetString(text, 10)
	}
	if !ok {
		return nil, fmt.Errorf("number %.40q is invalid", text)
	}
	return big, nil
}
