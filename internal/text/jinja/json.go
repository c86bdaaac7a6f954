package jinja

import (
	"fmt"
	"math"
	"math/big"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/vinoir/vinoir/internal/text/python"
)

// jsonWriter writes values as json.dumps does.
type jsonWriter struct {
	writer
	sortKeys bool
	// indented says that each item has a line, indented by indent.
	indented   bool
	indent     string
	item, pair string // separators
}

// toJSON is the filter tojson of Hugging Face.
func toJSON(st *state, v any, a *callArgs) any {
	b := a.bind(st, "tojson", 0, "ensure_ascii", "indent", "separators", "sort_keys")
	w := &jsonWriter{writer: writer{st: st}, item: ", ", pair: ": "}
	w.ascii = b[0] != nil && truth(b[0])
	w.sortKeys = b[3] != nil && truth(b[3])
	if b[1] != nil && b[1] != None {
		w.indented, w.item = true, ","
		if text, ok := asString(b[1]); ok {
			w.indent = text
		} else {
			n := max(st.int(b[1], 0, "indent"), 0)
			spaces := int(min(n, math.MaxInt32))
			st.make(spaces)
			w.indent = strings.Repeat(" ", spaces)
		}
	}
	if b[2] != nil && b[2] != None {
		items := st.list(b[2])
		if len(items) != 2 {
			st.fail("separators must be a tuple of two strings, not of %d", len(items))
		}
		w.item = st.text(items[0], "", "separator")
		w.pair = st.text(items[1], "", "separator")
	}
	w.json(v, 0)
	return w.b.String()
}

func (w *jsonWriter) json(v any, depth int) {
	w.st.step()
	w.st.deep(depth)
	switch v := v.(type) {
	case string:
		w.quoted(v)
	case markup:
		w.quoted(string(v))
	case int64:
		w.text(strconv.FormatInt(v, 10))
	case bool:
		if v {
			w.text("true")
		} else {
			w.text("false")
		}
	case none:
		w.text("null")
	case *big.Int:
		w.big(v)
	case float64:
		w.text(jsonFloat(v))
	case *List:
		w.array(v.items, depth)
	case *tuple:
		w.array(v.items, depth)
	case *Dict:
		w.object(v, depth)
	default:
		w.st.fail("object of type %s is not JSON serializable", typeName(v))
	}
}

func jsonFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return python.FloatRepr(f)
}

// line begins a line for an item, if items have lines.
func (w *jsonWriter) line(depth int) {
	if w.indented {
		w.count(1 + w.st.times(depth, len(w.indent)))
		w.b.WriteByte('\n')
		for range depth {
			w.b.WriteString(w.indent)
		}
	}
}

func (w *jsonWriter) array(items []any, depth int) {
	w.text("[")
	for i, item := range items {
		if i > 0 {
			w.text(w.item)
		}
		w.line(depth + 1)
		w.json(item, depth+1)
	}
	if len(items) > 0 {
		w.line(depth)
	}
	w.text("]")
}

func (w *jsonWriter) object(d *Dict, depth int) {
	order := make([]int, len(d.keys))
	for i := range order {
		order[i] = i
	}
	if w.sortKeys {
		w.st.passItems(8 * len(order))
		sort.SliceStable(order, func(i, j int) bool { return w.st.sortOrder(d.keys[order[i]], d.keys[order[j]]) < 0 })
	}
	w.text("{")
	for i, at := range order {
		if i > 0 {
			w.text(w.item)
		}
		w.line(depth + 1)
		w.key(d.keys[at])
		w.text(w.pair)
		w.json(d.values[at], depth+1)
	}
	if len(order) > 0 {
		w.line(depth)
	}
	w.text("}")
}

// key writes a key: numbers and constants become strings.
func (w *jsonWriter) key(k any) {
	switch k := k.(type) {
	case string:
		w.quoted(k)
	case markup:
		w.quoted(string(k))
	case int64, *big.Int, bool, none, float64:
		w.text(`"`)
		w.json(k, 0)
		w.text(`"`)
	default:
		w.st.fail("keys must be str, int, float, bool or None, not %s", typeName(k))
	}
}

// plainJSON reports whether a byte stands for itself in a string.
func (w *jsonWriter) plainJSON(c byte) bool {
	if c == '"' || c == '\\' || c < 0x20 {
		return false
	}
	return !w.ascii || c < 0x7f
}

// quoted writes a string.
func (w *jsonWriter) quoted(s string) {
	w.count(len(s) + 2)
	w.b.WriteByte('"')
	plain := 0
	for plain < len(s) && w.plainJSON(s[plain]) {
		plain++
	}
	w.b.WriteString(s[:plain])
	for _, r := range s[plain:] {
		if r >= 0x80 && !w.ascii || r < 0x80 && w.plainJSON(byte(r)) {
			w.b.WriteRune(r)
			continue
		}
		w.count(6)
		if at := strings.IndexRune("\"\\\n\r\t\b\f", r); at >= 0 {
			w.b.WriteByte('\\')
			w.b.WriteByte(`"\nrtbf`[at])
			continue
		}
		if r > 0xffff {
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&w.b, `\u%04x\u%04x`, high, low)
			continue
		}
		fmt.Fprintf(&w.b, `\u%04x`, r)
	}
	w.b.WriteByte('"')
}
