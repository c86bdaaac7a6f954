package chat

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/text/jinja"
)

// valid returns s with U+FFFD for bytes that are not UTF-8: templates work on characters.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// converter makes values of templates.
type converter struct {
	// bytes counts those of the strings.
	bytes int
}

// text returns a string as a template sees it.
func (c *converter) text(s string) string {
	c.bytes += len(s)
	return valid(s)
}

// convert returns a value as a template sees it. depth is how many values it is inside of.
func (c *converter) convert(v any, depth int) (jinja.Value, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("more than %d values inside one another", maxDepth)
	}
	switch v := v.(type) {
	case nil:
		return jinja.None, nil
	case bool, float64, int64:
		return v, nil
	case string:
		return c.text(v), nil
	case int:
		return int64(v), nil
	case int32:
		return int64(v), nil
	case float32:
		return float64(v), nil
	case json.Number:
		n, err := number(v)
		if err != nil {
			return nil, err
		}
		return c.convert(n, depth)
	case *big.Int:
		if v.IsInt64() {
			return v.Int64(), nil
		}
		return new(big.Int).Set(v), nil
	case *Object:
		return c.convertObject(v, depth)
	case []any:
		return convertSlice(c, v, depth)
	case []string:
		return convertSlice(c, v, depth)
	case []Part:
		return convertSlice(c, v, depth)
	case []ToolCall:
		return convertSlice(c, v, depth)
	case Part:
		return c.convertObject(v.object(), depth)
	case ToolCall:
		return c.convertObject(v.object(), depth)
	case Tool:
		return c.convertObject(v.object(), depth)
	case map[string]any:
		return convertMap(c, v, depth)
	case map[string]string:
		return convertMap(c, v, depth)
	case json.RawMessage:
		return c.convertJSON(v, depth)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return c.convertJSON(data, depth)
}

func (c *converter) convertJSON(data []byte, depth int) (jinja.Value, error) {
	v, err := decode(data)
	if err != nil {
		return nil, err
	}
	return c.convert(v, depth)
}

func (c *converter) convertObject(o *Object, depth int) (jinja.Value, error) {
	if o == nil {
		return jinja.None, nil
	}
	d := jinja.NewDict(o.Len())
	for key, v := range o.All() {
		converted, err := c.convert(v, depth+1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		d.Set(c.text(key), converted)
	}
	return d, nil
}

func convertSlice[T any](c *converter, items []T, depth int) (jinja.Value, error) {
	values := make([]jinja.Value, len(items))
	for i, item := range items {
		v, err := c.convert(item, depth+1)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		values[i] = v
	}
	return jinja.NewList(values), nil
}

func convertMap[T any](c *converter, m map[string]T, depth int) (jinja.Value, error) {
	o := &Object{}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		o.Set(key, m[key])
	}
	return c.convertObject(o, depth)
}
